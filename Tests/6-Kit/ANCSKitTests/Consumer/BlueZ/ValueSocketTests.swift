import BlueZ
import DBus
import DBusTestKit
import Glibc
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite struct ValueSocketTests {
    /// A socket, and what it tells, on a loop.
    private final class Bench: @unchecked Sendable {
        // Unchecked: the socket is touched on the loop's thread only.
        var socket: ValueSocket?
        let events = AsyncStream<[UInt8]>.makeStream()

        /// Begins to read; the end of a socket is the end of the stream.
        func open(_ descriptor: CInt, on loop: EventLoop) {
            loop.execute { [self] in openNow(descriptor, on: loop) }
        }

        /// The same, on the loop.
        func openNow(_ descriptor: CInt, on loop: EventLoop) {
            socket = ValueSocket(BusDescriptor(owning: descriptor), on: loop) { [events] event in
                switch event {
                case .value(let value): events.continuation.yield(value)
                case .hangUp: events.continuation.finish()
                }
            }
            if socket == nil { events.continuation.finish() }
        }
    }

    private static func send(_ values: [[UInt8]], to socket: CInt) {
        for value in values {
            #expect(Glibc.send(socket, value, value.count, CInt(MSG_NOSIGNAL)) == value.count)
        }
    }

    @Test func whatCameBeforeTheEndIsReadAndWhatIsTooLongIsPassedOver() async throws {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        let (ours, theirs) = try makeSocketPair()
        let long = [UInt8](repeating: 1, count: 513)
        let longest = [UInt8](repeating: 2, count: 512)
        Self.send([[3], long, longest, long, [4]], to: ours)
        close(ours)
        let bench = Bench()
        bench.open(theirs, on: loop)
        var values: [[UInt8]] = []
        for await value in bench.events.stream { values.append(value) }
        #expect(values == [[3], longest, [4]])
    }

    @Test func whatIsPendingIsReadAtOnce() async throws {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        let (ours, theirs) = try makeSocketPair()
        defer { close(ours) }
        let bench = Bench()
        // As many as the buffer takes, which are more than are read in one turn.
        var count = 0
        while Glibc.send(ours, [7], 1, CInt(MSG_NOSIGNAL | MSG_DONTWAIT)) == 1 { count += 1 }
        #expect(count > 100)
        loop.execute {
            bench.openNow(theirs, on: loop)
            bench.socket?.readPending()
            bench.events.continuation.finish()
        }
        var values = 0
        for await _ in bench.events.stream { values += 1 }
        #expect(values == count)
        loop.execute { bench.socket = nil }
    }

    @Test func aDescriptorThatCannotBeReadIsAtItsEnd() async throws {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        // The first is no socket, the second cannot be watched.
        for path in ["/dev/zero", "/proc/self/exe"] {
            let bench = Bench()
            bench.open(Glibc.open(path, O_RDONLY | O_CLOEXEC), on: loop)
            for await value in bench.events.stream { Issue.record("read \(value.count) octets") }
        }
    }

    @Test func aSocketThatNobodyHoldsAnyMoreIsClosed() async throws {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        let (ours, theirs) = try makeSocketPair()
        defer { close(ours) }
        let bench = Bench()
        bench.open(theirs, on: loop)
        Self.send([[1]], to: ours)
        #expect(await bench.events.stream.first(1) == [[1]])
        loop.execute { bench.socket = nil }
        var octet: UInt8 = 0
        while recv(ours, &octet, 1, CInt(MSG_DONTWAIT)) != 0 { await Task.yield() }
    }
}
