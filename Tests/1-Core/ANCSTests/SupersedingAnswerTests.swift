import Octets
import Testing

@testable import ANCS

/// An answer is held back until its request has ended, and the notification changes; then the old answer
/// and the new one arrive. Nothing but their order tells them apart (S4).
@Suite("Answers that supersede others")
struct SupersedingAnswerTests {
    private static let old = titleAnswer(uid7, "old")
    private static let new = titleAnswer(uid7, "new")
    private static let second = RequestID(rawValue: 2)

    private static let titles: NotificationFeed.Configuration = {
        var configuration = NotificationFeed.Configuration(attributes: [.title])
        configuration.fetchesDisplayName = false
        return configuration
    }()

    /// A session in which a request for `uid7` has timed out and a second one is in flight.
    private static func afterTimeout() throws -> ConsumerSession {
        var session = ConsumerSession.subscribed()
        _ = try session.fetchTitle(uid7)
        session.receive(.controlPointWritten(nil), at: .zero)
        session.handleTimeout(at: .seconds(10))
        #expect(try session.fetchTitle(uid7, at: .seconds(10)) == second)
        session.receive(.controlPointWritten(nil), at: .seconds(10))
        _ = session.drain()
        return session
    }

    /// A feed whose first fetch of `uid7` has timed out; it has changed, and a second one is in flight.
    private static func changedAfterTimeout(
        _ configuration: NotificationFeed.Configuration = titles
    ) -> NotificationFeed {
        var feed = NotificationFeed.subscribed(configuration)
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(announcement(.modified, uid7), at: .seconds(9))
        feed.handleTimeout(at: .seconds(10))
        feed.receive(.controlPointWritten(nil), at: .seconds(10))
        #expect(feed.drain().deliveries.map(Self.line) == ["added 7 -"])
        return feed
    }

    /// What a delivery says, in one line.
    private static func line(_ delivery: NotificationFeed.Delivery) -> String {
        let kind = delivery.isCompletion ? "completed" : "\(delivery.source.eventID)"
        let title = delivery[.title]?.text ?? "-"
        return "\(kind) \(delivery.source.notificationUID) \(title)"
    }

