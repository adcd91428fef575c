import ANCSKit
import ANCSTestKit
import CoreBluetooth
import LinuxIO
import Testing

@testable import CoreBluetooth

@Suite("A program for Core Bluetooth, as a Central")
struct CBCentralManagerTests {
    /// Runs a program beside a sensor.
    private static func run(
        _ prepare: @escaping @Sendable (Monitor) -> Void = { _ in },
        _ body: @escaping @Sendable (isolated TestBench, Monitor, Sensor) async throws -> Void
    ) async throws {
        try await TestBench.run { bench in
            let sensor = try await Sensor(on: bench)
            let monitor = Monitor()
            prepare(monitor)
            try bench.withCoreBluetooth { monitor.start() }
            try await body(bench, monitor, sensor)
        }
    }

    private static func subscribed(
        _ body: @escaping @Sendable (isolated TestBench, Monitor, Sensor) async throws -> Void
    ) async throws {
        try await run { bench, monitor, sensor in
            try await bench.wait("it has subscribed") { monitor.told.last == "notifying true" }
            monitor.told = []
            try await body(bench, monitor, sensor)
        }
    }

    @Test("a sensor is found, connected and subscribed to, and 200 values come in order")
    func story() async throws {
        try await Self.run { bench, monitor, sensor in
            try await bench.wait("it has subscribed") { monitor.told.last == "notifying true" }
            #expect(
                monitor.told == [
                    "state poweredOn", "discovered Pulse", "connected true", "services [\"180D\"]",
                    "characteristics [\"2A37\", \"2A38\", \"2A39\", \"2A3A\"]", "notifying true",
                ])
            #expect(monitor.advertisement[CBAdvertisementDataLocalNameKey] as? String == "Pulse")
            #expect(monitor.advertisement[CBAdvertisementDataIsConnectable] as? Bool == true)
            #expect(
                monitor.advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
                    == [CBUUID(string: "180D")])
            for value in 0..<200 as Range<UInt16> {
                while await !sensor.send(value) { try await bench.sleep(for: .milliseconds(20)) }
            }
            try await bench.wait("the last value") { monitor.values.count >= 200 }
            #expect(monitor.values == Array(0..<200))
        }
    }

    @Test("the services that the system uses itself are not told, as on a Mac")
    func servicesOfTheSystem() async throws {
        try await Self.subscribed { bench, monitor, sensor in
            let peripheral = try #require(monitor.peripheral)
            var services: [String] { monitor.told.filter { $0.hasPrefix("services") } }
            peripheral.discoverServices(nil)
            peripheral.discoverServices([CBUUID(string: "1800"), CBUUID(string: "1801")])
            try await bench.wait("both answers") { services.count == 2 }
            #expect(services == ["services [\"180D\"]", "services [\"180D\"]"])
        }
    }

    @Test("values are read and written, and refused with the number of the peer's app")
    func values() async throws {
        try await Self.subscribed { bench, monitor, sensor in
            let peripheral = try #require(monitor.peripheral)
            let control = try #require(monitor["2A39"])
            peripheral.readValue(for: try #require(monitor["2A38"]))
            peripheral.readValue(for: try #require(monitor["2A3A"]))
            peripheral.writeValue(Data([7, 8]), for: control, type: .withResponse)
            peripheral.discoverDescriptors(for: control)
            peripheral.readRSSI()
            peripheral.openL2CAPChannel(0x80)
            try await bench.wait("the answers") { monitor.told.count == 6 }
            #expect(
                Set(monitor.told) == [
                    "value [1]", "refused 129 CBATTErrorDomain", "written true",
                    "descriptors [\"2901\"]", "rssi true", "channel true",
                ])
            #expect(sensor.written.withLock { $0 } == [[7, 8]])
            let text = try #require(control.descriptors?.first)
            peripheral.readValue(for: text)
            try await bench.wait("the descriptor") { monitor.told.last == "descriptor Control" }
            #expect(text.characteristic === control)
            #expect(control.service?.peripheral === peripheral)
            #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 512)
            #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) > 20)
        }
    }

    @Test("values without a response wait for room, and none is lost or overtaken")
    func withoutResponse() async throws {
        try await Self.subscribed { bench, monitor, sensor in
            let peripheral = try #require(monitor.peripheral)
            let control = try #require(monitor["2A39"])
            var sent = 0
            while sent < 300 {
                while sent < 300, peripheral.canSendWriteWithoutResponse {
                    peripheral.writeValue(
                        Data([UInt8(sent & 0xFF), UInt8(sent >> 8)]), for: control,
                        type: .withoutResponse)
                    sent += 1
                }
                try await bench.wait("room") { peripheral.canSendWriteWithoutResponse }
            }
            try await bench.wait("all values") { sensor.written.withLock { $0.count } == 300 }
            let numbers = sensor.written.withLock { $0.map { Int($0[0]) | Int($0[1]) << 8 } }
            #expect(numbers == Array(0..<300))
            #expect(monitor.told.allSatisfy { $0 == "ready true" })
            #expect(!monitor.told.isEmpty)
        }
    }

    @Test("the program ends the connection: no error, and nothing of the link is left")
    func cancel() async throws {
        try await Self.subscribed { bench, monitor, sensor in
            let (central, peripheral) = (
                try #require(monitor.central), try #require(monitor.peripheral)
            )
            let rate = try #require(monitor["2A37"])
            peripheral.readValue(for: try #require(monitor["2A38"]))
            central.cancelPeripheralConnection(peripheral)
            #expect(peripheral.state == .disconnecting)
            try await bench.wait("the end") { peripheral.state == .disconnected }
            try await bench.sleep(for: .seconds(10))
            // The read ends without an answer.
            #expect(monitor.told == ["disconnected true -"])
            #expect(peripheral.services == nil)
            #expect(!rate.isNotifying)
        }
    }

    @Test(
        "a link that is lost ends with an error, and the manager connects again if it was asked to")
    func reconnects() async throws {
        try await Self.run {
            $0.reconnects = true
        } _: { bench, monitor, sensor in
            try await bench.wait("it has subscribed") { monitor.told.last == "notifying true" }
            let controller = try #require(bench.events.isEmpty ? nil : monitor.peripheral)
            #expect(controller.state == .connected)
            monitor.told = []
            for peer in await sensor.adapter.connectedPeers {
                await sensor.adapter.disconnect(peer)
            }
            try await bench.wait("it has subscribed again") {
                monitor.told.last == "notifying true"
            }
            #expect(
                monitor.told.prefix(2) == ["disconnected false CBErrorDomain 7", "connected true"])
        }
    }

    @Test("connecting waits without a limit, and cancelling it is told")
    func waits() async throws {
        try await Self.run {
            $0.connects = false
        } _: { bench, monitor, sensor in
            try await bench.wait("it is found") { monitor.peripheral != nil }
            await sensor.adapter.stop()
            let (central, peripheral) = (
                try #require(monitor.central), try #require(monitor.peripheral)
            )
            central.connect(peripheral)
            #expect(peripheral.state == .connecting)
            try await bench.sleep(for: .seconds(1_000))
            #expect(peripheral.state == .connecting)
            central.cancelPeripheralConnection(peripheral)
            try await bench.wait("the end") { peripheral.state == .disconnected }
            #expect(monitor.told.last == "disconnected true -")
        }
    }

    @Test("a discovered peripheral is retrieved by its identifier, and a strange one is not")
    func retrieves() async throws {
        try await Self.subscribed { bench, monitor, sensor in
            let (central, peripheral) = (
                try #require(monitor.central), try #require(monitor.peripheral)
            )
            let found = central.retrievePeripherals(withIdentifiers: [
                UUID(), peripheral.identifier,
            ])
            #expect(found.count == 1 && found.first === peripheral)
            // Another program of the machine finds it connected.
            let other = Monitor()
            other.connects = false
            try bench.withCoreBluetooth(at: nil, name: "Other") { other.start() }
            try await bench.wait("the other is on") { other.told.first == "state poweredOn" }
            #expect(
                other.central?.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")])
                    .isEmpty == true)
        }
    }

    @Test("connected peripherals of another manager are retrieved, and their links are events")
    func connectedPeripherals() async throws {
        try await TestBench.run { bench in
            let sensor = try await Sensor(on: bench)
            let (one, two) = (Monitor(), LinkWatcher())
            try bench.withCoreBluetooth {
                one.connects = false
                one.start()
                two.central = CBCentralManager(delegate: two, queue: DispatchQueue(label: "two"))
            }
            try await bench.wait("both are on") { one.peripheral != nil && two.isOn }
            let central = try #require(two.central)
            let wanted = [CBUUID(string: "180D")]
            central.registerForConnectionEvents(options: [.serviceUUIDs: wanted])
            one.central?.connect(try #require(one.peripheral))
            try await bench.wait("the event") { two.events == [.peerConnected] }
            let found = central.retrieveConnectedPeripherals(withServices: wanted)
            #expect(found.map(\.identifier) == [one.peripheral?.identifier])
            #expect(
                central.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180F")]) == [])
            // A connection of a peripheral that nobody holds is given up.
            let held = try #require(found.first)
            central.connect(held)
            try await bench.wait("it is connected") { two.isConnected }
            await sensor.adapter.stop()
            try await bench.wait("the end") { two.events == [.peerConnected, .peerDisconnected] }
            withExtendedLifetime(held) {}
        }
    }

    @Test("Bluetooth that is switched off ends links, and the state is told")
    func poweredOff() async throws {
        try await TestBench.run { bench in
            _ = try await Sensor(on: bench)
            let monitor = Monitor()
            let controller = bench.addController()
            try bench.withCoreBluetooth(at: controller.bluetooth()) { monitor.start() }
            try await bench.wait("it has subscribed") { monitor.told.last == "notifying true" }
            monitor.told = []
            bench.fail(controller)
            try await bench.wait("it is on again") { monitor.told.contains("state poweredOn") }
            #expect(monitor.told.contains("state resetting"))
            #expect(monitor.told.contains { $0.hasPrefix("disconnected true CBErrorDomain") })
        }
    }
}

