import Octets
import Testing

@testable import ANCS

@Suite("Notifications that are completed later")
struct CompletionTests {
    private static let titles: NotificationFeed.Configuration = {
        var configuration = NotificationFeed.Configuration(attributes: [.title])
        configuration.fetchesDisplayName = false
        return configuration
    }()

    /// What a delivery says, in one line.
    private static func line(_ delivery: NotificationFeed.Delivery) -> String {
        let kind = delivery.isCompletion ? "completed" : "\(delivery.source.eventID)"
        let title = delivery[.title]?.text ?? "-"
        return "\(kind) \(delivery.source.notificationUID) \(title)"
    }

    private static func answer(_ uid: NotificationUID, _ app: String) -> AttributeResponse {
        AttributeResponse(
            identity: .notification(uid), attributes: [AttributeValue(.appIdentifier, app)])
    }

    @Test("a notification without consent is delivered at once, and completed with consent (S1)")
    func consent() throws {
        var configuration = Self.titles
        configuration.session.probing = ConsumerSession.Probing()
        var feed = NotificationFeed.subscribed(configuration)
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(.writeNotPermitted), at: .zero)
        feed.receive(announcement(.added, uid8))
        feed.receive(.controlPointWritten(.writeNotPermitted), at: .zero)
        let bare = feed.drain()
        #expect(bare.deliveries.map(Self.line) == ["added 7 -", "added 8 -"])
        #expect(bare.deliveries.map(\.failure).allSatisfy { $0 == .refused(.writeNotPermitted) })
        // The user allows it; the next question finds out.
        feed.handleTimeout(at: .seconds(5))
        feed.receive(.controlPointWritten(.invalidParameter), at: .seconds(5))
        #expect(feed.drain().writes.last == (try titleCommand(uid7)))
        feed.receive(.controlPointWritten(nil), at: .seconds(5))
        feed.receive(titleAnswer(uid7, "Ada"), at: .seconds(5))
        feed.receive(.controlPointWritten(nil), at: .seconds(5))
        feed.receive(titleAnswer(uid8, "Bea"), at: .seconds(5))
        let completed = feed.drain().deliveries
        #expect(completed.map(Self.line) == ["completed 7 Ada", "completed 8 Bea"])
        #expect(completed.allSatisfy { $0.failure == nil && $0.source.eventID == .modified })
    }

    @Test("a completion whose answer is lost is fetched again")
    func consentWithdrawnWithinAnAnswer() throws {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(.writeNotPermitted), at: .zero)
        // Consent, and with it the question, whose answer does not come: it was withdrawn again.
        feed.receive(announcement(.added, uid8), at: .seconds(10))
        feed.receive(.controlPointWritten(nil), at: .seconds(10))
        feed.receive(titleAnswer(uid8, "Bea"), at: .seconds(10))
        feed.receive(.controlPointWritten(nil), at: .seconds(10))
        feed.handleTimeout(at: .seconds(20))
        // The next answer shows that there is one again; what is lost a second time is given up.
        let uids = (20...21).map { NotificationUID(rawValue: $0) }
        feed.receive(announcement(.added, uids[0]), at: .seconds(30))
        feed.receive(.controlPointWritten(nil), at: .seconds(30))
        feed.receive(titleAnswer(uids[0], "Cy"), at: .seconds(30))
        #expect(feed.drain().writes.last == (try titleCommand(uid7)))
        feed.receive(.controlPointWritten(nil), at: .seconds(30))
        feed.receive(titleAnswer(uid7, "Ada"), at: .seconds(30))
        #expect(feed.drain().deliveries.map(Self.line) == ["completed 7 Ada"])
    }

    @Test(
        "a notification that is removed or modified meanwhile is not completed",
        arguments: [true, false])
    func overtaken(_ isRemoved: Bool) throws {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(.writeNotPermitted), at: .zero)
        feed.receive(announcement(isRemoved ? .removed : .modified, uid7))
        if !isRemoved {
            feed.receive(.controlPointWritten(nil), at: .zero)
            feed.receive(titleAnswer(uid7, "Ada"))
        }
        feed.receive(announcement(.added, uid8))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(titleAnswer(uid8, "Bea"))
        let lines = feed.drain().deliveries.map(Self.line)
        #expect(
            lines == ["added 7 -", isRemoved ? "removed 7 -" : "modified 7 Ada", "added 8 Bea"])
        #expect(feed.nextDeadline == nil)
    }

    @Test("a fetch that timed out is repeated once, after new notifications")
    func unanswered() throws {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(announcement(.added, uid8))
        feed.handleTimeout(at: .seconds(10))
        feed.receive(.controlPointWritten(nil), at: .seconds(10))
        feed.receive(titleAnswer(uid8, "Bea"), at: .seconds(10))
        feed.receive(.controlPointWritten(nil), at: .seconds(10))
        feed.receive(titleAnswer(uid7, "Ada"), at: .seconds(11))
        #expect(
            feed.drain().deliveries.map(Self.line) == [
                "added 7 -", "added 8 Bea", "completed 7 Ada",
            ])
    }

    @Test(
        "with consent, pre-existing notifications are completed after new ones, the last one first")
    func order() throws {
        var configuration = Self.titles
        configuration.maximumIncompleteNotifications = 4
        var feed = NotificationFeed.subscribed(configuration)
        feed.receive(announcement(.added, uid8))
        for number in 20...23 as ClosedRange<UInt32> {
            feed.receive(
                announcement(.added, NotificationUID(rawValue: number), flags: [.preExisting]))
        }
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(.writeNotPermitted), at: .zero)
        feed.receive(announcement(.added, NotificationUID(rawValue: 1)), at: .seconds(10))
        var lines: [String] = []
        var writes = feed.drain().writes
        while let command = writes.last {
            feed.receive(.controlPointWritten(nil), at: .seconds(10))
            let uid = NotificationUID(command.span.extracting(1..<5))
            feed.receive(titleAnswer(uid, "text"), at: .seconds(10))
            let outputs = feed.drain()
            lines += outputs.deliveries.map(Self.line)
            writes = outputs.writes
        }
        // The two oldest had no room.
        #expect(
            lines == [
                "added 1 text", "completed 7 text", "completed 23 text", "completed 22 text",
                "completed 21 text",
            ])
    }

    @Test(
        "an undelivered request does not count as an attempt: the text still comes in this session")
    func undelivered() throws {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid7))
        // The link is busy with something else: three times nobody says that the command was written. Then it
        // is, and is not answered once.
        var now = MonotonicInstant.zero
        var outputs = feed.drain()
        var count = outputs.writes.count
        while count < 5 {
            if count == 4 { feed.receive(.controlPointWritten(nil), at: now) }
            let deadline = feed.nextDeadline
            now = try #require(deadline)
            feed.handleTimeout(at: now)
            outputs += feed.drain()
            count = outputs.writes.count
        }
        feed.receive(.controlPointWritten(nil), at: now)
        feed.receive(titleAnswer(uid7, "Ada"), at: now)
        outputs += feed.drain()
        #expect(outputs.deliveries.map(Self.line) == ["added 7 -", "completed 7 Ada"])
        #expect(now < .seconds(120))
    }

    @Test("an answer after unrequested octets does not count as missing")
    func behindUnaskedOctets() throws {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid7))
        var now = MonotonicInstant.zero
        for _ in 1...3 {
            feed.receive(.controlPointWritten(nil), at: now)
            for _ in 0..<100 {
                feed.receive(.dataSource(Array(repeating: 0x41, count: 20)), at: now)
            }
            while feed.drain().writes.isEmpty, let deadline = feed.nextDeadline {
                now = deadline
                feed.handleTimeout(at: now)
            }
        }
        feed.receive(.controlPointWritten(nil), at: now)
        feed.receive(titleAnswer(uid7, "Ada"), at: now)
        #expect(feed.drain().deliveries.map(Self.line) == ["completed 7 Ada"])
    }

    @Test("a notification that is never delivered is not requested endlessly")
    func neverDelivered() {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid7))
        var count = 0
        while let deadline = feed.nextDeadline, count < 100 {
            feed.handleTimeout(at: deadline)
            count += 1
        }
        #expect(feed.drain().writes.count == 8)
        #expect(feed.nextDeadline == nil)
    }

    @Test("a fetch that timed out twice is not repeated")
    func unansweredTwice() {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.handleTimeout(at: .seconds(10))
        feed.receive(.controlPointWritten(nil), at: .seconds(10))
        feed.handleTimeout(at: .seconds(20))
        #expect(feed.drain().deliveries.count == 1)
        #expect(feed.nextDeadline == nil)
    }

    @Test("missing app names delay nothing, and are completed later (S23)")
    func slowNames() throws {
        var feed = NotificationFeed.subscribed(
            NotificationFeed.Configuration(attributes: [.appIdentifier]))
        let app = try AppIdentifier("com.example")
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(Self.answer(uid7, "com.example"))
        feed.receive(.controlPointWritten(nil), at: .zero)
        #expect(feed.drain().deliveries.isEmpty)
        let patience = MonotonicInstant.zero + .milliseconds(500)
        #expect(feed.nextDeadline == patience)
        feed.handleTimeout(at: patience)
        let first = feed.drain().deliveries
        #expect(first.map(\.displayNameFailure) == [.timedOut])
        #expect(feed.nextDeadline == .seconds(3))
        feed.handleTimeout(at: .seconds(3))
        #expect(feed.drain().isEmpty)
        // From now on nobody waits for a name, of whatever app.
        feed.receive(announcement(.added, uid8), at: .seconds(4))
        feed.receive(.controlPointWritten(nil), at: .seconds(4))
        feed.receive(Self.answer(uid8, "com.other"), at: .seconds(4))
        #expect(feed.drain().deliveries.map(\.displayNameFailure) == [.timedOut])
        #expect(feed.nextDeadline == .seconds(33))
        feed.handleTimeout(at: .seconds(33))
        #expect(feed.drain().writes == [GetAppAttributes(displayNameOf: app).octets])
        feed.receive(.controlPointWritten(nil), at: .seconds(33))
        feed.receive(nameAnswer(app, "Example"), at: .seconds(33))
        feed.receive(.controlPointWritten(nil), at: .seconds(33))
        feed.receive(nameAnswer(try AppIdentifier("com.other"), "Other"), at: .seconds(33))
        let completed = feed.drain().deliveries
        #expect(completed.map { $0.displayName?.text } == ["Example", "Other"])
        #expect(completed.allSatisfy { $0.isCompletion && $0.displayNameFailure == nil })
    }

    @Test("a name that never arrives is fetched at growing intervals, and completes nothing")
    func neverAName() {
        var feed = NotificationFeed.subscribed(
            NotificationFeed.Configuration(attributes: [.appIdentifier]))
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(Self.answer(uid7, "com.example"))
        var asked = 0
        var deliveries: [NotificationFeed.Delivery] = []
        while let deadline = feed.nextDeadline {
            feed.receive(.controlPointWritten(nil), at: deadline)
            feed.handleTimeout(at: deadline)
            let outputs = feed.drain()
            asked += outputs.writes.count
            deliveries += outputs.deliveries
        }
        #expect((3...10).contains(asked))
        #expect(deliveries.map(\.displayNameFailure) == [.timedOut])
    }

    @Test("the memory of incomplete notifications is bounded, and the oldest is dropped")
    func bounded() throws {
        var configuration = Self.titles
        configuration.maximumIncompleteNotifications = 2
        var feed = NotificationFeed.subscribed(configuration)
        for number in 1...4 as ClosedRange<UInt32> {
            let now = MonotonicInstant.seconds(4 * Int64(number))
            feed.receive(announcement(.added, NotificationUID(rawValue: number)), at: now)
            feed.receive(.controlPointWritten(.writeNotPermitted), at: now)
        }
        let now = MonotonicInstant.seconds(20)
        feed.receive(announcement(.added, uid7), at: now)
        feed.receive(.controlPointWritten(nil), at: now)
        feed.receive(titleAnswer(uid7, "Ada"), at: now)
        for number in [3, 4] as [UInt32] {
            feed.receive(.controlPointWritten(nil), at: now)
            feed.receive(titleAnswer(NotificationUID(rawValue: number), "\(number)"), at: now)
        }
        let lines = feed.drain().deliveries.filter { $0[.title] != nil }.map(Self.line)
        #expect(lines == ["added 7 Ada", "completed 3 3", "completed 4 4"])
    }

    @Test("pre-existing notifications are delivered, announced only, or left out (R53, S21)")
    func preExisting() {
        for (policy, kept) in [
            (NotificationFeed.PreExistingPolicy.all, 0), (.headers, 1), (.none, 0),
        ] {
            var configuration = Self.titles
            configuration.preExisting = policy
            var feed = NotificationFeed.subscribed(configuration)
            feed.receive(announcement(.added, uid7, flags: [.preExisting]))
            let outputs = feed.drain()
            #expect(outputs.deliveries.count == kept)
            #expect(outputs.writes.count == (policy == .all ? 1 : 0))
            #expect(outputs.deliveries.allSatisfy { $0.isPreExisting && $0.failure == nil })
        }
    }

    @Test("a notification older than its session is pre-existing, even without the flag (S21)")
    func grace() throws {
        var configuration = NotificationFeed.Configuration(attributes: [.date])
        configuration.fetchesDisplayName = false
        configuration.preExistingGrace = .seconds(10)
        var feed = NotificationFeed.subscribed(configuration)
        feed.startDate = NotificationDate(Array("20261121T120000".utf8))
        let rows: [(Int64, String, Bool)] = [
            (9, "20261121T115959", true), (9, "20261121T120000", false), (9, "", false),
            (10, "20261120T120000", false),
        ]
        for (second, date, isPreExisting) in rows {
            feed.receive(announcement(.added, uid7), at: .seconds(second))
            feed.receive(.controlPointWritten(nil), at: .seconds(second))
            feed.receive(
                AttributeResponse(
                    identity: .notification(uid7), attributes: [AttributeValue(.date, date)]),
                at: .seconds(second))
            #expect(feed.drain().deliveries.map(\.isPreExisting) == [isPreExisting], "\(date)")
        }
    }

    @Test("the date of its start ends with the session")
    func startDate() {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.startDate = NotificationDate(Array("20261121T120000".utf8))
        feed.receive(.subscriptionRead(.dataSource, isSubscribed: false), at: .zero)
        #expect(feed.drain().contains(.report(.renewing(.unsubscribed))))
        #expect(feed.startDate == nil)
    }
}