    @Test("the answer behind the one that was taken supersedes it, wherever the values are cut")
    func superseding() throws {
        let octets = Self.old.octets + Self.new.octets
        for cut in 1...octets.count {
            var session = try Self.afterTimeout()
            session.receive(.dataSource(Array(octets[..<cut])), at: .seconds(11))
            session.receive(.dataSource(Array(octets[cut...])), at: .seconds(11))
            #expect(
                session.drain() == [
                    .completed(Self.second, .answered(Self.old)),
                    .superseded(Self.second, Self.new),
                ], "cut at \(cut)")
        }
    }

    @Test("a repeated answer supersedes nothing, with its attributes in any order")
    func same() throws {
        var session = ConsumerSession.subscribed()
        for second in [0, 10] as [Int64] {
            _ = try session.fetch([.title, .message], of: uid7, at: .seconds(second))
            session.receive(.controlPointWritten(nil), at: .seconds(second))
            session.handleTimeout(at: .seconds(second).advanced(nanoseconds: 10_000_000_000))
        }
        let request = try session.fetch([.title, .message], of: uid7, at: .seconds(20))
        session.receive(.controlPointWritten(nil), at: .seconds(20))
        _ = session.drain()
        let (title, message) = (AttributeValue(.title, "Ada"), AttributeValue(.message, "Hello"))
        var answer = AttributeResponse(
            identity: .notification(uid7), attributes: [title, message])
        session.receive(answer, at: .seconds(21))
        #expect(session.drain() == [.completed(request, .answered(answer))])
        answer.attributes = [message, title]
        session.receive(answer, at: .seconds(21))
        #expect(session.drain().isEmpty)
        answer.attributes = [message, AttributeValue(.title, "Bea")]
        session.receive(answer, at: .seconds(21))
        #expect(session.drain() == [.superseded(request, answer)])
    }

    @Test("the last of several late answers counts, and a lost one does no harm")
    func several() throws {
        for answers in [["1"], ["1", "2"], ["1", "2", "3"], ["1", "1", "2", "3"]] {
            var session = ConsumerSession.subscribed()
            var request = try session.fetchTitle(uid7)
            session.receive(.controlPointWritten(nil), at: .zero)
            for second in [10, 20] as [Int64] {
                session.handleTimeout(at: .seconds(second))
                request = try session.fetchTitle(uid7, at: .seconds(second))
                session.receive(.controlPointWritten(nil), at: .seconds(second))
            }
            _ = session.drain()
            let octets = answers.flatMap { titleAnswer(uid7, $0).octets }
            session.receive(.dataSource(octets), at: .seconds(21))
            let later = answers.dropFirst().filter { $0 != "1" }
            #expect(
                session.drain() == [.completed(request, .answered(titleAnswer(uid7, "1")))]
                    + later.map { .superseded(request, titleAnswer(uid7, $0)) })
        }
    }

    @Test("a removed notification, or one of an ended session, is not superseded")
    func over() throws {
        var session = try Self.afterTimeout()
        session.receive(Self.old, at: .seconds(11))
        session.receive(announcement(.removed, uid7), at: .seconds(11))
        _ = session.drain()
        session.receive(Self.new, at: .seconds(11))
        #expect(session.drain().isEmpty)

        session = try Self.afterTimeout()
        session.receive(Self.old, at: .seconds(11))
        session.renew(.silent, at: .seconds(11))
        session.receive(.unsubscribed(.notificationSource), at: .seconds(12))
        _ = session.drain()
        session.receive(Self.new, at: .seconds(12))
        #expect(session.drain().isEmpty)
    }

    @Test("superseding the session's own request has no visible effect")
    func ownQuestion() throws {
        var configuration = ConsumerSession.Configuration()
        configuration.probing = ConsumerSession.Probing()
        var session = ConsumerSession.subscribed(configuration)
        session.receive(announcement(.added, uid7))
        _ = try session.fetch([.appIdentifier], of: uid7, at: .zero)
        session.receive(.controlPointWritten(nil), at: .zero)
        session.handleTimeout(at: .seconds(10))
        let question = try GetNotificationAttributes(
            notificationUID: uid7, attributes: [.appIdentifier])
        #expect(session.drain().contains(.link(.writeControlPoint(question.octets))))
        session.receive(.controlPointWritten(nil), at: .seconds(10))
        for app in ["com.example", "com.other"] {
            session.receive(
                AttributeResponse(
                    identity: .notification(uid7), attributes: [AttributeValue(.appIdentifier, app)]
                ),
                at: .seconds(11))
        }
        #expect(session.drain().allSatisfy { !$0.isOutcome })
    }

    @Test("a name that supersedes another is known from then on")
    func name() throws {
        let app = try AppIdentifier("com.example")
        var session = ConsumerSession.subscribed()
        _ = try session.fetchDisplayName(of: app, at: .zero)
        session.receive(.controlPointWritten(nil), at: .zero)
        session.handleTimeout(at: .seconds(10))
        let request = try session.fetchDisplayName(of: app, at: .seconds(50))
        session.receive(.controlPointWritten(nil), at: .seconds(50))
        _ = session.drain()
        let (old, new) = (nameAnswer(app, "Example"), nameAnswer(app, "Exemplo"))
        session.receive(.dataSource(old.octets + new.octets), at: .seconds(51))
        #expect(
            session.drain() == [.completed(request, .answered(old)), .superseded(request, new)])
        let next = try session.fetchDisplayName(of: app, at: .seconds(52))
        #expect(session.drain() == [.completed(next, .answered(new))])
    }

    @Test("the new text of a notification is delivered as a completion of the old one")
    func changed() {
        var feed = Self.changedAfterTimeout()
        feed.receive(.dataSource(Self.old.octets + Self.new.octets), at: .seconds(11))
        #expect(feed.drain().deliveries.map(Self.line) == ["modified 7 old", "completed 7 new"])
        #expect(feed.nextDeadline == nil)
    }

    @Test(
        "nothing is reported twice, or about a notification that has changed again or was removed")
    func nothingToTell() {
        var feed = Self.changedAfterTimeout()
        feed.receive(.dataSource(Self.old.octets + Self.old.octets), at: .seconds(11))
        #expect(feed.drain().deliveries.map(Self.line) == ["modified 7 old"])

        // What changes is fetched again: the late answer is taken for that, and superseded in its turn.
        feed = Self.changedAfterTimeout()
        feed.receive(Self.old, at: .seconds(11))
        feed.receive(announcement(.modified, uid7), at: .seconds(11))
        feed.receive(.controlPointWritten(nil), at: .seconds(11))
        feed.receive(Self.new, at: .seconds(11))
        feed.receive(titleAnswer(uid7, "newest"), at: .seconds(11))
        #expect(
            feed.drain().deliveries.map(Self.line) == [
                "modified 7 old", "modified 7 new", "completed 7 newest",
            ])

        feed = Self.changedAfterTimeout()
        feed.receive(Self.old, at: .seconds(11))
        feed.receive(announcement(.removed, uid7), at: .seconds(11))
        feed.receive(Self.new, at: .seconds(11))
        #expect(feed.drain().deliveries.map(Self.line) == ["modified 7 old", "removed 7 -"])
    }

    @Test("the other attributes of the notification stay, and do not restore the old text")
    func nameIsSlow() throws {
        let app = try AppIdentifier("com.example")
        func answer(_ title: String) -> [UInt8] {
            AttributeResponse(
                identity: .notification(uid7),
                attributes: [
                    AttributeValue(.appIdentifier, "com.example"), AttributeValue(.title, title),
                ]
            ).octets
        }
        // While the name is asked for, nothing is delivered but the new text.
        let configuration = NotificationFeed.Configuration(attributes: [.appIdentifier, .title])
        var feed = Self.changedAfterTimeout(configuration)
        feed.receive(.dataSource(answer("old")), at: .seconds(11))
        feed.receive(.controlPointWritten(nil), at: .seconds(11))
        feed.receive(.dataSource(answer("new")), at: .seconds(11))
        feed.receive(nameAnswer(app, "Example"), at: .seconds(11))
        let delivered = feed.drain().deliveries
        #expect(delivered.map(Self.line) == ["modified 7 new"])
        #expect(delivered.map { $0.displayName?.text } == ["Example"])
        // A name that comes late comes with the new text.
        feed = Self.changedAfterTimeout(configuration)
        feed.receive(.dataSource(answer("old")), at: .seconds(11))
        feed.receive(.controlPointWritten(nil), at: .seconds(11))
        feed.handleTimeout(at: .seconds(14))
        feed.receive(.dataSource(answer("new")), at: .seconds(15))
        feed.handleTimeout(at: .seconds(60))
        feed.receive(.controlPointWritten(nil), at: .seconds(60))
        feed.receive(nameAnswer(app, "Example"), at: .seconds(60))
        let lines = feed.drain().deliveries.map(Self.line)
        #expect(lines == ["modified 7 old", "completed 7 new", "completed 7 new"])
    }

    @Test("announcements that share a fetch share the old text, and one completion")
    func shared() {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        for (event, uid) in [(EventID.modified, uid7), (.added, uid8), (.modified, uid7)] {
            feed.receive(announcement(event, uid), at: .seconds(9))
        }
        feed.handleTimeout(at: .seconds(10))
        feed.receive(.controlPointWritten(nil), at: .seconds(10))
        feed.receive(Self.old, at: .seconds(11))
        feed.receive(.controlPointWritten(nil), at: .seconds(11))
        feed.receive(Self.new, at: .seconds(11))
        feed.receive(titleAnswer(uid8, "Bea"), at: .seconds(11))
        #expect(
            feed.drain().deliveries.map(Self.line) == [
                "added 7 -", "modified 7 old", "modified 7 old", "completed 7 new", "added 8 Bea",
            ])
    }
}

extension ConsumerSession.Output {
    /// Whether it says how a request ended.
    fileprivate var isOutcome: Bool {
        switch self {
        case .completed, .superseded: true
        case .link, .report, .event:
            false
        }
    }
}
