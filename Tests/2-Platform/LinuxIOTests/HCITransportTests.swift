import BluetoothLE
import Glibc
@testable import HCITransports
import LinuxIO
import Octets
import Testing

@Suite struct HCITransportTests {
    let loop: EventLoop
    let directory: TemporaryDirectory

    init() throws {
        loop = try EventLoop()
        directory = try TemporaryDirectory()
    }

    private func owner(_ moniker: TransportMoniker) -> Owner { Owner(moniker, on: loop) }

    private var socketPath: String { "\(directory.path)/hci" }

    /// A transport whose peer is a raw socket in the hands of the test.
    private func openedWithRawPeer(
        _ configuration: HCITransport.Configuration = .init()
    ) async throws -> (Owner, RawPeer) {
        let owner = Owner(
            .unixServer(path: socketPath), on: loop, configuration: configuration)
        await owner.open()
        #expect(await owner.next() == .listening(at: "unix-server:\(socketPath)"))
        let peer = try RawPeer(connectingTo: socketPath)
        #expect(await owner.waitUntilOpen() == [])
        return (owner, peer)
    }

    /// Both ways over a pair of transports, then the client leaves.
    private func converse(server: Owner, client: Owner) async {
        await client.send(Sample.reset)
        #expect(await server.packets(1) == [Sample.reset])
        await server.send(Sample.resetComplete, Sample.data)
        #expect(await client.packets(2) == [Sample.resetComplete, Sample.data])
        await client.close()
        #expect(await server.end().code == .endOfStream)
        #expect(await client.drain() == [])
        #expect(await loop.iterationsWhileIdle() <= 4)
        #expect(await server.closeCount == 1)
    }

    // MARK: Every kind

