import ANCSKit
import ANCSTestKit
import CoreBluetooth
import LinuxIO
import Testing

@testable import CoreBluetooth

@Suite("What a program for Core Bluetooth does wrong", .serialized)
struct MisuseTests {
    /// Runs a test, and gives it what would be on standard error.
    private static func observing(
        _ body:
            @escaping @Sendable (isolated TestBench, _ lines: Lock<[String]>) async throws -> Void
    ) async throws {
        let lines = Lock<[String]>([])
        Diagnostics.observe { line in lines.withLock { $0.append(line) } }
        defer { Diagnostics.observe(nil) }
        try await TestBench.run { bench in try await body(bench, lines) }
    }

    @Test("calls before Bluetooth is on have no effect, and say so")
    func early() async throws {
        try await Self.observing { bench, lines in
            let central = try bench.withCoreBluetooth {
                CBCentralManager(delegate: nil, queue: DispatchQueue(label: "early"))
            }
            central.scanForPeripherals(withServices: nil)
            central.stopScan()
            #expect(central.retrievePeripherals(withIdentifiers: [UUID()]).isEmpty)
            #expect(!central.isScanning)
            let said = lines.withLock { $0 }
            #expect(said.count == 3)
            #expect(
                said.first
                    == "CoreBluetooth: scanForPeripherals(withServices:options:) has no effect: the "
                    + "manager's state is unknown, and has to be poweredOn")
        }
    }

    @Test(
        "a peripheral of another manager is refused, and so is an attribute of another peripheral")
    func strangers() async throws {
        try await Self.observing { bench, lines in
            _ = try await Sensor(on: bench)
            let (one, other) = (Monitor(), Monitor())
            try bench.withCoreBluetooth {
                one.start()
                other.start()
            }
            try await bench.wait("both have subscribed") {
                one.told.last == "notifying true" && other.told.last == "notifying true"
            }
            let (mine, theirs) = (try #require(one.peripheral), try #require(other.peripheral))
            #expect(mine !== theirs && mine.identifier == theirs.identifier)
            one.central?.connect(theirs)
            one.central?.cancelPeripheralConnection(theirs)
            mine.readValue(for: try #require(other["2A38"]))
            try await bench.sleep(for: .seconds(1))
            #expect(theirs.state == .connected)
            let said = lines.withLock { $0 }
            #expect(said.count == 3)
            #expect(said.first?.contains("of another manager") == true)
            #expect(said.last?.contains("of another peripheral") == true)
        }
    }

    @Test("requests to a peripheral that is not connected have no effect, and say so")
    func unconnected() async throws {
        try await Self.observing { bench, lines in
            _ = try await Sensor(on: bench)
            let monitor = Monitor()
            monitor.connects = false
            try bench.withCoreBluetooth { monitor.start() }
            try await bench.wait("it is found") { monitor.peripheral != nil }
            monitor.peripheral?.discoverServices(nil)
            monitor.peripheral?.readRSSI()
            #expect(lines.withLock { $0 }.allSatisfy { $0.contains("is not connected") })
            #expect(lines.withLock { $0.count } == 2)
        }
    }

    @Test("the connection of a peripheral that the program drops is cancelled")
    func dropped() async throws {
        try await Self.observing { bench, lines in
            let sensor = try await Sensor(on: bench)
            let monitor = Monitor()
            try bench.withCoreBluetooth { monitor.start() }
            try await bench.wait("it has subscribed") { monitor.told.last == "notifying true" }
            monitor.peripheral = nil
            try await bench.wait("the link ends") { await sensor.adapter.connectedPeers.isEmpty }
            #expect(lines.withLock { $0 }.contains { $0.contains("does not hold it") })
        }
    }

    @Test("a manager that the program drops calls nobody any more, and its links end")
    func managerDropped() async throws {
        try await Self.observing { bench, _ in
            let sensor = try await Sensor(on: bench)
            let monitor = Monitor()
            try bench.withCoreBluetooth { monitor.start() }
            try await bench.wait("it has subscribed") { monitor.told.last == "notifying true" }
            monitor.told = []
            monitor.central = nil
            try await bench.wait("the link ends") { await sensor.adapter.connectedPeers.isEmpty }
            await sensor.send(1)
            try await bench.sleep(for: .seconds(10))
            #expect(monitor.told.isEmpty && monitor.values.isEmpty)
        }
    }
}