extension CBCentralManagerTests {
    @Test("a program that connects twice, cancels and connects again is told each end once")
    func attempts() async throws {
        try await Self.run {
            ($0.connects, $0.subscribes) = (false, false)
        } _: { bench, monitor, sensor in
            try await bench.wait("it is found") { monitor.peripheral != nil }
            let (central, peripheral) = (
                try #require(monitor.central), try #require(monitor.peripheral)
            )
            await sensor.manager.stopAdvertising()
            try await bench.sleep(for: .seconds(1))
            monitor.told = []
            central.connect(peripheral)
            central.connect(peripheral)
            central.cancelPeripheralConnection(peripheral)
            central.connect(peripheral)
            #expect(peripheral.state == .connecting)
            try await bench.sleep(for: .seconds(10))
            // The first two ended, the third goes on.
            #expect(monitor.told == ["disconnected false -", "disconnected false -"])
            #expect(peripheral.state == .connecting)
            try await sensor.advertise()
            try await bench.wait("it is connected") { monitor.told.last == "connected true" }
            // The link ends, and another one is asked for at once.
            monitor.told = []
            central.cancelPeripheralConnection(peripheral)
            central.connect(peripheral)
            #expect(peripheral.state == .connecting)
            try await bench.wait("it is connected again") { monitor.told.count == 2 }
            #expect(monitor.told == ["disconnected false -", "connected true"])
            #expect(peripheral.state == .connected)
        }
    }

