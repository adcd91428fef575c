import Testing

@testable import ANCSKit

/// Numbers in a channel; a missed number is negative, by how many were missed.
@Suite struct EventChannelTests {
    /// The isolation that a channel needs.
    private actor Owner {
        var channel: EventChannel<Int>
        /// Somebody reads, or has read.
        private var readers = 0

        init(limit: Int) { channel = EventChannel(limit: limit) { -$0 } }

        func send(_ elements: Int...) { for element in elements { channel.send(element) } }
        func finish() { channel.finish() }
        func cancel() { channel.cancel() }
        func takeWaiting() -> [Int] { channel.takeWaiting() }

        func read() async -> Int? {
            await withCheckedContinuation {
                readers += 1
                channel.read($0)
            }
        }

        func waitForReaders(_ count: Int) async {
            while readers < count { await Task.yield() }
        }
    }

    @Test("what was put in comes out in order, then nothing after the end")
    func order() async {
        let owner = Owner(limit: 8)
        await owner.send(1, 2, 3)
        await owner.finish()
        await owner.send(4)
        for expected in [1, 2, 3, nil, nil] as [Int?] { #expect(await owner.read() == expected) }
    }

    @Test("what waits is taken at once, with the number of what had no room")
    func takingAll() async {
        let owner = Owner(limit: 2)
        await owner.send(1, 2, 3, 4)
        #expect(await owner.takeWaiting() == [1, 2, -2])
        #expect(await owner.takeWaiting() == [])
        await owner.send(5)
        #expect(await owner.read() == 5)
    }

    @Test("a reader that waits gets the next element, or learns of the end")
    func waiting() async {
        let owner = Owner(limit: 8)
        async let first = owner.read()
        await owner.waitForReaders(1)
        await owner.send(1)
        #expect(await first == 1)
        async let second = owner.read()
        await owner.waitForReaders(2)
        await owner.finish()
        #expect(await second == nil)
    }

    @Test("what has no room is counted where it is missing")
    func missed() async {
        let owner = Owner(limit: 2)
        await owner.send(1, 2, 3, 4)
        #expect(await owner.read() == 1)
        await owner.send(5)
        await owner.send(6)
        for expected in [2, -2, 5, -1] { #expect(await owner.read() == expected) }
        await owner.send(7)
        #expect(await owner.read() == 7)
    }

    @Test("what was missed before the end is told before it")
    func missedAtTheEnd() async {
        let owner = Owner(limit: 1)
        await owner.send(1, 2)
        await owner.finish()
        for expected in [1, -1, nil] as [Int?] { #expect(await owner.read() == expected) }
    }

    @Test("a second reader sends the first away, and giving up loses nothing")
    func readers() async {
        let owner = Owner(limit: 8)
        async let first = owner.read()
        await owner.waitForReaders(1)
        async let second = owner.read()
        #expect(await first == nil)
        await owner.waitForReaders(2)
        await owner.cancel()
        #expect(await second == nil)
        await owner.send(1)
        await owner.cancel()
        #expect(await owner.read() == 1)
    }
}
