import ANCSKit

/// A monitor that finds a heart-rate sensor at its first launch, and is bound to it from then on.
public struct Monitor: Sendable {
    private let adapter: BluetoothAdapter
    private let manager: CentralManager
    private let binding: AccessoryBinding

    /// A monitor that remembers its sensor in a directory.
    public init(at bluetooth: Bluetooth, directory: String) throws {
        adapter = try BluetoothAdapter(name: "Monitor", at: bluetooth)
        manager = CentralManager(adapter)
        binding = try AccessoryBinding(
            .init(
                app: "org.example.monitor", services: [HeartRate.service],
                store: BindingStore(directory: directory)),
            manager: manager)
    }

    /// The sensor that the monitor is bound to; `nil` before it has found one.
    public var sensor: PeerIdentifier? {
        get async { if case .bound(let sensor, _) = await binding.stored { sensor } else { nil } }
    }

    /// Receives measurements until there are `count` of them.
    public func run(count: Int, receive: (HeartRate) -> Void) async throws {
        await adapter.start()
        await binding.launch()
        var missing = count
        for await event in manager.events where missing > 0 {
            switch event {
            case .connected(let sensor):
                // If the link is lost meanwhile, the binding restores it.
                do { try await listen(to: sensor) } catch { continue }
            case .valueUpdated(_, _, let value):
                guard let measurement = HeartRate(value) else { continue }
                receive(measurement)
                missing -= 1
                if missing == 0 { await adapter.stop() }
            default: continue
            }
        }
    }

    private func listen(to sensor: Peripheral) async throws {
        for service in try await sensor.discoverServices([HeartRate.service]) {
            for characteristic in try await sensor.discoverCharacteristics(
                [HeartRate.measurement], for: service)
            {
                try await sensor.setNotifyValue(true, for: characteristic)
            }
        }
    }
}
