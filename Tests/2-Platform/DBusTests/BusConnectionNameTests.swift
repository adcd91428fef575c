import DBusTestKit
import LinuxIO
import Testing

@testable import DBus

@Suite struct BusConnectionNameTests {
    private func owners(
        of name: String, for peer: TestPeer
    ) async -> (BusSubscription, AsyncStream<String?>) {
        let (stream, continuation) = AsyncStream<String?>.makeStream()
        let subscription = await peer.run {
            $0.watch(name: name) { owner in continuation.yield(owner) }
        }
        return (subscription, stream)
    }

    @Test("the owner of a name is reported first, and then each change")
    func watch() async throws {
        try await TestBus.with { bus in
            let (watcher, first) = (try await bus.connect(), try await bus.connect())
            let second = try await bus.connect()
            let (_, owners) = await owners(of: "org.test.Service", for: watcher)
            #expect(await owners.first(1) == [nil])
            try await first.own("org.test.Service")
            let one = try await first.name
            await first.run { $0.close() }
            // The bus reads its connections in any order: the name is free when the watcher is told so.
            #expect(await owners.first(2) == [one, nil])
            try await second.own("org.test.Service")
            let other = try await second.name
            #expect(await owners.first(1) == [other])
        }
    }

    @Test("an owner that follows directly after another is reported without a gap")
    func quickRestart() async throws {
        try await TestBus.with { bus in
            let (watcher, first) = (try await bus.connect(), try await bus.connect())
            let second = try await bus.connect()
            try await first.own("org.test.Service")
            let (_, owners) = await owners(of: "org.test.Service", for: watcher)
            // Without the flag DO_NOT_QUEUE, which the connection itself always sets.
            await second.bus("RequestName", [.string("org.test.Service"), .uint32(0)])
            let names = [try await first.name, try await second.name]
            #expect(await owners.first(1) == [names[0]])
            await first.run { $0.releaseName("org.test.Service") }
            await first.bus("GetId")
            await second.run { $0.close() }
            #expect(await owners.first(2) == [names[1], nil])
        }
    }

    @Test("each owner is reported to each watcher once, whenever that began")
    func severalWatchers() async throws {
        try await TestBus.with { bus in
            let (watcher, service) = (try await bus.connect(), try await bus.connect())
            let (early, earlyOwners) = await owners(of: "org.test.Service", for: watcher)
            #expect(await earlyOwners.first(1) == [nil])
            let (late, lateOwners) = await owners(of: "org.test.Service", for: watcher)
            #expect(await lateOwners.first(1) == [nil])
            try await service.own("org.test.Service")
            let name = try await service.name
            #expect(await earlyOwners.first(1) == [name])
            #expect(await lateOwners.first(1) == [name])
            await watcher.run { $0.cancel(early) }
            #expect(await watcher.run { $0.names.count } == 1)
            await watcher.run { $0.cancel(late) }
            #expect(await watcher.run { $0.names.count } == 0)
            #expect(await watcher.run { $0.subscriptions.count } == 0)
            // A new watch is not given the answer to the call of an earlier one.
            let (_, again) = await owners(of: "org.test.Service", for: watcher)
            #expect(await again.first(1) == [name])
        }
    }

    @Test("the first owner is not reported during the call")
    func notFromWithin() async throws {
        try await TestBus.with { bus in
            let peer = try await bus.connect()
            _ = await owners(of: "org.test.Nobody", for: peer).1.first(1)
            let told = Box(0)
            let seen = await peer.run { connection in
                _ = connection.watch(name: "org.test.Nobody") { _ in told.value += 1 }
                return told.value
            }
            #expect(seen == 0)
            while told.value == 0 { await Task.yield() }
            await peer.bus("GetId")
            #expect(told.value == 1)
        }
    }

    @Test("an owner that appears while a watcher begins is reported once")
    func appearsMeanwhile() async throws {
        try await TestBus.with { bus in
            let other = try EventLoop()
            defer { other.shutdown() }
            let (peer, service) = (try await bus.connect(), try await bus.connect(on: other))
            let (_, known) = await owners(of: "org.test.Service", for: peer)
            #expect(await known.first(1) == [nil])
            let (stream, told) = AsyncStream<String?>.makeStream()
            await peer.run { connection in
                _ = connection.signals(BusMatch(member: "Said")) { [weak connection] _ in
                    _ = connection?.watch(name: "org.test.Service") { told.yield($0) }
                }
            }
            await peer.bus("GetId")
            // Both come within one turn of the watcher's loop.
            let name = try await bus.holdUp {
                try await service.emit("Said")
                try await service.own("org.test.Service")
                // The bus may answer the service before it writes to the watcher; it does not read on before both are done.
                await service.bus("GetId")
                return try await service.name
            }
            #expect(await known.first(1) == [name])
            await service.run { $0.close() }
            #expect(await stream.first(2) == [name, nil])
        }
    }

    @Test("a name is given to one program only, and to the next when it was given back")
    func requestName() async throws {
        try await TestBus.with { bus in
            let (first, second) = (try await bus.connect(), try await bus.connect())
            func request(_ name: String, _ peer: TestPeer) async -> Result<BusNameOutcome, BusError>
            {
                await withCheckedContinuation { continuation in
                    peer.connection.loop.execute {
                        peer.connection.requestName(name) { continuation.resume(returning: $0) }
                    }
                }
            }
            #expect(await request("org.test.Service", first) == .success(.owned))
            #expect(await request("org.test.Service", first) == .success(.owned))
            #expect(await request("org.test.Service", second) == .success(.taken))
            await first.run { $0.releaseName("org.test.Service") }
            await first.bus("GetId")
            #expect(await request("org.test.Service", second) == .success(.owned))
            await #expect(throws: BusError.self) { try await request(":1.5", first).get() }
        }
    }
}
