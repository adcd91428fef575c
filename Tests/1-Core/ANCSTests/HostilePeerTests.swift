import Octets
import Testing

@testable import ANCS

@Suite("A hostile peer")
struct HostilePeerTests {
    @Test(
        "random values never trap, memory stays bounded, each request ends once",
        arguments: 1...12 as ClosedRange<UInt64>)
    func session(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var configuration = ConsumerSession.Configuration()
        configuration.maximumPendingRequests = 8
        configuration.maximumNotifications = 8
        configuration.maximumCachedApps = 4
        configuration.responseLimits = ResponseLimits(maximumValueOctets: 16, maximumOctets: 256)
        var session = ConsumerSession.subscribed(configuration)
        var now = MonotonicInstant.zero
        var open: Set<RequestID> = []
        for _ in 0..<4000 {
            now = now + .milliseconds(Int.random(in: 0...500, using: &generator))
            if let request = try Self.input(to: &session, at: now, using: &generator) {
                #expect(open.insert(request).inserted)
            }
            #expect(session.pendingRequestCount <= 8)
            for case .completed(let request, _) in session.drain() {
                #expect(open.remove(request) != nil, "seed \(seed): \(request) ended twice")
            }
        }
        session.end(at: now)
        for case .completed(let request, _) in session.drain() {
            #expect(open.remove(request) != nil, "seed \(seed): \(request) ended twice")
        }
        #expect(open.isEmpty, "seed \(seed): \(open.count) requests never ended")
    }

    /// One thing happens; the request, if it was one.
    private static func input(
        to session: inout ConsumerSession, at now: MonotonicInstant,
        using generator: inout SeededGenerator
    ) throws -> RequestID? {
        let uid = NotificationUID(rawValue: UInt32.random(in: 0...3, using: &generator))
        switch Int.random(in: 0...9, using: &generator) {
        case 0:
            return try? session.fetch([.title, .date], of: uid, at: now)
        case 1:
            return try? session.fetchDisplayName(of: AppIdentifier("a\(uid)"), at: now)
        case 2:
            return try? session.perform(.positive, on: uid, at: now)
        case 3:
            let refusal = ControlPointError(rawValue: UInt8.random(in: 0...255, using: &generator))
            session.receive(
                .controlPointWritten(Bool.random(using: &generator) ? refusal : nil), at: now)
        case 4:
            let event = EventID(rawValue: UInt8.random(in: 0...3, using: &generator))
            session.receive(announcement(event, uid), at: now)
        case 5:
            let count = Int.random(in: 0...9, using: &generator)
            session.receive(.notificationSource(generator.octets(count)), at: now)
        case 6:
            let count = Int.random(in: 0...40, using: &generator)
            session.receive(.dataSource(generator.octets(count)), at: now)
        case 7:
            let size = Int.random(in: 1...20, using: &generator)
            let date = AttributeValue(.date, "20261121T093000")
            var answer = titleAnswer(uid, "title")
            if Bool.random(using: &generator) { answer.attributes.append(date) }
            session.receive(answer, at: now, fragments: size)
        case 8:
            session.receive(nameAnswer(try AppIdentifier("a\(uid)"), "name"), at: now)
        default:
            session.handleTimeout(at: now)
        }
        return nil
    }

    @Test(
        "random announcements and answers are each delivered once, under any fault",
        arguments: 1...8 as ClosedRange<UInt64>)
    func feed(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var configuration = NotificationFeed.Configuration(attributes: [.appIdentifier, .title])
        configuration.maximumPendingNotifications = 20
        var feed = NotificationFeed.subscribed(configuration)
        var now = MonotonicInstant.zero
        var announced: [NotificationSourceValue: Int] = [:]
        var delivered: [NotificationSourceValue: Int] = [:]
        var live: Set<NotificationUID> = []
        for _ in 0..<3000 {
            now = now + .milliseconds(Int.random(in: 0...900, using: &generator))
            switch Int.random(in: 0...4, using: &generator) {
            case 0:
                let uid = NotificationUID(rawValue: UInt32.random(in: 0...5, using: &generator))
                let event = EventID(rawValue: UInt8.random(in: 0...2, using: &generator))
                // What is there already was modified (R19).
                let told = event == .added && live.contains(uid) ? .modified : event
                announced[announcement(told, uid), default: 0] += 1
                if event == .removed { live.remove(uid) } else { live.insert(uid) }
                feed.receive(announcement(event, uid), at: now)
            case 1:
                feed.receive(
                    .controlPointWritten(Bool.random(using: &generator) ? .invalidParameter : nil),
                    at: now)
            case 2:
                let count = Int.random(in: 0...40, using: &generator)
                feed.receive(.dataSource(generator.octets(count)), at: now)
            case 3:
                let uid = NotificationUID(rawValue: UInt32.random(in: 0...5, using: &generator))
                let app = AttributeValue(.appIdentifier, "com.example")
                let title = AttributeValue(.title, "title")
                feed.receive(
                    AttributeResponse(identity: .notification(uid), attributes: [app, title]),
                    at: now)
            default:
                feed.handleTimeout(at: now)
            }
            #expect(feed.pendingNotificationCount <= 2 * 20)
            for delivery in feed.drain().deliveries where !delivery.isCompletion {
                delivered[delivery.source, default: 0] += 1
            }
        }
        // The phone falls silent: what waits is delivered as its deadlines pass.
        while let deadline = feed.nextDeadline {
            feed.handleTimeout(at: deadline)
            for delivery in feed.drain().deliveries where !delivery.isCompletion {
                delivered[delivery.source, default: 0] += 1
            }
        }
        let isDeliveredOnce = announced == delivered
        #expect(isDeliveredOnce, "seed \(seed)")
    }

    @Test("a long value that comes octet by octet costs no more than its length")
    func dripFeed() throws {
        var session = ConsumerSession.subscribed()
        let request = try session.fetchTitle(uid7)
        session.receive(.controlPointWritten(nil), at: .zero)
        _ = session.drain()
        let answer = titleAnswer(uid7, String(repeating: "a", count: 60_000))
        session.receive(answer, fragments: 1)
        #expect(session.drain() == [.completed(request, .answered(answer))])
    }
}
