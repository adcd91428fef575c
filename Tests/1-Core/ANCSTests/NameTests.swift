import Octets
import Testing

@testable import ANCS

@Suite("No notification waits for the name of its app")
struct NameTests {
    private static let configuration = NotificationFeed.Configuration(attributes: [.appIdentifier])
    private static let other = "com.other"
    private let app: AppIdentifier
    private let patience: MonotonicInstant
    private let soon: MonotonicInstant

    init() throws {
        app = try AppIdentifier("com.example")
        patience = .zero + Self.configuration.session.namePatience
        soon = .zero + Self.configuration.session.headerOnlyDeadline
    }

    private static func answer(_ uid: NotificationUID, _ app: String) -> AttributeResponse {
        AttributeResponse(
            identity: .notification(uid), attributes: [AttributeValue(.appIdentifier, app)])
    }

    private static func command(for uid: NotificationUID) throws -> [UInt8] {
        try GetNotificationAttributes(notificationUID: uid, attributes: [.appIdentifier]).octets
    }

    /// A feed with the text of `uid7`, which has asked for the name of its app.
    private func naming() -> NotificationFeed {
        var feed = NotificationFeed.subscribed(Self.configuration)
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(Self.answer(uid7, "com.example"))
        feed.receive(.controlPointWritten(nil), at: .zero)
        _ = feed.drain()
        return feed
    }

    /// Passes the time to an instant.
    private func wait(_ feed: inout NotificationFeed, until end: MonotonicInstant) {
        while let deadline = feed.nextDeadline, deadline <= end { feed.handleTimeout(at: deadline) }
    }

    @Test("an app without a name holds its notification, and others, no longer than a blink (S23)")
    func nameless() throws {
        var feed = naming()
        feed.receive(announcement(.added, uid8))
        feed.receive(nameAnswer(app, nil))
        #expect(feed.nextDeadline == soon)
        wait(&feed, until: soon)
        let outputs = feed.drain()
        #expect(outputs.deliveries.map(\.line) == ["added 7"])
        #expect(outputs.deliveries.allSatisfy { $0.displayName == nil && $0.failure == nil })
        #expect(outputs.writes == [try Self.command(for: uid8)])
        // The next one of that app does not even ask.
        feed.receive(.controlPointWritten(nil), at: soon)
        feed.receive(Self.answer(uid8, "com.example"), at: soon)
        #expect(feed.drain().deliveries.map(\.line) == ["added 8"])
        #expect(feed.nextDeadline == nil)
    }

    @Test("a name that follows its answer later is an update", arguments: [5, 9, 100])
    func nameFollows(_ size: Int) {
        var feed = naming()
        feed.receive(nameAnswer(app, nil))
        wait(&feed, until: soon)
        #expect(feed.drain().deliveries.map(\.line) == ["added 7"])
        let rest = nameAnswer(app, "Example").octets.dropFirst(nameAnswer(app, nil).octets.count)
        for fragment in Array(rest).fragments(of: size) {
            feed.receive(.dataSource(fragment), at: .seconds(2))
        }
        let updates = feed.drain().deliveries
        #expect(updates.map { $0.displayName?.text } == ["Example"])
        #expect(updates.allSatisfy { $0.isCompletion && $0.source.eventID == .modified })
        #expect(feed.nextDeadline == nil)
    }

    @Test("a phone that is silent about a name holds nothing for longer than the patience")
    func silent() throws {
        var feed = naming()
        feed.receive(announcement(.added, uid8))
        #expect(feed.nextDeadline == patience)
        wait(&feed, until: patience)
        let outputs = feed.drain()
        #expect(outputs.deliveries.map(\.displayNameFailure) == [.timedOut])
        #expect(outputs.writes == [try Self.command(for: uid8)])
        feed.receive(.controlPointWritten(nil), at: patience)
        feed.receive(Self.answer(uid8, Self.other), at: patience)
        // Of whatever app: it is delivered without asking.
        #expect(feed.drain().deliveries.map(\.line) == ["added 8"])
    }

    @Test(
        "a late name is an update, whether or not another command has gone out meanwhile",
        arguments: [true, false])
    func late(_ isOvertaken: Bool) {
        var feed = naming()
        wait(&feed, until: patience)
        #expect(feed.drain().deliveries.map(\.line) == ["added 7"])
        if isOvertaken {
            feed.receive(announcement(.added, uid8), at: .seconds(1))
            wait(&feed, until: .seconds(1))
            feed.receive(.controlPointWritten(nil), at: .seconds(1))
        }
        feed.receive(nameAnswer(app, "Example"), at: .seconds(2))
        if isOvertaken { feed.receive(Self.answer(uid8, "com.example"), at: .seconds(2)) }
        let outputs = feed.drain()
        let updates = outputs.deliveries.filter(\.isCompletion)
        #expect(updates.map { $0.displayName?.text } == ["Example"])
        #expect(updates.map(\.source.notificationUID) == [uid7])
        let added = outputs.deliveries.filter { !$0.isCompletion }
        #expect(added.map { $0.displayName?.text } == (isOvertaken ? ["Example"] : []))
        // The owner did not ask for it.
        #expect(
            !outputs.contains { if case .completed = $0 { true } else { false } })
        let isFetching = feed.isFetching
        #expect(!isFetching)
    }

    @Test("a notification that is gone gets no name")
    func removed() {
        var feed = naming()
        wait(&feed, until: patience)
        feed.receive(announcement(.removed, uid7), at: .seconds(1))
        _ = feed.drain()
        feed.receive(nameAnswer(app, "Example"), at: .seconds(2))
        #expect(feed.drain().deliveries.isEmpty)
    }

    @Test("what the owner asks for an app's name is answered, however late")
    func ownRequest() throws {
        var feed = naming()
        wait(&feed, until: patience)
        let request = try feed.fetchDisplayName(of: app, at: .seconds(1))
        feed.receive(nameAnswer(app, "Example"), at: .seconds(2))
        #expect(
            feed.drain().contains(.completed(request, .answered(nameAnswer(app, "Example")))))
    }

    @Test("a link that answers no write delivers the text all the same")
    func stalledLink() {
        var feed = NotificationFeed.subscribed(Self.configuration)
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(Self.answer(uid7, "com.example"))
        wait(&feed, until: patience)
        #expect(feed.drain().deliveries.map(\.line) == ["added 7"])
    }

    @Test("a rule about the name waits for it, as for a text")
    func decisive() {
        var configuration = Self.configuration
        configuration.asksWhatToFetch = true
        var feed = NotificationFeed.subscribed(configuration)
        feed.receive(announcement(.added, uid7))
        feed.select(.app, of: uid7, at: .zero)
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(Self.answer(uid7, "com.example"))
        feed.select(.appName, of: uid7, at: .zero)
        feed.receive(.controlPointWritten(nil), at: .zero)
        _ = feed.drain()
        wait(&feed, until: .seconds(1))
        #expect(feed.drain().isEmpty)
        feed.receive(nameAnswer(app, "Example"), at: .seconds(2))
        #expect(
            feed.drain().contains {
                if case .selecting(let delivery, known: .appName) = $0 {
                    delivery.displayName?.text == "Example"
                } else {
                    false
                }
            })
    }
}
