import BlueZTestKit
import DBus
import DBusTestKit
import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Core Bluetooth's words at the double of bluetoothd.
@Suite struct BlueZCentralTests {
    private typealias World = BlueZCentralWorld

    private static func characteristic(
        _ uuid: BluetoothUUID, _ all: [Characteristic]
    ) throws -> Characteristic {
        try #require(all.first { $0.uuid == uuid })
    }

    /// Why a call fails; `nil` if it does not.
    private static func failure(
        _ body: () async throws(BluetoothError) -> Void
    ) async -> BluetoothError.Code? {
        do throws(BluetoothError) {
            try await body()
            return nil
        } catch { return error.code }
    }

    @Test func aScanAConnectionAndAllKindsOfRequests() async throws {
        try await World.run { world in
            let program = try await world.begin()
            let peripheral = try await world.scan(program)
            let all = try await world.connect(program, peripheral)
            #expect(all.map(\.uuid) == ["2A37", "2A38", "2A39", "2A3A"])
            let location = try Self.characteristic("2A38", all)
            #expect(try await peripheral.readValue(for: location) == [1])
            let control = try Self.characteristic("2A39", all)
            try await peripheral.writeValue([1, 2], for: control, type: .withResponse)
            try await peripheral.writeValue([3], for: control, type: .withoutResponse)
            try await world.wait("the writes") { world.strap.written == [[1, 2], [3]] }
            #expect(await peripheral.maximumWriteValueLength(for: .withoutResponse) == 182)
            let measured = try Self.characteristic("2A37", all)
            try await peripheral.setNotifyValue(true, for: measured)
            let strap = world.strap
            await world.double.run { $0.notify([72], of: "2A37", by: strap) }
            try await world.wait("a value") {
                program.events.contains(.valueUpdated(peripheral, measured, [72]))
            }
            let unsupported = await Self.failure { () async throws(BluetoothError) in
                _ = try await peripheral.readRSSI()
            }
            #expect(unsupported == .operationNotSupported)
            // The link is this program's own.
            await program.central.cancelPeripheralConnection(peripheral)
            try await world.wait("the end") { !world.strap.isConnected }
            #expect(world.strap.enders == [program.connection.uniqueName])
        }
    }

    @Test func completionsComeInOrderWithEvents() async throws {
        try await World.run { world in
            let program = try await world.begin()
            let peripheral = try await world.scan(program)
            let all = try await world.connect(program, peripheral)
            let measured = try Self.characteristic("2A37", all)
            let location = try Self.characteristic("2A38", all)
            try await peripheral.setNotifyValue(true, for: measured)
            let driver = try #require(program.driver)
            let handle = location.attributes.value
            let order = Order()
            let strap = world.strap
            for number in UInt8(0)..<20 {
                await world.double.run { $0.notify([number], of: "2A37", by: strap) }
                driver.start(.readValue(handle), on: peripheral.peer, by: driver.ownClient) { _ in
                    order.append(program.events.count)
                }
            }
            try await world.wait("all answers") { order.values.count == 20 }
            #expect(order.values == order.values.sorted())
            try await world.wait("all values") {
                program.events.count { if case .valueUpdated = $0 { true } else { false } } == 20
            }
        }
    }

    /// What a test notes on the loop.
    private final class Order: @unchecked Sendable {
        // Unchecked: used on the loop's thread only.
        private(set) var values: [Int] = []
        func append(_ value: Int) { values.append(value) }
    }

    @Test func theLinkTheBondAndTheIdentifierOutliveTheProgram() async throws {
        try await World.run { world in
            let first = try await world.begin()
            let peripheral = try await world.scan(first)
            let all = try await world.connect(first, peripheral)
            let secret = try Self.characteristic("2A3A", all)
            #expect(try await peripheral.readValue(for: secret) == [9])
            #expect(await first.adapter.bonds.map(\.identifier) == [peripheral.identifier])
            first.kill()
            try await world.loop.sleep(for: .seconds(60))
            #expect(world.strap.isConnected)
            #expect(world.strap.enders == [])

            let second = try await world.begin()
            let connected = await second.central.retrieveConnectedPeripherals(
                withServices: [World.heartRate])
            #expect(connected.map(\.identifier) == [peripheral.identifier])
            let known = await second.central.retrievePeripherals(
                withIdentifiers: [peripheral.identifier])
            #expect(known.map(\.identifier) == [peripheral.identifier])
            let again = try #require(known.first)
            let others = try await world.connect(second, again)
            let same = try Self.characteristic("2A3A", others)
            #expect(try await again.readValue(for: same) == [9])
            // It did not make the link, and does not end it.
            await second.central.cancelPeripheralConnection(again)
            try await world.loop.sleep(for: .seconds(60))
            #expect(world.strap.isConnected)
        }
    }

