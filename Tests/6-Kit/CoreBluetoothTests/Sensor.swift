import ANCSKit
import ANCSTestKit
import LinuxIO

/// A heart-rate sensor on the air of a bench, with a value of each kind.
struct Sensor {
    static let (service, measurement, location): (BluetoothUUID, BluetoothUUID, BluetoothUUID) = (
        "180D", "2A37", "2A38"
    )
    static let (control, secret): (BluetoothUUID, BluetoothUUID) = ("2A39", "2A3A")

    let adapter: BluetoothAdapter
    let manager: PeripheralManager
    let rate = MutableCharacteristic(type: measurement, properties: .notify, permissions: [])
    let written = Lock<[[UInt8]]>([])

    /// A sensor on air, which answers what it is asked until the bench ends.
    init(on bench: isolated TestBench) async throws {
        adapter = try BluetoothAdapter(name: "Pulse", at: bench.bluetooth())
        manager = PeripheralManager(adapter)
        let point = MutableCharacteristic(
            type: Self.control, properties: [.write, .writeWithoutResponse],
            permissions: .writeable)
        point.descriptors = [MutableDescriptor(userDescription: "Control")]
        let service = MutableService(type: Self.service)
        service.characteristics = [
            rate,
            MutableCharacteristic(
                type: Self.location, properties: .read, value: [1], permissions: .readable),
            point,
            MutableCharacteristic(type: Self.secret, properties: .read, permissions: .readable),
        ]
        try await manager.add(service)
        await adapter.start()
        let (manager, written) = (manager, written)
        for await event in manager.events {
            if case .stateUpdated(.poweredOn) = event { break }
        }
        Task(executorPreference: bench.loop) {
            for await event in manager.events {
                switch event {
                case .didReceiveRead(let request):
                    await manager.respond(to: request, withResult: ATTErrorCode(rawValue: 0x81))
                case .didReceiveWrite(let requests):
                    written.withLock { $0 += requests.compactMap(\.value) }
                    for request in requests {
                        await manager.respond(to: request, withResult: .success)
                    }
                default: break
                }
            }
        }
        try await advertise()
    }

    /// Puts it on air, also after a connection.
    func advertise() async throws {
        try await manager.startAdvertising(
            AdvertisementData(localName: "Pulse", serviceUUIDs: [Self.service]),
            options: AdvertisingOptions(stopsOnConnection: false))
    }

    /// Sends a measurement to all that have subscribed.
    @discardableResult
    func send(_ value: UInt16) async -> Bool {
        await manager.updateValue(
            [1, UInt8(truncatingIfNeeded: value), UInt8(value >> 8)], for: rate)
    }
}
