import BluetoothLE
import JSONText
import Octets
import OpenSSLSecurity
import Testing

/// What a server remembers of a bonded client, and how it tells it of changes: Core Vol 3, Part G,
/// 2.5.2 and 7.
struct CachingTests {
    /// The message of the sample in Core Vol 3, Part G, Appendix B, as a table.
    @Test("the Database Hash of the specification's sample")
    func sample() throws {
        let rows = try #require(
            vector("crypto")["functions"]?["database_hash"]?["tests"]?.array)
        #expect(!rows.isEmpty)
        for row in rows {
            var rest = try hex(try row.text(of: "message"))
            var table = AttributeTable()
            while !rest.isEmpty {
                let handle = AttributeHandle(UInt16(rest[0]) | UInt16(rest[1]) << 8)
                let type = UInt16(rest[2]) | UInt16(rest[3]) << 8
                rest.removeFirst(4)
                let end = Self.valueEnd(type, rest, handle)
                try table.insert(
                    .init(
                        handle: handle, type: BluetoothUUID(type),
                        storage: .stored(Array(rest[..<end]))))
                rest.removeFirst(end)
            }
            try table.insert(
                .init(
                    handle: AttributeHandle(0xFFF0), type: BluetoothUUID(UInt16(0x2A00)),
                    storage: .stored([1, 2, 3])))
            table.updateDatabaseHash(using: OpenSSLToolbox())
            let hash = try #require(UInt128(try row.text(of: "hash"), radix: 16))
            #expect(table.databaseHash == hash)
        }
    }

    /// Where the value of an attribute ends in the message: before the next handle.
    private static func valueEnd(
        _ type: UInt16, _ rest: [UInt8], _ handle: AttributeHandle
    ) -> Int {
        guard (0x2800...0x2803).contains(type) || type == 0x2900 else { return 0 }
        return (1...max(rest.count, 1)).first { end in
            guard end + 3 < rest.count else { return end == rest.count }
            let next = UInt16(rest[end]) | UInt16(rest[end + 1]) << 8
            return next > handle.rawValue && next <= handle.rawValue + 2
                && (rest[end + 3] == 0x28 || rest[end + 3] == 0x29)
        } ?? rest.count
    }

    private static func bench() throws -> BearerBench {
        var table = try BearerServerTests.table().0
        table.updateDatabaseHash(using: OpenSSLToolbox())
        return BearerBench(table: table)
    }

    /// Handles of the Generic Attribute service that stands first.
    private static let serviceChanged = AttributeHandle(3)

    @Test("the hash is read as a characteristic")
    func readHash() throws {
        var bench = try Self.bench()
        let hash = try #require(bench.table.databaseHash)
        let text = String(hash, radix: 16)
        let padded = String(repeating: "0", count: 32 - text.count) + text
        #expect(try bench.answers(to: "080100ffff2a2b") == ["09120800" + padded])
    }

    @Test("a bonded client finds its subscriptions again")
    func restored() throws {
        var first = try Self.bench()
        _ = try first.receive("120e000100")
        let stored = first.bearer.clientConfiguration
        let octets = stored.octets
        let decoded = try ClientConfiguration(decoding: octets.span)
        #expect(decoded == stored)
        var second = BearerBench(table: first.table)
        second.bearer.restore(stored, table: second.table, at: second.now)
        #expect(second.drain().isEmpty)
        #expect(try second.answers(to: "0a0e00") == ["0b0100"])
        try second.bearer.notify([1], of: AttributeHandle(13), table: second.table)
        #expect(second.drain().pdus == ["1b0d0001"])
    }

    @Test("a bonded client learns of a table that changed while it was away")
    func changedWhileAway() throws {
        var first = try Self.bench()
        _ = try first.receive("120e000100")
        _ = try first.receive("1204000200")
        let stored = first.bearer.clientConfiguration
        var table = first.table
        _ = try table.add(ServiceDefinition(uuid: BluetoothUUID(UInt16(0x180F))))
        table.updateDatabaseHash(using: OpenSSLToolbox())
        var second = BearerBench(table: table)
        second.bearer.restore(stored, table: table, at: second.now)
        #expect(second.drain().pdus == ["1d03000100ffff"])
        #expect(try second.answers(to: "0a0e00") == ["0b0000"])
        #expect(
            try second.receive("1e") == [
                .clientConfigurationChanged,
                .event(.server(.indicationConfirmed(Self.serviceChanged))),
            ])
        #expect(second.bearer.clientConfiguration.databaseHash == table.databaseHash)
    }

    @Test("two changes before the first is confirmed become one")
    func twoChanges() throws {
        var bench = try Self.bench()
        _ = try bench.receive("1204000200")
        let range = AttributeHandleRange(AttributeHandle(0x20), AttributeHandle(0x30))
        for _ in 0..<3 {
            bench.bearer.tableChanged(range, table: bench.table, at: bench.now)
        }
        #expect(bench.drain().pdus == ["1d030020003000"])
        #expect(try bench.answers(to: "1e") == ["1d03000100ffff"])
        #expect(try bench.answers(to: "1e") == [])
    }

    @Test("a client that supports robust caching is stopped once")
    func outOfSync() throws {
        var bench = try Self.bench()
        #expect(try bench.answers(to: "12060001") == ["13"])
        bench.bearer.tableChanged(.all, table: bench.table, at: bench.now)
        _ = bench.drain()
        #expect(try bench.answers(to: "040100ffff").count == 1)
        #expect(try bench.receive("520b00aa").isEmpty)
        #expect(try bench.answers(to: "0a0100") == ["010a010012"])
        #expect(try bench.answers(to: "0a0100") == ["0b0118"])
    }

    @Test("reading the Database Hash makes a client aware")
    func hashMakesAware() throws {
        var bench = try Self.bench()
        _ = try bench.receive("12060001")
        bench.bearer.tableChanged(.all, table: bench.table, at: bench.now)
        _ = bench.drain()
        #expect(try bench.answers(to: "080100ffff2a2b").first?.hasPrefix("0912") == true)
        #expect(try bench.answers(to: "0a0100") == ["0b0118"])
    }

    @Test("a client cannot take a feature back")
    func features() throws {
        var bench = try Self.bench()
        #expect(try bench.answers(to: "0a0600") == ["0b00"])
        #expect(try bench.answers(to: "12060005") == ["13"])
        #expect(try bench.answers(to: "12060001") == ["0112060013"])
        #expect(try bench.answers(to: "120600") == ["011206000d"])
        #expect(try bench.answers(to: "0a0600") == ["0b05"])
    }

    @Test("a table refuses used handles and overlapping ranges")
    func table() throws {
        var (table, handles) = try BearerServerTests.table()
        let count = table.attributes.count
        #expect(throws: AttributeTable.UsageError.handleUnavailable(AttributeHandle(3))) {
            try table.insert(
                .init(handle: AttributeHandle(3), type: .deviceName, storage: .stored([])))
        }
        let range = AttributeHandleRange(AttributeHandle(16), AttributeHandle(20))
        #expect(throws: AttributeTable.UsageError.rangeUnavailable(range)) {
            try table.insert(.init(range: range, uuid: .genericAccess))
        }
        #expect(table.attributes.count == count)
        #expect(table.removeService(startingAt: handles.range.first) == handles.range)
        #expect(table.attributes.count == 8)
        handles = try table.add(.genericAccess(name: "Desk", resolvesAddresses: true))
        #expect(table[handles.characteristics[0].value]?.storedValue == Array("Desk".utf8))
        #expect(handles.characteristics.count == 3)
    }

    @Test("a remote database is kept as octets and proved by its hash")
    func remoteDatabase() throws {
        let database = RemoteDatabase(
            services: [
                .init(
                    range: AttributeHandleRange(AttributeHandle(1), AttributeHandle(9)),
                    uuid: .genericAccess, isPrimary: false,
                    includedServices: [
                        .init(
                            declaration: AttributeHandle(2), range: .all,
                            uuid: BluetoothUUID(UInt128(7)))
                    ],
                    characteristics: [
                        .init(
                            declaration: AttributeHandle(3), value: AttributeHandle(4),
                            properties: [.read, .notify], uuid: .deviceName,
                            descriptors: [
                                .init(
                                    handle: AttributeHandle(5),
                                    type: .clientCharacteristicConfiguration)
                            ])
                    ])
            ], hash: Array(0..<16))
        let octets = database.octets
        let decoded = try RemoteDatabase(kept: octets)
        #expect(decoded == database)
        for count in 0..<octets.count {
            let prefix = Array(octets.prefix(count))
            #expect(throws: DecodingError.self) { try RemoteDatabase(kept: prefix) }
        }
        #expect(database.isValid(hash: Array(0..<16)))
        #expect(!database.isValid(hash: Array(1..<17)))
        #expect(!database.isValid(hash: nil))
        #expect(!RemoteDatabase().isValid(hash: nil))
    }

    @Test("Service Changed indicates a range")
    func serviceChanged() throws {
        let value: [UInt8] = [0x20, 0x00, 0x30, 0x00]
        let range = RemoteDatabase.affectedRange(ofServiceChanged: value.span)
        #expect(range == AttributeHandleRange(AttributeHandle(0x20), AttributeHandle(0x30)))
        for wrong: [UInt8] in [[], [1, 0, 2], [0, 0, 1, 0], [2, 0, 1, 0], [1, 0, 2, 0, 0]] {
            let range = RemoteDatabase.affectedRange(ofServiceChanged: wrong.span)
            #expect(range == nil)
        }
    }
}

extension RemoteDatabase {
    fileprivate init(kept octets: [UInt8]) throws {
        self = try RemoteDatabase(decoding: octets.span)
    }
}
