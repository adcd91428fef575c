import BluetoothLE
import Octets
import Testing

/// Two hosts and their attributes: discovery, values, what a bonded client configured.
@Suite struct HostAttributeTests {
    static let service = ServiceDefinition(
        uuid: .battery,
        characteristics: [
            .init(
                uuid: .level, properties: [.read, .write, .notify, .indicate],
                permissions: AttributePermissions(read: .open, write: .open),
                storage: .stored([100]))
        ])

    /// A link, and the characteristic that the Peripheral serves.
    static func served(
        bonded: Bool = false
    ) throws -> (link: HostLink, handles: ServiceHandles.Characteristic) {
        var handles: ServiceHandles.Characteristic?
        let serve: (HostLink) throws -> Void = { handles = try $0.serve() }
        let link = bonded ? try HostLink.bonded(before: serve) : HostLink()
        try serve(link)
        try link.connect()
        link.forget()
        return (link, try #require(handles))
    }

    @Test("a client discovers, subscribes, and receives notifications and indications")
    func subscription() throws {
        let (link, handles) = try Self.served()
        let database = try link.perform(.discoverDatabase(service: .battery))
        guard case .success(.database(let found)) = database else {
            Issue.record("\(database as Any)")
            return
        }
        let characteristic = try #require(found.service(.battery)?.characteristic(.level))
        #expect(characteristic.value == handles.value)
        #expect(characteristic.configuration == handles.configuration)
        let descriptor = try #require(characteristic.configuration)
        #expect(throws: HostUsageError.bearer(.notSubscribed)) {
            try link.notify([1], of: handles.value)
        }
        #expect(try link.perform(.writeValue(descriptor, [0x03, 0x00])) == .success(.done))
        #expect(link.peripheral.story() == ["40 subscribed 3"])
        try link.notify([42], of: handles.value)
        try link.indicate([43], of: handles.value)
        #expect(link.central.story() == ["40 notified 2a", "40 indicated 2b"])
        #expect(link.peripheral.story() == ["40 confirmed"])
    }

    @Test("a value longer than a PDU is written and read back whole")
    func longValues() throws {
        let (link, handles) = try Self.served()
        let value = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        #expect(try link.perform(.writeValue(handles.value, value)) == .success(.done))
        #expect(link.peripheral.story() == ["40 written 300 octets"])
        #expect(try link.perform(.readLongValue(handles.value)) == .success(.value(value)))
    }

    /// A Central that serves what an iPhone serves: nothing without encryption.
    static let protected = ServiceDefinition(
        uuid: .battery,
        characteristics: [
            .init(
                uuid: .level, properties: [.read, .write, .notify],
                permissions: AttributePermissions(read: .encrypted, write: .encrypted),
                storage: .stored([100]), subscription: .encrypted)
        ])

