@testable import BluetoothLE
import Octets
import OpenSSLSecurity
import Testing
import VirtualBluetooth

/// Controllers of one radio whose hosts are written out in the test, in virtual time.
final class ProbeBench {
    /// What a test sends to a controller and hears from it.
    final class Probe {
        let controller: ControllerID
        /// Strong: a test may keep nothing but the probe.
        let bench: ProbeBench
        /// Everything that the controller sent, oldest first.
        var received: [HCIPacket] = []

        init(_ controller: ControllerID, _ bench: ProbeBench) {
            self.controller = controller
            self.bench = bench
        }
    }

    var radio: VirtualRadio
    var now = MonotonicInstant.zero
    private(set) var probes: [Probe] = []
    private(set) var faults: [HostFault] = []

    init(
        _ configuration: RadioConfiguration = RadioConfiguration(),
        toolbox: OpenSSLToolbox? = OpenSSLToolbox()
    ) {
        radio = VirtualRadio(configuration: configuration, toolbox: toolbox)
    }

    /// A controller after Reset, with all of its events wanted unless said otherwise.
    func add(
        _ abilities: VirtualControllerAbilities = .bluetooth5_3, in room: RadioRoom = .first,
        wantsEvents: Bool = true
    ) -> Probe {
        let probe = Probe(radio.addController(abilities, in: room), self)
        probes.append(probe)
        guard wantsEvents else { return probe }
        probe.send(HCI.SetEventMask(mask: .max))
        probe.send(HCI.LESetEventMask(mask: .max))
        probe.received = []
        return probe
    }

    func drain() {
        while let output = radio.pollOutput() {
            switch output {
            case .send(let packet, let controller): probes[controller.index].received.append(packet)
            case .fault(let fault, _): faults.append(fault)
            }
        }
    }

    /// Time passes until a condition holds, at most so long. Returns whether it holds.
    @discardableResult
    func advance(
        by duration: Duration = .seconds(60), until condition: () -> Bool = { false }
    ) -> Bool {
        let end = now + duration
        while !condition() {
            guard let next = radio.nextDeadline, next <= end else {
                now = end
                return condition()
            }
            now = max(now, next)
            radio.handleTimeout(at: now)
            drain()
        }
        return true
    }

    // MARK: Links

    static let central = DeviceAddress(0xCC11_2233_4455, kind: .random)
    static let peripheral = DeviceAddress(0xC011_2233_4455, kind: .random)

    /// A Central and a Peripheral with a link between them, connected with the legacy commands.
    func connected(
        _ abilities: VirtualControllerAbilities = .bluetooth4_2,
        parameters: ConnectionParameters = RadioBench.parameters
    ) throws -> ProbeLink {
        let central = add(abilities)
        let peripheral = add(abilities)
        central.send(HCI.LESetRandomAddress(address: Self.central))
        peripheral.send(HCI.LESetRandomAddress(address: Self.peripheral))
        peripheral.advertise()
        central.initiate(to: Self.peripheral, parameters: parameters)
        #expect(advance { central.handle != nil && peripheral.handle != nil })
        return ProbeLink(
            central: central, peripheral: peripheral, atCentral: try #require(central.handle),
            atPeripheral: try #require(peripheral.handle))
    }
}

/// Two controllers with a link between them.
struct ProbeLink {
    let central: ProbeBench.Probe
    let peripheral: ProbeBench.Probe
    let atCentral: ConnectionHandle
    let atPeripheral: ConnectionHandle
}

extension ProbeBench.Probe {
    /// Sends a command and returns the status with which it was answered.
    @discardableResult
    func send(_ command: some HCICommand) -> HCIStatus? { send(HCICommandPacket(command)) }

    @discardableResult
    func send(_ command: HCICommandPacket) -> HCIStatus? {
        answer(to: command).first.map { HCIStatus(rawValue: $0) }
    }

    /// Sends a command and returns its return parameters, or its status alone.
    @discardableResult
    func answer(to command: HCICommandPacket) -> [UInt8] {
        let earlier = received.count
        bench.radio.receive(.command(command.octets), at: controller, at: bench.now)
        bench.drain()
        for event in received[earlier...].compactMap(\.hciEvent) {
            switch event {
            case .commandComplete(let complete) where complete.opcode == command.opcode:
                return complete.returnParameters
            case .commandStatus(let status) where status.opcode == command.opcode:
                return [status.status.rawValue]
            default: break
            }
        }
        return []
    }

