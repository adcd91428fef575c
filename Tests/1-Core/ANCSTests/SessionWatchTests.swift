import Octets
import Testing

@testable import ANCS

private let probeCommand = GetNotificationAttributes(
    decoded: .probe, attributes: [.appIdentifier]
).octets

@Suite("A session that watches its provider")
struct SessionWatchTests {
    private static var probing: ConsumerSession.Configuration {
        var configuration = ConsumerSession.Configuration()
        configuration.probing = ConsumerSession.Probing()
        return configuration
    }

    private static func authorized() -> ConsumerSession {
        var session = ConsumerSession.subscribed(Self.probing)
        session.handleTimeout(at: .seconds(5))
        session.receive(.controlPointWritten(.invalidParameter), at: .seconds(5))
        _ = session.drain()
        return session
    }

    @Test(
        "a phone from which nothing comes is suspect before its link is ended, and then wedged",
        arguments: [ConsumerSession.Liveness.live, .suspect])
    func mute(_ before: ConsumerSession.Liveness) throws {
        var session = ConsumerSession.subscribed(Self.probing, liveness: before)
        _ = try session.fetchTitle(uid7)
        _ = try session.fetchTitle(NotificationUID(rawValue: 8))
        var changes: [(ConsumerSession.Liveness, MonotonicInstant)] = []
        while true {
            let deadline = session.nextDeadline
            // Where the bearer ends: Core Vol 3, Part F, 3.3.3.
            guard let deadline, deadline < .seconds(30) else { break }
            session.handleTimeout(at: deadline)
            for case .report(.livenessChanged(let liveness)) in session.drain() {
                changes.append((liveness, deadline))
            }
        }
        #expect(changes.map(\.0) == [before == .live ? .suspect : .wedged])
        #expect(changes.map(\.1) == [.seconds(25)])
    }

    @Test("a response to another command shows that the phone is not mute")
    func notMute() throws {
        var session = ConsumerSession.subscribed(Self.probing)
        _ = try session.fetchTitle(uid7)
        let other = NotificationUID(rawValue: 8)
        _ = try session.fetchTitle(other)
        session.handleTimeout(at: .seconds(10))
        session.receive(
            .controlPointWritten(try titleCommand(other), nil), at: .seconds(11))
        session.receive(titleAnswer(other, "Lunch?"), at: .seconds(11))
        session.handleTimeout(at: .seconds(25))
        #expect(session.liveness == .live)
    }

    @Test("no probe is sent unless configured")
    func off() {
        let session = ConsumerSession.subscribed()
        #expect(session.nextDeadline == nil)
    }

    @Test("a session without requests probes for consent, without fetching content (S1, S8)")
    func firstProbe() {
        var session = ConsumerSession.subscribed(Self.probing)
        #expect(session.nextDeadline == .seconds(5))
        session.handleTimeout(at: .seconds(5))
        #expect(session.drain() == [.link(.writeControlPoint(probeCommand))])
        session.receive(.controlPointWritten(.invalidParameter), at: .seconds(5))
        // The answer is the session's own, and no caller hears of it.
        #expect(session.drain() == [.report(.authorizationChanged(.authorized))])
        #expect(session.nextDeadline == .seconds(5 + 900))
    }