    @Test(
        "TCP carries packets both ways, by address, by name, and without either",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), (nil, "127.0.0.1"), (nil, nil), ("_", "127.0.0.1"),
            ("localhost", "localhost"),
        ] as [(String?, String?)])
    func tcp(serverHost: String?, clientHost: String?) async throws {
        defer { loop.shutdown() }
        let server = owner(.tcpServer(host: serverHost, port: 0))
        await server.open()
        guard case .listening(let place) = await server.next(),
            case .tcpServer(let host, let port) = try TransportMoniker(parsing: place)
        else {
            Issue.record("the server does not listen")
            return
        }
        #expect(port != 0)
        #expect(host == serverHost ?? "127.0.0.1")
        let client = owner(.tcpClient(host: clientHost, port: port))
        #expect(await client.opened() == [])
        #expect(await server.waitUntilOpen() == [])
        await converse(server: server, client: client)
    }

    @Test(
        "it listens on every interface by IPv4 and IPv6, under any of its names",
        arguments: ["_", "0.0.0.0", "::"], ["127.0.0.1", "::1"])
    func everyInterface(serverHost: String, clientHost: String) async throws {
        defer { loop.shutdown() }
        // A machine may have no IPv6, and 0.0.0.0 is an address of IPv4.
        let hasIPv6 = contents(of: "/proc/net/if_inet6")?.isEmpty == false
        guard clientHost == "127.0.0.1" || hasIPv6 && serverHost != "0.0.0.0" else { return }
        let server = owner(.tcpServer(host: serverHost, port: 0))
        await server.open()
        guard case .listening(let place) = await server.next(),
            case .tcpServer(host: "_", let port) = try TransportMoniker(parsing: place)
        else {
            Issue.record("the server does not listen at every interface")
            return
        }
        let client = owner(.tcpClient(host: clientHost, port: port))
        #expect(await client.opened() == [])
        #expect(await server.waitUntilOpen() == [])
    }

    @Test("Unix sockets carry packets both ways, with a file and without")
    func unix() async throws {
        defer { loop.shutdown() }
        for path in [socketPath, "@swift-ancs-test-\(getpid())"] {
            let server = owner(.unixServer(path: path))
            await server.open()
            _ = await server.next()
            if path == socketPath { #expect(mode(of: path) == 0o600) }
            let client = owner(.unixClient(path: path))
            #expect(await client.opened() == [])
            #expect(await server.waitUntilOpen() == [])
            #expect(directory.names == [], "the socket file goes with the listener")
            await converse(server: server, client: client)
        }
    }

    @Test("a pseudo-terminal is a serial port for other programs, which may connect repeatedly")
    func pseudoTerminal() async throws {
        defer { loop.shutdown() }
        let link = "\(directory.path)/port"
        let terminal = owner(.pseudoTerminal(link: link))
        let before = await terminal.opened()
        guard case .listening(let path) = before.first else {
            Issue.record("no path is told")
            return
        }
        #expect(path.hasPrefix("/dev/pts/"))
        for speed: UInt32 in [1_000_000, 115_200, 123_456] {
            let port = owner(.serial(path: link, speed: speed, hardwareFlowControl: false))
            #expect(await port.opened() == [])
            // Octets that an unprepared terminal would translate, echo or act upon.
            let awkward = HCIPacket.acl([
                0x40, 0x20, 7, 0, 0x0A, 0x0D, 0x03, 0x04, 0x11, 0x13, 0xFF,
            ])
            await port.send(Sample.reset, awkward)
            #expect(await terminal.packets(2) == [Sample.reset, awkward])
            await terminal.send(Sample.resetComplete, awkward)
            #expect(await port.packets(2) == [Sample.resetComplete, awkward])
            await port.close()
            #expect(await loop.iterationsWhileIdle() <= 4)
        }
        await terminal.close()
        #expect(await terminal.drain() == [])
        #expect(directory.names == [])
    }

    @Test("a serial port is used by one program at a time and reports its removal")
    func serialPort() async throws {
        defer { loop.shutdown() }
        let terminal = owner(.pseudoTerminal(link: nil))
        guard case .listening(let path) = await terminal.opened().first else {
            Issue.record("no path is told")
            return
        }
        let moniker = TransportMoniker.serial(
            path: path, speed: 1_000_000, hardwareFlowControl: false)
        let port = owner(moniker)
        #expect(await port.opened() == [])
        let second = owner(moniker)
        let refusal = await second.opened()
        guard case .closed(let error) = refusal.first else {
            Issue.record("a second program has the port")
            return
        }
        #expect(error.code == .busy && error.responsibility == .unavailable)
        await terminal.close()
        let end = await port.end()
        #expect(end.responsibility == .lost)
        #expect(
            end.message
                == "\(moniker) has disappeared: it was unplugged, or its driver has reset it")
        #expect(await loop.iterationsWhileIdle() <= 4)
        #expect(await port.closeCount == 1)
    }

    @Test("a device file is read and written")
    func deviceFile() async throws {
        defer { loop.shutdown() }
        // A FIFO that is open both ways returns what is written to it.
        let path = "\(directory.path)/fifo"
        try #require(mkfifo(path, 0o600) == 0)
        let device = owner(.file(path: path))
        #expect(await device.opened() == [])
        await device.send(Sample.reset, Sample.data)
        #expect(await device.packets(2) == [Sample.reset, Sample.data])
        await device.close()
    }

    // MARK: Packets

    @Test("packets that come octet by octet are the same packets")
    func fragmented() async throws {
        defer { loop.shutdown() }
        let (owner, peer) = try await openedWithRawPeer()
        for octet in Sample.resetComplete.octets + Sample.data.octets {
            peer.write([octet])
            await loop.settle()
        }
        #expect(await owner.packets(2) == [Sample.resetComplete, Sample.data])
        peer.close()
        #expect(await owner.end().code == .endOfStream)
    }

    @Test("packets that arrive together are delivered together")
    func joined() async throws {
        defer { loop.shutdown() }
        let (owner, peer) = try await openedWithRawPeer()
        let stream = Sample.resetComplete.octets + Sample.data.octets + Sample.resetComplete.octets
        peer.write(stream + [0x04, 0x0E])
        #expect(
            await owner.next()
                == .received([Sample.resetComplete, Sample.data, Sample.resetComplete]))
        peer.write([0x00])
        #expect(await owner.next() == .received([.event([0x0E, 0x00])]))
        peer.close()
        #expect(await owner.end().code == .endOfStream)
    }

    @Test("packets of one turn are written in their order")
    func gathered() async throws {
        defer { loop.shutdown() }
        let (owner, peer) = try await openedWithRawPeer()
        await owner.send(Sample.reset, Sample.data, Sample.reset)
        let expected = Sample.reset.octets + Sample.data.octets + Sample.reset.octets
        #expect(peer.read(expected.count) == expected)
        await owner.close()
        #expect(peer.read(1) == [])
        peer.close()
    }

    // MARK: The end

    @Test(
        "data that a peer sends before it leaves is delivered before the end, which is reported once"
    )
    func lastWords() async throws {
        defer { loop.shutdown() }
        let (owner, peer) = try await openedWithRawPeer()
        peer.write(Sample.resetComplete.octets)
        peer.close()
        await owner.send(Sample.reset)
        #expect(await owner.next() == .received([Sample.resetComplete]))
        guard case .closed = await owner.next() else {
            Issue.record("the end is not told")
            return
        }
        await owner.send(Sample.reset)
        #expect(await loop.iterationsWhileIdle() <= 4)
        #expect(await owner.drain() == [])
        #expect(await owner.closeCount == 1)
    }

    @Test("octets that are not a packet end the transport after the packets before them")
    func framingLost() async throws {
        defer { loop.shutdown() }
        let (owner, peer) = try await openedWithRawPeer()
        peer.write(Sample.resetComplete.octets + [0x99, 0x01, 0x02])
        #expect(await owner.next() == .received([Sample.resetComplete]))
        let error = await owner.end()
        #expect(error.code == .framingLost && error.responsibility == .lost)
        #expect(peer.read(1) == [])
        peer.close()
        #expect(await owner.closeCount == 1)
    }

    @Test("a peer that does not read is given up at the limit; until then nothing is lost")
    func backPressure() async throws {
        defer { loop.shutdown() }
        var configuration = HCITransport.Configuration()
        configuration.sendLimit = 10_000
        let (owner, peer) = try await openedWithRawPeer(configuration)
        let packet = HCIPacket.acl(
            [0x40, 0x20, 0xE8, 0x03] + [UInt8](repeating: 0x55, count: 1_000))
        var sent = 0
        // The kernel's own buffer comes first: far below a megabyte for a Unix socket.
        while await owner.closeCount == 0, sent < 100_000 {
            await owner.send(packet)
            sent += 1
            #expect(await owner.pendingOctets <= 10_000 + packet.encodedCount)
        }
        #expect(await owner.end().code == .sendLimitExceeded)
        #expect(await owner.closeCount == 1)
        #expect(await loop.iterationsWhileIdle() <= 4)
        // What was taken arrived whole up to the cut.
        let first = peer.read(packet.encodedCount)
        #expect(first == packet.octets)
        peer.close()
    }

    @Test("a peer that reads late gets everything")
    func lateReader() async throws {
        defer { loop.shutdown() }
        var configuration = HCITransport.Configuration()
        configuration.sendLimit = 10_000_000
        let (owner, peer) = try await openedWithRawPeer(configuration)
        let packet = HCIPacket.acl(
            [0x40, 0x20, 0xE8, 0x03] + [UInt8](repeating: 0x55, count: 1_000))
        var sent = 0
        while await owner.pendingOctets == 0 || sent % 100 != 0 {
            await owner.send(packet)
            sent += 1
        }
        for _ in 0..<sent {
            guard peer.read(packet.encodedCount) == packet.octets else {
                Issue.record("a packet is damaged")
                break
            }
        }
        await loop.settle()
        #expect(await owner.pendingOctets == 0)
        #expect(await loop.iterationsWhileIdle() <= 4)
        await owner.close()
        peer.close()
    }

    @Test("a capture has the packets of both ways when the transport has ended")
    func capture() async throws {
        defer { loop.shutdown() }
        let path = "\(directory.path)/capture"
        var configuration = HCITransport.Configuration()
        configuration.capture = try BtsnoopWriter(path: path)
        let (owner, peer) = try await openedWithRawPeer(configuration)
        await owner.send(Sample.reset)
        #expect(peer.read(Sample.reset.encodedCount) == Sample.reset.octets)
        peer.write(Sample.resetComplete.octets)
        #expect(await owner.packets(1) == [Sample.resetComplete])
        peer.close()
        _ = await owner.end()
        let octets = try #require(contents(of: path))
        #expect(octets.count == 75)
        #expect(Array(octets.dropFirst(40).prefix(4)) == Sample.reset.octets)
        #expect(Array(octets.dropFirst(68)) == Sample.resetComplete.octets)
    }

    @Test("an owner may close the transport while it is handed packets")
    func closesInCallback() async throws {
        defer { loop.shutdown() }
        let (owner, peer) = try await openedWithRawPeer()
        await owner.closeOnPacket()
        peer.write(Sample.data.octets + [0x99])
        #expect(await owner.next() == .received([Sample.data]))
        #expect(peer.read(1) == [])
        peer.close()
        #expect(await owner.drain() == [])
        #expect(await owner.closeCount == 0)
    }

    // MARK: Opening

    @Test("a second client is refused")
    func secondClient() async throws {
        defer { loop.shutdown() }
        let server = owner(.tcpServer(host: "127.0.0.1", port: 0))
        await server.open()
        guard case .listening(let place) = await server.next(),
            case .tcpServer(_, let port) = try TransportMoniker(parsing: place)
        else {
            Issue.record("the server does not listen")
            return
        }
        let first = owner(.tcpClient(host: "127.0.0.1", port: port))
        _ = await first.opened()
        _ = await server.waitUntilOpen()
        let second = Owner(
            .tcpClient(host: "127.0.0.1", port: port), on: loop, configuration: .impatient)
        await second.open()
        let error = await second.end()
        #expect(error.code == .connectionFailed && error.errno == ECONNREFUSED)
        #expect(error.responsibility == .unavailable)
        await converse(server: server, client: first)
    }

    @Test("the socket file of a dead listener is replaced; that of a live one, or a file, is not")
    func staleSocket() async throws {
        defer { loop.shutdown() }
        let former = try RawPeer.listening(at: socketPath)
        let early = owner(.unixServer(path: socketPath))
        await early.open()
        #expect(await early.end().code == .busy)
        // The probe of the early one waits in the queue of the former and is gone.
        former.close()
        let (server, peer) = try await openedWithRawPeer()
        await server.close()
        peer.close()
        let file = open(socketPath, O_CREAT | O_WRONLY, 0o600)
        close(file)
        let late = owner(.unixServer(path: socketPath))
        await late.open()
        #expect(await late.end().code == .busy)
        #expect(directory.names == ["hci"])
    }

    @Test("closing while waiting for a client removes the socket file and reports nothing")
    func closedWhileListening() async throws {
        defer { loop.shutdown() }
        let server = owner(.unixServer(path: socketPath))
        await server.open()
        _ = await server.next()
        #expect(directory.names == ["hci"])
        await server.close()
        await server.close()
        #expect(directory.names == [])
        #expect(await loop.iterationsWhileIdle() <= 4)
        #expect(await server.drain() == [])
    }

    @Test("a place that cannot be opened is reported as the end, with a reason")
    func unavailable() async throws {
        defer { loop.shutdown() }
        let file = "\(directory.path)/file"
        close(open(file, O_CREAT | O_WRONLY, 0o600))
        let monikers: [(TransportMoniker, IOError.Code)] = [
            (.unixClient(path: "/nonexistent/hci"), .notFound),
            (.serial(path: "/nonexistent", speed: 9_600, hardwareFlowControl: false), .notFound),
            (.serial(path: "/dev/null", speed: 9_600, hardwareFlowControl: false), .notFound),
            (.file(path: file), .notFound),
            (.tcpClient(host: "host.invalid", port: 1), .notFound),
            (.pseudoTerminal(link: "/nonexistent/link"), .notFound),
        ]
        for (moniker, code) in monikers {
            let owner = owner(moniker)
            await owner.open()
            let error = await owner.end()
            #expect(error.code == code, "\(moniker): \(error)")
            #expect(error.responsibility == .unavailable)
            #expect(await owner.closeCount == 1)
        }
        let controller = owner(.hciSocket(index: 65_000))
        await controller.open()
        #expect(await controller.end().responsibility == .unavailable)
    }

    @Test("transports of every kind leave no descriptor open")
    func descriptorsAreClosed() async {
        await #expect(processExitsWith: .success) {
            let before = SystemFile.names(in: "/proc/self/fd").count
            let directory = try TemporaryDirectory()
            for _ in 0..<10 {
                let loop = try EventLoop()
                let path = "\(directory.path)/hci"
                let server = Owner(.unixServer(path: path), on: loop)
                await server.open()
                _ = await server.next()
                let client = Owner(.unixClient(path: path), on: loop)
                _ = await client.opened()
                _ = await server.waitUntilOpen()
                let terminal = Owner(.pseudoTerminal(link: nil), on: loop)
                _ = await terminal.opened()
                let refused = Owner(
                    .unixClient(path: path), on: loop, configuration: .impatient)
                _ = await refused.opened()
                // Closed, ended by the peer, and forgotten by who opened it.
                await client.close()
                _ = await server.end()
                await terminal.close()
                loop.execute {
                    HCITransport(.pseudoTerminal(link: nil), on: loop).open { _ in }
                    HCITransport(.unixServer(path: path), on: loop).open { _ in }
                }
                await loop.settle()
                loop.shutdown()
                #expect(directory.names == [])
            }
            // A leak shows ten times; Dispatch opens three descriptors of its own when it likes.
            #expect(SystemFile.names(in: "/proc/self/fd").count < before + 10)
        }
    }
}