    @Test func programsThatMeetADeviceAtTheSameTimeCallItTheSame() async throws {
        try await World.run { world in
            let first = try await world.begin()
            let second = try await world.begin()
            // Neither has stored anything yet.
            let one = try await world.scan(first)
            let other = try await world.scan(second)
            #expect(one.identifier == other.identifier)
            #expect(try BlueZPeerStore(directory: world.state).read() == [])
        }
    }

    /// A program that has connected while another one stores, whose lock it returns.
    private static func connected(
        _ world: isolated World
    ) async throws -> (program: World.Program, peripheral: Peripheral, lock: FileLock) {
        let program = try await world.begin()
        let peripheral = try await world.scan(program)
        let lock = try FileLock(of: BlueZPeerStore(directory: world.state).path)
        try await world.connect(program, peripheral)
        return (program, peripheral, lock)
    }

    @Test func whatIsNotStoredWhenAnAdapterStopsIsStoredBeforeItEnds() async throws {
        try await World.run { world in
            let (program, peripheral, lock) = try await Self.connected(world)
            let store = BlueZPeerStore(directory: world.state)
            let stop = Task(executorPreference: world.loop) { await program.adapter.stop() }
            try await world.wait("the state") {
                program.events.contains(.stateUpdated(.poweredOff))
            }
            let hasEnded = program.hasEnded
            #expect(!hasEnded)
            #expect(try store.read() == [])
            lock.release()
            await stop.value
            #expect(try store.read().map(\.identifier) == [peripheral.identifier])
        }
    }

    @Test func anAdapterThatStopsDoesNotWaitForEverForAnotherProgram() async throws {
        try await World.run { world in
            let (program, _, lock) = try await Self.connected(world)
            // Out of step with the attempts to store.
            try await world.loop.sleep(for: .milliseconds(17))
            let start = world.loop.now
            await program.adapter.stop()
            #expect(world.loop.now - start <= .seconds(1))
            try await world.wait("the warning") {
                program.adapterEvents.contains { event in
                    if case .device(.warning(let warning)) = event {
                        warning.topic == .storage
                    } else {
                        false
                    }
                }
            }
            lock.release()
        }
    }

