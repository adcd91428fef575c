import DBusTestKit
import Glibc
import LinuxIO
import Testing

@testable import DBus

@Suite struct BusConnectionEndTests {
    @Test("when the bus goes, calls fail, and then the end is reported once")
    func loss() async throws {
        try await TestBus.with { bus in
            let (server, client) = (try await bus.connect(), try await bus.connect())
            let kept = Box<BusReply?>(nil)
            await server.export("/test") { _, reply in kept.value = reply }
            let name = try await server.name
            async let pending = client.call(.test(name, "Wait"))
            while kept.value == nil { await Task.yield() }
            bus.kill()
            guard case .failure(let failure) = await pending else {
                Issue.record("answered")
                return
            }
            #expect(failure.name == BusError.disconnected)
            #expect(await client.ends.stream.first(1).map(\.name) == [BusError.disconnected])
            // What is used then says so, and harms nothing.
            await #expect(throws: BusError.self) { try await client.bus("GetId").get() }
            await client.run { connection in
                #expect(throws: BusError.self) {
                    try connection.emit(BusSignal("/", "a.b", "C"))
                }
                connection.cancel(connection.signals(BusMatch(sender: "a.b")) { _ in })
                connection.cancel(connection.watch(name: "a.b") { _ in Issue.record("told") })
                connection.cancel(connection.export("/") { _, _ in })
                connection.releaseName("a.b")
                #expect(connection.uniqueName == nil)
                connection.close()
            }
            client.ends.continuation.finish()
            #expect(await client.ends.stream.first(1).isEmpty)
            _ = await server.ends.stream.first(1)
            await server.run { _ in kept.value?.succeed() }
        }
    }

    @Test("closing drops waiting calls, and sends queued messages")
    func closing() async throws {
        try await TestBus.with { bus in
            let (server, client) = (try await bus.connect(), try await bus.connect())
            let arrived = Box<[String]>([])
            let kept = Box<[BusReply]>([])
            await server.export("/test") { call, reply in
                arrived.value.append(call.member)
                kept.value.append(reply)
            }
            let name = try await server.name
            // What a handler holds is let go.
            let captured = Box<Box<Int>?>(Box(0))
            weak let watched = captured.value
            await client.run { [captured] connection in
                let held = captured.value
                connection.call(.test(name, "Last"), within: .seconds(600)) { _ in
                    Issue.record("told after the end")
                    held?.value += 1
                }
                _ = connection.signals(BusMatch()) { _ in held?.value += 1 }
                _ = connection.watch(name: "a.b") { _ in held?.value += 1 }
                _ = connection.export("/") { _, _ in held?.value += 1 }
                connection.call(.bus("GetId", [.string("\0")]), within: .zero) { _ in
                    Issue.record("told after the end")
                }
                connection.close()
                connection.close()
            }
            captured.value = nil
            while arrived.value.isEmpty { await Task.yield() }
            #expect(arrived.value == ["Last"])
            await server.run { _ in kept.value = [] }
            await client.run { _ in }
            #expect(watched == nil)
            client.ends.continuation.finish()
            #expect(await client.ends.stream.first(1).isEmpty)
        }
    }

    @Test("a handler may close its connection")
    func closeWithin() async throws {
        try await TestBus.with { bus in
            let peer = try await bus.connect()
            let hasEnded = Box(false)
            await peer.run { connection in
                connection.call(.bus("GetId", []), within: .seconds(600)) { [weak connection] _ in
                    connection?.close()
                    hasEnded.value = true
                }
            }
            while !hasEnded.value { await Task.yield() }
            await #expect(throws: BusError.self) { try await peer.bus("GetId").get() }
        }
    }

    @Test("an owner that closes when a call fails receives nothing more")
    func closeWhenLost() async throws {
        try await TestBus.with { bus in
            let (server, client) = (try await bus.connect(), try await bus.connect())
            let arrived = Box(0)
            let kept = Box<[BusReply]>([])
            await server.export("/test") { _, reply in
                arrived.value += 1
                kept.value.append(reply)
            }
            let name = try await server.name
            let told = Box(0)
            await client.run { connection in
                for _ in 0..<2 {
                    connection.call(.test(name, "Wait"), within: .seconds(600)) {
                        [weak connection] _ in
                        told.value += 1
                        connection?.close()
                    }
                }
            }
            while arrived.value < 2 { await Task.yield() }
            bus.kill()
            while told.value == 0 { await Task.yield() }
            _ = await server.ends.stream.first(1)
            await client.run { _ in }
            #expect(told.value == 1)
            client.ends.continuation.finish()
            #expect(await client.ends.stream.first(1).isEmpty)
            await server.run { _ in kept.value = [] }
        }
    }

    @Test("a connection ends with its last reference, and so does its descriptor")
    func dropped() async throws {
        try await TestBus.with { bus in
            let other = try await bus.connect()
            var peer: TestPeer? = try await bus.connect()
            weak let connection = peer?.connection
            let name = try await peer?.name
            let (_, signals) = await other.signals(
                BusMatch(
                    sender: "org.freedesktop.DBus", member: "NameOwnerChanged", argument0: name))
            await peer?.run { connection in
                _ = connection.watch(name: "org.test.Service") { _ in }
                connection.call(.bus("GetId", []), within: .seconds(600)) { _ in }
            }
            peer = nil
            #expect(await signals.first(1).count == 1)
            #expect(connection == nil)
        }
    }

    @Test("the error states that there is no bus")
    func noBus() async throws {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        let directory = try TemporaryDirectory()
        let address = "unix:path=\(directory.path)/bus"
        let missing = #expect(throws: IOError.self) {
            _ = try BusConnection(.address(address), on: loop)
        }
        #expect(missing?.code == .notFound)
        #expect(missing?.message == "no bus at \(address): is D-Bus running?")
        let invalid = #expect(throws: IOError.self) {
            _ = try BusConnection(.address("nowhere"), on: loop)
        }
        #expect(
            invalid?.message
                == "the bus at nowhere does not answer: is D-Bus running, and is this its address?")
    }

    @Test("a peer at the address that is not a bus ends the connection")
    func noGreeting() async throws {
        try await TestBus.with { bus in
            let directory = try TemporaryDirectory()
            let path = "\(directory.path)/bus"
            let listener = try listen(at: path)
            let peer = TestPeer(
                try BusConnection(.address("unix:path=\(path)"), on: bus.loop), on: bus.loop)
            let accepted = accept(listener, nil, nil)
            close(listener)
            await peer.run { [ends = peer.ends.continuation] in $0.open { ends.yield($0) } }
            async let pending = peer.bus("GetId")
            #expect(await peer.run(\.uniqueName) == nil)
            let descriptor = BusDescriptor(owning: dup(0))
            let refused = await peer.bus("GetId", [.descriptor(descriptor)])
            #expect(throws: BusError.self) { try refused.get() }
            // Ends the connection even if a program that another test has started inherited the descriptor.
            Glibc.shutdown(accepted, CInt(SHUT_RDWR))
            close(accepted)
            guard case .failure(let failure) = await pending else {
                Issue.record("answered")
                return
            }
            #expect(failure.name == BusError.disconnected)
            #expect(await peer.ends.stream.first(1).count == 1)
        }
    }

    private func listen(at path: String) throws -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0 && Glibc.listen(descriptor, 1) == 0)
        return descriptor
    }
}