    @Test("a refusal for lack of protection is reported to the owner, which may pair")
    func accessDenied() throws {
        let link = HostLink()
        let service = try link.central.host.addService(Self.protected, at: link.central.now)
        let handles = try #require(service.characteristics.first)
        let descriptor = try #require(handles.configuration)
        try link.connect()
        link.forget()
        let procedures: [(GATTProcedure, AttributeHandle)] = [
            (.readValue(handles.value), handles.value),
            (.writeValue(handles.value, [1]), handles.value),
            (.writeValue(handles.value, [UInt8](repeating: 1, count: 40)), handles.value),
            (.writeValue(descriptor, [0x01, 0x00]), descriptor),
        ]
        func deny(_ code: ATTErrorCode) throws {
            for (procedure, attribute) in procedures {
                _ = try link.peripheral.host.start(
                    procedure, on: link.handle, at: link.peripheral.now)
                link.run()
                #expect(
                    link.central.takeOutputs() == [
                        .attribute(link.handle, .server(.accessDenied(attribute, code)))
                    ])
            }
        }
        try deny(.insufficientAuthentication)
        // Another error in response to a read is no matter of protection.
        _ = try link.peripheral.host.start(
            .readValue(AttributeHandle(0x0FFF)), on: link.handle, at: link.peripheral.now)
        link.run()
        #expect(link.central.takeOutputs().isEmpty)
        try link.secure()
        link.lose()
        try link.connect()
        link.forget()
        try deny(.insufficientEncryption)
        try link.secure()
        link.forget()
        _ = try link.peripheral.host.start(
            .writeValue(descriptor, [0x01, 0x00]), on: link.handle, at: link.peripheral.now)
        link.run()
        #expect(link.central.story().contains("40 subscribed 1"))
    }

    @Test("a write that an attribute never accepts is reported to the owner")
    func refusedWrites() throws {
        let link = HostLink()
        let service = try link.central.host.addService(Self.protected, at: link.central.now)
        let handles = try #require(service.characteristics.first)
        let descriptor = try #require(handles.configuration)
        try link.connect()
        try link.secure()
        link.forget()
        let refusals: [(AttributeHandle, [UInt8], ATTErrorCode)] = [
            (descriptor, [0x01], .invalidAttributeValueLength),
            (descriptor, [0x02, 0x00], .valueNotAllowed),
            (AttributeHandle(handles.value.rawValue - 1), [0x00], .writeNotPermitted),
            (AttributeHandle(0x0FFF), [0x00], .invalidHandle),
        ]
        for (attribute, value, code) in refusals {
            _ = try link.peripheral.host.start(
                .writeValue(attribute, value), on: link.handle, at: link.peripheral.now)
            link.run()
            #expect(
                link.central.takeOutputs() == [
                    .attribute(link.handle, .server(.accessDenied(attribute, code)))
                ])
            #expect(!code.asksForProtection)
        }
    }

    @Test("every procedure that waits when the link is lost ends once")
    func lostLink() throws {
        let (link, handles) = try Self.served()
        var started: Set<ProcedureID> = []
        for _ in 1...5 {
            started.insert(
                try link.central.host.start(
                    .readValue(handles.value), on: link.handle, at: link.central.now))
        }
        link.lose()
        var ended: [ProcedureID] = []
        for case .attribute(_, .completed(let id, _)) in link.central.takeOutputs() {
            ended.append(id)
        }
        #expect(ended.count == 5 && Set(ended) == started)
    }

    @Test("a bonded client's configuration is restored once the link is encrypted")
    func restoredConfiguration() throws {
        let (first, handles) = try Self.served()
        try first.secure()
        let descriptor = try #require(handles.configuration)
        _ = try first.perform(.writeValue(descriptor, [0x01, 0x00]))
        let link = first.restarted()
        _ = try link.serve()
        try link.connect()
        #expect(throws: HostUsageError.bearer(.notSubscribed)) {
            try link.notify([1], of: handles.value)
        }
        try link.secure()
        link.forget()
        try link.notify([2], of: handles.value)
        #expect(link.central.story() == ["40 notified 02"])
    }

    @Test("a stranger under the address of a bonded client changes nothing of it")
    func impostor() throws {
        let (first, handles) = try Self.served()
        try first.secure()
        let descriptor = try #require(handles.configuration)
        _ = try first.perform(.writeValue(descriptor, [0x01, 0x00]))
        let link = first.restarted(keepsCentral: false)
        _ = try link.serve()
        let record = try #require(link.peripheral.bonds.first)
        try link.connect()
        _ = try link.perform(.writeValue(descriptor, [0x02, 0x00]))
        link.peripheral.host.keep(RemoteDatabase(hash: [1]), of: link.handle)
        #expect(link.peripheral.bonds == [record])
        #expect(!link.peripheral.story().contains("bond changed"))
    }

    @Test("a bonded client that pairs again starts with no subscription")
    func pairedAnew() throws {
        let (first, handles) = try Self.served()
        try first.secure()
        let descriptor = try #require(handles.configuration)
        _ = try first.perform(.writeValue(descriptor, [0x01, 0x00]))
        let link = first.restarted(keepsCentral: false)
        _ = try link.serve()
        try link.connect()
        try link.secure()
        #expect(throws: HostUsageError.bearer(.notSubscribed)) {
            try link.notify([1], of: handles.value)
        }
        #expect(link.peripheral.bonds.first?.clientConfiguration.descriptors == [])
    }

    @Test("values that a bonded client writes before encryption are stored after it")
    func writtenBeforeEncryption() throws {
        let (first, handles) = try Self.served()
        try first.secure()
        let descriptor = try #require(handles.configuration)
        let serviceChanged = try #require(first.peripheral.serviceChangedConfiguration)
        _ = try first.perform(.writeValue(serviceChanged, [0x02, 0x00]))
        let link = first.restarted()
        _ = try link.serve()
        try link.connect()
        _ = try link.perform(.writeValue(descriptor, [0x01, 0x00]))
        try link.secure()
        link.forget()
        try link.notify([3], of: handles.value)
        #expect(link.central.story() == ["40 notified 03"])
        let stored = try #require(link.peripheral.bonds.first).clientConfiguration
        #expect(stored[descriptor] == .notification)
        #expect(stored[serviceChanged] == .indication)
    }

    @Test("services that come and go are indicated to subscribed clients")
    func serviceChanged() throws {
        let (link, handles) = try Self.served()
        let serviceChanged = try #require(link.peripheral.serviceChangedConfiguration)
        _ = try link.perform(.writeValue(serviceChanged, [0x02, 0x00]))
        link.forget()
        let added = try link.peripheral.host.addService(Self.service, at: link.peripheral.now)
        link.run()
        let range = added.range
        #expect(
            link.central.story() == [
                "40 indicated \(Hexadecimal.text(range.octets))"
            ])
        #expect(link.peripheral.story() == ["40 confirmed"])
        link.peripheral.host.removeService(startingAt: range.first, at: link.peripheral.now)
        link.run()
        #expect(link.central.story() == ["40 indicated \(Hexadecimal.text(range.octets))"])
        let value = try link.perform(.readValue(added.characteristics[0].value))
        #expect(
            value
                == .failure(.errorResponse(.invalidHandle, added.characteristics[0].value)))
        #expect(try link.perform(.readValue(handles.value)) == .success(.value([100])))
    }
}

