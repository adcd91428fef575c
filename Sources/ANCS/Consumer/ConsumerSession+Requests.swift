public import Octets

// MARK: - Requests

extension ConsumerSession {
    /// Asks for attributes of a notification; throws if the session has not started or the list is
    /// empty or too long.
    public mutating func fetch(
        _ attributes: [NotificationAttributeRequest], of uid: NotificationUID,
        at now: MonotonicInstant
    ) throws(UsageError) -> RequestID {
        let command: GetNotificationAttributes
        do throws(ControlPointCommand.UsageError) {
            command = try GetNotificationAttributes(notificationUID: uid, attributes: attributes)
        } catch {
            throw .invalidCommand(error)
        }
        return try fetch(.getNotificationAttributes(command), at: now)
    }

    /// Asks for the display name of an app, which is asked for once in a session (R56); throws if the
    /// session has not started.
    public mutating func fetchDisplayName(
        of app: AppIdentifier, at now: MonotonicInstant
    ) throws(UsageError) -> RequestID {
        if let known = knownDisplayName(of: app, at: now) {
            let (request, _) = try makeRequest()
            outputs.append(.completed(request, known))
            return request
        }
        return try fetch(.getAppAttributes(GetAppAttributes(displayNameOf: app)), at: now)
    }

    /// How the last request for the name of an app has ended, if it is not yet time for another one.
    func knownDisplayName(of app: AppIdentifier, at now: MonotonicInstant) -> RequestOutcome? {
        guard let known = state.knowledge?.apps[app], known.expiry.map({ now < $0 }) ?? true else {
            return nil
        }
        return known.outcome
    }

    /// Performs an action, on behalf of a person (R48); throws if the session has not started or if
    /// the notification is known not to have the action.
    public mutating func perform(
        _ action: ActionID, on uid: NotificationUID, at now: MonotonicInstant
    ) throws(UsageError) -> RequestID {
        let (request, service) = try makeRequest()
        guard let flag = action.flag else { throw .actionUnavailable }
        if let flags = state.knowledge?.notifications[uid], !flags.contains(flag) {
            throw .actionUnavailable
        }
        guard service.hasControlPoint else {
            outputs.append(.completed(request, .failed(.contentUnavailable, partial: [])))
            return request
        }
        let command = PerformNotificationAction(notificationUID: uid, actionID: action)
        guard transactions.perform(command, for: request, at: now) else { throw .tooManyRequests }
        drainTransactions(at: now)
        return request
    }

    private mutating func fetch(
        _ command: ControlPointCommand, at now: MonotonicInstant
    ) throws(UsageError) -> RequestID {
        let (request, service) = try makeRequest()
        guard service.hasContent else {
            outputs.append(.completed(request, .failed(.contentUnavailable, partial: [])))
            return request
        }
        guard transactions.fetch(command, for: request, at: now) else { throw .tooManyRequests }
        drainTransactions(at: now)
        return request
    }

    private mutating func makeRequest() throws(UsageError) -> (RequestID, Service) {
        guard let service = state.knowledge?.service else { throw .notStarted }
        lastRequest += 1
        return (RequestID(rawValue: lastRequest), service)
    }
}

// MARK: - Outcomes

extension ConsumerSession {
    mutating func drainTransactions(at now: MonotonicInstant) {
        while let output = transactions.pollOutput() {
            switch output {
            case .write(let value):
                outputs.append(.link(.writeControlPoint(value)))
            case .writeAnswered(let error):
                observe(at: now) { watch in
                    watch.writeAnswered(error, at: now)
                    return nil
                }
            case .answering:
                observe(at: now) { watch in
                    watch.answerBegun()
                    return nil
                }
            case .unanswered(let command, let isWritten):
                unanswered(command, isWritten: isWritten, at: now)
            case .ended(let command, let requests, let outcome):
                ended(command, requests, outcome, at: now)
            case .superseded(let requests, let response):
                superseded(requests, response, at: now)
            }
        }
        watch.setAsking(!transactions.isIdle, at: now)
    }

    private mutating func ended(
        _ command: ControlPointCommand, _ requests: [RequestID], _ outcome: RequestOutcome,
        at now: MonotonicInstant
    ) {
        switch command {
        case .getNotificationAttributes: break
        case .getAppAttributes(let command):
            remember(outcome, of: command.appIdentifier, at: now)
        case .performNotificationAction(let command): remember(outcome, of: command)
        }
        for request in requests where request != .probe {
            outputs.append(.completed(request, outcome))
        }
    }

