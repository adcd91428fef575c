import ANCSKit
import ANCSTestKit
import CoreBluetooth
import LinuxIO
import Testing

@testable import CoreBluetooth

@Suite("A program for Core Bluetooth, as a Peripheral")
struct CBPeripheralManagerTests {
    /// Runs a sensor, and a monitor that subscribes to it, on two devices or on one.
    private static func run(
        _ prepare: @escaping @Sendable (Publisher, Monitor) -> Void = { _, _ in },
        _ body: @escaping @Sendable (isolated TestBench, Publisher, Monitor) async throws -> Void
    ) async throws {
        try await TestBench.run { bench in
            let (publisher, monitor) = (Publisher(), Monitor())
            prepare(publisher, monitor)
            try bench.withCoreBluetooth(name: "Pulse") { publisher.start() }
            try bench.withCoreBluetooth { monitor.start() }
            try await bench.wait("it has subscribed") { monitor.told.last == "notifying true" }
            try await body(bench, publisher, monitor)
        }
    }

    @Test("a service is published and advertised, and 1,000 values come in order")
    func story() async throws {
        try await Self.run { publisher, _ in
            publisher.last = 1_000
        } _: { bench, publisher, monitor in
            #expect(
                publisher.told == [
                    "state poweredOn", "added 180D true", "advertising true -1",
                    "subscribed true 1",
                ])
            try await bench.wait("the values") { monitor.values.count >= 1_000 }
            #expect(monitor.values == Array(0..<1_000))
            let (central, peripheral) = (
                try #require(monitor.central), try #require(monitor.peripheral)
            )
            let subscriber = try #require(publisher.rate.subscribedCentrals?.first)
            #expect(subscriber.maximumUpdateValueLength > 20)
            central.cancelPeripheralConnection(peripheral)
            try await bench.wait("the end") { publisher.told.last == "unsubscribed 0" }
        }
    }

    @Test("values are read and written by the program's answers")
    func requests() async throws {
        try await Self.run { bench, publisher, monitor in
            let peripheral = try #require(monitor.peripheral)
            monitor.told = []
            publisher.whenRead = { request in
                request.value = Data([0, 77, 0])
                return .success
            }
            peripheral.readValue(for: try #require(monitor["2A37"]))
            peripheral.readValue(for: try #require(monitor["2A38"]))
            try await bench.wait("the values") {
                monitor.values == [77] && monitor.told == ["value [1]"]
            }
            publisher.whenRead = { _ in .insufficientResources }
            peripheral.readValue(for: try #require(monitor["2A37"]))
            try await bench.wait("the refusal") {
                monitor.told.last == "refused 17 CBATTErrorDomain"
            }
            let long = Data(repeating: 7, count: 400)
            peripheral.writeValue(long, for: try #require(monitor["2A39"]), type: .withResponse)
            try await bench.wait("the write") { monitor.told.last == "written true" }
            #expect(publisher.written.flatMap(\.self) == Array(long))
        }
    }

    @Test("a service that was removed is gone, and can be published again")
    func removed() async throws {
        try await Self.run { bench, publisher, monitor in
            let manager = try #require(publisher.manager)
            manager.add(publisher.service)
            try await bench.wait("the refusal") { publisher.told.last == "added 180D false" }
            publisher.told = []
            manager.remove(publisher.service)
            manager.add(publisher.service)
            try await bench.wait("it is published again") {
                publisher.told.contains("added 180D true")
            }
            manager.removeAllServices()
            manager.stopAdvertising()
            #expect(!manager.isAdvertising)
            manager.publishL2CAPChannel(withEncryption: true)
            try await bench.wait("the channel") { publisher.told.last == "channel true" }
        }
    }

    @Test("a program may be both at once, on one controller")
    func both() async throws {
        try await TestBench.run { bench in
            let sensor = try await Sensor(on: bench)
            let (publisher, monitor, other) = (Publisher(), Monitor(), Monitor())
            publisher.last = 50
            try bench.withCoreBluetooth(name: "Both") {
                publisher.start()
                monitor.start()
            }
            try await bench.wait("it has subscribed") { monitor.told.last == "notifying true" }
            await sensor.manager.stopAdvertising()
            try bench.withCoreBluetooth(name: "Other") { other.start() }
            try await bench.wait("the values") { other.values == Array(0..<50) }
            await sensor.send(9)
            try await bench.wait("the value") { monitor.values == [9] }
        }
    }

    @Test("what a program says too early, or of the wrong keys, is said")
    func misuse() async throws {
        try await TestBench.run { bench in
            let publisher = Publisher()
            try bench.withCoreBluetooth { publisher.start() }
            let manager = try #require(publisher.manager)
            manager.startAdvertising(nil)
            manager.add(publisher.service)
            #expect(!manager.isAdvertising)
            #expect(manager.updateValue(Data(), for: publisher.rate, onSubscribedCentrals: nil))
            try await bench.wait("it is on") { publisher.told.contains("advertising true -1") }
            #expect(publisher.told.count == 3)
            // Once more: it advertises already, and goes on.
            manager.startAdvertising(nil)
            try await bench.wait("the error") { publisher.told.last == "advertising true 9" }
        }
    }

    @Test("a manager that the program drops publishes nothing any more")
    func dropped() async throws {
        try await Self.run { bench, publisher, monitor in
            publisher.manager = nil
            let peripheral = try #require(monitor.peripheral)
            peripheral.discoverServices(nil)
            try await bench.wait("its services are gone") {
                peripheral.services?.contains { $0.uuid == CBUUID(string: "180D") } != true
            }
        }
    }
}
