import ANCSKit

/// A heart-rate sensor, which any number of monitors may listen to.
public struct Sensor: Sendable {
    private let adapter: BluetoothAdapter
    private let manager: PeripheralManager

    /// A sensor that is off.
    public init(at bluetooth: Bluetooth) throws {
        adapter = try BluetoothAdapter(name: "Pulse", at: bluetooth)
        manager = PeripheralManager(adapter)
    }

    /// Sends a measurement every second, until there are no more.
    public func run(
        _ measurements: some Sequence<HeartRate>, clock: some Clock<Duration> = ContinuousClock()
    ) async throws {
        let characteristic = MutableCharacteristic(
            type: HeartRate.measurement, properties: .notify, permissions: [])
        let service = MutableService(type: HeartRate.service)
        service.characteristics = [characteristic]
        try await manager.add(service)
        await adapter.start()
        for await event in manager.events {
            if case .stateUpdated(.poweredOn) = event { break }
        }
        try await manager.startAdvertising(
            AdvertisementData(localName: "Pulse", serviceUUIDs: [HeartRate.service]),
            options: AdvertisingOptions(stopsOnConnection: false))
        for measurement in measurements {
            await manager.updateValue(measurement.value, for: characteristic)
            try await clock.sleep(for: .seconds(1))
        }
        await adapter.stop()
    }
}