    @Test("1,000 connections leave no object behind")
    func objects() async throws {
        try await Self.run {
            ($0.connects, $0.subscribes) = (false, false)
        } _: { bench, monitor, _ in
            try await bench.wait("it is found") { monitor.peripheral != nil }
            let central = try #require(monitor.central)
            central.stopScan()
            let identifier = try #require(monitor.peripheral).identifier
            var objects: [WeakObject] = []
            for _ in 0..<1_000 {
                // Each time another object of the same device.
                monitor.peripheral = nil
                let peripheral = try #require(
                    central.retrievePeripherals(withIdentifiers: [identifier]).first)
                monitor.peripheral = peripheral
                peripheral.delegate = monitor
                monitor.told = []
                central.connect(peripheral)
                try await bench.wait("it is connected") { monitor.told.last == "connected true" }
                peripheral.discoverServices(nil)

                try await bench.wait("its services are known") {
                    monitor.told.contains("notifying true")
                }
                objects.append(WeakObject(object: peripheral))
                objects += (peripheral.services ?? []).flatMap { service in
                    [WeakObject(object: service)]
                        + (service.characteristics ?? []).map { WeakObject(object: $0) }
                }
                central.cancelPeripheralConnection(peripheral)
                try await bench.wait("the link ends") { peripheral.state == .disconnected }
            }
            monitor.peripheral = nil
            try await bench.sleep(for: .seconds(1))
            #expect(objects.count > 5_000)
            #expect(objects.count { $0.object != nil } == 0)
        }
    }
}

private struct WeakObject { weak var object: AnyObject? }

/// A program that asks for links of others.
final class LinkWatcher: NSObject, CBCentralManagerDelegate {
    var central: CBCentralManager?
    var events: [CBConnectionEvent] = []
    var (isOn, isConnected) = (false, false)

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        isOn = central.state == .poweredOn
        // The first call only says that the program wants to know.
        _ = central.retrieveConnectedPeripherals(withServices: [])
    }

    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent,
        for peripheral: CBPeripheral
    ) { events.append(event) }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        isConnected = true
    }
}
