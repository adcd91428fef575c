import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Numbers in a channel; a missed number is negative, by how many were missed.
@Suite struct EventChannelTests {
    private typealias Channel = EventChannel<Int, TheEnd>

    /// The reason with which a channel ends, so that a reader that gets it has learned of the end.
    private struct TheEnd: Error {}

    private func makeChannel(limit: Int) -> Channel { Channel(limit: limit) { -$0 } }

    /// A reader that waits. Task.immediate runs to its first suspension, so it is in line at once.
    private func reader(of channel: Channel) -> Task<Int?, any Error> {
        Task.immediate { try await channel.next() }
    }

    @Test("elements are received in order, and none after the end")
    func order() async throws {
        let channel = makeChannel(limit: 8)
        channel.send(1, 2, 3)
        channel.finish()
        channel.send(4)
        for expected in [1, 2, 3, nil, nil] as [Int?] {
            #expect(try await channel.next() == expected)
        }
    }

    @Test("a waiting reader gets the next element, or the end")
    func waiting() async throws {
        let channel = makeChannel(limit: 8)
        let first = reader(of: channel)
        channel.send(1)
        #expect(try await first.value == 1)
        let second = reader(of: channel)
        channel.finish()
        #expect(try await second.value == nil)
    }

    @Test("elements without room are counted in the place where they are missing")
    func missed() async throws {
        let channel = makeChannel(limit: 2)
        channel.send(1, 2, 3, 4)
        #expect(try await channel.next() == 1)
        channel.send(5)
        channel.send(6)
        for expected in [2, -2, 5, -1] { #expect(try await channel.next() == expected) }
        channel.send(7)
        #expect(try await channel.next() == 7)
    }

    @Test("elements missed before the end are reported before it, once")
    func missedAtTheEnd() async throws {
        let channel = makeChannel(limit: 1)
        channel.send(1, 2)
        channel.finish(throwing: TheEnd())
        for expected in [1, -1] { #expect(try await channel.next() == expected) }
        await #expect(throws: TheEnd.self) { try await channel.next() }
        #expect(try await channel.next() == nil)
    }

    @Test("without room every element is missed, except for a waiting reader")
    func noRoom() async throws {
        let channel = makeChannel(limit: 0)
        channel.send(1, 2)
        #expect(try await channel.next() == -2)
        let reader = reader(of: channel)
        channel.send(3)
        #expect(try await reader.value == 3)
    }

    @Test("readers wait in order, and each element goes to one of them")
    func line() async throws {
        let channel = makeChannel(limit: 8)
        let (first, second, third) = (
            reader(of: channel), reader(of: channel), reader(of: channel)
        )
        channel.send(1)
        channel.send(2)
        channel.finish()
        #expect(try await first.value == 1)
        #expect(try await second.value == 2)
        #expect(try await third.value == nil)
    }

    @Test("the first waiting reader gets the error of the end, and the others the end")
    func failure() async throws {
        let channel = makeChannel(limit: 8)
        let (first, second) = (reader(of: channel), reader(of: channel))
        channel.finish(throwing: TheEnd())
        await #expect(throws: TheEnd.self) { try await first.value }
        #expect(try await second.value == nil)
        #expect(try await channel.next() == nil)
    }

    @Test("the first end counts")
    func endingTwice() async throws {
        let channel = makeChannel(limit: 8)
        channel.finish()
        channel.finish(throwing: TheEnd())
        #expect(try await channel.next() == nil)
    }

    @Test("cancelling a reader does not affect the others", arguments: 0..<3)
    func cancelling(_ index: Int) async throws {
        let channel = makeChannel(limit: 8)
        var readers = (0..<3).map { _ in reader(of: channel) }
        let cancelled = readers.remove(at: index)
        cancelled.cancel()
        let last = reader(of: channel)
        #expect(try await cancelled.value == nil)
        for number in 1...4 { channel.send(number) }
        #expect(try await readers[0].value == 1)
        #expect(try await readers[1].value == 2)
        #expect(try await last.value == 3)
        #expect(try await channel.next() == 4)
    }

    @Test("a reader that is cancelled before it reads gets nothing, and others lose nothing")
    func cancelledBefore() async throws {
        let channel = makeChannel(limit: 8)
        let readings = try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let idle = try await channel.next()
            channel.send(1)
            let late = try await channel.next()
            channel.finish(throwing: TheEnd())
            return [idle, late, try await channel.next()]
        }.value
        #expect(readings == [nil, nil, nil])
        #expect(try await channel.next() == 1)
        await #expect(throws: TheEnd.self) { try await channel.next() }
    }
}

extension EventChannel {
    fileprivate func send(_ elements: Element...) { for element in elements { send(element) } }
}
