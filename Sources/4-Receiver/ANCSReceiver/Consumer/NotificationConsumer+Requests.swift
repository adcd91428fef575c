public import ANCS

// Requests to a phone. One command is on air at a time; each request ends once, with a result or an error.
extension NotificationConsumer {
    /// Fetches attributes of a notification (R24). The error contains the attributes that arrived before it.
    public func attributes(
        of uid: NotificationUID, _ attributes: [NotificationAttributeRequest], in session: SessionID
    ) async throws(RequestError) -> AttributeResponse {
        let response = try await request(in: session) {
            feed, now throws(ConsumerSession.UsageError) in
            try feed.fetch(attributes, of: uid, at: now)
        }
        return Self.answer(response)
    }

    /// Fetches the name of an app; within a session, only once (R56). `nil` if the phone answered without a
    /// name.
    public func displayName(
        of app: AppIdentifier, in session: SessionID
    ) async throws(RequestError) -> String? {
        let response = try await request(in: session) {
            feed, now throws(ConsumerSession.UsageError) in
            try feed.fetchDisplayName(of: app, at: now)
        }
        return Self.answer(response)[AppAttributeID.displayName]?.text
    }

    /// Performs an action on a notification. Call it only for the user (R48): the negative action of a
    /// ringing call declines it. Returns when the phone has accepted the action.
    public func perform(
        _ action: ActionID, on uid: NotificationUID, in session: SessionID
    ) async throws(RequestError) {
        do throws(RequestError) {
            _ = try await request(in: session) { feed, now throws(ConsumerSession.UsageError) in
                try feed.perform(action, on: uid, at: now)
            }
        } catch {
            throw error.code == .refused(.actionFailed) ? RequestError(.notPerformed) : error
        }
    }

    /// Performs an action on a notification, as long as the session in which it was received lasts: see
    /// ``perform(_:on:in:)``.
    public func perform(
        _ action: ActionID, on notification: ReceivedNotification
    ) async throws(RequestError) {
        try await perform(action, on: notification.uid, in: notification.session)
    }

    private static func answer(_ response: AttributeResponse?) -> AttributeResponse {
        guard let response else { preconditionFailure("a fetch ended as an action") }
        return response
    }

    /// Makes a request; returns the response or, for an action, `nil` (R42). Throws if it fails.
    private func request(
        in session: SessionID,
        _ start: (inout NotificationFeed, MonotonicInstant) throws(ConsumerSession.UsageError)
            -> RequestID
    ) async throws(RequestError) -> AttributeResponse? {
        guard let provider = self.provider(session.provider) else {
            throw RequestError(.notConnected)
        }
        // The next session may have another notification with the same UID (R51).
        guard provider.session == session else { throw RequestError(.sessionEnded) }
        // What comes of it is passed on when it is drained, and that is after the task waits.
        let ending: Result<RequestOutcome, RequestError> = await withCheckedContinuation { waiter in
            do throws(ConsumerSession.UsageError) {
                let request = try start(&provider.machines.feed, loop.now)
                provider.requests[request] = waiter
                drain(provider)
            } catch { waiter.resume(returning: .failure(RequestError(usage: error))) }
        }
        switch try ending.get() {
        case .answered(let response): return response
        case .performed: return nil
        case .failed(let failure, let partial):
            throw RequestError(failure: failure, partial: partial)
        }
    }
}
