import BluetoothLE
import HCITransports
import VirtualTransports
import LinuxIO
import Octets
import Testing
import VirtualBluetooth

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Connecting: with and without an end, given up, lost, shared by two apps.
@Suite struct ConnectingTests {
    @Test("a peripheral in range is connected, and the app is notified")
    func connects() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            accessory.advertise()
            let peripheral = try await air.find([Accessory.service], by: manager)
            #expect(await peripheral.state == .disconnected)
            try await manager.connect(peripheral)
            #expect(await peripheral.state == .connected)
            let connected = try await air.next(of: manager) { event in
                if case .connected(let peripheral) = event { peripheral } else { nil }
            }
            #expect(connected === peripheral)
            try await manager.connect(peripheral, timeout: .seconds(1))
        }
    }

    @Test("a missing peripheral is waited for until the timeout")
    func timeout() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            accessory.advertise()
            let peripheral = try await air.find([Accessory.service], by: manager)
            accessory.stopAdvertising()
            let start = air.loop.now
            do throws(BluetoothError) {
                try await manager.connect(peripheral, timeout: .seconds(20))
                Issue.record("it connected")
            } catch { #expect(error.code == .connectionTimeout) }
            #expect(air.loop.now - start == .seconds(20))
            #expect(await peripheral.state == .disconnected)
        }
    }

    @Test(
        "without a timeout a connection is made when the peripheral comes, a quarter of an hour later"
    )
    func waits() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            accessory.advertise()
            let peripheral = try await air.find([Accessory.service], by: manager)
            accessory.stopAdvertising()
            let connecting = Task(executorPreference: air.loop) {
                try await manager.connect(peripheral)
            }
            try await air.pass(.seconds(900))
            #expect(await peripheral.state == .connecting)
            accessory.advertise()
            try await connecting.value
            #expect(await peripheral.state == .connected)
        }
    }

    /// Who gives a connection up that is waited for.
    enum GivingUp: CaseIterable { case manager, task }

    @Test(
        "cancelling a pending connection leaves nothing behind",
        arguments: GivingUp.allCases)
    func givenUp(by who: GivingUp) async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            accessory.advertise()
            let peripheral = try await air.find([Accessory.service], by: manager)
            accessory.stopAdvertising()
            let connecting = Task(executorPreference: air.loop) {
                try await manager.connect(peripheral)
            }
            try await air.pass(.seconds(30))
            switch who {
            case .manager: await manager.cancelPeripheralConnection(peripheral)
            case .task: connecting.cancel()
            }
            await #expect(throws: BluetoothError(.operationCancelled)) {
                try await connecting.value
            }
            #expect(await peripheral.state == .disconnected)
            accessory.advertise()
            try await air.pass(.seconds(30))
            #expect(accessory.links.isEmpty)
        }
    }

    @Test("a task that is cancelled before it begins connects nothing")
    func cancelledBefore() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            accessory.advertise()
            let peripheral = try await air.find([Accessory.service], by: manager)
            let connecting = Task(executorPreference: air.loop) {
                try await manager.connect(peripheral)
            }
            connecting.cancel()
            await #expect(throws: BluetoothError(.operationCancelled)) {
                try await connecting.value
            }
            try await air.pass(.seconds(5))
            #expect(accessory.links.isEmpty)
        }
    }

    /// How a link is lost.
    struct Loss: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: BluetoothError.Code
        var reason: HCIStatus
        var lose: @Sendable (Accessory, VirtualPort, isolated Air) -> Void

        static let all = [
            Loss(
                testDescription: "the peripheral ends it", code: .peripheralDisconnected,
                reason: .remoteUserTerminatedConnection,
                lose: { accessory, _, _ in
                    accessory.disconnect()
                }),
            Loss(
                testDescription: "it goes out of range", code: .connectionTimeout,
                reason: .connectionTimeout,
                lose: { accessory, port, air in
                    air.setPath(RadioPath(isInRange: false), port, accessory.port)
                }),
        ]
    }

    @Test("a link that is lost ends with the reason of the specification", arguments: Loss.all)
    func lost(_ loss: Loss) async throws {
        try await Air.run { air in
            let port = air.port()
            let adapter = try await air.adapter(at: port)
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            try accessory.addService()
            accessory.advertise()
            let peripheral = try await air.find([Accessory.service], by: manager)
            try await manager.connect(peripheral)
            try await air.until("the link is up") { !accessory.links.isEmpty }
            loss.lose(accessory, port, air)
            let error = try await air.next(of: manager) { event in
                if case .disconnected(peripheral, let error) = event { error } else { nil }
            }
            #expect(error.code == loss.code)
            #expect(error.reason == loss.reason)
            #expect(await peripheral.state == .disconnected)
        }
    }

    @Test("two apps share a link, which lasts until both have cancelled")
    func shared() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let one = try await air.manager(at: adapter)
            let other = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            accessory.advertise()
            let peripheral = try await air.find([Accessory.service], by: one)
            let same = try #require(
                await other.retrievePeripherals(withIdentifiers: [peripheral.identifier]).first)
            #expect(same !== peripheral)
            try await one.connect(peripheral)
            #expect(await same.state == .disconnected, "what one app has is not the other's")
            let start = air.loop.now
            try await other.connect(same)
            #expect(air.loop.now == start, "it takes no radio")
            await one.cancelPeripheralConnection(peripheral)
            let (_, error) = try await air.next(of: one) { event in
                if case .disconnected(let peripheral, let error) = event {
                    (peripheral, error)
                } else {
                    nil
                }
            }
            #expect(error == nil)
            try await air.pass(.seconds(10))
            #expect(accessory.links.count == 1)
            #expect(await same.state == .connected)
            await other.cancelPeripheralConnection(same)
            try await air.until("the link has fallen") { accessory.links.isEmpty }
        }
    }

    @Test("releasing a manager ends its links")
    func letGo() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let accessory = try await air.accessory()
            accessory.advertise()
            do {
                let manager = try await air.manager(at: adapter)
                let peripheral = try await air.find([Accessory.service], by: manager)
                try await manager.connect(peripheral)
            }
            try await air.until("the link has fallen") { accessory.links.isEmpty }
        }
    }

    @Test("releasing a manager ends its operations")
    func letGoWhileReading() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let accessory = try await air.accessory()
            try accessory.addService()
            accessory.advertise()
            var manager: CentralManager? = try await air.manager(at: adapter)
            let peripheral = try await air.find(
                [Accessory.service], by: try #require(manager))
            try await manager?.connect(peripheral)
            let service = try #require(try await peripheral.discoverServices(nil).last)
            let silent = try #require(
                try await peripheral.discoverCharacteristics([Accessory.silent], for: service)
                    .first)
            let reading = Task(executorPreference: air.loop) {
                try await peripheral.readValue(for: silent)
            }
            try await air.pass(.seconds(1))
            manager = nil
            await #expect(throws: BluetoothError(.notConnected)) { try await reading.value }
            #expect(await peripheral.state == .disconnected)
        }
    }

    @Test("a pending connection survives a failure of the controller")
    func waitsThroughReset() async throws {
        try await Air.run { air in
            let port = air.port()
            let adapter = try await air.adapter(at: port)
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            accessory.advertise()
            let peripheral = try await air.find([Accessory.service], by: manager)
            accessory.stopAdvertising()
            let connecting = Task(executorPreference: air.loop) {
                try await manager.connect(peripheral)
            }
            try await air.pass(.seconds(20))
            air.radio.change { radio, now in radio.fail(port.controller, code: 1, at: now) }
            let state = try await air.next(of: manager) { event in
                if case .stateUpdated(let state) = event { state } else { nil }
            }
            #expect(state == .resetting)
            try await air.pass(.seconds(20))
            accessory.advertise()
            try await connecting.value
        }
    }

    @Test("there are as many links as the configuration allows, and no more")
    func limit() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port()) {
                $0.controller.maximumConnections = 1
            }
            let manager = try await air.manager(at: adapter)
            let one = try await air.accessory()
            let other = try await air.accessory()
            one.advertise([Accessory.service])
            other.advertise([Accessory.otherService])
            let first = try await air.find([Accessory.service], by: manager)
            let second = try await air.find([Accessory.otherService], by: manager)
            try await manager.connect(first)
            await #expect(throws: BluetoothError(.connectionLimitReached)) {
                try await manager.connect(second, timeout: .seconds(5))
            }
            await manager.cancelPeripheralConnection(first)
            try await manager.connect(second)
        }
    }

    @Test("a peripheral of another manager, or an unknown one, is refused")
    func refused() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let one = try await air.manager(at: adapter)
            let other = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            accessory.advertise()
            let peripheral = try await air.find([Accessory.service], by: one)
            do throws(BluetoothError) {
                try await other.connect(peripheral)
                Issue.record("it connected")
            } catch { #expect(error.code == .invalidParameters) }
            let nobody = PeerIdentifier(rawValue: 5)
            #expect(await one.retrievePeripherals(withIdentifiers: [nobody]).isEmpty)
        }
    }

    @Test("stopping the adapter ends pending connections and links with an error")
    func stops() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let one = try await air.accessory()
            let other = try await air.accessory()
            one.advertise([Accessory.service])
            other.advertise([Accessory.otherService])
            let connected = try await air.find([Accessory.service], by: manager)
            let waiting = try await air.find([Accessory.otherService], by: manager)
            try await manager.connect(connected)
            other.stopAdvertising()
            let connecting = Task(executorPreference: air.loop) {
                try await manager.connect(waiting)
            }
            try await air.pass(.seconds(15))
            await adapter.stop()
            await #expect(throws: BluetoothError(.notPoweredOn)) { try await connecting.value }
            _ = try await air.next(of: manager) { event in
                if case .disconnected(connected, _) = event { true } else { nil }
            }
            #expect(await manager.state == .poweredOff)
            #expect(await connected.state == .disconnected)
        }
    }
}
