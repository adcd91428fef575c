import ANCS
import Octets
import Testing

@testable import ANCSService

/// A server that has stopped, and one that loses a call.
@Suite("Popups: a server that does not answer")
struct DesktopStallTests {
    private typealias Token = DesktopNotifications.PostToken

    /// Posts the popup of a record, which gets no reply. Returns the call.
    private static func post(_ record: Record, on bench: inout DesktopBench) throws -> Token {
        bench.popups.receive(.added(record), at: bench.now)
        return try #require(bench.drain().token)
    }

    /// Time passes, and nothing is answered.
    private static func stall(
        _ bench: inout DesktopBench, for duration: Duration
    ) -> [DesktopNotifications.Output] {
        let end = bench.now + duration
        var outputs: [DesktopNotifications.Output] = []
        while let deadline = bench.popups.nextDeadline, deadline <= end {
            bench.now = max(bench.now, deadline)
            bench.popups.handleTimeout(at: bench.now)
            outputs += bench.drain()
        }
        bench.now = end
        return outputs
    }

    /// What the server does when it is asked, and has answered the call before.
    private static func shown(_ bench: borrowing DesktopBench) -> [UInt32] {
        bench.popups.table.popups.compactMap { $0.up?.id }
    }

    @Test(
        "a call that still rings when the server continues after 32 s has exactly one popup, at once"
    )
    func ringing() throws {
        var bench = DesktopBench()
        let token = try Self.post(.call(1), on: &bench)
        let outputs = Self.stall(&bench, for: .seconds(32))
        #expect(outputs.posts == [], "a second call would be a second popup")
        #expect(outputs.contains(.ask(token)))
        #expect(outputs.count == 2, "that, and one line for the log")
        let isLate = bench.popups.isServerLate
        #expect(isLate)
        bench.popups.posted(token, 4, at: bench.now)
        bench.popups.answered(token, at: bench.now)
        #expect(bench.drain() == [], "it is there, and stays")
        #expect(Self.shown(bench) == [4])
        #expect(bench.press(4, "negative-1") == [.perform(RecordID(rawValue: 1), .negative)])
        #expect(bench.pass(.seconds(1000)).posts == [])
        #expect(bench.receive(.removed(.call(1), .removed)) == [.close(4)])
    }

    @Test("a call that has ended meanwhile has none")
    func ended() throws {
        var bench = DesktopBench()
        let token = try Self.post(.call(1), on: &bench)
        _ = Self.stall(&bench, for: .seconds(20))
        bench.popups.receive(.removed(.call(1), .removed), at: bench.now)
        #expect(Self.stall(&bench, for: .seconds(12)) == [])
        bench.popups.posted(token, 4, at: bench.now)
        #expect(bench.drain() == [.close(4)])
        #expect(bench.pass(.seconds(1000)) == [])
    }

    @Test("a call that rings while the server has stopped is the first that it shows")
    func ringsLater() throws {
        var bench = DesktopBench()
        let token = try Self.post(.onDesktop(1), on: &bench)
        _ = Self.stall(&bench, for: .seconds(15))
        bench.popups.receive(.added(.onDesktop(2)), at: bench.now)
        bench.popups.receive(.announced(.ringing(3)), at: bench.now)
        #expect(Self.stall(&bench, for: .seconds(17)) == [])
        bench.popups.posted(token, 4, at: bench.now)
        bench.nextID = 5
        #expect(bench.settle().posts.map(\.category) == ["call.incoming", "im.received"])
        #expect(Self.shown(bench) == [4, 6, 5])
    }

    @Test("a code that arrived before or while the server had stopped is there when it continues")
    func code() throws {
        var bench = DesktopBench { $0.copy = ["copy"] }
        let first = Record.onDesktop(1).with { $0.code = "123456" }
        let second = Record.onDesktop(2).with { $0.code = "654321" }
        let token = try Self.post(first, on: &bench)
        _ = Self.stall(&bench, for: .seconds(20))
        bench.popups.receive(.added(second), at: bench.now)
        _ = Self.stall(&bench, for: .seconds(12))
        bench.popups.posted(token, 4, at: bench.now)
        bench.nextID = 5
        #expect(bench.settle().posts.count == 1)
        #expect(bench.press(4, "copy-1") == [.copy("123456")])
        #expect(bench.press(5, "copy-2") == [.copy("654321")])
        #expect(bench.popups.dropped == 0)
    }

