import BluetoothLE
import Octets
import Testing

/// The server half beyond single exchanges: questions to the application, subscriptions, time.
struct BearerServerTests {
    /// GATT service at 0x0001, and a service with a control point, a source and a long value.
    static func table() throws -> (AttributeTable, ServiceHandles) {
        var table = AttributeTable()
        _ = try table.add(.genericAttribute)
        let handles = try table.add(
            ServiceDefinition(
                uuid: BluetoothUUID(UInt16(0xFFF0)),
                characteristics: [
                    .init(
                        uuid: BluetoothUUID(UInt16(0xFFF1)), properties: .write,
                        permissions: AttributePermissions(write: .open, writeCommand: .open)),
                    .init(
                        uuid: BluetoothUUID(UInt16(0xFFF2)), properties: [.notify, .indicate],
                        permissions: AttributePermissions()),
                    .init(uuid: BluetoothUUID(UInt16(0xFFF3)), properties: .read),
                ]))
        return (table, handles)
    }

    static func bench() throws -> BearerBench {
        BearerBench(table: try table().0)
    }

    @Test("a characteristic has one configuration, whichever of its attributes is asked for")
    func configurationHandle() throws {
        let table = try Self.table().0
        // What a client that reads the attributes in order concludes.
        var own: [AttributeHandle: AttributeHandle] = [:]
        var characteristic: [AttributeHandle] = []
        for attribute in table[.all] {
            switch attribute.type {
            case .characteristic: characteristic = []
            case .primaryService, .secondaryService, .include:
                characteristic = []
                continue
            default: break
            }
            characteristic.append(attribute.handle)
            guard attribute.storage == .clientConfiguration else { continue }
            for handle in characteristic { own[handle] = attribute.handle }
        }
        #expect(Set(own.values).count == 2)
        let last = try #require(table[.all].last).handle.rawValue
        for handle in 0...last + 2 {
            let handle = AttributeHandle(handle)
            #expect(table.configurationHandle(of: handle) == own[handle])
        }
    }

    @Test("the builder hands out handles in order")
    func handles() throws {
        let (table, handles) = try Self.table()
        #expect(handles.range == AttributeHandleRange(AttributeHandle(9), AttributeHandle(16)))
        #expect(handles.characteristics.map(\.value.rawValue) == [11, 13, 16])
        #expect(handles.characteristics.map(\.configuration?.rawValue) == [nil, 14, nil])
        #expect(table.attributes.map(\.handle.rawValue) == Array(1...16))
        #expect(table[AttributeHandle(10)]?.storedValue == [0x08, 11, 0, 0xF1, 0xFF])
    }

