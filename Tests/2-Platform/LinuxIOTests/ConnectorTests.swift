import Glibc
import Octets
import Testing

@testable import HCITransports
@testable import LinuxIO

/// Controllers that are started together with the program that uses them, in virtual time.
@Suite("Connecting") struct ConnectorTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var socketPath: String { "\(directory.path)/hci" }

    @Test("a controller that starts 4 s later is waited for")
    func late() async throws {
        let (before, opened) = try await onLoop(.virtual) { [socketPath] loop in
            let client = Owner(.unixClient(path: socketPath), on: loop)
            await client.open()
            try await loop.sleep(for: .seconds(4))
            let before = await client.drain()
            let peer = try RawPeer.listening(at: socketPath)
            defer { peer.close() }
            let opened = await client.next()
            await client.close()
            return (before, opened)
        }
        #expect(before == [])
        #expect(opened == .opened)
    }

    @Test("a capture on a virtual clock has virtual times")
    func capture() async throws {
        let path = "\(directory.path)/capture"
        var configuration = HCITransport.Configuration()
        configuration.capture = try BtsnoopWriter(path: path)
        try await onLoop(.virtual) { [socketPath, configuration] loop in
            let client = Owner(
                .unixClient(path: socketPath), on: loop, configuration: configuration)
            let peer = try RawPeer.listening(at: socketPath)
            defer { peer.close() }
            _ = await client.opened()
            try await loop.sleep(for: .seconds(4))
            await client.send(Sample.reset)
            await client.close()
        }
        configuration.capture?.close()
        let stamp = try #require(contents(of: path)).dropFirst(32).prefix(8)
        let time = CaptureTime(btsnoopStamp: stamp.reduce(0) { $0 << 8 | UInt64($1) })
        #expect(time == CaptureTime(microsecondsSince1970: 1_767_225_604_000_000))
    }

    @Test("one that does not start is given up after 5 s")
    func missing() async throws {
        let (error, end) = try await onLoop(.virtual) { [socketPath] loop in
            let client = Owner(.unixClient(path: socketPath), on: loop)
            await client.open()
            return (await client.end(), loop.now)
        }
        #expect(error.responsibility == .unavailable)
        #expect(
            error.message == "cannot connect to unix:\(socketPath): No such file or directory; "
                + "tried for 5 s; no controller waits there: start it, or end the program that uses it (a "
                + "virtual controller serves one program at a time)")
        #expect(end == MonotonicInstant(nanoseconds: 5_000_000_000))
    }

    @Test("a place without a listener is refused at once")
    func impossible() async throws {
        let file = open(socketPath, O_CREAT | O_WRONLY, 0o600)
        close(file)
        let (error, end) = try await onLoop(.virtual) { [socketPath] loop in
            let client = Owner(.unixClient(path: "\(socketPath)/hci"), on: loop)
            await client.open()
            return (await client.end(), loop.now)
        }
        #expect(error.errno == ENOTDIR)
        #expect(end == .zero)
    }

    @Test("a transport that is closed while it waits does not try again")
    func interrupted() async throws {
        let events = try await onLoop(.virtual) { [socketPath] loop in
            let client = Owner(.unixClient(path: socketPath), on: loop)
            await client.open()
            try await loop.sleep(for: .seconds(2))
            await client.close()
            let peer = try RawPeer.listening(at: socketPath)
            defer { peer.close() }
            try await loop.sleep(for: .seconds(10))
            return await client.drain()
        }
        #expect(events == [])
    }

    @Test("a controller that one of several addresses may still have is waited for")
    func oneOfSeveral() async throws {
        // As where the loopback has ::1 by name and the machine has no IPv6.
        let file = open("\(directory.path)/file", O_CREAT | O_WRONLY, 0o600)
        close(file)
        let impossible = SocketAddress(path: "\(directory.path)/file/hci")
        for isPatient in [true, false] {
            let (error, end) = try await onLoop(.virtual) { [socketPath] loop in
                var connector: Connector?
                let result = await withCheckedContinuation { ended in
                    connector = Connector(
                        .unixClient(path: socketPath),
                        addresses: [SocketAddress(path: socketPath), impossible],
                        patience: isPatient ? .seconds(5) : .zero, on: loop
                    ) { ended.resume(returning: $0.map { _ in }) }
                    connector?.start(timeout: .seconds(10))
                }
                connector = nil
                guard case .failure(let error) = result else { throw Unexpected() }
                return (error, loop.now)
            }
            #expect(error.errno == ENOENT)
            #expect(end == MonotonicInstant(nanoseconds: isPatient ? 5_000_000_000 : 0))
        }
    }

    private struct Unexpected: Error {}
}
