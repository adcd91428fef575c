import DBusTestKit
import Glibc
import LinuxIO
import Octets
import Testing

@testable import DBus

@Suite struct BusConnectionCallTests {
    static let rows: [BusValue] = [
        .byte(0xFF), .bool(true), .bool(false), .int16(.min), .uint16(.max), .int32(.min),
        .uint32(.max), .int64(.min), .uint64(.max), .double(-0.1), .string(""), .string("blå 🥚"),
        .objectPath("/"), .objectPath("/org/bluez/hci0"), .signature("a{sv}"), .signature(""),
        .octets([]), .octets([0, 1, 255]), .array([], of: "s"), .strings(["a", "b"]),
        .array([], of: "(ya{sv})"), .array([.octets([1]), .octets([])], of: "ay"),
        .array([.array([], of: "i"), .array([.int32(1)], of: "i")], of: "ai"), .options(),
        .options(["a": .octets([1, 2]), "b": .options(["c": .bool(true)])]),
        .dictionary([.uint16(1): .octets([2]), .uint16(3): .octets([])], key: "q", value: "ay"),
        .dictionary(
            [.objectPath("/a"): .dictionary([.string("i"): .options()], key: "s", value: "a{sv}")],
            key: "o", value: "a{sa{sv}}"),
        .structure([.byte(1), .structure([.string("a")]), .variant(.uint64(.max))]),
        .variant(.octets([7])), .variant(.variant(.variant(.strings([])))),
    ]

    @Test("a value is the same after it went there and back")
    func everyType() async throws {
        try await TestBus.with { bus in
            let (server, client) = (try await bus.connect(), try await bus.connect())
            await server.export("/test") { call, reply in reply.succeed(call.arguments) }
            let name = try await server.name
            for row in Self.rows {
                #expect(try await client.call(.test(name, "Echo", [row])).get() == [row])
            }
            #expect(try await client.call(.test(name, "Echo", Self.rows)).get() == Self.rows)
            #expect(try await client.call(.test(name, "Echo")).get() == [])
        }
    }