    @Test("a later change replaces the late popup")
    func changed() throws {
        var bench = DesktopBench()
        bench.popups.receive(.announced(.ringing(1)), at: bench.now)
        let token = try #require(bench.drain().token)
        bench.popups.receive(.added(.call(1)), at: bench.now)
        #expect(Self.stall(&bench, for: .seconds(32)).posts == [])
        bench.popups.posted(token, 4, at: bench.now)
        #expect(bench.settle().posts.map(\.replaces) == [4])
        #expect(Self.shown(bench) == [4])
    }

    @Test("a server that ends instead of continuing owes nothing")
    func vanishes() throws {
        var bench = DesktopBench()
        _ = try Self.post(.call(1), on: &bench)
        _ = Self.stall(&bench, for: .seconds(32))
        bench.popups.serverVanished(at: bench.now)
        bench.appear()
        #expect(bench.settle().posts.map(\.category) == ["call.incoming"])
        #expect(Self.shown(bench) == [1])
    }

    // MARK: Lost calls

    /// The server answers something else, and ten seconds later the call counts as lost.
    private static func lose(_ token: Token, on bench: inout DesktopBench) {
        _ = stall(&bench, for: .seconds(10))
        bench.popups.answered(token, at: bench.now)
        _ = stall(&bench, for: .seconds(10))
    }

    @Test("a call that a working server has lost is made again after a pause")
    func lost() throws {
        var bench = DesktopBench()
        let token = try Self.post(.call(1), on: &bench)
        Self.lose(token, on: &bench)
        #expect(bench.pass(.seconds(10)).posts.map(\.category) == ["call.incoming"])
        #expect(Self.shown(bench) == [1])
        // Its reply comes after all.
        bench.popups.posted(token, 9, at: bench.now)
        #expect(bench.drain() == [.close(9)])
        #expect(Self.shown(bench) == [1])
    }

    @Test("a lost call that is answered before it is repeated is not repeated")
    func lostAndFound() throws {
        var bench = DesktopBench()
        let token = try Self.post(.call(1), on: &bench)
        Self.lose(token, on: &bench)
        bench.popups.posted(token, 9, at: bench.now)
        #expect(bench.drain() == [])
        #expect(Self.shown(bench) == [9])
        #expect(bench.pass(.seconds(1000)).posts == [])
    }

    @Test("if both calls for a popup are answered, one popup remains")
    func lostAndRepeated() throws {
        var bench = DesktopBench()
        let first = try Self.post(.call(1), on: &bench)
        Self.lose(first, on: &bench)
        let again = Self.stall(&bench, for: .seconds(10))
        let second = try #require(again.token)
        bench.popups.posted(first, 7, at: bench.now)
        #expect(bench.drain() == [])
        bench.popups.posted(second, 8, at: bench.now)
        #expect(bench.drain() == [.close(7)])
        #expect(Self.shown(bench) == [8])
    }

    @Test(
        "a notification whose call a working server has lost is counted, and the next ones are shown"
    )
    func lostNotification() throws {
        var bench = DesktopBench()
        let token = try Self.post(.onDesktop(1), on: &bench)
        Self.lose(token, on: &bench)
        bench.popups.posted(token, 4, at: bench.now)
        #expect(bench.drain() == [.close(4)])
        bench.popups.receive(.added(.onDesktop(2)), at: bench.now)
        #expect(
            bench.pass(.seconds(10)).posts.map(\.summary) == ["Ann", "1 more notification"])
    }

    @Test(
        "a server that loses every call is tried at growing intervals, and remembered calls are few"
    )
    func losesAll() {
        var bench = DesktopBench()
        bench.popups.receive(.announced(.ringing(1)), at: bench.now)
        var posts = 0
        for _ in 0..<36_000 {
            for output in bench.drain() {
                if case .post = output { posts += 1 }
                if case .ask(let token) = output { bench.popups.answered(token, at: bench.now) }
            }
            bench.now = bench.now + .seconds(1)
            if let deadline = bench.popups.nextDeadline, deadline <= bench.now {
                bench.popups.handleTimeout(at: bench.now)
            }
        }
        #expect((100...130).contains(posts))
        let lost = bench.popups.lost.count
        #expect(lost == bench.popups.limits.lost)
    }
}
