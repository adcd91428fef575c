import Octets
import Testing

@testable import ANCS

@Suite("Queued requests")
struct RequestQueueTests {
    @Test("an app's name is fetched once for all requests, and then cached for the session (R56)")
    func appCache() throws {
        let app = try AppIdentifier("com.example")
        let answer = nameAnswer(app, "Example")
        var session = ConsumerSession.subscribed()
        let blocker = try session.fetchTitle(uid7)
        let waiting = [
            try session.fetchDisplayName(of: app, at: .zero),
            try session.fetchDisplayName(of: app, at: .zero),
        ]
        session.receive(.controlPointWritten(nil), at: .zero)
        session.receive(titleAnswer(uid7, "Ada"))
        let inFlight = try session.fetchDisplayName(of: app, at: .zero)
        session.receive(.controlPointWritten(nil), at: .zero)
        session.receive(answer)
        let later = try session.fetchDisplayName(of: app, at: .seconds(10_000))
        let command = GetAppAttributes(displayNameOf: app)
        #expect(
            session.drain() == [
                .link(.writeControlPoint(try titleCommand(uid7))),
                .report(.authorizationChanged(.authorized)),
                .completed(blocker, .answered(titleAnswer(uid7, "Ada"))),
                .link(.writeControlPoint(command.octets)),
                .completed(waiting[0], .answered(answer)),
                .completed(waiting[1], .answered(answer)),
                .completed(inFlight, .answered(answer)), .completed(later, .answered(answer)),
            ])
    }

    @Test("the name of an app without one is fetched again after a while (S23)")
    func unknownApp() throws {
        let app = try AppIdentifier("com.example")
        var session = ConsumerSession.subscribed()
        _ = try session.fetchDisplayName(of: app, at: .zero)
        session.receive(.controlPointWritten(.invalidParameter), at: .zero)
        _ = session.drain()
        let early = try session.fetchDisplayName(of: app, at: .seconds(29))
        #expect(
            session.drain() == [
                .completed(early, .failed(.refused(.invalidParameter), partial: []))
            ])
        _ = try session.fetchDisplayName(of: app, at: .seconds(30))
        #expect(
            session.drain() == [
                .link(.writeControlPoint(GetAppAttributes(displayNameOf: app).octets))
            ])
    }

    @Test("an answer about an app that is only a header means no name, soon (S23)")
    func headerOnly() throws {
        let app = try AppIdentifier("com.example")
        var session = ConsumerSession.subscribed()
        let request = try session.fetchDisplayName(of: app, at: .zero)
        session.receive(.controlPointWritten(nil), at: .zero)
        _ = session.drain()
        session.receive(nameAnswer(app, nil), at: .seconds(1))
        let end = MonotonicInstant.seconds(1) + .milliseconds(50)
        #expect(session.nextDeadline == end)
        session.handleTimeout(at: end.advanced(nanoseconds: -1))
        #expect(session.drain().isEmpty)
        session.handleTimeout(at: end)
        #expect(session.drain() == [.completed(request, .answered(nameAnswer(app, nil)))])
    }

    @Test("the stored names of apps are bounded")
    func appCacheLimit() throws {
        var configuration = ConsumerSession.Configuration()
        configuration.maximumCachedApps = 2
        var session = ConsumerSession.subscribed(configuration)
        for number in 0..<3 {
            let app = try AppIdentifier("com.example\(number)")
            _ = try session.fetchDisplayName(of: app, at: .zero)
            session.receive(.controlPointWritten(nil), at: .zero)
            session.receive(nameAnswer(app, "Example"))
        }
        _ = session.drain()
        let kept = try session.fetchDisplayName(of: AppIdentifier("com.example2"), at: .zero)
        let answer = nameAnswer(try AppIdentifier("com.example2"), "Example")
        #expect(session.drain() == [.completed(kept, .answered(answer))])
        let forgotten = try AppIdentifier("com.example0")
        _ = try session.fetchDisplayName(of: forgotten, at: .zero)
        #expect(
            session.drain() == [
                .link(.writeControlPoint(GetAppAttributes(displayNameOf: forgotten).octets))
            ])
    }

    @Test("the oldest queued fetch makes room, never an action or the command in flight")
    func eviction() throws {
        var configuration = ConsumerSession.Configuration()
        configuration.maximumPendingRequests = 2
        var session = ConsumerSession.subscribed(configuration)
        _ = try session.fetchTitle(uid7)
        let action = try session.perform(.positive, on: uid7, at: .zero)
        let oldest = try session.fetchTitle(NotificationUID(rawValue: 20))
        _ = session.drain()
        let newer = try session.fetchTitle(NotificationUID(rawValue: 21))
        #expect(session.drain() == [.completed(oldest, .failed(.evicted, partial: []))])
        let second = try session.perform(.positive, on: uid8, at: .zero)
        #expect(session.drain() == [.completed(newer, .failed(.evicted, partial: []))])
        #expect(throws: ConsumerSession.UsageError.tooManyRequests) {
            try session.perform(.positive, on: uid8, at: .zero)
        }
        #expect(throws: ConsumerSession.UsageError.tooManyRequests) {
            try session.fetchTitle(uid8)
        }
        #expect(session.pendingRequestCount == 2)
        session.end(at: .zero)
        let ended = session.drain().compactMap { output -> RequestID? in
            guard case .completed(let request, _) = output else { return nil }
            return request
        }
        #expect(ended.dropFirst() == [action, second])
    }

    @Test(
        "actions are written before queued fetches, and end with the response to their write (R42)")
    func actionsFirst() throws {
        var session = ConsumerSession.subscribed()
        _ = try session.fetchTitle(uid7)
        _ = try session.fetchTitle(uid8)
        let action = try session.perform(.positive, on: uid7, at: .zero)
        _ = session.drain()
        session.receive(.controlPointWritten(nil), at: .zero)
        session.receive(titleAnswer(uid7, "Ada"))
        let command = PerformNotificationAction(notificationUID: uid7, actionID: .positive)
        #expect(session.drain().last == .link(.writeControlPoint(command.octets)))
        session.receive(.controlPointWritten(nil), at: .zero)
        #expect(
            session.drain() == [
                .completed(action, .performed), .link(.writeControlPoint(try titleCommand(uid8))),
            ])
    }

    @Test("a failed action ends its own request only (R60)")
    func actionFailed() throws {
        var session = ConsumerSession.subscribed()
        let action = try session.perform(.negative, on: uid7, at: .zero)
        _ = try session.fetchTitle(uid8)
        _ = session.drain()
        session.receive(.controlPointWritten(.actionFailed), at: .zero)
        #expect(
            session.drain() == [
                .report(.authorizationChanged(.authorized)),
                .completed(action, .failed(.refused(.actionFailed), partial: [])),
                .link(.writeControlPoint(try titleCommand(uid8))),
            ])
    }

    @Test("an action that the notification lacks is refused without a write (S29)")
    func unavailableAction() throws {
        var session = ConsumerSession.subscribed()
        session.receive(announcement(.added, uid7, flags: [.negativeAction]))
        _ = session.drain()
        #expect(throws: ConsumerSession.UsageError.actionUnavailable) {
            try session.perform(.positive, on: uid7, at: .zero)
        }
        #expect(throws: ConsumerSession.UsageError.actionUnavailable) {
            try session.perform(ActionID(rawValue: 2), on: uid7, at: .zero)
        }
        _ = try session.perform(.negative, on: uid7, at: .zero)
        #expect(session.drain().count == 1)
        session.receive(.controlPointWritten(nil), at: .zero)
        // A modified notification may have other actions.
        session.receive(announcement(.modified, uid7, flags: [.positiveAction]))
        _ = session.drain()
        _ = try session.perform(.positive, on: uid7, at: .zero)
        #expect(session.drain().count == 1)
    }

    @Test("a removal ends the notification's queued requests before it is reported")
    func removedWhileWaiting() throws {
        var session = ConsumerSession.subscribed()
        let other = try session.fetchTitle(uid8)
        let fetch = try session.fetchTitle(uid7)
        let action = try session.perform(.positive, on: uid7, at: .zero)
        _ = session.drain()
        let removal = announcement(.removed, uid7)
        session.receive(removal)
        #expect(
            session.drain() == [
                .completed(action, .failed(.removed, partial: [])),
                .completed(fetch, .failed(.removed, partial: [])), .event(removal),
            ])
        session.receive(.controlPointWritten(nil), at: .zero)
        session.receive(titleAnswer(uid8, "Ada"))
        #expect(session.drain().last == .completed(other, .answered(titleAnswer(uid8, "Ada"))))
    }

    @Test("a notification removed in flight ends its fetch; its answer is dropped")
    func removedInFlight() throws {
        for isWritten in [false, true] {
            var session = ConsumerSession.subscribed()
            let request = try session.fetchTitle(uid7)
            let next = try session.fetchTitle(uid8)
            if isWritten { session.receive(.controlPointWritten(nil), at: .zero) }
            _ = session.drain()
            session.receive(announcement(.removed, uid7))
            let outputs = session.drain()
            #expect(outputs.first == .completed(request, .failed(.removed, partial: [])))
            // A second write waits for the response to the first.
            #expect(
                outputs.contains(.link(.writeControlPoint(try titleCommand(uid8)))) == isWritten)
            session.receive(.controlPointWritten(nil), at: .zero)
            if !isWritten { session.receive(.controlPointWritten(nil), at: .zero) }
            session.receive(titleAnswer(uid7, "late"))
            session.receive(titleAnswer(uid8, "Ada"))
            #expect(session.drain().last == .completed(next, .answered(titleAnswer(uid8, "Ada"))))
        }
    }

    @Test("an action may remove its notification before its write is answered")
    func actionRemoves() throws {
        var session = ConsumerSession.subscribed()
        session.receive(announcement(.added, uid7))
        let action = try session.perform(.positive, on: uid7, at: .zero)
        _ = session.drain()
        let removal = announcement(.removed, uid7)
        session.receive(removal)
        #expect(session.drain() == [.event(removal)])
        session.receive(.controlPointWritten(nil), at: .zero)
        #expect(
            session.drain() == [
                .report(.authorizationChanged(.authorized)), .completed(action, .performed),
            ])
    }

    @Test("equal queued fetches share a command; the one in flight is not joined")
    func coalescing() throws {
        var session = ConsumerSession.subscribed()
        let first = try session.fetchTitle(uid7)
        let second = try session.fetchTitle(uid7)
        let third = try session.fetchTitle(uid7)
        session.receive(.controlPointWritten(nil), at: .zero)
        session.receive(titleAnswer(uid7, "old"))
        session.receive(.controlPointWritten(nil), at: .zero)
        session.receive(titleAnswer(uid7, "new"))
        #expect(
            session.drain() == [
                .link(.writeControlPoint(try titleCommand(uid7))),
                .report(.authorizationChanged(.authorized)),
                .completed(first, .answered(titleAnswer(uid7, "old"))),
                .link(.writeControlPoint(try titleCommand(uid7))),
                .completed(second, .answered(titleAnswer(uid7, "new"))),
                .completed(third, .answered(titleAnswer(uid7, "new"))),
            ])
    }
}
