import Octets
import Testing

@testable import ANCS

/// A phone that says whatever it likes. Whatever that is, the feed has done its part after a number of
/// steps that depends on what waits alone, and then waits for the phone or the clock.
@Suite("A hostile phone")
struct HostilePhoneTests {
    @Test("an answer that takes back the app leaves no name to ask for")
    func appTakenBack() {
        var feed = NotificationFeed.subscribed(
            NotificationFeed.Configuration(attributes: [.appIdentifier]))
        let uid = NotificationUID(rawValue: 0)
        feed.receive(announcement(.added, uid))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(Phone.answer(uid, app: "com.example"))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.handleTimeout(at: .seconds(3))
        #expect(feed.drain().deliveries.map(\.displayNameFailure) == [.timedOut])
        feed.receive(Phone.answer(uid, app: ""), at: .seconds(4))
        let completed = feed.drain().deliveries
        #expect(completed.map { $0[.appIdentifier]?.text } == [""])
        #expect(completed.allSatisfy { $0.displayName == nil && $0.displayNameFailure == nil })
        #expect(feed.nextDeadline == nil)
        feed.handleTimeout(at: .seconds(60))
        #expect(feed.drain().isEmpty)
    }

    @Test("an answer that names another app has the name of that one asked for")
    func appExchanged() throws {
        var feed = NotificationFeed.subscribed(
            NotificationFeed.Configuration(attributes: [.appIdentifier]))
        let other = try AppIdentifier("com.other")
        feed.receive(announcement(.added, uid8))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(Phone.answer(uid8, app: "com.example"))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(nameAnswer(try AppIdentifier("com.example"), "Example"))
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(Phone.answer(uid7, app: "com.example"))
        let named = feed.drain().deliveries
        #expect(named.map { $0.displayName?.text } == ["Example", "Example"])
        feed.receive(Phone.answer(uid7, app: "com.other"), at: .seconds(1))
        let outputs = feed.drain()
        #expect(outputs.deliveries.map { $0[.appIdentifier]?.text } == ["com.other"])
        #expect(outputs.deliveries.map(\.displayName) == [nil])
        #expect(outputs.writes == [GetAppAttributes(displayNameOf: other).octets])
        feed.receive(.controlPointWritten(nil), at: .seconds(1))
        feed.receive(nameAnswer(other, "Other"), at: .seconds(1))
        #expect(feed.drain().deliveries.map { $0.displayName?.text } == ["Other"])
    }

    @Test("a name that comes after its app was taken back or exchanged is not taken for another's")
    func appExchangedMeanwhile() throws {
        for app in ["", "com.other"] {
            var feed = NotificationFeed.subscribed(
                NotificationFeed.Configuration(attributes: [.appIdentifier]))
            feed.receive(announcement(.added, uid7))
            feed.receive(.controlPointWritten(nil), at: .zero)
            feed.receive(Phone.answer(uid7, app: "com.example"))
            feed.receive(.controlPointWritten(nil), at: .zero)
            feed.receive(Phone.answer(uid7, app: app), at: .seconds(1))
            feed.receive(nameAnswer(try AppIdentifier("com.example"), "Example"), at: .seconds(2))
            let delivered = feed.drain().deliveries
            #expect(delivered.map { $0[.appIdentifier]?.text } == [app])
            #expect(delivered.map(\.displayName) == [nil])
        }
    }

    @Test(
        "each input is done with after a number of steps that is bounded by what waits",
        arguments: 1...200 as ClosedRange<UInt64>)
    func drip(_ seed: UInt64) {
        var phone = Phone(seed: seed)
        var feed = NotificationFeed(configuration: phone.configuration())
        feed.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: .zero)
        feed.receive(.subscribed(.dataSource), at: .zero)
        feed.receive(.subscribed(.notificationSource), at: .zero)
        var now = MonotonicInstant.zero
        for number in 0..<400 {
            let deadline = feed.nextDeadline
            now = phone.moment(after: now, deadline)
            let isTimeout = deadline.map { $0 <= now } ?? false
            if isTimeout {
                feed.wake(at: now)
            } else {
                phone.act(on: &feed.session, at: now)
            }
            let isDone = Self.isDone(&feed, at: now)
            phone.answer(feed.drain(), in: &feed.session, at: now)
            guard isDone, Self.isDone(&feed, at: now) else {
                Issue.record("seed \(seed), input \(number) is never done with")
                return
            }
            if isTimeout, let next = feed.nextDeadline {
                #expect(next > now, "seed \(seed), input \(number): the clock stands still")
            }
        }
    }

    /// Drains the session; whether that takes no more steps than what waits can make necessary.
    private static func isDone(_ feed: inout NotificationFeed, at now: MonotonicInstant) -> Bool {
        let waiting = feed.pendingNotificationCount + feed.incomplete.count
        var steps = 32 + 8 * waiting
        feed.beginDrain()
        while feed.drainStep(at: now) {
            steps -= 1
            guard steps > 0 else { return false }
        }
        return true
    }
}

