import ANCS
import BlueZ
import BlueZTestKit
import DBus
import DBusTestKit
import LinuxIO
import Testing

@testable import ANCSKit
@testable import ANCSReceiver

/// What other programs, a broken bluetoothd and a crowd of devices can do to a program at bluetoothd.
@Suite struct BlueZStrangerTests {
    private typealias World = BlueZCentralWorld

    private static let device: ObjectPath = "/org/bluez/hci0/dev_1"

    @Test func aProgramThatClaimsToBeBluetoothdIsNotBelieved() async throws {
        try await World.run { world in
            let program = try await world.begin()
            let peripheral = try await world.scan(program)
            try await world.connect(program, peripheral)
            let name = try #require(program.connection.uniqueName)
            let stranger = world.bus.connect()
            defer { stranger.close() }
            let before = program.events.count
            try stranger.emit(
                BusSignal(
                    Self.device, "org.freedesktop.DBus.Properties", "PropertiesChanged",
                    [
                        .string("org.bluez.Device1"), .options(["Connected": .bool(false)]),
                        .strings([]),
                    ]), to: name)
            try stranger.emit(
                BusSignal(
                    .root, "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved",
                    [.objectPath("/org/bluez/hci0"), .strings(["org.bluez.Adapter1"])]), to: name)
            let box = Box<Result<[BusValue], BusError>?>(nil)
            stranger.call(
                BusCall(
                    name, PairingAgent.path, "org.bluez.Agent1", "RequestConfirmation",
                    [.objectPath(Self.device), .uint32(42)]), within: .seconds(10)
            ) { box.value = $0 }
            try await world.wait("an answer to the stranger") { box.value != nil }
            let answer = box.value
            guard case .failure(let error)? = answer else {
                Issue.record("the stranger was answered: \(String(describing: answer))")
                return
            }
            #expect(error.name == BusError.accessDenied)
            #expect(program.events.count == before)
            #expect(await peripheral.state == .connected)
            #expect(
                !program.adapterEvents.contains {
                    if case .peer(_, .pairing) = $0 { true } else { false }
                })
        }
    }

    @Test func theUserAnswersTheQuestionsOfPairing() async throws {
        try await World.run { world in
            let program = try await world.begin()
            let peripheral = try await world.scan(program)
            try await world.connect(program, peripheral)
            let name = try #require(program.connection.uniqueName)
            let double = world.double
            await double.ignore("Pair dev_1")
            await program.adapter.pair(peripheral.identifier)
            try await world.wait("Pair") { double.assumeIsolated { $0.hasIgnored("Pair dev_1") } }
            let box = Box<Result<[BusValue], BusError>?>(nil)
            await double.call(
                BusCall(
                    name, PairingAgent.path, "org.bluez.Agent1", "RequestConfirmation",
                    [.objectPath(Self.device), .uint32(123_456)])
            ) { box.value = $1 }
            var question: NumericComparison?
            try await world.wait("the question") {
                for case .peer(peripheral.identifier, .pairing(.compare(let comparison)))
                    in program.adapterEvents
                {
                    question = comparison
                }
                return question != nil
            }
            #expect(question?.number.value == 123_456)
            #expect(box.value == nil)
            question?.confirm()
            try await world.wait("the answer") { box.value != nil }
            #expect(box.value == .success([]))
        }
    }

    @Test func aFloodOfValuesLeavesOthersTheirTurn() async throws {
        try await World.run { world in
            world.strap.isPaired = true
            await world.double.addPeripheral(world.strap)
            let program = try await world.begin()
            let peripheral = try await world.scan(program)
            let all = try await world.connect(program, peripheral)
            let measured = try #require(all.first { $0.uuid == "2A37" })
            try await peripheral.setNotifyValue(true, for: measured)
            let strap = world.strap
            let location = try #require(all.first { $0.uuid == "2A38" })
            for turn in 0..<20 {
                await world.double.run { double in
                    for number in 0..<100 {
                        double.notify([UInt8(turn), UInt8(number)], of: "2A37", by: strap)
                    }
                }
                #expect(try await peripheral.readValue(for: location) == [1])
            }
            try await world.wait("the values") {
                program.events.contains(.valueUpdated(peripheral, measured, [19, 99]))
            }
        }
    }

    @Test func aReplyThatNeverComesEndsTheRequestAndTheLink() async throws {
        try await World.run { world in
            world.strap.isPaired = true
            await world.double.addPeripheral(world.strap)
            let program = try await world.begin()
            let peripheral = try await world.scan(program)
            let all = try await world.connect(program, peripheral)
            let location = try #require(all.first { $0.uuid == "2A38" })
            await world.double.ignore("ReadValue char0014")
            do throws(BluetoothError) {
                _ = try await peripheral.readValue(for: location)
                Issue.record("there was an answer")
            } catch { #expect(error.code == .connectionTimeout) }
            // The link is this program's own, and a new one may help.
            try await world.wait("the end") { !world.strap.isConnected }
            await world.double.stopIgnoring("ReadValue char0014")
            let again = try await world.connect(program, peripheral)
            let same = try #require(again.first { $0.uuid == "2A38" })
            #expect(try await peripheral.readValue(for: same) == [1])
        }
    }

    @Test func aCrowdOfDevicesIsForgottenAgain() async throws {
        try await World.run { world in
            let program = try await world.begin()
            try await program.central.scanForPeripherals(withServices: nil)
            for round in 0..<4 {
                for number in 0..<1_000 {
                    let path = BlueZDouble.path("dev_x\(round)_\(number)")
                    let digits = String(0x10000 + number, radix: 16, uppercase: true).suffix(4)
                    let address = "5A:00:00:\(10 + round):\(digits.prefix(2)):\(digits.suffix(2))"
                    await world.double.run { double in
                        double.add(
                            path, .device,
                            [
                                "Address": .string(address), "AddressType": .string("random"),
                                "RSSI": .int16(-60),
                            ])
                        double.remove(path)
                    }
                }
                try await world.loop.sleep(for: .milliseconds(100))
            }
            let driver = try #require(program.driver)
            // Those that are gone, and the strap.
            #expect(driver.query { $0.book.peers.count } <= 1_024 + 1)
            await program.central.stopScan()
            let peripheral = try await world.scan(program)
            try await world.connect(program, peripheral)
        }
    }

    @Test func theEndOfTheBusIsTheEndOfTheAdapter() async throws {
        try await TestBus.with { bus in
            let place = BlueZConfiguration(
                adapter: .any, ability: .noInputNoOutput, window: nil, authentication: nil)
            let loop = bus.loop
            let double = BlueZDouble(on: loop) { try await bus.connect().connection }
            try await double.begin()
            let adapter = try BluetoothAdapter(name: "app", atBlueZ: place, on: loop) {
                () throws(IOError) in try BusConnection(.address(bus.address), on: loop)
            }
            let central = CentralManager(adapter)
            await adapter.start()
            let events = central.events.makeAsyncIterator()
            #expect(await events.next() == .stateUpdated(.unknown))
            #expect(await events.next() == .stateUpdated(.poweredOn))
            bus.kill()
            var failure: DeviceError?
            do throws(DeviceError) { for try await _ in adapter.events {} } catch {
                failure = error
            }
            guard case .transport(let error)? = failure else {
                Issue.record("it ended otherwise: \(String(describing: failure))")
                return
            }
            #expect(error.message.contains("the connection to the system bus has ended"))
            while await events.next() != nil {}
        }
    }

    @Test func aBusThatIsNotThereIsAnError() async throws {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        let place = BlueZConfiguration(
            adapter: .any, ability: .noInputNoOutput, window: nil, authentication: nil)
        let adapter = try BluetoothAdapter(name: "app", atBlueZ: place, on: loop) {
            () throws(IOError) in
            try BusConnection(.address("unix:path=/nonexistent/bus"), on: loop)
        }
        await adapter.start()
        var failure: DeviceError?
        do throws(DeviceError) { for try await _ in adapter.events {} } catch { failure = error }
        guard case .transport? = failure else {
            Issue.record("it ended otherwise: \(String(describing: failure))")
            return
        }
    }
}
