public import ANCS
internal import LinuxIO
internal import Octets

// What a program asks a phone for. One command is on air at a time; each request ends once, with what was
// asked for or with an error.
extension NotificationConsumer {
    /// Fetches attributes of a notification (R24). The error has what came before it.
    public func attributes(
        of uid: NotificationUID, _ attributes: [NotificationAttributeRequest],
        in session: SessionID
    ) async throws(RequestError) -> AttributeResponse {
        let response = try await request(in: session) {
            feed, now throws(ConsumerSession.UsageError) in
            try feed.fetch(attributes, of: uid, at: now)
        }
        return Self.answer(response)
    }

    /// Fetches the name of an app, once for a session (R56). `nil` where the phone has an answer without
    /// a name.
    public func displayName(
        of app: AppIdentifier, in session: SessionID
    ) async throws(RequestError) -> String? {
        let response = try await request(in: session) {
            feed, now throws(ConsumerSession.UsageError) in
            try feed.fetchDisplayName(of: app, at: now)
        }
        return Self.answer(response)[AppAttributeID.displayName]?.text
    }

    /// Performs an action on a notification, on the user's behalf only (R48): the negative action of a
    /// ringing call hangs up. Returns when the phone has accepted it.
    public func perform(
        _ action: ActionID, on uid: NotificationUID, in session: SessionID
    ) async throws(RequestError) {
        _ = try await request(in: session) { feed, now throws(ConsumerSession.UsageError) in
            try feed.perform(action, on: uid, at: now)
        }
    }

    /// Performs an action on a notification, as long as the session lasts in which it was received: see
    /// ``perform(_:on:in:)``.
    public func perform(
        _ action: ActionID, on notification: ReceivedNotification
    ) async throws(RequestError) {
        try await perform(action, on: notification.uid, in: notification.session)
    }

    private static func answer(_ response: AttributeResponse?) -> AttributeResponse {
        guard let response else {
            preconditionFailure("a fetch ends with an answer or a failure")
        }
        return response
    }

    /// How a request ended that did not fail: with a response, or, as an action, without one (R42).
    private func request(
        in session: SessionID,
        _ start: (inout NotificationFeed, MonotonicInstant) throws(ConsumerSession.UsageError)
            -> RequestID
    ) async throws(RequestError) -> AttributeResponse? {
        guard let provider = providers[session.provider] else {
            throw RequestError(.notConnected)
        }
        // The next session may give another notification the same UID (R51).
        guard provider.session == session else { throw RequestError(.sessionEnded) }
        switch try await outcome(of: start, at: provider) {
        case .answered(let response): return response
        case .performed: return nil
        case .failed(let failure, let partial):
            throw RequestError(failure: failure, partial: partial)
        }
    }

    private func outcome(
        of start: (inout NotificationFeed, MonotonicInstant) throws(ConsumerSession.UsageError)
            -> RequestID,
        at provider: Provider
    ) async throws(RequestError) -> RequestOutcome {
        let request: RequestID
        do throws(ConsumerSession.UsageError) {
            request = try start(&provider.feed, loop.now)
        } catch { throw RequestError(usage: error) }
        return await withCheckedContinuation { continuation in
            // It may have ended since the actor was left.
            if let outcome = provider.outcomes.removeValue(forKey: request) {
                continuation.resume(returning: outcome)
            } else {
                provider.requests[request] = continuation
                drain(provider)
            }
        }
    }
}