/// What the phone does, drawn from a seed.
private struct Phone {
    private static let apps = [
        "", "a", "b", "com.example", "a\0b", String(repeating: "x", count: 200),
    ]
    private static let errors: [UInt8] = [
        0x01, 0x03, 0x05, 0x08, 0x0E, 0x0F, 0xA0, 0xA1, 0xA2, 0xA3,
    ]

    private var generator: SeededGenerator
    private var pending: [UInt8] = []

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    static func answer(_ uid: NotificationUID, app: String) -> AttributeResponse {
        AttributeResponse(
            identity: .notification(uid), attributes: [AttributeValue(.appIdentifier, app)])
    }

    /// Small limits, so that they are reached.
    mutating func configuration() -> NotificationFeed.Configuration {
        var configuration = NotificationFeed.Configuration(
            attributes: chance(2) ? [.appIdentifier] : [.appIdentifier, .title])
        configuration.maximumIncompleteNotifications = int(0, 6)
        configuration.maximumPendingNotifications = int(1, 6)
        configuration.fetchesDisplayName = !chance(8)
        configuration.session.maximumPendingRequests = int(1, 4)
        configuration.session.maximumCachedApps = int(1, 4)
        configuration.session.maximumLateAnswers = int(0, 3)
        if chance(2) { configuration.session.probing = ConsumerSession.Probing() }
        return configuration
    }

    /// Soon, or when the consumer waits for the clock.
    mutating func moment(
        after now: MonotonicInstant, _ deadline: MonotonicInstant?
    ) -> MonotonicInstant {
        if let deadline, chance(5) { return max(now, deadline) }
        return now + .milliseconds(int(0, 400))
    }

    /// One thing happens to the session.
    mutating func act(on session: inout ConsumerSession, at now: MonotonicInstant) {
        let uid = NotificationUID(rawValue: UInt32(int(0, 3)))
        switch int(0, 13) {
        case 0...3:
            let event = EventID(rawValue: UInt8(int(0, 2)))
            session.receive(announcement(event, uid), at: now)
        case 4, 5: session.receive(.controlPointWritten(nil), at: now)
        case 6: session.receive(.controlPointWritten(error()), at: now)
        case 7, 8: receive(notification(uid), in: &session, at: now)
        case 9, 10: receive(name(), in: &session, at: now)
        case 11: _ = try? session.fetch([.title], of: uid, at: now)
        case 12: _ = try? session.perform(.positive, on: uid, at: now)
        default:
            session.receive(
                .subscriptionRead(.notificationSource, isSubscribed: !chance(8)), at: now)
        }
    }

    /// What was asked for is answered more often than not, so that something goes on.
    mutating func answer(
        _ outputs: [NotificationFeed.Output], in session: inout ConsumerSession,
        at now: MonotonicInstant
    ) {
        for output in outputs {
            switch output {
            case .link(.writeControlPoint) where chance(2):
                session.receive(.controlPointWritten(chance(4) ? error() : nil), at: now)
            case .link(.subscribe(let characteristic)):
                session.receive(.subscribed(characteristic), at: now)
            case .link(.unsubscribe(let characteristic)):
                session.receive(.unsubscribed(characteristic), at: now)
            default: break
            }
        }
    }

    private mutating func error() -> ControlPointError {
        ControlPointError(rawValue: Self.errors.randomElement(using: &generator) ?? 0)
    }

    private mutating func notification(_ uid: NotificationUID) -> AttributeResponse {
        let app = Self.apps.randomElement(using: &generator) ?? ""
        var response = Self.answer(uid, app: app)
        response.attributes.append(AttributeValue(.title, "\(int(0, 2))"))
        if chance(8) { response.attributes.removeFirst() }
        return response
    }

    private mutating func name() -> AttributeResponse {
        let app = Self.apps.randomElement(using: &generator) ?? ""
        let identifier = AppIdentifier(received: Array(app.utf8))
        return nameAnswer(identifier, chance(3) ? nil : "Name \(int(0, 2))")
    }

    /// In pieces, the last of which may come with the next answer.
    private mutating func receive(
        _ response: AttributeResponse, in session: inout ConsumerSession, at now: MonotonicInstant
    ) {
        pending += response.octets
        while !pending.isEmpty {
            let count = min(pending.count, int(1, 40))
            session.receive(.dataSource(Array(pending.prefix(count))), at: now)
            pending.removeFirst(count)
            if chance(10) { return }
        }
    }

    private mutating func int(_ first: Int, _ last: Int) -> Int {
        Int.random(in: first...last, using: &generator)
    }

    /// Once in so many times.
    private mutating func chance(_ times: Int) -> Bool { int(1, times) == 1 }
}
