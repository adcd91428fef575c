import BluetoothLE
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Subscriptions that outlive the attributes or the link for which they were made.
@Suite struct ChangedServicesTests {
    /// A manager that is connected to an accessory.
    private struct App {
        let manager: CentralManager
        let peripheral: Peripheral

        init(
            at adapter: BluetoothAdapter, _ identifier: PeerIdentifier, on air: isolated Air
        ) async throws {
            manager = try await air.manager(at: adapter)
            peripheral = try #require(
                await manager.retrievePeripherals(withIdentifiers: [identifier]).first)
            try await manager.connect(peripheral)
        }

        func characteristic(_ uuid: BluetoothUUID) async throws -> Characteristic {
            let service = try #require(
                try await peripheral.discoverServices([Accessory.service]).first)
            return try #require(
                try await peripheral.discoverCharacteristics([uuid], for: service).first)
        }

        /// Discovers a characteristic and subscribes to it.
        func subscribe(to uuid: BluetoothUUID) async throws -> Characteristic {
            let characteristic = try await characteristic(uuid)
            try await peripheral.setNotifyValue(true, for: characteristic)
            #expect(characteristic.isNotifying)
            return characteristic
        }
    }

    private static func find(
        _ accessory: Accessory, by adapter: BluetoothAdapter, on air: isolated Air
    ) async throws -> PeerIdentifier {
        accessory.advertise()
        let finder = try await air.manager(at: adapter)
        return try await air.find([Accessory.service], by: finder).identifier
    }

    @Test("apps that subscribe again after their service has changed receive values")
    func subscribeAgain() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let accessory = try await air.accessory()
            let first = try accessory.addService()
            let identifier = try await Self.find(accessory, by: adapter, on: air)
            let apps = [
                try await App(at: adapter, identifier, on: air),
                try await App(at: adapter, identifier, on: air),
            ]
            for app in apps { _ = try await app.subscribe(to: Accessory.open) }
            // The subscription to Service Changed is on its way.
            try await air.pass(.seconds(2))
            accessory.remove(first)
            for app in apps {
                _ = try await air.next(of: app.manager) { event in
                    if case .servicesModified(_, let services) = event, !services.isEmpty {
                        services
                    } else {
                        nil
                    }
                }
            }
            let again = try accessory.addService()
            #expect(again.range == first.range, "the handles mean the same again")
            try await air.pass(.seconds(2))
            let earlier = accessory.subscriptions.count
            var characteristics: [Characteristic] = []
            for app in apps {
                characteristics.append(try await app.subscribe(to: Accessory.open))
            }
            let later = accessory.subscriptions.dropFirst(earlier)
            #expect(later.filter { $0 == .notification }.count == 1, "one for both")
            try accessory.notify([4], of: Accessory.open)
            for (app, characteristic) in zip(apps, characteristics) {
                let value = try await air.next(of: app.manager) { event in
                    if case .valueUpdated(_, characteristic, let value) = event {
                        value
                    } else {
                        nil
                    }
                }
                #expect(value == [4])
            }
        }
    }

    @Test("the subscriptions of a bonded Central survive the end of a link that its app cancels")
    func cancelledLink() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let accessory = try await air.accessory()
            try accessory.addService()
            let identifier = try await Self.find(accessory, by: adapter, on: air)
            let app = try await App(at: adapter, identifier, on: air)
            _ = try await app.subscribe(to: Accessory.open)
            _ = try await app.subscribe(to: Accessory.indicated)
            _ = try await app.subscribe(to: Accessory.protected)
            #expect(accessory.pairings == 1)
            try await air.pass(.seconds(2))
            let subscriptions = accessory.subscriptions
            await app.manager.cancelPeripheralConnection(app.peripheral)
            try await air.until("the link ends") { accessory.links.isEmpty }
            #expect(accessory.subscriptions == subscriptions)
            try await app.manager.connect(app.peripheral)
            try await air.pass(.seconds(2))
            for (uuid, value) in [
                (Accessory.open, [1, 0]), (Accessory.indicated, [2, 0]),
                (Accessory.protected, [UInt8(1), 0]),
            ] {
                let characteristic = try await app.characteristic(uuid)
                let descriptors = try await app.peripheral.discoverDescriptors(
                    for: characteristic)
                let configuration = try #require(
                    descriptors.first { $0.uuid == .clientCharacteristicConfiguration })
                #expect(try await app.peripheral.readValue(for: configuration) == value)
            }
        }
    }
}
