import BluetoothLE
import Octets
import Testing

/// A service that only encrypted links see, as iOS has some.
@Suite struct HostHiddenServiceTests {
    /// A link that is not encrypted, and where the Peripheral hides its service.
    private static func hiding(
        follows: Bool = true
    ) throws -> (link: HostLink, service: ServiceHandles) {
        let link = HostLink()
        var definition = HostAttributeTests.service
        definition.isHiddenUntilEncrypted = true
        let service = try link.peripheral.host.addService(definition, at: link.peripheral.now)
        try link.connect()
        if follows { try follow(link) }
        link.forget()
        return (link, service)
    }

    /// The Central subscribes to Service Changed.
    private static func follow(_ link: HostLink) throws {
        let generic = try database(of: link).service(.genericAttribute)
        let descriptor = try #require(generic?.characteristic(.serviceChanged)?.configuration)
        #expect(try link.perform(.writeValue(descriptor, [0x02, 0x00])) == .success(.done))
    }

    private static func database(of link: HostLink) throws -> RemoteDatabase {
        guard case .success(.database(let found)) = try link.perform(.discoverDatabase()) else {
            throw HostUsageError.unknownConnection
        }
        return found
    }

    private static func hash(of link: HostLink) throws -> [UInt8] {
        let result = try link.perform(.readByUUID(.all, .databaseHash))
        guard case .success(.values(let values)) = result else { return [] }
        return try #require(values.first?.value)
    }

    @Test("without encryption it is not there: not to be found, read, written or notified")
    func hidden() throws {
        let (link, service) = try Self.hiding()
        #expect(try Self.database(of: link).service(HostAttributeTests.service.uuid) == nil)
        let characteristic = service.characteristics[0]
        let absent = GATTFailure.errorResponse(.invalidHandle, characteristic.value)
        #expect(try link.perform(.readValue(characteristic.value)) == .failure(absent))
        #expect(try link.perform(.writeValue(characteristic.value, [1])) == .failure(absent))
        let descriptors = try link.perform(.discoverDescriptors(service.range))
        #expect(descriptors == .success(.descriptors([])))
        #expect(throws: HostUsageError.bearer(.notSubscribed)) {
            try link.peripheral.host.notify(
                [1], of: characteristic.value, on: link.handle, at: link.peripheral.now)
        }
    }

    @Test("pairing reveals it, Service Changed indicates it, and the Database Hash changes")
    func shown() throws {
        let (link, service) = try Self.hiding()
        let before = try Self.hash(of: link)
        link.forget()
        try link.secure()
        let range = [service.range.first.rawValue, service.range.last.rawValue]
        let value = range.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let indications = link.central.takeOutputs().compactMap { output -> [UInt8]? in
            guard case .attribute(_, .value(.indication(_, let value))) = output else { return nil }
            return value
        }
        #expect(indications == [value])
        #expect(try Self.database(of: link).service(HostAttributeTests.service.uuid) != nil)
        #expect(try Self.hash(of: link) != before)
        // Without what is hidden, the hash is that of a server that does not have it.
        let other = HostLink()
        try other.connect()
        #expect(try Self.hash(of: other) == before)
    }

    @Test(
        "a bonded client is notified only after a discovery, and keeps its subscriptions",
        arguments: [false, true])
    func returning(looks: Bool) throws {
        let (first, _) = try Self.hiding()
        try first.secure()
        let database = try Self.database(of: first)
        let battery = try #require(database.service(HostAttributeTests.service.uuid))
        let descriptor = try #require(
            battery.characteristic(HostAttributeTests.service.characteristics[0].uuid)?
                .configuration)
        #expect(try first.perform(.writeValue(descriptor, [0x01, 0x00])) == .success(.done))
        let link = first.restarted()
        var definition = HostAttributeTests.service
        definition.isHiddenUntilEncrypted = true
        let service = try link.peripheral.host.addService(definition, at: link.peripheral.now)
        try link.connect()
        if looks {
            #expect(try Self.database(of: link).service(HostAttributeTests.service.uuid) == nil)
        }
        link.forget()
        try link.secure()
        let indications = link.central.story().filter { $0.contains("indicated") }
        #expect(indications.count == (looks ? 1 : 0))
        link.forget()
        try link.peripheral.host.notify(
            [7], of: service.characteristics[0].value, on: link.handle, at: link.peripheral.now)
        link.run()
        #expect(link.central.story() == ["40 notified 07"])
    }

    @Test("to hide and to show it is a change for links that are not encrypted")
    func changing() throws {
        let (link, service) = try Self.hiding()
        let handle = service.range.first
        link.peripheral.host.setHiddenUntilEncrypted(
            false, serviceAt: handle, at: link.peripheral.now)
        link.run()
        #expect(link.central.story().count == 1)
        #expect(try Self.database(of: link).service(HostAttributeTests.service.uuid) != nil)
        try link.secure()
        link.forget()
        link.peripheral.host.setHiddenUntilEncrypted(
            true, serviceAt: handle, at: link.peripheral.now)
        link.run()
        #expect(link.central.story().isEmpty)
        #expect(try Self.database(of: link).service(HostAttributeTests.service.uuid) != nil)
    }
}
