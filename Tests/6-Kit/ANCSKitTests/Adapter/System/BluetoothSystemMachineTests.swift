import BluetoothLE
import LinuxIO
import Octets
import Testing
import VirtualBluetooth
internal import VirtualTransports

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A radio with a desk and a phone, each a system without a driver: no loop, no transport, no file.
private final class MachineBench {
    /// A system, and what it put out besides packets.
    final class Device {
        var system: BluetoothSystem
        let controller: ControllerID
        var outputs: [BluetoothSystem.Output] = []

        init(_ system: consuming BluetoothSystem, at controller: ControllerID) {
            self.system = system
            self.controller = controller
        }

        /// What this client was told, or waits for, a line each, since the last time.
        func story(of client: ClientID) -> [String] {
            defer { outputs = [] }
            return outputs.compactMap { output in
                switch output {
                case .reportClient(client, .link(_, .connected)): "connected"
                case .reportClient(client, .link(_, .connectFailed(let failure))):
                    "failed: \(failure)"
                case .report(.link(_, .up)): "up"
                case .report(.link(_, .down)): "down"
                case .report(.security(_, .paired)): "paired"
                case .completed(let request, .success(.value(let value))):
                    "\(request.rawValue): \(Hexadecimal.text(value))"
                case .completed(let request, .failure(let failure)):
                    "\(request.rawValue): \(failure)"
                case .completed(let request, .success): "\(request.rawValue): done"
                case .send, .report, .reportClient, .withdraw, .rssiRead, .servicesFound, .store,
                    .controllerReady, .controllerNotReady:
                    nil
                }
            }
        }
    }

    static let app = ClientID(rawValue: 1)
    static let other = ClientID(rawValue: 2)

    var now = MonotonicInstant.zero
    let desk: Device
    let phone: Device
    private var radio: VirtualRadio

    init() {
        var radio = VirtualRadio(
            configuration: RadioConfiguration(seed: 1), toolbox: OpenSSLToolbox(simulatedFrom: 1))
        desk = Self.device("Desk", seed: 2, at: radio.addController(.bluetooth5_3))
        phone = Self.device("Phone", seed: 3, at: radio.addController(.bluetooth5_3))
        self.radio = radio
        desk.system.start(at: now)
        phone.system.start(at: now)
        advance(by: .seconds(1))
    }

    private static func device(_ name: String, seed: UInt64, at controller: ControllerID) -> Device
    {
        var configuration = AdapterConfiguration(
            name: name, controller: HCIConfiguration(.hciSocket(index: 0)))
        configuration.controller.toolbox = OpenSSLToolbox(simulatedFrom: seed)
        var toolbox = configuration.controller.toolbox
        let stored = DeviceState.new(using: &toolbox)
        return Device(
            BluetoothSystem(configuration, stored: stored, toolbox: toolbox), at: controller)
    }

    /// Time passes, and every deadline in it.
    func advance(by duration: Duration) {
        let end = now + duration
        settle()
        while true {
            let systems = MonotonicInstant.earliest(
                desk.system.nextDeadline, phone.system.nextDeadline)
            guard let next = MonotonicInstant.earliest(radio.nextDeadline, systems), next <= end
            else { break }
            now = max(now, next)
            radio.handleTimeout(at: now)
            desk.system.handleTimeout(at: now)
            phone.system.handleTimeout(at: now)
            settle()
        }
        now = end
    }

    private func settle() {
        var isResting = false
        while !isResting {
            isResting = true
            for device in [desk, phone] {
                while let output = device.system.pollOutput(at: now) {
                    isResting = false
                    if case .send(let packet) = output {
                        radio.receive(packet, at: device.controller, at: now)
                    } else {
                        device.outputs.append(output)
                    }
                }
            }
            while let output = radio.pollOutput() {
                isResting = false
                guard case .send(let packet, let controller) = output else { continue }
                let device = controller == desk.controller ? desk : phone
                device.system.receive(packet, at: now)
            }
        }
    }

    /// A desk that serves a value, open or protected, and a phone whose app is connected to it: the peer and
    /// the handle of the value.
    func connect(
        permissions: AttributePermissions = AttributePermissions(read: .open)
    ) throws -> (peer: PeerKey, value: AttributeHandle) {
        let service = ServiceDefinition(
            uuid: BluetoothUUID(UInt16(0xFF10)),
            characteristics: [
                .init(
                    uuid: BluetoothUUID(UInt16(0xFF11)), properties: [.read, .notify],
                    permissions: permissions,
                    storage: .stored([7]))
            ])
        let handles = try desk.system.addService(
            service, startingAt: nil, announcing: true, by: Self.app, at: now)
        try desk.system.advertise(
            AdvertisingArbiter.Request(wanted: .init(localName: "Desk")), by: Self.app, at: now)
        phone.system.scan(ScanRequest(), by: Self.app, at: now)
        advance(by: .seconds(2))
        phone.system.stopScanning(by: Self.app, at: now)
        var heard: PeerKey?
        for case .reportClient(_, .scan(.discovered(let peer, _))) in phone.outputs { heard = peer }
        let peer = try #require(heard)
        phone.system.connect(peer, by: Self.app, timeout: nil, at: now)
        advance(by: .seconds(5))
        #expect(phone.story(of: Self.app) == ["up", "connected"])
        return (peer, handles.characteristics[0].value)
    }
}

