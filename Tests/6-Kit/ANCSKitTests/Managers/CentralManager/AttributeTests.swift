import BluetoothLE
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// What can be done with the services of a peripheral, against a host of its own.
@Suite struct AttributeTests {
    /// A peripheral that is connected.
    private struct Bench {
        let manager: CentralManager
        let peripheral: Peripheral
        let accessory: Accessory
        let handles: ServiceHandles

        static func make(on air: isolated Air) async throws -> Bench {
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            let handles = try accessory.addService()
            accessory.advertise()
            let peripheral = try await air.find([Accessory.service], by: manager)
            try await manager.connect(peripheral)
            return Bench(
                manager: manager, peripheral: peripheral, accessory: accessory, handles: handles)
        }

        /// The characteristic of the service that has this UUID.
        func characteristic(_ uuid: BluetoothUUID) async throws -> Characteristic {
            let service = try #require(
                try await peripheral.discoverServices([Accessory.service]).first)
            return try #require(
                try await peripheral.discoverCharacteristics([uuid], for: service).first)
        }
    }

    // MARK: Discovery

    @Test("services are discovered by UUID or all, and stay the same objects")
    func services() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let peripheral = bench.peripheral
            try bench.accessory.add(ServiceDefinition(uuid: Accessory.otherService))
            #expect(await peripheral.services == nil)
            let found = try await peripheral.discoverServices([Accessory.otherService])
            #expect(found.map(\.uuid) == [Accessory.otherService])
            #expect(await peripheral.services == found)
            let several = try await peripheral.discoverServices([
                Accessory.otherService, Accessory.service,
            ])
            #expect(several.map(\.uuid) == [Accessory.service, Accessory.otherService])
            #expect(several[1] === found[0])
            let all = try await peripheral.discoverServices(nil)
            #expect(all.count == 4)
            #expect(await peripheral.services == all)
            #expect(all.contains(found[0]))
            #expect(found[0].peripheral === peripheral)
            #expect(found[0].isPrimary)
            let none = try await peripheral.discoverServices([BluetoothUUID(UInt16(0x9999))])
            #expect(none.isEmpty)
            #expect(await peripheral.services == all, "what was found before stays")
        }
    }

    @Test("included services, characteristics and descriptors are found where they are")
    func structure() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let peripheral = bench.peripheral
            let secondary = try bench.accessory.add(
                ServiceDefinition(uuid: Accessory.secondaryService, isPrimary: false))
            try bench.accessory.add(
                ServiceDefinition(
                    uuid: Accessory.otherService,
                    includes: [secondary.range.first, bench.handles.range.first]))
            let services = try await peripheral.discoverServices(nil)
            let including = try #require(services.first { $0.uuid == Accessory.otherService })
            let included = try await peripheral.discoverIncludedServices(nil, for: including)
            #expect(included.map(\.uuid) == [Accessory.service, Accessory.secondaryService])
            #expect(included.map(\.isPrimary) == [true, false])
            #expect(services.contains(included[0]), "the same object as the primary service")
            #expect(including.includedServices == included)

            let service = included[0]
            let some = try await peripheral.discoverCharacteristics(
                [Accessory.protected, Accessory.open], for: service)
            #expect(some.map(\.uuid) == [Accessory.open, Accessory.protected])
            #expect(some[0].properties == [.read, .write, .writeWithoutResponse, .notify])
            let all = try await peripheral.discoverCharacteristics(nil, for: service)
            #expect(all.count == 4)
            #expect(all[0] === some[0] && all[2] === some[1])
            #expect(service.characteristics == all)

            #expect(all[0].descriptors == nil)
            let descriptors = try await peripheral.discoverDescriptors(for: all[0])
            #expect(
                descriptors.map(\.uuid) == [
                    .clientCharacteristicConfiguration, BluetoothUUID(UInt16(0x2901)),
                ])
            #expect(all[0].descriptors == descriptors)
            #expect(descriptors[0].characteristic === all[0] && all[0].service === service)
            let last = try await peripheral.discoverDescriptors(for: all[3])
            #expect(last.isEmpty)
        }
    }

    // MARK: Values

    @Test("values of any length are read completely", arguments: [0, 22, 23, 244, 512])
    func reads(length: Int) async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let characteristic = try await bench.characteristic(Accessory.open)
            let value = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            bench.accessory.values[bench.accessory.handle(Accessory.open)] = value
            #expect(characteristic.value == nil)
            #expect(try await bench.peripheral.readValue(for: characteristic) == value)
            #expect(characteristic.value == value)
        }
    }

    @Test("values are written whole, in one piece or many", arguments: [0, 1, 20, 514, 512])
    func writes(length: Int) async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let characteristic = try await bench.characteristic(Accessory.open)
            let value = [UInt8](repeating: 0x5A, count: length)
            guard length <= 512 else {
                do throws(BluetoothError) {
                    try await bench.peripheral.writeValue(
                        value, for: characteristic, type: .withResponse)
                    Issue.record("it was written")
                } catch { #expect(error.code == .invalidParameters) }
                #expect(bench.accessory.writes.isEmpty)
                return
            }
            try await bench.peripheral.writeValue(
                value, for: characteristic, type: .withResponse)
            #expect(bench.accessory.writes.map(\.value) == [value])
            #expect(bench.accessory.writes.map(\.hasResponse) == [true])
        }
    }

    @Test("many writes without response all arrive, in order, as fast as there is room")
    func withoutResponse() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let peripheral = bench.peripheral
            let characteristic = try await bench.characteristic(Accessory.open)
            let length = await peripheral.maximumWriteValueLength(for: .withoutResponse)
            #expect(length == 512)
            #expect(await peripheral.maximumWriteValueLength(for: .withResponse) == 512)
            var waited = 0
            for number in 0..<100 {
                if await !peripheral.canSendWriteWithoutResponse { waited += 1 }
                let value = [UInt8(number)] + [UInt8](repeating: 0, count: 399)
                try await peripheral.writeValue(
                    value, for: characteristic, type: .withoutResponse)
            }
            #expect(waited > 0)
            try await air.until("all have arrived") { bench.accessory.writes.count == 100 }
            #expect(bench.accessory.writes.map { $0.value[0] } == (0..<100).map { UInt8($0) })
            #expect(bench.accessory.writes.allSatisfy { !$0.hasResponse })
            _ = try await air.next(of: bench.manager) { event in
                if case .isReadyToSendWriteWithoutResponse(peripheral) = event {
                    true
                } else {
                    nil
                }
            }
        }
    }

    @Test("a write type that the characteristic lacks is refused without asking the device")
    func checkedProperties() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            for type in [Characteristic.WriteType.withResponse, .withoutResponse] {
                let characteristic = try await bench.characteristic(Accessory.indicated)
                do throws(BluetoothError) {
                    try await bench.peripheral.writeValue([1], for: characteristic, type: type)
                    Issue.record("it was written")
                } catch { #expect(error.code == .attribute(.writeNotPermitted)) }
            }
            #expect(bench.accessory.writes.isEmpty)
        }
    }

    @Test("every other refusal is the device's, with its error")
    func refusedByTheDevice() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let characteristic = try await bench.characteristic(Accessory.indicated)
            await #expect(throws: BluetoothError(.attribute(.readNotPermitted))) {
                try await bench.peripheral.readValue(for: characteristic)
            }
        }
    }

    @Test("descriptors are read and written, except for the Client Characteristic Configuration")
    func descriptors() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let peripheral = bench.peripheral
            let characteristic = try await bench.characteristic(Accessory.open)
            let descriptors = try await peripheral.discoverDescriptors(for: characteristic)
            try await peripheral.writeValue([65], for: descriptors[1])
            #expect(try await peripheral.readValue(for: descriptors[1]) == [65])
            #expect(descriptors[1].value == [65])
            #expect(try await peripheral.readValue(for: descriptors[0]) == [0, 0])
            do throws(BluetoothError) {
                try await peripheral.writeValue([1, 0], for: descriptors[0])
                Issue.record("it was written")
            } catch { #expect(error.code == .operationNotSupported) }
        }
    }

    // MARK: Values that come by themselves

    /// The next value that the device sends by itself.
    private static func nextValue(
        of bench: Bench, on air: isolated Air
    ) async throws -> (Characteristic, [UInt8]) {
        try await air.next(of: bench.manager) { event in
            guard case .valueUpdated(_, let characteristic, let value) = event else { return nil }
            return (characteristic, value)
        }
    }

    @Test("values are notified from the confirmed subscription until it ends")
    func notifies() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let characteristic = try await bench.characteristic(Accessory.open)
            try await bench.peripheral.setNotifyValue(true, for: characteristic)
            #expect(characteristic.isNotifying)
            #expect(bench.accessory.subscriptions.last == .notification)
            try bench.accessory.notify([9], of: Accessory.open)
            try bench.accessory.notify([10], of: Accessory.open)
            let first = try await Self.nextValue(of: bench, on: air)
            #expect(first.0 === characteristic && first.1 == [9])
            let second = try await Self.nextValue(of: bench, on: air)
            #expect(second.1 == [10])
            #expect(characteristic.value == [10])
            try await bench.peripheral.setNotifyValue(false, for: characteristic)
            #expect(!characteristic.isNotifying)
            #expect(bench.accessory.subscriptions.last == [])
        }
    }

    @Test("where a value is only indicated, it is indicated")
    func indicates() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let characteristic = try await bench.characteristic(Accessory.indicated)
            try await bench.peripheral.setNotifyValue(true, for: characteristic)
            #expect(bench.accessory.subscriptions.last == .indication)
            try bench.accessory.indicate([5], of: Accessory.indicated)
            let value = try await Self.nextValue(of: bench, on: air)
            #expect(value.0 === characteristic && value.1 == [5])
        }
    }

    @Test("a value without notifications and indications cannot be subscribed to")
    func noSubscription() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let characteristic = try await bench.characteristic(Accessory.silent)
            do throws(BluetoothError) {
                try await bench.peripheral.setNotifyValue(true, for: characteristic)
                Issue.record("it was subscribed to")
            } catch { #expect(error.code == .attribute(.requestNotSupported)) }
        }
    }

    // MARK: What is not there any more

    @Test("operations end with the link, and objects from before it are void")
    func staleAfterDisconnection() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let peripheral = bench.peripheral
            let silent = try await bench.characteristic(Accessory.silent)
            let reading = Task(executorPreference: air.loop) {
                try await peripheral.readValue(for: silent)
            }
            try await air.pass(.seconds(1))
            bench.accessory.disconnect()
            let ended = BluetoothError(
                .peripheralDisconnected, reason: .remoteUserTerminatedConnection)
            await #expect(throws: ended) { try await reading.value }
            await #expect(throws: BluetoothError(.notConnected)) {
                try await peripheral.readValue(for: silent)
            }
            #expect(await peripheral.services == nil)
            try await bench.manager.connect(peripheral)
            await #expect(throws: BluetoothError(.invalidHandle)) {
                try await peripheral.readValue(for: silent)
            }
            let again = try await bench.characteristic(Accessory.silent)
            #expect(again !== silent)
        }
    }

    @Test("a device that does not answer for 30 s loses the link")
    func noAnswer() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let silent = try await bench.characteristic(Accessory.silent)
            await #expect(throws: BluetoothError(.connectionTimeout)) {
                try await bench.peripheral.readValue(for: silent)
            }
            let disconnected = try await air.next(of: bench.manager) { event in
                if case .disconnected(let peripheral, _) = event { peripheral } else { nil }
            }
            #expect(disconnected === bench.peripheral)
        }
    }

    @Test("removed services are reported, and their objects are invalid")
    func servicesChange() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let peripheral = bench.peripheral
            let other = try bench.accessory.add(ServiceDefinition(uuid: Accessory.otherService))
            let services = try await peripheral.discoverServices(nil)
            let removed = try #require(services.first { $0.uuid == Accessory.otherService })
            let kept = try await bench.characteristic(Accessory.open)
            // The subscription to Service Changed is on its way.
            try await air.pass(.seconds(2))
            bench.accessory.remove(other)
            let invalidated = try await air.next(of: bench.manager) { event in
                if case .servicesModified(peripheral, let services) = event {
                    services
                } else {
                    nil
                }
            }
            #expect(invalidated == [removed])
            #expect(await peripheral.services == services.filter { $0 !== removed })
            await #expect(throws: BluetoothError(.invalidHandle)) {
                try await peripheral.discoverCharacteristics(nil, for: removed)
            }
            #expect(try await peripheral.readValue(for: kept) == [1, 2, 3])
        }
    }

    @Test("an operation on a service that is removed ends at once")
    func operationOnChangedService() async throws {
        try await Air.run { air in
            let bench = try await Bench.make(on: air)
            let peripheral = bench.peripheral
            let silent = try await bench.characteristic(Accessory.silent)
            try await air.pass(.seconds(2))
            let reading = Task(executorPreference: air.loop) {
                try await peripheral.readValue(for: silent)
            }
            try await air.pass(.seconds(1))
            bench.accessory.remove(bench.handles)
            do {
                _ = try await reading.value
                Issue.record("it was read")
            } catch let error as BluetoothError { #expect(error.code == .invalidHandle) }
            #expect(await peripheral.state == .connected)
        }
    }
}