    @Test("a called object learns the caller and the arguments")
    func header() async throws {
        try await TestBus.with { bus in
            let (server, client) = (try await bus.connect(), try await bus.connect())
            let seen = Box<BusMethodCall?>(nil)
            await server.export("/test") { call, reply in
                seen.value = call
                reply.succeed()
            }
            _ = try await client.call(.test(server.name, "Do", [.byte(1)])).get()
            let sender = try await client.name
            #expect(
                seen.value
                    == BusMethodCall(from: sender, "/test", "org.test.Interface", "Do", [.byte(1)]))
        }
    }

    static let unsendable: [BusValue] = [
        .string("a\0b"), .signature("a"), .signature("a\0"), .array([.string("a")], of: "i"),
        .array([], of: ""), .array([], of: "ii"), .array([], of: "()"), .signature("()"),
        .structure([]), .variant(.structure([])),
        .array([.octets([1])], of: "as"), .array([.structure([.byte(1)])], of: "(s)"),
        .dictionary([.octets([]): .byte(1)], key: "ay", value: "y"),
        .dictionary([.string("a"): .string("b")], key: "s", value: "v"),
        (0..<65).reduce(BusValue.byte(0)) { value, _ in .variant(value) },
    ]

    @Test("an unsendable message is answered with an error, and the connection continues")
    func invalidArguments() async throws {
        try await TestBus.with { bus in
            let client = try await bus.connect()
            for value in Self.unsendable {
                let result = await client.bus("GetId", [value])
                #expect(throws: BusError.self) { try result.get() }
                #expect(result.failure?.name == BusError.invalidArguments, "\(value.signature)")
            }
            for call in [
                BusCall("not a name", "/", "a.b", "C"), BusCall("a.b", "/", "nointerface", "C"),
                BusCall("a.b", "/", "a.b", "not a member"), BusCall("a.b", "/", "a.b", "C\0"),
            ] {
                #expect(await client.call(call).failure?.name == BusError.invalidArguments)
            }
            await #expect(throws: Never.self) { try await client.bus("GetId").get() }
        }
    }

    @Test("a message that is too large or too deep gives an error on both sides")
    func limits() async throws {
        try await TestBus.with { bus in
            let (server, client) = (try await bus.connect(), try await bus.connect())
            await server.export("/test") { call, reply in
                switch call.member {
                case "Many":
                    reply.succeed([.array(Array(repeating: .bool(true), count: 262_144), of: "b")])
                case "Long": reply.succeed([.octets(Array(repeating: 0, count: 4_194_305))])
                default: reply.succeed()
                }
            }
            let name = try await server.name
            let many = BusValue.array(Array(repeating: .bool(true), count: 262_143), of: "b")
            #expect(try await client.call(.test(name, "Take", [many])).get() == [])
            for (member, arguments) in [
                ("Many", []), ("Long", []), ("Take", [many, .byte(0)]),
                ("Take", [.octets(Array(repeating: 0, count: 4_194_305))]),
                ("Take", [(0..<33).reduce(BusValue.byte(0)) { value, _ in .variant(value) }]),
            ] {
                let result = await client.call(.test(name, member, arguments))
                #expect(result.failure?.name == BusError.limitsExceeded)
            }
            let deep = (0..<32).reduce(BusValue.byte(0)) { value, _ in .variant(value) }
            #expect(try await client.call(.test(name, "Take", [deep])).get() == [])
        }
    }

    @Test("a text that sd-bus refuses is an error and does no further harm")
    func noncharacter() async throws {
        try await TestBus.with { bus in
            let server = try await bus.connect()
            await server.export("/test") { _, reply in
                Issue.record("told")
                reply.succeed()
            }
            // U+FFFE, which Unicode has no character for: other implementations of D-Bus let it pass.
            let (reading, writing) = try makePipe()
            let program = try spawn(
                [
                    "dbus-send", "--bus=\(bus.address)", "--print-reply",
                    "--dest=\(try await server.name)", "/test", "org.test.Interface.Take",
                    "string:\u{FFFE}",
                ], output: writing)
            close(writing)
            close(reading)
            var status: CInt = 0
            waitpid(program, &status, 0)
            #expect(status != 0)
            await #expect(throws: Never.self) { try await server.bus("GetId").get() }
        }
    }

    @Test("the error that was sent is the error that arrives")
    func errors() async throws {
        try await TestBus.with { bus in
            let (server, client) = (try await bus.connect(), try await bus.connect())
            let error = BusError("org.test.Error.Broken", "it is broken")
            await server.export("/test") { call, reply in
                switch call.member {
                case "Broken": reply.fail(error)
                case "Unnamed": reply.fail(BusError("no name of an error", "but a message"))
                case "Unsendable": reply.succeed([.string("\0")])
                default: reply.fail(BusError(BusError.unknownMethod))
                }
            }
            let name = try await server.name
            #expect(await client.call(.test(name, "Broken")) == .failure(error))
            #expect(await client.call(.test(name, "Unnamed")).failure?.name == BusError.failed)
            #expect(await client.call(.test(name, "Unsendable")).failure?.name == BusError.failed)
            #expect(await client.call(.test(name, "Other")).failure?.name == BusError.unknownMethod)
        }
    }

    @Test("a program that does not run, and is not to be started, is an error")
    func unknownService() async throws {
        try await TestBus.with { bus in
            let client = try await bus.connect()
            for startsProgram in [true, false] {
                var call = BusCall.test("org.test.Nobody", "Do")
                call.startsProgram = startsProgram
                let error = try #require(await client.call(call).failure)
                #expect([BusError.serviceUnknown, BusError.nameHasNoOwner].contains(error.name))
            }
        }
    }

    @Test("a call ends at its time limit, and a later answer is not delivered")
    func timeLimit() async throws {
        try await TestBus.with { bus in
            let (server, client) = (try await bus.connect(), try await bus.connect())
            let late = Box<BusReply?>(nil)
            await server.export("/test") { call, reply in
                if call.member == "Never" { late.value = reply } else { reply.succeed() }
            }
            let name = try await server.name
            let result = await client.call(.test(name, "Never"), within: .milliseconds(1))
            #expect(result.failure?.name == BusError.noReply)
            // The call may not have arrived before its limit.
            #expect(try await client.call(.test(name, "Now")).get() == [])
            await server.run { _ in late.value?.succeed([.byte(1)]) }
            #expect(try await client.call(.test(name, "Now")).get() == [])
        }
    }

    @Test("each call ends at its own time limit, whichever was made first")
    func severalTimeLimits() async throws {
        try await TestBus.with { bus in
            let (server, client) = (try await bus.connect(), try await bus.connect())
            let (kept, ended) = (Box<[BusReply]>([]), Box<Set<Int>>([]))
            await server.export("/test") { _, reply in kept.value.append(reply) }
            let name = try await server.name
            await client.run { connection in
                let limits: [Duration?] = [
                    nil, .seconds(3_600), .milliseconds(20), .milliseconds(1),
                ]
                for (number, limit) in limits.enumerated() {
                    connection.call(.test(name, "Never"), within: limit) { _ in
                        ended.value.insert(number)
                    }
                }
            }
            while ended.value.count < 2 { await Task.yield() }
            #expect(ended.value == [2, 3])
            // The timer is set again for a call that is made when others have ended.
            let result = await client.call(.test(name, "Never"), within: .milliseconds(1))
            #expect(result.failure?.name == BusError.noReply)
            #expect(ended.value == [2, 3])
        }
    }

    @Test("a call dropped without an answer is answered with an error")
    func neverAnswered() async throws {
        try await TestBus.with { bus in
            let (server, client) = (try await bus.connect(), try await bus.connect())
            let kept = Box<BusReply?>(nil)
            await server.export("/test") { call, reply in
                if call.member == "End" { kept.value = reply }
            }
            let name = try await server.name
            // The reply was dropped.
            #expect(await client.call(.test(name, "Drop")).failure?.name == BusError.failed)
            async let pending = client.call(.test(name, "End"))
            while kept.value == nil { await Task.yield() }
            await server.run { $0.close() }
            let result = await pending
            #expect(result.failure?.name == BusError.noReply)
            // After the end it does nothing.
            await server.run { _ in kept.value?.succeed() }
            kept.value = nil
        }
    }

    @Test("a call is never answered from within itself")
    func notFromWithin() async throws {
        try await TestBus.with { bus in
            let client = try await bus.connect()
            let answered = Box(0)
            let seen = await client.run { connection in
                connection.call(.bus("GetId", [.string("\0")]), within: .zero) { _ in
                    answered.value += 1
                }
                connection.call(.bus("GetId", []), within: .zero) { _ in answered.value += 1 }
                return answered.value
            }
            #expect(seen == 0)
            while answered.value < 2 { await Task.yield() }
        }
    }

    @Test("a descriptor is passed with a call, and closed with its last reference")
    func descriptors() async throws {
        try await TestBus.with { bus in
            let (server, client) = (try await bus.connect(), try await bus.connect())
            let received = Box<BusDescriptor?>(nil)
            await server.export("/test") { call, reply in
                received.value = call.arguments.first?.descriptor
                reply.succeed(call.arguments)
            }
            let (near, far) = try makeSocketPair()
            defer { close(near) }
            let given = Box<BusDescriptor?>(BusDescriptor(owning: far))
            let name = try await server.name
            let returned = Box(
                try await client.call(
                    .test(name, "Echo", [.variant(.descriptor(try #require(given.value)))])
                ).get())
            #expect(received.value?.number != far)
            #expect(returned.value.first?.descriptor?.number != received.value?.number)
            given.value = nil
            for value in [received.value, returned.value.first?.descriptor] {
                let descriptor = try #require(value)
                #expect(fcntl(descriptor.number, F_GETFD) & FD_CLOEXEC != 0)
                #expect(write(descriptor.number, "abc", 3) == 3)
                var octets = [UInt8](repeating: 0, count: 8)
                #expect(read(near, &octets, 8) == 3)
            }
            received.value = nil
            returned.value = []
            // The last messages that carried it are let go with the next ones.
            _ = await client.call(.test(name, "Echo"))
            var octet: UInt8 = 0
            #expect(read(near, &octet, 1) == 0)
        }
    }

    @Test("ten thousand calls leave nothing behind")
    func nothingStays() async throws {
        await #expect(processExitsWith: .success) {
            try await TestBus.with { bus in
                let (server, client) = (try await bus.connect(), try await bus.connect())
                await server.export("/test") { call, reply in reply.succeed(call.arguments) }
                let name = try await server.name
                let call = BusCall.test(name, "Echo", BusConnectionCallTests.rows)
                func repeated(_ count: Int) async throws {
                    for _ in 0..<count { _ = try await client.call(call).get() }
                }
                try await repeated(1_000)
                let descriptors = countOfDescriptors()
                let pages = countOfResidentPages()
                try await repeated(10_000)
                #expect(countOfDescriptors() <= descriptors + 3)
                // A message left behind by each call would be more than 2,500 pages.
                #expect(countOfResidentPages() < pages + 1_000)
                #expect(await client.run { $0.calls.count } == 0)
            }
        }
    }
}

private func countOfDescriptors() -> Int {
    guard let directory = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count
}

private func countOfResidentPages() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    let words = CText.written(capacity: 128) { fread($0, 1, $1 - 1, file) }.text
        .split(separator: " ")
    return words.dropFirst().first.flatMap { Int($0) } ?? 0
}

extension Result {
    fileprivate var failure: Failure? {
        guard case .failure(let failure) = self else { return nil }
        return failure
    }
}
