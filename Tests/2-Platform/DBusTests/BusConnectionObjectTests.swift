import DBusTestKit
import LinuxIO
import Testing

@testable import DBus

@Suite struct BusConnectionObjectTests {
    @Test("calls are answered whenever the answers are there, in any order")
    func later() async throws {
        try await TestBus.with { bus in
            let (server, client) = (try await bus.connect(), try await bus.connect())
            let waiting = Box<[BusReply]>([])
            await server.export("/test") { _, reply in waiting.value.append(reply) }
            let name = try await server.name
            async let first = client.call(.test(name, "First"))
            while waiting.value.count < 1 { await Task.yield() }
            async let second = client.call(.test(name, "Second"))
            while waiting.value.count < 2 { await Task.yield() }
            await server.run { _ in
                waiting.value[1].succeed([.byte(2)])
                waiting.value[0].succeed([.byte(1)])
                // A second answer does nothing.
                waiting.value[0].fail(BusError(BusError.failed))
            }
            #expect(await [first, second] == [.success([.byte(1)]), .success([.byte(2)])])
        }
    }

    @Test("the methods of the properties are methods like others")
    func properties() async throws {
        try await TestBus.with { bus in
            let (server, client) = (try await bus.connect(), try await bus.connect())
            await server.export("/test") { call, reply in
                #expect(call.interface == "org.freedesktop.DBus.Properties")
                reply.succeed([.variant(.string(call.member))])
            }
            let name = try await server.name
            for member in ["Get", "GetAll", "Set"] {
                let call = BusCall(
                    name, "/test", "org.freedesktop.DBus.Properties", member, [.string("a.b")])
                #expect(try await client.call(call).get() == [.variant(.string(member))])
            }
        }
    }

    @Test("a path without an exported object, or no longer with one, has no object")
    func unknownObject() async throws {
        try await TestBus.with { bus in
            let (server, client) = (try await bus.connect(), try await bus.connect())
            let name = try await server.name
            func failure() async -> String? {
                guard case .failure(let error) = await client.call(.test(name, "Do")) else {
                    return nil
                }
                return error.name
            }
            #expect(await failure() == BusError.unknownObject)
            let export = await server.export("/test") { _, reply in reply.succeed() }
            #expect(await failure() == nil)
            await server.run { $0.cancel(export) }
            #expect(await failure() == BusError.unknownObject)
            let other = await server.export("/test") { _, reply in reply.succeed() }
            // The export that has ended is not the one that stands.
            await server.run { $0.cancel(export) }
            #expect(await failure() == nil)
            await server.run { $0.cancel(other) }
        }
    }

    @Test("objects can be found by introspection")
    func introspection() async throws {
        try await TestBus.with { bus in
            let (server, client) = (try await bus.connect(), try await bus.connect())
            let name = try await server.name
            for path: ObjectPath in ["/a/b", "/a/c/d", "/e"] {
                await server.export(path) { _, reply in reply.succeed() }
            }
            func nodes(_ path: ObjectPath) async throws -> String? {
                try await client.call(
                    BusCall(name, path, "org.freedesktop.DBus.Introspectable", "Introspect")
                ).get().first?.string
            }
            #expect(try await nodes("/") == #"<node><node name="a"/><node name="e"/></node>"#)
            #expect(try await nodes("/a") == #"<node><node name="b"/><node name="c"/></node>"#)
            #expect(try await nodes("/e") == "<node></node>")
            await #expect(throws: BusError.self) { try await nodes("/f") }
            let ping = BusCall(name, "/f", "org.freedesktop.DBus.Peer", "Ping")
            #expect(try await client.call(ping).get() == [])
        }
    }
}