    /// Core Vol 3, Part F, 3.4.3.3: values are equal where their octets are.
    @Test("a declaration that holds the long form of a UUID is found by the long form alone")
    func longDeclaration() throws {
        var bench = try Self.bench()
        let value = try hex("fb349b5f80000080001000000118" + "0000")
        bench.table.replace(
            .init(handle: AttributeHandle(1), type: .primaryService, storage: .stored(value)))
        #expect(try bench.answers(to: "060100ffff00280118") == ["010601000a"])
        #expect(
            try bench.answers(to: "060100ffff0028fb349b5f800000800010000001180000")
                == ["0701000800"])
        #expect(
            try bench.answers(to: "100100ffff0028")
                == ["111401000800fb349b5f800000800010000001180000"])
    }

    @Test("replacing an attribute that is not there changes nothing")
    func replaceNothing() throws {
        var bench = try Self.bench()
        bench.table.replace(
            .init(handle: AttributeHandle(99), type: .primaryService, storage: .stored([1])))
        #expect(bench.table.attributes.map(\.handle.rawValue) == Array(1...16))
    }

    /// Core Vol 3, Part G, 3.3.3.3.
    @Test("a client's restored configuration is valid")
    func configuredBefore() throws {
        var bench = try Self.bench()
        var before = ClientConfiguration()
        before[AttributeHandle(14)] = .notification
        bench.bearer.restore(before, table: bench.table, at: .zero)
        #expect(try bench.answers(to: "0a0e00") == ["0b0100"])
        try bench.bearer.notify([0xAA], of: AttributeHandle(13), table: bench.table)
        #expect(bench.drain().pdus == ["1b0d00aa"])
    }

    // MARK: Questions

    @Test("a write waits for the application, whose error code goes to the client")
    func write() throws {
        var bench = try Self.bench()
        let token = ATTBearer.RequestToken(rawValue: 1)
        let outputs = try bench.receive("120b00aabb")
        let write = AttributeWrite(handle: AttributeHandle(11), value: [0xAA, 0xBB])
        #expect(outputs == [.event(.server(.writeRequested(token, [write])))])
        bench.bearer.respond(
            to: token, with: .failure(ATTErrorCode(rawValue: 0xA0)), table: &bench.table,
            security: .none)
        #expect(bench.drain().pdus == ["01120b00a0"])
    }

    @Test("a write that the application takes is answered")
    func writeTaken() throws {
        var bench = try Self.bench()
        _ = try bench.receive("120b00aabb")
        bench.bearer.respond(
            to: .init(rawValue: 1), with: .success([]), table: &bench.table, security: .none)
        #expect(bench.drain().pdus == ["13"])
        bench.bearer.respond(
            to: .init(rawValue: 1), with: .success([]), table: &bench.table, security: .none)
        #expect(bench.drain().isEmpty)
    }

    @Test("a long write reaches the application once, as a whole")
    func longWrite() throws {
        var bench = try Self.bench()
        #expect(try bench.answers(to: "160b000000aabb") == ["170b000000aabb"])
        #expect(try bench.answers(to: "160b000200cc") == ["170b000200cc"])
        let token = ATTBearer.RequestToken(rawValue: 1)
        let outputs = try bench.receive("1801")
        let write = AttributeWrite(handle: AttributeHandle(11), value: [0xAA, 0xBB, 0xCC])
        #expect(outputs == [.event(.server(.writeRequested(token, [write])))])
        bench.bearer.respond(
            to: token, with: .failure(.writeNotPermitted), table: &bench.table, security: .none)
        #expect(bench.drain().pdus == ["01180b0003"])
        #expect(try bench.answers(to: "1801") == ["19"])
    }

    @Test("a command reaches the application without a token")
    func command() throws {
        var bench = try Self.bench()
        let outputs = try bench.receive("520b00aa")
        let write = AttributeWrite(handle: AttributeHandle(11), value: [0xAA])
        #expect(outputs == [.event(.server(.writeRequested(nil, [write])))])
    }

    @Test(
        "the application provides the whole value for a read of any part",
        arguments: [
            ("0a1000", "0b010203"), ("0c10000100", "0d0203"), ("0c10000400", "010c100007"),
            ("080100fffff3ff", "09051000010203"), ("0e10001000", "0f010203010203"),
            ("2010001000", "2103000102030300010203"),
        ])
    func read(request: String, response: String) throws {
        var bench = try Self.bench()
        let token = ATTBearer.RequestToken(rawValue: 1)
        #expect(
            try bench.receive(request) == [
                .event(.server(.readRequested(token, AttributeHandle(16))))
            ])
        bench.bearer.respond(
            to: token, with: .success([1, 2, 3]), table: &bench.table, security: .none)
        #expect(bench.drain().pdus == [response])
    }

    @Test("a second request before the answer to the first is ignored")
    func flowControl() throws {
        var bench = try Self.bench()
        _ = try bench.receive("0a1000")
        #expect(try bench.receive("0a0100").isEmpty)
        #expect(try bench.receive("021700").isEmpty)
        #expect(try bench.receive("520b00aa").count == 1)
        bench.bearer.respond(
            to: .init(rawValue: 1), with: .success([7]), table: &bench.table, security: .none)
        #expect(bench.drain().pdus == ["0b07"])
        #expect(try bench.answers(to: "0a0100") == ["0b0118"])
    }

    // MARK: Subscriptions

    @Test("a subscription is reported after its response")
    func subscription() throws {
        var bench = try Self.bench()
        let outputs = try bench.receive("120e000300")
        #expect(
            outputs == [
                .send([0x13]),
                .event(
                    .server(
                        .subscriptionChanged(AttributeHandle(13), [.notification, .indication]))),
                .clientConfigurationChanged,
            ])
        // Again it is told, for a service may begin something at it, but it changes nothing.
        #expect(
            try bench.receive("120e000300") == [
                .send([0x13]),
                .event(
                    .server(
                        .subscriptionChanged(AttributeHandle(13), [.notification, .indication]))),
            ])
    }

    @Test("values are sent only to subscribers, and only if they fit")
    func notify() throws {
        var bench = try Self.bench()
        let handle = AttributeHandle(13)
        let table = bench.table
        #expect(throws: ATTBearer.UsageError.notSubscribed) {
            try bench.bearer.notify([1], of: handle, table: table)
        }
        try bench.bearer.notify([1], of: handle, table: table, ignoringConfiguration: true)
        #expect(bench.drain().pdus == ["1b0d0001"])
        _ = try bench.receive("120e000100")
        try bench.bearer.notify([2], of: handle, table: table)
        #expect(bench.drain().pdus == ["1b0d0002"])
        #expect(throws: ATTBearer.UsageError.valueTooLong(limit: 20)) {
            try bench.bearer.notify([UInt8](repeating: 0, count: 21), of: handle, table: table)
        }
        let now = bench.now
        #expect(throws: ATTBearer.UsageError.notSubscribed) {
            try bench.bearer.indicate([1], of: handle, table: table, at: now)
        }
    }

    @Test("indications wait for their confirmation, up to a limit")
    func indications() throws {
        var bench = try Self.bench()
        _ = try bench.receive("120e000200")
        let handle = AttributeHandle(13)
        for value in 0...16 {
            try bench.bearer.indicate(
                [UInt8(value)], of: handle, table: bench.table, at: bench.now)
        }
        let (table, now) = (bench.table, bench.now)
        #expect(throws: ATTBearer.UsageError.queueFull) {
            try bench.bearer.indicate([99], of: handle, table: table, at: now)
        }
        #expect(bench.drain().pdus == ["1d0d0000"])
        #expect(
            try bench.receive("1e") == [
                .event(.server(.indicationConfirmed(handle))), .send([0x1D, 13, 0, 1]),
            ])
    }

    // MARK: Time

    @Test("a confirmation has thirty seconds, then the bearer is dead")
    func confirmationTimeout() throws {
        var bench = try Self.bench()
        _ = try bench.receive("120e000200")
        try bench.bearer.indicate(
            [1], of: AttributeHandle(13), table: bench.table, at: bench.now)
        _ = bench.drain()
        #expect(bench.advance(by: .seconds(30) - .nanoseconds(1)).isEmpty)
        #expect(bench.advance(by: .nanoseconds(1)) == [.event(.failed(.transactionTimedOut))])
        #expect(try bench.receive("0a0100").isEmpty)
        #expect(bench.bearer.nextDeadline == nil)
    }

    @Test("a response has thirty seconds, then every procedure ends and the bearer is dead")
    func transactionTimeout() throws {
        var bench = try Self.bench()
        _ = try bench.start(.readValue(AttributeHandle(1)))
        _ = try bench.start(.readValue(AttributeHandle(2)))
        #expect(bench.bearer.nextDeadline == .zero + .seconds(30))
        #expect(bench.advance(by: .seconds(30) - .nanoseconds(1)).isEmpty)
        let outputs = bench.advance(by: .nanoseconds(1))
        #expect(outputs.results == [.failure(.transactionTimedOut), .failure(.closed)])
        #expect(outputs.last == .event(.failed(.transactionTimedOut)))
        #expect(try bench.receive("0b01").isEmpty)
        #expect(bench.advance(by: .seconds(60)).isEmpty)
    }

    @Test("each request of a procedure has its own thirty seconds")
    func deadlineOfEachRequest() throws {
        var bench = try Self.bench()
        _ = try bench.start(.discoverDescriptors(.all))
        #expect(bench.advance(by: .seconds(29)).isEmpty)
        #expect(try bench.answers(to: "050101000028") == ["040200ffff"])
        #expect(bench.advance(by: .seconds(29)).isEmpty)
        #expect(try bench.receive("010402000a").results.count == 1)
    }
}