    @Test func anAdapterThatStopsLeavesTheLink() async throws {
        try await World.run { world in
            let program = try await world.begin()
            let peripheral = try await world.scan(program)
            try await world.connect(program, peripheral)
            await program.adapter.stop()
            try await world.wait("the end") { program.hasEnded }
            #expect(
                program.events.suffix(2) == [
                    .stateUpdated(.poweredOff),
                    .disconnected(
                        peripheral,
                        BluetoothError(notPoweredOnBecause: ControllerFailure.stopped.message)),
                ])
            try await world.loop.sleep(for: .seconds(60))
            #expect(world.strap.isConnected)
            #expect(world.strap.enders == [])
        }
    }

    @Test func anAttemptToConnectDoesNotOutliveTheProgram() async throws {
        try await World.run { world in
            let program = try await world.begin()
            let peripheral = try await world.scan(program)
            world.strap.isInRange = false
            let attempt = Task(executorPreference: world.loop) {
                await Self.failure { () async throws(BluetoothError) in
                    try await program.central.connect(peripheral)
                }
            }
            let double = world.double
            try await world.wait("the call") {
                double.assumeIsolated { $0.count(of: "Connect dev_1") == 1 }
            }
            await program.adapter.stop()
            #expect(await attempt.value == .notPoweredOn)
            world.strap.isInRange = true
            try await world.loop.sleep(for: .seconds(60))
            #expect(!world.strap.isConnected)
        }
    }

    @Test func aRequestThatWaitsEndsWithTheAdapter() async throws {
        try await World.run { world in
            let program = try await world.begin()
            let peripheral = try await world.scan(program)
            let all = try await world.connect(program, peripheral)
            let location = try Self.characteristic("2A38", all)
            await world.double.ignore("ReadValue char0014")
            let read = Task(executorPreference: world.loop) {
                await Self.failure { () async throws(BluetoothError) in
                    _ = try await peripheral.readValue(for: location)
                }
            }
            let double = world.double
            try await world.wait("the call") {
                double.assumeIsolated { $0.hasIgnored("ReadValue char0014") }
            }
            await program.adapter.stop()
            let code = await read.value
            #expect(code == .notPoweredOn)
        }
    }

    @Test func theStatesAreThoseOfCoreBluetooth() async throws {
        try await World.run { world in
            let program = try await world.begin()
            await world.double.setPower(false)
            try await world.wait("off") { program.events.last == .stateUpdated(.poweredOff) }
            await world.double.setPower(true)
            try await world.wait("on") { program.events.last == .stateUpdated(.poweredOn) }
            await world.double.end()
            try await world.wait("ended") { program.events.last == .stateUpdated(.resetting) }
            // Both the manager and the error say why.
            let reason = try #require(await program.central.stateReason)
            #expect(!reason.isEmpty)
            await #expect(throws: BluetoothError(notPoweredOnBecause: reason)) {
                try await program.central.scanForPeripherals(withServices: nil)
            }
            try await world.double.begin(hasAdapter: false)
            try await world.wait("no adapter") {
                program.events.last == .stateUpdated(.unsupported)
            }
            await world.double.addAdapter()
            try await world.wait("on again") { program.events.last == .stateUpdated(.poweredOn) }
            #expect(await program.central.stateReason == nil)
            // Each time the adapter says why.
            let reasons = program.adapterEvents.compactMap { event -> BluetoothdFailure? in
                if case .device(.resetting(.bluetoothd(let failure))) = event {
                    failure
                } else {
                    nil
                }
            }
            #expect(
                reasons == [.off(adapter: "hci0", isBlocked: false), .ended, .noAdapter("any")])
        }
    }

    @Test func withoutBluetoothdTheAdapterEndsAndSaysWhyOnce() async throws {
        try await World.run { world in
            await world.double.end()
            let program = try await world.start()
            try await world.wait("the end") { program.failure != nil && program.hasEnded }
            #expect(program.failure == .controller(.bluetoothd(.notRunning)))
            #expect(program.events.contains(.stateUpdated(.resetting)))
            #expect(program.adapterEvents.isEmpty)
            try await world.double.begin()
        }
    }

    /// bluetoothd ends and begins again after each step; afterwards everything works as before.
    @Test(arguments: 0...4)
    func bluetoothdMayBeRestartedInAnyPhase(_ phase: Int) async throws {
        try await World.run { world in
            world.strap.isPaired = true
            let program = try await world.begin()
            if phase == 1 {
                try await program.central.scanForPeripherals(withServices: [World.heartRate])
            }
            if phase >= 2 {
                let peripheral = try await world.scan(program)
                if phase >= 3 {
                    let all = try await world.connect(program, peripheral)
                    if phase >= 4 {
                        let measured = try Self.characteristic("2A37", all)
                        try await peripheral.setNotifyValue(true, for: measured)
                    }
                }
            }
            let before = program.events.count
            try await world.double.restart()
            try await world.wait("power again") {
                program.events[before...].contains(.stateUpdated(.poweredOn))
            }
            let strap = world.strap
            await world.double.addPeripheral(strap)
            let peripheral = try await world.scan(program)
            let all = try await world.connect(program, peripheral)
            let measured = try Self.characteristic("2A37", all)
            try await peripheral.setNotifyValue(true, for: measured)
            await world.double.run { $0.notify([80], of: "2A37", by: strap) }
            try await world.wait("a value") {
                program.events.contains(.valueUpdated(peripheral, measured, [80]))
            }
        }
    }

    @Test func anAccessoryIsBoundByItsIdentifierAcrossRuns() async throws {
        try await World.run { world in
            let first = try await world.begin()
            let identifier = try await world.scan(first).identifier
            await first.adapter.stop()
            // It was never connected: its identifier is not kept, and follows from its address again.
            #expect(try BlueZPeerStore(directory: world.state).read() == [])
            let second = try await world.begin()
            let peripheral = try await world.scan(second)
            #expect(peripheral.identifier == identifier)
            try await world.connect(second, peripheral)
            await second.adapter.stop()
            let third = try await world.begin()
            #expect(
                await third.central.retrievePeripherals(
                    withIdentifiers: [peripheral.identifier]
                ).map(\.identifier) == [peripheral.identifier])
        }
    }
}
