public import Octets

// MARK: - Requests

extension ConsumerSession {
    /// Fetches attributes of a notification. Throws if the session has not started, or if the list is empty
    /// or too long.
    public mutating func fetch(
        _ attributes: [NotificationAttributeRequest], of uid: NotificationUID,
        at now: MonotonicInstant
    ) throws(UsageError) -> RequestID {
        let command: GetNotificationAttributes
        do throws(ControlPointCommand.UsageError) {
            command = try GetNotificationAttributes(notificationUID: uid, attributes: attributes)
        } catch { throw .invalidCommand(error) }
        return try fetch(WrittenCommand(command), at: now)
    }

    /// Fetches the display name of an app. It is fetched once in a session and then answered from the cache
    /// (R56). Throws if the session has not started.
    public mutating func fetchDisplayName(
        of app: AppIdentifier, at now: MonotonicInstant
    ) throws(UsageError) -> RequestID {
        if let known = knownDisplayName(of: app, at: now) {
            let request = try makeRequest()
            outputs.append(.completed(request, known))
            return request
        }
        return try fetch(WrittenCommand(GetAppAttributes(displayNameOf: app)), at: now)
    }

    /// How the last request for an app's name ended, unless it is time to ask again.
    func knownDisplayName(of app: AppIdentifier, at now: MonotonicInstant) -> RequestOutcome? {
        guard let known = knowledge.apps[app] else { return nil }
        if let expiry = known.expiry, now >= expiry { return nil }
        return known.outcome
    }

    /// Performs an action. Call it only on behalf of a person (R48). Throws if the session has not started,
    /// or if it is known that the action is impossible.
    public mutating func perform(
        _ action: ActionID, on uid: NotificationUID, at now: MonotonicInstant
    ) throws(UsageError) -> RequestID {
        let request = try makeRequest()
        guard let flag = action.flag else { throw .actionUnavailable }
        if let fault = knowledge.notifications[uid]?.fault(of: flag) { throw fault }
        guard service.hasControlPoint else {
            outputs.append(.completed(request, .failed(.contentUnavailable, partial: [])))
            return request
        }
        let command = PerformNotificationAction(notificationUID: uid, actionID: action)
        guard transactions.perform(WrittenCommand(command), for: request, at: now) else {
            throw .tooManyRequests
        }
        drainTransactions(at: now)
        return request
    }

    private mutating func fetch(
        _ command: WrittenCommand, at now: MonotonicInstant
    ) throws(UsageError) -> RequestID {
        let request = try makeRequest()
        guard service.hasContent else {
            outputs.append(.completed(request, .failed(.contentUnavailable, partial: [])))
            return request
        }
        guard transactions.fetch(command, for: request, at: now) else { throw .tooManyRequests }
        drainTransactions(at: now)
        return request
    }

    private mutating func makeRequest() throws(UsageError) -> RequestID {
        guard state.takesRequests else { throw .notStarted }
        lastRequest += 1
        return RequestID(rawValue: lastRequest)
    }
}

// MARK: - Outcomes

// Each of these functions is called once or twice; inlining them into each other would double the code size.
extension ConsumerSession {
    mutating func drainTransactions(at now: MonotonicInstant) {
        while let output = transactions.pollOutput() {
            switch output {
            case .write(let value): outputs.append(.link(.writeControlPoint(value)))
            case .writeAnswered(let error):
                watch.writeAnswered(error, at: now)
                follow(nil, at: now)
            case .answering:
                watch.answerBegun()
                follow(nil, at: now)
            case .unanswered(let command, let isWritten):
                unanswered(command, isWritten: isWritten, at: now)
            case .mute: follow(watch.isMute(), at: now)
            case .ended(let transaction, let outcome): ended(transaction, outcome, at: now)
            case .superseded(let requests, let response): superseded(requests, response, at: now)
            case .late(let response):
                if case .app(let app) = response.identity {
                    remember(.answered(response), of: app, at: now)
                }
            }
        }
        watch.setAsking(!transactions.isIdle, at: now)
    }

