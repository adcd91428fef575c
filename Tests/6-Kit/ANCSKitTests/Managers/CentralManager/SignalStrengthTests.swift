import BluetoothLE
import LinuxIO
import Octets
import Testing
import VirtualBluetooth
import VirtualTransports

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// `readRSSI`: an answer for each call, whatever happens.
@Suite struct SignalStrengthTests {
    /// What calls ended with.
    private final class Results: Sendable {
        private let results = Lock<[Result<Int, BluetoothError>]>([])

        var all: [Result<Int, BluetoothError>] { results.withLock { $0 } }

        /// Begins a call.
        func begin(_ peripheral: Peripheral) {
            peripheral.assumeIsolated { peripheral in
                peripheral.beginReadingRSSI { result in
                    self.results.withLock { $0.append(result) }
                }
            }
        }
    }

    /// A peripheral that is connected, at a controller that refuses `refused`.
    private struct Bench {
        let adapter: BluetoothAdapter
        let manager: CentralManager
        let peripheral: Peripheral
        let results = Results()

        static func make(
            on air: isolated Air, refusing refused: [HCIOpcode] = []
        ) async throws -> Bench {
            var abilities = VirtualControllerAbilities.bluetooth5_3
            abilities.refusedCommands = refused
            let adapter = try await air.adapter(at: air.radio.addController(abilities))
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            accessory.advertise()
            let peripheral = try await air.find([Accessory.service], by: manager)
            try await manager.connect(peripheral)
            return Bench(adapter: adapter, manager: manager, peripheral: peripheral)
        }

        /// The manager lets go of the peripheral before anything else can happen.
        func cancel() {
            manager.assumeIsolated { $0.cancelPeripheralConnection(peripheral) }
        }
    }

    @Test("every call returns the RSSI")
    func answers() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            for _ in 1...3 { bench.results.begin(bench.peripheral) }
            #expect(bench.results.all.isEmpty)
            #expect(try await bench.peripheral.readRSSI() == -50)
            #expect(bench.results.all == [.success(-50), .success(-50), .success(-50)])
            #expect(try await bench.peripheral.readRSSI() == -50)
        }
    }

    @Test("a controller without the command throws")
    func notSupported() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air, refusing: [.readRSSI])
            for _ in 1...2 {
                do throws(BluetoothError) {
                    _ = try await bench.peripheral.readRSSI()
                    Issue.record("it was read")
                } catch { #expect(error.code == .operationNotSupported) }
            }
        }
    }

    @Test("a call ends with the link and its reason, and none succeeds afterwards")
    func linkEnds() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            bench.results.begin(bench.peripheral)
            bench.adapter.host?.restart()
            let ended = BluetoothError(.peripheralDisconnected, reason: .hardwareFailure)
            try await air.until("the end of the call") { !bench.results.all.isEmpty }
            #expect(bench.results.all == [.failure(ended)])
            await #expect(throws: BluetoothError(.notConnected)) {
                try await bench.peripheral.readRSSI()
            }
            try await air.until("the adapter is on again") {
                bench.adapter.system.state == .poweredOn
            }
            try await bench.manager.connect(bench.peripheral)
            #expect(try await bench.peripheral.readRSSI() == -50)
            #expect(bench.results.all.count == 1)
        }
    }

    @Test("cancelling the connection ends an app's call at once, and the other app gets its result")
    func cancelled() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let other = try await air.manager(at: bench.adapter)
            let shared = try #require(
                await other.retrievePeripherals(withIdentifiers: [bench.peripheral.identifier])
                    .first)
            try await other.connect(shared)
            bench.results.begin(bench.peripheral)
            let others = Results()
            others.begin(shared)
            bench.cancel()
            let cancelled = BluetoothError(
                .operationCancelled, "the connection was cancelled")
            #expect(bench.results.all == [.failure(cancelled)])
            #expect(try await shared.readRSSI() == -50)
            #expect(others.all == [.success(-50)])
            #expect(bench.results.all.count == 1)
        }
    }
}