    /// What a command returned.
    func returns<Command: HCICommand>(_ command: Command) throws -> Command.ReturnParameters {
        try Command.ReturnParameters(decoding: answer(to: HCICommandPacket(command)).span)
    }

    func sendData(
        _ octets: [UInt8], on handle: ConnectionHandle,
        boundary: ACLPacket.Boundary = .firstNonFlushable
    ) {
        let packet = ACLPacket(handle: handle, boundary: boundary, data: octets)
        bench.radio.receive(.acl(packet.octets), at: controller, at: bench.now)
        bench.drain()
    }

    // MARK: What came

    var events: [HCIEvent] { received.compactMap(\.hciEvent) }

    /// The parameters of all events of a kind.
    func all<Event: HCIEventParameters>(_ type: Event.Type) -> [Event] {
        received.compactMap { packet in
            guard case .event(let body) = packet, body.first == Event.code.code else { return nil }
            var start = 2
            if let subevent = Event.code.subevent {
                guard body.count > 2, body[2] == subevent else { return nil }
                start = 3
            }
            return try? Event(decoding: Array(body[start...]).span)
        }
    }

    var data: [ACLPacket] {
        received.compactMap { packet in
            guard case .acl(let body) = packet else { return nil }
            return try? ACLPacket(decoding: body.span)
        }
    }

    /// The link that was made last, or `nil`.
    var handle: ConnectionHandle? {
        all(HCI.LEEnhancedConnectionComplete.self).last { $0.status == .success }?.handle
            ?? all(HCI.LEConnectionComplete.self).last { $0.status == .success }?.handle
    }

    /// Why links ended.
    var endings: [HCIStatus] { all(HCI.DisconnectionComplete.self).map(\.reason) }

    /// How many packets were said to have left the buffers.
    var completedPackets: Int {
        all(HCI.NumberOfCompletedPackets.self).flatMap(\.entries).reduce(0) { $0 + Int($1.count) }
    }

    // MARK: What hosts do

    func advertise(
        _ type: AdvertisingType = .connectable, as own: OwnAddressType = .random,
        to peer: DeviceAddress = DeviceAddress(0, kind: .public), data: [UInt8] = [],
        scanResponse: [UInt8] = [], filterPolicy: UInt8 = 0
    ) {
        #expect(
            send(
                HCI.LESetAdvertisingParameters(
                    intervalMinimum: .milliseconds(100), intervalMaximum: .milliseconds(100),
                    type: type, ownAddressType: own, peerAddress: peer, channels: .all,
                    filterPolicy: filterPolicy)) == .success)
        send(HCI.LESetAdvertisingData(data: data))
        send(HCI.LESetScanResponseData(data: scanResponse))
        #expect(send(HCI.LESetAdvertisingEnable(isEnabled: true)) == .success)
    }

    func initiate(
        to peer: DeviceAddress, as own: OwnAddressType = .random,
        parameters: ConnectionParameters = RadioBench.parameters, filterPolicy: UInt8 = 0
    ) {
        let scan = AdvertisingInterval(rawValue: 0x10)
        #expect(
            send(
                HCI.LECreateConnection(
                    scanInterval: scan, scanWindow: scan, filterPolicy: filterPolicy,
                    peerAddress: peer, ownAddressType: own, parameters: parameters,
                    eventLengthMinimum: 0, eventLengthMaximum: 0)) == .success)
    }

    func scan(isActive: Bool = false, filtersDuplicates: Bool = true, filterPolicy: UInt8 = 0) {
        let scan = AdvertisingInterval(rawValue: 0x10)
        #expect(
            send(
                HCI.LESetScanParameters(
                    isActive: isActive, interval: scan, window: scan, ownAddressType: .public,
                    filterPolicy: filterPolicy)) == .success)
        #expect(
            send(HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: filtersDuplicates))
                == .success)
    }

    /// The reports that legacy scanning gave.
    var reports: [HCI.LEAdvertisingReport.Report] {
        all(HCI.LEAdvertisingReport.self).flatMap(\.reports)
    }

    var extendedReports: [HCI.LEExtendedAdvertisingReport.Report] {
        all(HCI.LEExtendedAdvertisingReport.self).flatMap(\.reports)
    }
}

extension HCIPacket {
    var hciEvent: HCIEvent? {
        guard case .event(let body) = self else { return nil }
        return try? HCIEvent(decoding: body.span)
    }
}