    @Test(
        "a provider that refuses is asked at growing intervals, until it answers (S1)",
        arguments: [0x03, 0x05, 0x08, 0x0F] as [UInt8])
    func refused(_ code: UInt8) throws {
        let error = ControlPointError(rawValue: code)
        var session = ConsumerSession.subscribed(Self.probing)
        let request = try session.fetchTitle(uid7)
        session.receive(.controlPointWritten(error), at: .zero)
        #expect(
            session.drain().dropFirst() == [
                .report(.authorizationChanged(.unauthorized(error))),
                .completed(request, .failed(.refused(error), partial: [])),
            ])
        var asked: [Int64] = []
        for _ in 1...7 {
            let deadline = session.nextDeadline
            let now = try #require(deadline)
            asked.append(now.nanoseconds / 1_000_000_000)
            session.handleTimeout(at: now)
            #expect(session.drain() == [.link(.writeControlPoint(probeCommand))])
            session.receive(.controlPointWritten(error), at: now)
            #expect(session.drain().isEmpty, "the state is told once")
        }
        #expect(asked == [5, 15, 35, 75, 135, 195, 255])
        let deadline = session.nextDeadline
        let now = try #require(deadline)
        session.handleTimeout(at: now)
        session.receive(.controlPointWritten(.invalidParameter), at: now)
        #expect(session.drain().last == .report(.authorizationChanged(.authorized)))
    }

    @Test(
        "a Control Point that is left alone is asked each quarter of an hour, and so are the subscriptions"
    )
    func liveness() {
        var session = Self.authorized()
        session.handleTimeout(at: .seconds(904))
        #expect(session.drain().isEmpty)
        for round in 1...3 as ClosedRange<Int64> {
            session.handleTimeout(at: .seconds(5 + 900 * round))
            #expect(
                session.drain() == [
                    .link(.readSubscription(.notificationSource)),
                    .link(.readSubscription(.dataSource)),
                    .link(.writeControlPoint(probeCommand)),
                ])
            session.receive(
                .subscriptionRead(.notificationSource, isSubscribed: true),
                at: .seconds(5 + 900 * round))
            session.receive(.controlPointWritten(.invalidParameter), at: .seconds(5 + 900 * round))
            #expect(session.drain().isEmpty)
        }
    }

    @Test("a probe whose silence renews the session ends without an outcome, as others do")
    func renewingProbe() {
        var session = ConsumerSession.subscribed(Self.probing)
        var outputs: [ConsumerSession.Output] = []
        while !outputs.contains(.report(.renewing(.unanswered))),
            let deadline = session.nextDeadline,
            deadline < .seconds(60)
        {
            session.handleTimeout(at: deadline)
            outputs += session.drain()
        }
        // No response came to the first one, so the second is the last.
        #expect(outputs.count { $0 == .link(.writeControlPoint(probeCommand)) } == 2)
        #expect(
            outputs.allSatisfy { output in
                if case .completed = output { false } else { true }
            })
    }

    @Test("a request defers the probe, and the probe is not queued behind others")
    func shared() throws {
        var session = Self.authorized()
        _ = try session.fetchTitle(uid7, at: .seconds(800))
        session.receive(.controlPointWritten(.invalidParameter), at: .seconds(800))
        _ = session.drain()
        #expect(session.nextDeadline == .seconds(800 + 900))
        _ = try session.fetchTitle(uid7, at: .seconds(1695))
        _ = session.drain()
        session.handleTimeout(at: .seconds(1700))
        #expect(!session.drain().contains(.link(.writeControlPoint(probeCommand))))
    }

    @Test("a subscription that the provider has dropped is renewed: off, then on (S20, S27)")
    func dropped() throws {
        var session = Self.authorized()
        session.receive(announcement(.added, uid7))
        let request = try session.fetchTitle(uid7, at: .seconds(10))
        _ = session.drain()
        session.receive(.subscriptionRead(.dataSource, isSubscribed: false), at: .seconds(10))
        #expect(
            session.drain() == [
                .completed(request, .failed(.sessionEnded, partial: [])),
                .report(.renewing(.unsubscribed)), .link(.unsubscribe(.notificationSource)),
            ])
        #expect(throws: ConsumerSession.UsageError.notStarted) {
            try session.fetchTitle(uid7, at: .seconds(10))
        }
        session.receive(.unsubscribed(.notificationSource), at: .seconds(11))
        #expect(session.drain() == [.link(.unsubscribe(.dataSource))])
        session.receive(.unsubscribed(.dataSource), at: .seconds(11))
        #expect(session.drain() == [.link(.subscribe(.dataSource))])
        session.receive(.subscribed(.dataSource), at: .seconds(11))
        session.receive(.subscribed(.notificationSource), at: .seconds(11))
        #expect(session.drain() == [.link(.subscribe(.notificationSource)), .report(.started)])
        // The answer to the old session's request is nobody's, that to the new one's is taken.
        let next = try session.fetchTitle(uid8, at: .seconds(12))
        session.receive(.controlPointWritten(nil), at: .seconds(12))
        session.receive(titleAnswer(uid7, "old"), at: .seconds(12))
        session.receive(.controlPointWritten(nil), at: .seconds(12))
        session.receive(titleAnswer(uid8, "new"), at: .seconds(12))
        #expect(session.drain().last == .completed(next, .answered(titleAnswer(uid8, "new"))))
    }

    @Test(
        "after each six hours without a value the Notification Source is subscribed to again (S27)"
    )
    func silence() {
        var session = Self.authorized()
        session.receive(announcement(.added, uid7), at: .seconds(100))
        _ = session.drain()
        var now: MonotonicInstant = .seconds(100)
        for _ in 1...2 {
            let silence = now + .seconds(6 * 3600)
            while let deadline = session.nextDeadline, deadline < silence {
                session.handleTimeout(at: deadline)
                session.receive(.controlPointWritten(.invalidParameter), at: deadline)
                #expect(!session.drain().contains(.report(.renewing(.silent))))
            }
            session.handleTimeout(at: silence)
            #expect(session.drain().contains(.report(.renewing(.silent))))
            session.receive(.unsubscribed(.notificationSource), at: silence)
            session.receive(.unsubscribed(.dataSource), at: silence)
            session.receive(.subscribed(.dataSource), at: silence)
            session.receive(.subscribed(.notificationSource), at: silence)
            #expect(session.drain().last == .report(.started))
            #expect(session.liveness == .live)
            now = silence
        }
    }

    /// A session that subscribes again after 180 s of silence.
    private static func impatient() -> ConsumerSession.Configuration {
        var configuration = ConsumerSession.Configuration()
        var probing = ConsumerSession.Probing()
        probing.silence = .seconds(180)
        configuration.probing = probing
        return configuration
    }

    @Test("while announcements wait for their answers, the clock of the silence stands still")
    func silenceOfAFetch() {
        var configuration = NotificationFeed.Configuration(attributes: [.title])
        configuration.fetchesDisplayName = false
        configuration.session = Self.impatient()
        var feed = NotificationFeed.subscribed(configuration)
        let uids = (1...60 as ClosedRange<UInt32>).map { NotificationUID(rawValue: $0) }
        for uid in uids { feed.receive(announcement(.added, uid, flags: [.preExisting])) }
        // Each answer takes nine seconds: nine minutes, in which nothing else is announced.
        var now = MonotonicInstant.zero
        let turns = uids.prefix(1) + uids.dropFirst().reversed()
        for uid in turns {
            feed.receive(.controlPointWritten(nil), at: now)
            now = now + .seconds(9)
            while let deadline = feed.nextDeadline, deadline < now {
                feed.handleTimeout(at: deadline)
            }
            feed.receive(titleAnswer(uid, "\(uid)"), at: now)
        }
        let outputs = feed.drain()
        #expect(outputs.deliveries.map { $0[.title]?.text } == turns.map { "\($0)" })
        #expect(!outputs.contains(.report(.renewing(.silent))))
        // It goes on where it stood.
        let silence = now + .seconds(180)
        feed.handleTimeout(at: silence.advanced(nanoseconds: -1))
        #expect(!feed.drain().contains(.report(.renewing(.silent))))
        feed.receive(.controlPointWritten(.invalidParameter), at: silence.advanced(nanoseconds: -1))
        feed.handleTimeout(at: silence)
        #expect(feed.drain().contains(.report(.renewing(.silent))))
    }

    @Test("questions that are answered do not end the silence of the Notification Source (S27)")
    func silenceBesideAnswers() throws {
        var session = ConsumerSession.subscribed(Self.impatient())
        session.receive(announcement(.added, uid7))
        // Every ten seconds somebody asks, and is answered two seconds later.
        var reasons: [ConsumerSession.RenewalReason] = []
        var renewed = MonotonicInstant.zero
        for second in stride(from: 10 as Int64, to: 400, by: 10) where reasons.isEmpty {
            while let deadline = session.nextDeadline, deadline <= .seconds(second) {
                session.handleTimeout(at: deadline)
                renewed = deadline
                for case .report(.renewing(let reason)) in session.drain() {
                    reasons.append(reason)
                }
                session.receive(.controlPointWritten(.invalidParameter), at: deadline)
            }
            guard reasons.isEmpty else { break }
            _ = try session.fetchTitle(uid7, at: .seconds(second))
            session.receive(.controlPointWritten(nil), at: .seconds(second + 1))
            session.receive(titleAnswer(uid7, "Ada"), at: .seconds(second + 2))
        }
        #expect(reasons == [.silent])
        // Eight of ten seconds count.
        #expect(renewed == .seconds(224))
    }

    @Test("a refusal does not postpone the next probe (S1)")
    func refusalBeforeProbe() throws {
        var session = ConsumerSession.subscribed(Self.probing)
        _ = try session.fetchTitle(uid7)
        session.receive(.controlPointWritten(.writeNotPermitted), at: .seconds(3))
        #expect(session.nextDeadline == .seconds(5))
    }

    @Test("an announcement begins the silence again, also while an answer is awaited (S27)")
    func announcementBeforeAnswer() throws {
        var session = ConsumerSession.subscribed(Self.impatient())
        _ = try session.fetchTitle(uid7, at: .seconds(1))
        session.receive(.controlPointWritten(nil), at: .seconds(2))
        session.receive(announcement(.added, uid8), at: .seconds(2))
        session.receive(titleAnswer(uid7, "Ada"), at: .seconds(3))
        #expect(session.nextDeadline == .seconds(3 + 180))
    }

    @Test("a doubted provider is probed at once")
    func doubted() {
        var session = Self.authorized()
        session.doubt(at: .seconds(10))
        #expect(session.nextDeadline == .seconds(10))
        session.handleTimeout(at: .seconds(10))
        #expect(session.drain().last == .link(.writeControlPoint(probeCommand)))
    }

    @Test("a phone that refuses is not silent: without consent no notification is announced (S1)")
    func silenceOfARefusal() throws {
        var session = Self.authorized()
        _ = try session.fetchTitle(uid7, at: .seconds(6))
        session.receive(.controlPointWritten(.writeNotPermitted), at: .seconds(6))
        _ = session.drain()
        session.handleTimeout(at: .seconds(6 * 3600 + 1))
        let outputs = session.drain()
        #expect(!outputs.contains(.report(.renewing(.silent))))
        #expect(session.liveness == .live)
    }

    @Test(
        "after three unanswered probes the Data Source is subscribed to again; after three more the phone is wedged"
    )
    func wedged() throws {
        var session = Self.authorized()
        for second in [0, 10] as [Int64] {
            try session.askInVain(uid7, at: .seconds(second))
            let outputs = session.drain()
            #expect(!outputs.contains(.report(.renewing(.unanswered))))
            // It may know that it has dropped the subscription; here it says that it has not.
            #expect(outputs.contains(.link(.readSubscription(.dataSource))) == (second == 0))
            session.receive(
                .subscriptionRead(.dataSource, isSubscribed: true), at: .seconds(second))
        }
        try session.askInVain(uid8, at: .seconds(20))
        let outputs = session.drain()
        #expect(outputs.contains(.report(.livenessChanged(.suspect))))
        #expect(outputs.contains(.report(.renewing(.unanswered))))
        session.receive(.unsubscribed(.notificationSource), at: .seconds(31))
        session.receive(.unsubscribed(.dataSource), at: .seconds(31))
        session.receive(.subscribed(.dataSource), at: .seconds(31))
        session.receive(.subscribed(.notificationSource), at: .seconds(31))
        _ = session.drain()
        // That the Control Point answers says nothing about the Data Source.
        for second in [40, 50, 60] as [Int64] {
            try session.askInVain(uid7, at: .seconds(second))
        }
        let wedged = session.drain()
        #expect(wedged.contains(.report(.livenessChanged(.wedged))))
        #expect(!wedged.contains(.report(.renewing(.unanswered))), "it has not helped")
        _ = try session.fetchTitle(uid7, at: .seconds(71))
        session.receive(.controlPointWritten(nil), at: .seconds(71))
        session.receive(titleAnswer(uid7, "Ada"), at: .seconds(71))
        #expect(session.drain().contains(.report(.livenessChanged(.live))))
    }

    @Test("after two missing answers the session sends a probe that must have an answer (S27)")
    func doubt() throws {
        var session = Self.authorized()
        session.receive(announcement(.added, uid7))
        for second in [10, 20] as [Int64] { try session.askInVain(uid7, at: .seconds(second)) }
        _ = session.drain()
        let question = GetNotificationAttributes(decoded: uid7, attributes: [.appIdentifier])
        session.handleTimeout(at: .seconds(35))
        #expect(session.drain().contains(.link(.writeControlPoint(question.octets))))
        session.receive(.controlPointWritten(nil), at: .seconds(35))
        session.handleTimeout(at: .seconds(45))
        #expect(session.drain().contains(.report(.renewing(.unanswered))))
    }

    @Test("a removed notification is not used for a probe (R19)")
    func doubtAboutNothing() throws {
        var session = Self.authorized()
        session.receive(announcement(.added, uid7))
        try session.askInVain(uid7, at: .seconds(10))
        session.receive(announcement(.removed, uid7))
        _ = session.drain()
        session.handleTimeout(at: .seconds(25))
        #expect(session.drain().contains(.link(.writeControlPoint(probeCommand))))
    }

    @Test("missing app names and empty answers do not count as silence (S23)")
    func habits() throws {
        var session = Self.authorized()
        for number in 1...5 as ClosedRange<Int64> {
            let app = try AppIdentifier("app\(number)")
            _ = try session.fetchDisplayName(of: app, at: .seconds(20 * number))
            session.receive(.controlPointWritten(nil), at: .seconds(20 * number))
            session.handleTimeout(at: .seconds(20 * number + 10))
        }
        #expect(session.liveness == .live)
        #expect(!session.drain().contains(.report(.renewing(.unanswered))))
    }

    @Test("a source that is silent on two links in a row is wedged")
    func wedgedAcrossLinks() throws {
        var session = ConsumerSession(configuration: Self.probing, liveness: .suspect)
        session.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: .zero)
        session.receive(.subscribed(.dataSource), at: .zero)
        session.receive(.subscribed(.notificationSource), at: .zero)
        for number in 1...3 as ClosedRange<UInt32> {
            _ = try session.fetchTitle(NotificationUID(rawValue: number), at: .zero)
        }
        for second in [10, 25] as [Int64] {
            #expect(session.liveness == .suspect)
            session.handleTimeout(at: .seconds(second))
        }
        #expect(session.drain().contains(.report(.livenessChanged(.wedged))))
        session.receive(.controlPointWritten(.writeNotPermitted), at: .seconds(45))
        #expect(session.drain().contains(.report(.livenessChanged(.live))), "who refuses answers")
    }

    @Test("accepting commands does not clear the silence of an earlier link")
    func acceptingAcrossLinks() throws {
        var session = ConsumerSession(configuration: Self.probing, liveness: .suspect)
        session.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: .zero)
        session.receive(.subscribed(.dataSource), at: .zero)
        session.receive(.subscribed(.notificationSource), at: .zero)
        for second in [0, 10, 20] as [Int64] { try session.askInVain(uid7, at: .seconds(second)) }
        let outputs = session.drain()
        #expect(outputs.contains(.report(.livenessChanged(.wedged))))
        #expect(!outputs.contains(.report(.renewing(.unanswered))), "it has not helped")
    }

    @Test(
        "a performed action is not repeated, and one on a removed notification not retried (S19)")
    func bookkeeping() throws {
        var session = ConsumerSession.subscribed()
        session.receive(announcement(.added, uid7, flags: [.positiveAction, .negativeAction]))
        _ = try session.perform(.positive, on: uid7, at: .zero)
        session.receive(.controlPointWritten(nil), at: .zero)
        #expect(throws: ConsumerSession.UsageError.alreadyPerformed) {
            try session.perform(.positive, on: uid7, at: .zero)
        }
        // Who answered a call may still hang up.
        _ = try session.perform(.negative, on: uid7, at: .zero)
        session.receive(.controlPointWritten(.actionFailed), at: .zero)
        _ = try session.perform(.negative, on: uid7, at: .zero)
        session.receive(.controlPointWritten(.invalidParameter), at: .zero)
        #expect(throws: ConsumerSession.UsageError.notificationGone) {
            try session.perform(.negative, on: uid7, at: .zero)
        }
        session.receive(announcement(.modified, uid7, flags: [.positiveAction]))
        _ = try session.perform(.positive, on: uid7, at: .zero)
    }
}

extension ConsumerSession {
    /// A command is accepted, and no answer follows.
    fileprivate mutating func askInVain(
        _ uid: NotificationUID, at now: MonotonicInstant
    ) throws {
        _ = try fetchTitle(uid, at: now)
        receive(.controlPointWritten(nil), at: now)
        handleTimeout(at: now + .seconds(10))
    }
}
