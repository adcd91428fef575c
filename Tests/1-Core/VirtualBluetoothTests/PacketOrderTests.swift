@testable import BluetoothLE
import Octets
import Testing
@testable import VirtualBluetooth

/// Events and data that reach the host by two ways, as on USB.
@Suite struct PacketOrderTests {
    private static let service = ServiceDefinition(
        uuid: BluetoothUUID(UInt16(0xFFF0)),
        characteristics: [
            .init(
                uuid: BluetoothUUID(UInt16(0xFFF1)), properties: [.read],
                permissions: AttributePermissions(read: .encrypted), storage: .stored([100]))
        ])

    private static func usb(_ abilities: VirtualControllerAbilities) -> VirtualControllerAbilities {
        var abilities = abilities
        abilities.packetOrder = .usb
        return abilities
    }

    /// Two hosts that pair, or have paired, whatever is ahead.
    private func meet(seed: UInt64, isSecure: Bool) throws {
        let bench = RadioBench(
            RadioConfiguration(seed: seed, timing: .immediate))
        var security = SecurityConfiguration()
        security.authentication = isSecure ? [.bonding, .secureConnections] : [.bonding]
        let abilities = Self.usb(seed % 2 == 0 ? .bluetooth5_3 : .bluetooth4_2)
        let central = bench.add(
            abilities, address: HostsOnRadioTests.centralAddress, security: security)
        let peripheral = bench.add(
            abilities, address: HostsOnRadioTests.peripheralAddress, security: security)
        #expect(bench.advance { central.isReady && peripheral.isReady })
        let value = try central.host.addService(Self.service, at: bench.now).characteristics[0]
            .value
        for isFirst in [true, false] {
            for device in [central, peripheral] { device.forget() }
            let handles = try bench.connect(
                central, to: peripheral, isExtended: abilities.advertisingSets > 0)
            // What each asks the other at once, as iPhones do.
            let name = try peripheral.host.start(
                .readValue(AttributeHandle(3)), on: handles.peripheral, at: bench.now)
            try central.host.pair(handles.central, at: bench.now)
            #expect(
                bench.advance(by: .seconds(10)) {
                    central.isEncrypted(handles.central)
                        && peripheral.isEncrypted(handles.peripheral)
                        && (!isFirst || central.isPaired && peripheral.isPaired)
                        && peripheral.isCompleted(name)
                }, "seed \(seed)")
            let read = try peripheral.host.start(
                .readValue(value), on: handles.peripheral, at: bench.now)
            bench.advance(by: .seconds(1)) { peripheral.isCompleted(read) }
            #expect(
                peripheral.outputs.contains(
                    .attribute(
                        handles.peripheral, .completed(read, .success(.value([100]))))),
                "seed \(seed)")
            for device in [central, peripheral] {
                #expect(!device.hasSecurityFailure, "seed \(seed)")
            }
            bench.radio.cut(
                between: central.controller, and: peripheral.controller, at: bench.now)
            bench.advance(by: .seconds(1))
        }
        #expect(bench.faults.isEmpty, "seed \(seed)")
    }

    @Test(
        "in 100 seeds, two hosts pair and meet again without a failure",
        arguments: 0..<100 as Range<UInt64>)
    func seeds(seed: UInt64) throws {
        try meet(seed: seed, isSecure: seed % 4 < 2)
    }

    @Test(
        "each kind keeps its order, either is ahead at times, and none is behind by 30 ms or more")
    func limits() throws {
        let bench = ProbeBench(RadioConfiguration(seed: 5, timing: .immediate))
        let (central, peripheral) = (
            bench.add(Self.usb(.bluetooth4_2)), bench.add(Self.usb(.bluetooth4_2))
        )
        let interval = AdvertisingInterval(rawValue: 0x20)
        post(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: interval, intervalMaximum: interval, type: .connectable,
                ownAddressType: .public, peerAddress: DeviceAddress(0, kind: .public),
                channels: .all, filterPolicy: 0), at: peripheral)
        post(HCI.LESetAdvertisingEnable(isEnabled: true), at: peripheral)
        post(
            HCI.LECreateConnection(
                scanInterval: interval, scanWindow: interval, filterPolicy: 0,
                peerAddress: DeviceAddress(0xC0FF_EE00_0002, kind: .public),
                ownAddressType: .public, parameters: RadioBench.parameters,
                eventLengthMinimum: 0, eventLengthMaximum: 0), at: central)
        #expect(bench.advance { central.handle != nil && peripheral.handle != nil })
        let handle = try #require(central.handle)
        bench.advance(by: .milliseconds(30))
        var ahead = (data: 0, events: 0)
        for number in UInt8(0)..<100 {
            peripheral.received = []
            post(HCI.LERand(), at: peripheral)
            central.sendData([number, 1], on: handle)
            central.sendData([number, 2], on: handle)
            post(HCI.ReadBDADDR(), at: peripheral)
            bench.advance(by: .milliseconds(30) - .nanoseconds(1))
            #expect(peripheral.data.map(\.data) == [[number, 1], [number, 2]])
            let answers = peripheral.all(HCI.CommandComplete.self).map(\.opcode)
            #expect(answers == [.leRand, .readBDADDR])
            let isData = peripheral.received.map(\.isData)
            if isData.first == true { ahead.data += 1 }
            if isData.last == true { ahead.events += 1 }
            bench.advance(by: .milliseconds(1))
        }
        #expect(ahead.data > 10 && ahead.events > 10)
    }

    @Test("packets on the way to a host whose controller lost power do not arrive")
    func power() {
        let bench = ProbeBench(RadioConfiguration(seed: 1))
        let probe = bench.add(Self.usb(.bluetooth5_3))
        bench.advance(by: .seconds(1))
        for _ in 0..<50 { post(HCI.LERand(), at: probe) }
        probe.received = []
        bench.radio.powerCycle(probe.controller, at: bench.now)
        bench.advance(by: .seconds(1))
        #expect(probe.received.isEmpty)
    }

    private func post(_ command: some HCICommand, at probe: ProbeBench.Probe) {
        probe.bench.radio.receive(
            .command(HCICommandPacket(command).octets), at: probe.controller, at: probe.bench.now)
        probe.bench.drain()
    }
}

extension HCIPacket {
    fileprivate var isData: Bool {
        if case .acl = self { true } else { false }
    }
}

extension RadioBench.Device {
    fileprivate var isReady: Bool {
        outputs.contains { if case .controller(.ready) = $0 { true } else { false } }
    }

    fileprivate var hasSecurityFailure: Bool {
        outputs.contains { if case .security(_, .failed) = $0 { true } else { false } }
    }

    fileprivate func isCompleted(_ procedure: ProcedureID) -> Bool {
        outputs.contains {
            if case .attribute(_, .completed(procedure, _)) = $0 { true } else { false }
        }
    }
}