extension BluetoothUUID {
    fileprivate static let battery = BluetoothUUID(UInt16(0x180F))
    fileprivate static let level = BluetoothUUID(UInt16(0x2A19))
}

extension HostLink {
    /// The Peripheral serves one characteristic.
    fileprivate func serve() throws -> ServiceHandles.Characteristic {
        let handles = try peripheral.host.addService(
            HostAttributeTests.service, at: peripheral.now)
        return handles.characteristics[0]
    }

    fileprivate func notify(_ value: [UInt8], of attribute: AttributeHandle) throws {
        try peripheral.host.notify(value, of: attribute, on: handle, at: peripheral.now)
        run()
    }

    fileprivate func indicate(_ value: [UInt8], of attribute: AttributeHandle) throws {
        try peripheral.host.indicate(value, of: attribute, on: handle, at: peripheral.now)
        run()
    }
}

extension HostBench {
    /// The descriptor of Service Changed, which is the first in the table.
    var serviceChangedConfiguration: AttributeHandle? {
        host.table.attributes.first { $0.type == .clientCharacteristicConfiguration }?.handle
    }
}

extension AttributeHandleRange {
    /// As Service Changed carries it.
    fileprivate var octets: [UInt8] {
        [first, last].flatMap {
            [UInt8(truncatingIfNeeded: $0.rawValue), UInt8($0.rawValue >> 8)]
        }
    }
}