    @inline(never) private mutating func ended(
        _ transaction: ControlPointTransaction, _ outcome: RequestOutcome, at now: MonotonicInstant
    ) {
        let command = transaction.command
        switch command.identity {
        case .app(let app): remember(outcome, of: app, at: now)
        case .notification(let uid):
            if let action = command.actionID { remember(outcome, of: action, on: uid) }
        }
        for request in transaction.requests where request != .probe {
            outputs.append(.completed(request, outcome))
        }
    }

    @inline(never) private mutating func superseded(
        _ requests: [RequestID], _ response: AttributeResponse, at now: MonotonicInstant
    ) {
        if case .app(let app) = response.identity {
            remember(.answered(response), of: app, at: now)
        }
        for request in requests where request != .probe {
            outputs.append(.superseded(request, response))
        }
    }

    /// Some phones never answer for an app's name, and a phone may rightly ignore a question about a
    /// notification that does not exist. Neither shows that the provider is silent.
    @inline(never) private mutating func unanswered(
        _ command: WrittenCommand, isWritten: Bool, at now: MonotonicInstant
    ) {
        if isWritten {
            guard command.commandID == .getNotificationAttributes, command.notificationUID != .probe
            else { return }
            knowledge.unansweredUID = command.notificationUID
        }
        follow(watch.unanswered(isWritten: isWritten, at: now), at: now)
    }

    /// Reports what the watch has found since the last call, and carries out its action.
    mutating func follow(_ action: SessionWatch.Action?, at now: MonotonicInstant) {
        if watch.authorization != reported.authorization {
            reported.authorization = watch.authorization
            outputs.append(.report(.authorizationChanged(watch.authorization)))
        }
        if watch.liveness != reported.liveness {
            reported.liveness = watch.liveness
            outputs.append(.report(.livenessChanged(watch.liveness)))
        }
        switch action {
        case .probe: ask(at: now)
        case .readDataSource:
            guard case .active = state else { return }
            outputs.append(.link(.readSubscription(.dataSource)))
        case .renew(let reason): renew(reason, at: now)
        case nil: break
        }
    }

    /// Probes the provider and reads whether its subscriptions stand, unless a request is pending, which would
    /// have to wait. Without a Data Source no answer could arrive (S25).
    private mutating func ask(at now: MonotonicInstant) {
        guard case .active = state, transactions.isIdle else { return }
        let hasContent = service.hasContent
        if watch.authorization == .authorized || !hasContent { readSubscriptions() }
        guard hasContent else { return }
        let question = GetNotificationAttributes(decoded: probedUID, attributes: [.appIdentifier])
        _ = transactions.fetch(WrittenCommand(question), for: .probe, at: now)
        drainTransactions(at: now)
    }

    /// A refusal is enough to show that the Control Point works. If the Data Source is in doubt, the probe
    /// asks about something that has an answer.
    private var probedUID: NotificationUID {
        guard watch.doubtsDataSource, let uid = knowledge.unansweredUID,
            knowledge.notifications[uid] != nil
        else { return .probe }
        return uid
    }

    private mutating func readSubscriptions() {
        outputs.append(.link(.readSubscription(.notificationSource)))
        if service.hasContent { outputs.append(.link(.readSubscription(.dataSource))) }
    }

    @inline(never) private mutating func remember(
        _ outcome: RequestOutcome, of action: ActionID, on uid: NotificationUID
    ) {
        guard var known = knowledge.notifications[uid] else { return }
        switch outcome {
        case .performed:
            guard let flag = action.flag else { return }
            known.performed.insert(flag)
        case .failed(.refused(.invalidParameter), _): known.isGone = true
        case .answered, .failed: return
        }
        knowledge.notifications.set(known, for: uid)
    }

    /// A name is kept for the session, an empty one too; the absence of one is kept for a while (S23).
    @inline(never) private mutating func remember(
        _ outcome: RequestOutcome, of app: AppIdentifier, at now: MonotonicInstant
    ) {
        let expiry: MonotonicInstant?
        switch outcome {
        case .answered(let response) where response[AppAttributeID.displayName] != nil: expiry = nil
        case .failed(.refused(let error), _) where error.isAuthorization: return
        case .failed(.sessionEnded, _), .failed(.evicted, _): return
        case .answered, .performed, .failed: expiry = now + configuration.appRetryInterval
        }
        guard state.takesRequests else { return }
        knowledge.apps.set(CachedApp(outcome: outcome, expiry: expiry), for: app)
    }
}
