import Glibc
@testable import HCITransports
import LinuxIO
import Synchronization
import Testing

@Suite("Who connects to a TCP port")
struct ConnectionGateTests {
    /// A table as Linux 6.1 prints it on a little-endian machine: a listener, a client and its server's end, a client
    /// that was closed, and another user's.
    private static let table = Array(
        """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 100 1
           1: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 101 1
           2: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 102 1
           3: 0100007F:C002 0100007F:1F90 06 00000000:00000000 03:00001234 00000000     0        0 0 3
           4: 0100007F:C003 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 104 1

        """.utf8)

    @Test("the client's end is found, not the server's, and one that was closed is nobody's")
    func table() {
        func owner(_ port: String) -> TCPOwner? {
            TCPOwner.find(["X", "0100007F:\(port)"], ["0100007F:1F90"], in: Self.table)
        }
        #expect(owner("C001") == TCPOwner(user: 1000, inode: 101))
        #expect(owner("C002") == nil, "the table says root of it")
        #expect(owner("C003") == TCPOwner(user: 1001, inode: 104))
        #expect(owner("C004") == nil)
        for end in stride(from: 0, through: Self.table.count, by: 7) {
            _ = TCPOwner.find(["0100007F:C001"], ["0100007F:1F90"], in: Array(Self.table[..<end]))
        }
    }

    private static func place(of server: Owner) async throws -> UInt16 {
        guard case .listening(let place) = await server.next(),
            case .tcpServer(_, let port) = try TransportMoniker(parsing: place)
        else { throw IOError(.notFound, "the server does not listen") }
        return port
    }

    @Test("this process is found by the kernel's tables", arguments: ["127.0.0.1", "_"])
    func owner(host: String) async throws {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        let owners = Lock<[TCPOwner?]>([])
        var configuration = HCITransport.Configuration()
        configuration.gate = ConnectionGate(
            admits: { owner in
                owners.withLock { $0.append(owner) }; return true
            }, contended: {})
        let server = Owner(
            .tcpServer(host: host, port: 0), on: loop, configuration: configuration)
        await server.open()
        let client = Owner(
            .tcpClient(host: "127.0.0.1", port: try await Self.place(of: server)), on: loop)
        #expect(await client.opened() == [])
        #expect(await server.waitUntilOpen() == [])
        let owner = try #require(owners.withLock { $0 }.first ?? nil)
        #expect(owner.user == getuid())
        #expect(ProcessTree.holds(socket: owner.inode, getpid()))
        #expect(!ProcessTree.holds(socket: 0, getpid()))
    }

    @Test("who may not connect is refused, the next one is taken, and a second one is reported")
    func order() async throws {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        let asked = Atomic<Int>(0)
        let contended = AsyncStream<Void>.makeStream()
        var configuration = HCITransport.Configuration()
        configuration.gate = ConnectionGate(
            // The first and the third are strangers.
            admits: { _ in asked.add(1, ordering: .relaxed).newValue % 2 == 0 },
            contended: { contended.continuation.yield() })
        let server = Owner(
            .tcpServer(host: "127.0.0.1", port: 0), on: loop, configuration: configuration)
        await server.open()
        let port = try await Self.place(of: server)
        func client() -> Owner { Owner(.tcpClient(host: "127.0.0.1", port: port), on: loop) }
        let stranger = client()
        #expect(await stranger.opened() == [])
        #expect(await stranger.end().code == .endOfStream)
        let first = client()
        #expect(await first.opened() == [])
        #expect(await server.waitUntilOpen() == [])
        let other = client()
        #expect(await other.opened() == [])
        #expect(await other.end().code == .endOfStream)
        await first.send(Sample.reset)
        #expect(await server.packets(1) == [Sample.reset], "the first one goes on")
        let second = client()
        #expect(await second.opened() == [])
        var reports = contended.stream.makeAsyncIterator()
        await reports.next()
        await server.close()
        #expect(await second.end().code == .endOfStream)
        #expect(await first.end().code == .endOfStream)
    }

    @Test("one that comes back at once is not a second one")
    func again() async throws {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        let reports = Atomic<Int>(0)
        var configuration = HCITransport.Configuration()
        configuration.gate = ConnectionGate(
            admits: { _ in true }, contended: { reports.add(1, ordering: .relaxed) })
        let server = Owner(
            .tcpServer(host: "127.0.0.1", port: 0), on: loop, configuration: configuration)
        await server.open()
        let port = try await Self.place(of: server)
        let first = Owner(.tcpClient(host: "127.0.0.1", port: port), on: loop)
        #expect(await first.opened() == [])
        #expect(await server.waitUntilOpen() == [])
        let second = Owner(.tcpClient(host: "127.0.0.1", port: port), on: loop)
        #expect(await second.opened() == [])
        await first.close()
        #expect(await server.end().code == .endOfStream)
        #expect(await second.end().code == .endOfStream, "its port is closed with the first one")
        try await Task(executorPreference: loop) { try await loop.sleep(for: .seconds(1)) }.value
        #expect(reports.load(ordering: .relaxed) == 0)
    }
}