/// What used to need a loop, a transport and clients.
@Suite("The system's state machine")
struct BluetoothSystemMachineTests {
    @Test("a link is kept as long as a client uses it")
    func users() throws {
        let bench = MachineBench()
        let (peer, _) = try bench.connect()
        bench.phone.system.connect(peer, by: MachineBench.other, timeout: nil, at: bench.now)
        bench.phone.system.release(peer, by: MachineBench.app, at: bench.now)
        bench.advance(by: .seconds(10))
        #expect(bench.phone.story(of: MachineBench.other) == ["connected"])
        bench.phone.system.release(peer, by: MachineBench.other, at: bench.now)
        bench.advance(by: .seconds(10))
        #expect(bench.phone.story(of: MachineBench.other) == ["down"])
        #expect(bench.phone.system.connectedPeers == [])
    }

    /// A controller may still send what it gets after the request to end a link.
    @Test(
        "nothing is sent on a link that either side is ending", arguments: [true, false])
    func nothingAtTheEnd(isLastUser: Bool) throws {
        let bench = MachineBench()
        let (peer, value) = try bench.connect()
        let request = ClientRequest(id: .init(rawValue: 5), client: MachineBench.app)
        bench.phone.system.subscribe(
            .notification, at: AttributeHandle(value.rawValue + 1), of: peer, for: request,
            pairs: false, isForced: false, at: bench.now)
        bench.advance(by: .seconds(5))
        #expect(bench.phone.story(of: MachineBench.app) == ["5: done"])
        if !isLastUser {
            bench.phone.system.connect(peer, by: MachineBench.other, timeout: nil, at: bench.now)
            bench.phone.system.disconnect(peer, at: bench.now)
        }
        bench.phone.system.release(peer, by: MachineBench.app, at: bench.now)
        var commands = 0
        while let output = bench.phone.system.pollOutput(at: bench.now) {
            switch output {
            case .send(.command): commands += 1
            case .send: Issue.record("data on a link that is being ended")
            default: break
            }
        }
        #expect(commands == 1)
    }

    @Test("a value that is refused on an unencrypted link is read after pairing, in one request")
    func retryAfterPairing() throws {
        let bench = MachineBench()
        let (peer, value) = try bench.connect(permissions: AttributePermissions(read: .encrypted))
        let request = ClientRequest(id: .init(rawValue: 9), client: MachineBench.app)
        bench.phone.system.start(
            .readValue(value), on: peer, for: request, pairs: true, at: bench.now)
        bench.advance(by: .seconds(10))
        #expect(bench.phone.story(of: MachineBench.app) == ["paired", "9: 07"])
        #expect(bench.phone.system.bonds.count == 1)
    }

    @Test("a client's requests end before the end of the link is reported to it")
    func linkEnds() throws {
        let bench = MachineBench()
        let (peer, value) = try bench.connect()
        for id: UInt64 in 1...2 {
            bench.phone.system.start(
                .readValue(value), on: peer,
                for: ClientRequest(id: .init(rawValue: id), client: MachineBench.app), pairs: true,
                at: bench.now)
        }
        bench.phone.system.restart(at: bench.now)
        bench.advance(by: .seconds(1))
        let closed = GATTFailure.closed
        #expect(
            bench.phone.story(of: MachineBench.app) == ["1: \(closed)", "2: \(closed)", "down"])
    }

    @Test("a service is removed with its client, and requests for it are refused")
    func dismissed() throws {
        let bench = MachineBench()
        let (peer, value) = try bench.connect()
        bench.desk.system.dismiss(MachineBench.app, at: bench.now)
        let request = ClientRequest(id: .init(rawValue: 3), client: MachineBench.app)
        bench.phone.system.start(
            .readValue(value), on: peer, for: request, pairs: true, at: bench.now)
        bench.advance(by: .seconds(5))
        let error = GATTFailure.errorResponse(.invalidHandle, value)
        #expect(bench.phone.story(of: MachineBench.app) == ["3: \(error)"])
    }

    @Test("closing the system ends all requests, and then reports the end")
    func closed() throws {
        let bench = MachineBench()
        let (peer, value) = try bench.connect()
        let request = ClientRequest(id: .init(rawValue: 4), client: MachineBench.app)
        bench.phone.system.start(
            .readValue(value), on: peer, for: request, pairs: true, at: bench.now)
        bench.phone.system.close(at: bench.now)
        var last: BluetoothSystem.Output?
        while let output = bench.phone.system.pollOutput(at: bench.now) {
            if case .completed(request.id, .failure(.closed)) = output {
                bench.phone.outputs.append(output)
            }
            last = output
        }
        #expect(bench.phone.story(of: MachineBench.app) == ["4: \(GATTFailure.closed)"])
        guard case .report(.controller(.closed))? = last else {
            Issue.record("the end is not told last")
            return
        }
    }
}
