import Testing

@testable import ANCSKit

/// Numbers in a channel; a missed number is negative, by how many were missed.
@Suite struct EventChannelTests {
    private typealias Channel = EventChannel<Int>

    private func makeChannel(limit: Int) -> Channel { Channel(limit: limit) { -$0 } }

    /// A reader that waits. Task.immediate runs to its first suspension, so it is in line at once.
    private func reader(of channel: Channel) -> Task<Channel.Reading, Never> {
        Task.immediate { await channel.next() }
    }

    @Test("what was put in comes out in order, then nothing after the end")
    func order() async {
        let channel = makeChannel(limit: 8)
        channel.send(1, 2, 3)
        channel.finish()
        channel.send(4)
        for expected in [1, 2, 3, nil, nil] as [Int?] {
            #expect(await channel.next().element == expected)
        }
    }

    @Test("what waits is taken at once, with the number of what had no room")
    func takingAll() async {
        let channel = makeChannel(limit: 2)
        channel.send(1, 2, 3, 4)
        #expect(channel.takeWaiting() == [1, 2, -2])
        #expect(channel.takeWaiting() == [])
        channel.send(5)
        #expect(await channel.next().element == 5)
    }

    @Test("a reader that waits gets the next element, or learns of the end")
    func waiting() async {
        let channel = makeChannel(limit: 8)
        let first = reader(of: channel)
        channel.send(1)
        #expect(await first.value.element == 1)
        let second = reader(of: channel)
        channel.finish()
        #expect(await second.value.isFinished)
    }

    @Test("what has no room is counted where it is missing")
    func missed() async {
        let channel = makeChannel(limit: 2)
        channel.send(1, 2, 3, 4)
        #expect(await channel.next().element == 1)
        channel.send(5)
        channel.send(6)
        for expected in [2, -2, 5, -1] { #expect(await channel.next().element == expected) }
        channel.send(7)
        #expect(await channel.next().element == 7)
    }

    @Test("what was missed before the end is told before it")
    func missedAtTheEnd() async {
        let channel = makeChannel(limit: 1)
        channel.send(1, 2)
        channel.finish()
        for expected in [1, -1, nil] as [Int?] { #expect(await channel.next().element == expected) }
    }

    @Test("readers wait in line, and each element goes to one of them")
    func line() async {
        let channel = makeChannel(limit: 8)
        let (first, second, third) = (
            reader(of: channel), reader(of: channel), reader(of: channel)
        )
        channel.send(1)
        channel.send(2)
        channel.finish()
        #expect(await first.value.element == 1)
        #expect(await second.value.element == 2)
        #expect(await third.value.isFinished)
    }

    @Test("a reader that is cancelled disturbs none before or after it", arguments: 0..<3)
    func cancelling(_ index: Int) async {
        let channel = makeChannel(limit: 8)
        var readers = (0..<3).map { _ in reader(of: channel) }
        let cancelled = readers.remove(at: index)
        cancelled.cancel()
        let last = reader(of: channel)
        #expect(await cancelled.value.isCancelled)
        for number in 1...4 { channel.send(number) }
        #expect(await readers[0].value.element == 1)
        #expect(await readers[1].value.element == 2)
        #expect(await last.value.element == 3)
        #expect(await channel.next().element == 4)
    }

    @Test("a reader that was cancelled before it read gets nothing, and takes nothing from others")
    func cancelledBefore() async {
        let channel = makeChannel(limit: 8)
        let readings = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let idle = await channel.next()
            channel.send(1)
            let late = await channel.next()
            channel.finish()
            return [idle, late, await channel.next()]
        }.value
        #expect(readings.map(\.isCancelled) == [true, true, true])
        #expect(await channel.next().element == 1)
        #expect(await channel.next().isFinished)
    }
}

extension EventChannel {
    fileprivate func send(_ elements: Element...) { for element in elements { send(element) } }
}

extension EventChannel.Reading {
    fileprivate var isFinished: Bool { if case .finished = self { true } else { false } }
    fileprivate var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}
