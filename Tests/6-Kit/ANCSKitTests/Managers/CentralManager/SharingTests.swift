import BluetoothLE
import LinuxIO
import Testing
import VirtualBluetooth

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Two apps with one peripheral on one link: what each has is its own.
@Suite struct SharingTests {
    /// Two managers that are connected to an accessory, each with its own objects.
    private struct Bench {
        let managers: [CentralManager]
        let peripherals: [Peripheral]
        let characteristics: [Characteristic]
        let accessory: Accessory

        static func make(on air: isolated Air) async throws -> Bench {
            let adapter = try await air.adapter(at: air.port())
            let accessory = try await air.accessory()
            try accessory.addService()
            accessory.advertise()
            let managers = [
                try await air.manager(at: adapter), try await air.manager(at: adapter),
            ]
            let identifier = try await air.find([Accessory.service], by: managers[0]).identifier
            var peripherals: [Peripheral] = []
            var characteristics: [Characteristic] = []
            for manager in managers {
                let peripheral = try #require(
                    await manager.retrievePeripherals(withIdentifiers: [identifier]).first)
                try await manager.connect(peripheral)
                let service = try #require(
                    try await peripheral.discoverServices([Accessory.service]).first)
                let characteristic = try #require(
                    try await peripheral.discoverCharacteristics([Accessory.open], for: service)
                        .first)
                peripherals.append(peripheral)
                characteristics.append(characteristic)
            }
            return Bench(
                managers: managers, peripherals: peripherals, characteristics: characteristics,
                accessory: accessory)
        }

        func setNotify(_ enabled: Bool, for index: Int) async throws {
            try await peripherals[index].setNotifyValue(enabled, for: characteristics[index])
        }
    }

    @Test("the descriptor is written for the first subscription, and after the last one")
    func subscriptions() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            try await bench.setNotify(true, for: 0)
            try await bench.setNotify(true, for: 1)
            // The other subscription is the system's, to Service Changed.
            let notifying = { bench.accessory.subscriptions.filter { $0 != .indication } }
            #expect(notifying() == [.notification])
            try await bench.setNotify(false, for: 0)
            #expect(notifying() == [.notification])
            try await bench.setNotify(false, for: 1)
            #expect(notifying() == [.notification, []])
        }
    }

    @Test("a value is reported to its subscribers only")
    func delivery() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            try await bench.setNotify(true, for: 0)
            try bench.accessory.notify([1], of: Accessory.open)
            _ = try await air.next(of: bench.managers[0]) { event in
                if case .valueUpdated = event { true } else { nil }
            }
            #expect(bench.characteristics[0].value == [1])
            #expect(bench.characteristics[1].value == nil)
            try await bench.setNotify(true, for: 1)
            try bench.accessory.notify([2], of: Accessory.open)
            let value = try await air.next(of: bench.managers[1]) { event in
                if case .valueUpdated(_, _, let value) = event { value } else { nil }
            }
            #expect(value == [2], "the one before was not for this app")
        }
    }

    @Test("cancelling ends an app's own subscriptions and operations only")
    func cancelling() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            try await bench.setNotify(true, for: 0)
            try await bench.setNotify(true, for: 1)
            let service = try #require(bench.characteristics[0].service)
            let peripheral = bench.peripherals[0]
            let silent = try #require(
                try await peripheral.discoverCharacteristics([Accessory.silent], for: service)
                    .first)
            let reading = Task(executorPreference: air.loop) {
                try await peripheral.readValue(for: silent)
            }
            try await air.pass(.seconds(1))
            await bench.managers[0].cancelPeripheralConnection(peripheral)
            do {
                _ = try await reading.value
                Issue.record("it was read")
            } catch let error as BluetoothError { #expect(error.code == .operationCancelled) }
            #expect(!bench.characteristics[0].isNotifying)
            #expect(bench.characteristics[1].isNotifying)
            try bench.accessory.notify([3], of: Accessory.open)
            let value = try await air.next(of: bench.managers[1]) { event in
                if case .valueUpdated(_, _, let value) = event { value } else { nil }
            }
            #expect(value == [3])
            #expect(bench.characteristics[0].value == nil)
        }
    }

    @Test("retrieving connected peripherals does not wait for one that disconnects meanwhile")
    func retrieveAtTheEnd() async throws {
        try await Air.run { air in
            let port = air.port()
            let adapter = try await air.adapter(at: port)
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            accessory.advertise()
            let peripheral = try await air.find([Accessory.service], by: manager)
            try await manager.connect(peripheral)
            try await air.pass(.seconds(1))
            air.setPath(RadioPath(isInRange: false), port, accessory.port)
            let search = Task(executorPreference: air.loop) {
                await manager.retrieveConnectedPeripherals(withServices: [Accessory.service])
            }
            try await air.pass(.milliseconds(100))
            adapter.system.close()
            #expect(await search.value.isEmpty)
        }
    }

    @Test("connected peripherals are retrieved by a service, whichever app connected them")
    func retrieveConnected() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let manager = bench.managers[1]
            let found = await manager.retrieveConnectedPeripherals(withServices: [
                BluetoothUUID(UInt16(0x9999)), Accessory.service,
            ])
            #expect(found.count == 1)
            #expect(found.first === bench.peripherals[1])
            let others = await manager.retrieveConnectedPeripherals(withServices: [
                Accessory.otherService
            ])
            #expect(others.isEmpty)
            #expect(await manager.retrieveConnectedPeripherals(withServices: []).isEmpty)
            // It has the service now, which Service Changed tells.
            try bench.accessory.add(ServiceDefinition(uuid: Accessory.otherService))
            try await air.pass(.seconds(2))
            let now = await manager.retrieveConnectedPeripherals(withServices: [
                Accessory.otherService
            ])
            #expect(now.first === bench.peripherals[1])
        }
    }
}
