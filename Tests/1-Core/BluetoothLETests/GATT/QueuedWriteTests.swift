import BluetoothLE
import Octets
import Testing

/// What is prepared for values that the application keeps: one question, one answer, all or nothing.
/// Core Vol 3, Part F, 3.4.6.
struct QueuedWriteTests {
    /// Values at 0x000B and 0x000D are with the application, the one at 0x000F is in the table.
    static func bench() throws -> BearerBench {
        var table = AttributeTable()
        _ = try table.add(.genericAttribute)
        let permissions = AttributePermissions(write: .open)
        _ = try table.add(
            ServiceDefinition(
                uuid: BluetoothUUID(UInt16(0xFFF0)),
                characteristics: [
                    .init(
                        uuid: BluetoothUUID(UInt16(0xFFF1)), properties: .write,
                        permissions: permissions),
                    .init(
                        uuid: BluetoothUUID(UInt16(0xFFF2)), properties: .write,
                        permissions: permissions),
                    .init(
                        uuid: BluetoothUUID(UInt16(0xFFF3)),
                        properties: [.write, .extendedProperties], permissions: permissions,
                        storage: .stored([7]), allowsReliableWrites: true),
                ]))
        return BearerBench(table: table)
    }

    static let token = ATTBearer.RequestToken(rawValue: 1)
    static let stored = AttributeHandle(15)

    /// Prepares three parts of the first value, between them one of the second and one in the table.
    static func preparedBench() throws -> BearerBench {
        var bench = try Self.bench()
        for part in ["0b000000aabb", "0d00000001", "0b000200cc", "0f000000ee", "0b000300dd"] {
            #expect(try bench.answers(to: "16" + part) == ["17" + part])
        }
        let outputs = try bench.receive("1801")
        #expect(
            outputs == [
                .event(
                    .server(
                        .writeRequested(
                            token,
                            [
                                .init(
                                    handle: AttributeHandle(11), value: [0xAA, 0xBB, 0xCC, 0xDD]),
                                .init(handle: AttributeHandle(13), value: [0x01]),
                            ])))
            ])
        return bench
    }

    @Test("writes to several characteristics are one question, and one answer writes them all")
    func accepted() throws {
        var bench = try Self.preparedBench()
        #expect(bench.table[Self.stored]?.storedValue == [7])
        bench.bearer.respond(
            to: Self.token, with: .success([]), table: &bench.table, security: .none)
        #expect(
            bench.drain() == [.send([0x19]), .event(.server(.valueWritten(Self.stored, [0xEE])))])
        #expect(bench.table[Self.stored]?.storedValue == [0xEE])
        #expect(try bench.answers(to: "1801") == ["19"])
    }

    @Test(
        "a refusal writes nothing and names the attribute that was refused, or else the first",
        arguments: [(UInt16(13), "0d"), (11, "0b"), (nil, "0b"), (99, "0b"), (15, "0b")])
    func refused(handle: UInt16?, named: String) throws {
        var bench = try Self.preparedBench()
        bench.bearer.respond(
            to: Self.token, with: .failure(ATTErrorCode(rawValue: 0x80)),
            refusing: handle.map { AttributeHandle($0) }, table: &bench.table, security: .none)
        #expect(bench.drain().pdus == ["0118\(named)0080"])
        #expect(bench.table[Self.stored]?.storedValue == [7])
        // The queue is empty, and nobody is asked again.
        #expect(try bench.answers(to: "1801") == ["19"])
    }

    /// What is there before the offset, only the application knows.
    @Test("parts may begin anywhere, and those that overlap are one write")
    func offsets() throws {
        var bench = try Self.bench()
        for part in ["0b000500aabbcc", "0b000600ddee", "0b000100ff", "0b000200"] {
            #expect(try bench.answers(to: "16" + part) == ["17" + part])
        }
        #expect(
            try bench.receive("1801") == [
                .event(
                    .server(
                        .writeRequested(
                            Self.token,
                            [
                                .init(
                                    handle: AttributeHandle(11), offset: 5,
                                    value: [0xAA, 0xDD, 0xEE]),
                                .init(handle: AttributeHandle(11), offset: 1, value: [0xFF]),
                            ])))
            ])
    }

    @Test(
        "parts beyond the longest value are refused without a question",
        arguments: [("0b000102aa", "01180b0007"), ("0b000002aa", "01180b000d")])
    func tooLong(part: String, error: String) throws {
        var bench = try Self.bench()
        #expect(try bench.answers(to: "160d00000001") == ["170d00000001"])
        #expect(try bench.answers(to: "16" + part) == ["17" + part])
        #expect(try bench.answers(to: "1801") == [error])
    }

    @Test("cancelled writes are not reported as requests")
    func cancelled() throws {
        var bench = try Self.bench()
        #expect(try bench.answers(to: "160d00000001") == ["170d00000001"])
        #expect(try bench.answers(to: "1800") == ["19"])
        #expect(try bench.answers(to: "1801") == ["19"])
    }

    @Test("requests that the table refuses do not reach the application")
    func refusedByTable() throws {
        var bench = try Self.bench()
        #expect(try bench.answers(to: "160b000000aa") == ["170b000000aa"])
        #expect(try bench.answers(to: "160f000900aa") == ["170f000900aa"])
        #expect(try bench.answers(to: "1801") == ["01180f0007"])
    }
}

/// Values that wait for a subscriber leave only on a link on which it could have subscribed.
struct ProtectedSubscriptionTests {
    @Test("a value is neither notified nor indicated on a link that lost its protection")
    func protection() throws {
        var table = AttributeTable()
        let handles = try table.add(
            ServiceDefinition(
                uuid: BluetoothUUID(UInt16(0xFFF0)),
                characteristics: [
                    .init(
                        uuid: BluetoothUUID(UInt16(0xFFF2)), properties: [.notify, .indicate],
                        permissions: AttributePermissions(), subscription: .encrypted)
                ]))
        let value = try #require(handles.characteristics.first?.value)
        let descriptor = try #require(handles.characteristics.first?.configuration)
        var bench = BearerBench(table: table)
        var before = ClientConfiguration()
        before[descriptor] = [.notification, .indication]
        bench.bearer.restore(before, table: table, at: .zero)
        #expect(throws: ATTBearer.UsageError.notSubscribed) {
            try bench.bearer.notify([1], of: value, table: table)
        }
        #expect(throws: ATTBearer.UsageError.notSubscribed) {
            try bench.bearer.indicate([1], of: value, table: table, at: .zero)
        }
        #expect(bench.drain().pdus.isEmpty)
        let encrypted = LinkSecurity(isEncrypted: true, keySize: 16)
        try bench.bearer.notify([1], of: value, table: table, security: encrypted)
        try bench.bearer.indicate([2], of: value, table: table, security: encrypted, at: .zero)
        #expect(bench.drain().pdus == ["1b030001", "1d030002"])
    }
}