    private mutating func superseded(
        _ requests: [RequestID], _ response: AttributeResponse, at now: MonotonicInstant
    ) {
        if case .app(let app) = response.identity {
            remember(.answered(response), of: app, at: now)
        }
        for request in requests where request != .probe {
            outputs.append(.superseded(request, response))
        }
    }

    /// That a phone does not tell an app's name is its habit, and that it has nothing to say about what
    /// does not exist is right; neither shows that it is silent.
    private mutating func unanswered(
        _ command: ControlPointCommand, isWritten: Bool, at now: MonotonicInstant
    ) {
        if isWritten {
            guard case .getNotificationAttributes(let command) = command,
                command.notificationUID != .probe
            else { return }
            state.know { $0.unansweredUID = command.notificationUID }
        }
        observe(at: now) { watch in watch.unanswered(isWritten: isWritten, at: now) }
    }

    /// Lets the watch know something, tells what has changed by it, and does what it wants.
    mutating func observe(
        at now: MonotonicInstant, _ body: (inout SessionWatch) -> SessionWatch.Action?
    ) {
        let (authorization, liveness) = (watch.authorization, watch.liveness)
        let action = body(&watch)
        if watch.authorization != authorization {
            outputs.append(.authorizationChanged(watch.authorization))
        }
        if watch.liveness != liveness { outputs.append(.livenessChanged(watch.liveness)) }
        switch action {
        case .probe: ask(at: now)
        case .readSubscriptions: readSubscriptions()
        case .renew(let reason): renew(reason, at: now)
        case nil: break
        }
    }

    /// Asks the provider whether it answers, unless a request does so anyway, and whether it still knows
    /// that it was subscribed to. Without a Data Source no answer could come (S25).
    private mutating func ask(at now: MonotonicInstant) {
        guard case .active(let knowledge) = state else { return }
        let hasContent = knowledge.service.hasContent
        if watch.authorization == .authorized || !hasContent { readSubscriptions() }
        guard hasContent, transactions.isIdle else { return }
        let question = GetNotificationAttributes(
            decoded: probedUID(knowledge), attributes: [.appIdentifier])
        _ = transactions.fetch(.getNotificationAttributes(question), for: .probe, at: now)
        drainTransactions(at: now)
    }

    /// A refusal shows that the Control Point lives. Where the Data Source is in doubt, the question is
    /// about something that has an answer.
    private func probedUID(_ knowledge: Knowledge) -> NotificationUID {
        guard watch.doubtsDataSource, let uid = knowledge.unansweredUID,
            knowledge.notifications[uid] != nil
        else { return .probe }
        return uid
    }

    private mutating func readSubscriptions() {
        guard case .active(let knowledge) = state else { return }
        outputs.append(.link(.readSubscription(.notificationSource)))
        if knowledge.service.hasContent {
            outputs.append(.link(.readSubscription(.dataSource)))
        }
    }

    /// The provider does not say again what an action has done, and a notification that is not there
    /// has no actions (S19): a second tap must not reach what a first one has changed.
    private mutating func remember(
        _ outcome: RequestOutcome, of command: PerformNotificationAction
    ) {
        guard var flags = state.knowledge?.notifications[command.notificationUID] else { return }
        switch outcome {
        case .performed:
            guard let flag = command.actionID.flag else { return }
            flags.remove(flag)
        case .failed(.refused(.invalidParameter), _):
            flags.subtract([.positiveAction, .negativeAction])
        case .answered, .failed:
            return
        }
        state.know { $0.notifications.set(flags, for: command.notificationUID) }
    }

    /// A name stands for the session, an empty one too; that there is none stands for a while (S23).
    private mutating func remember(
        _ outcome: RequestOutcome, of app: AppIdentifier, at now: MonotonicInstant
    ) {
        let expiry: MonotonicInstant?
        switch outcome {
        case .answered(let response) where response[AppAttributeID.displayName] != nil:
            expiry = nil
        case .failed(.refused(let error), _) where error.isAuthorization: return
        case .failed(.sessionEnded, _), .failed(.evicted, _): return
        case .answered, .performed, .failed:
            expiry = now + configuration.appRetryInterval
        }
        state.know { $0.apps.set(CachedApp(outcome: outcome, expiry: expiry), for: app) }
    }
}
