internal import ANCS

extension ProviderSession {
    mutating func receiveControlPoint(
        _ value: [UInt8], store: NotificationStore, at now: MonotonicInstant
    ) {
        guard case .none = write else {
            ignoredWrites += 1
            return
        }
        answers.handleTimeout(at: now)
        let received = decode(value)
        outputs.append(.commandReceived(received))
        guard behavior.responsiveness != .none else { return ignore(received) }
        guard isConsented else { return refuse(received, behavior.missingConsent) }
        let commandID = value.isEmpty ? nil : CommandID(rawValue: value[0])
        let treatment = faults.treatment(of: commandID)
        if treatment.ignoresWrite { return ignore(received) }
        if let refusal = treatment.refusal { return refuse(received, refusal) }
        switch received {
        case .malformed(_, let rejection): refuse(received, rejection.error)
        case .decoded(let command):
            do throws(ControlPointError) {
                try handle(command, received, store, treatment, at: now)
            } catch { refuse(received, error) }
        }
    }

    /// The owner has performed an action, or could not (R60). Ignored if the session of the request has
    /// ended.
    public mutating func actionFinished(_ request: ActionRequest, performed: Bool) {
        guard case .performing(let command, request) = write else { return }
        write = .none
        guard performed else { return refuse(command, .actionFailed) }
        succeed(command, .performed)
    }

    private mutating func decode(_ value: [UInt8]) -> Command {
        do throws(ControlPointCommand.Rejection) {
            return .decoded(sharing(try ControlPointCommand(decoding: value.span)))
        } catch { return .malformed(value, error) }
    }

    /// The command with the attributes of the last one where they are the same. Accessories ask the same of each
    /// notification, and owners keep commands by the thousand: the attributes are in memory once then.
    private mutating func sharing(_ command: ControlPointCommand) -> ControlPointCommand {
        guard case .getNotificationAttributes(let get) = command else { return command }
        guard get.attributes == lastAttributes else {
            lastAttributes = get.attributes
            return command
        }
        let shared = try? GetNotificationAttributes(
            notificationUID: get.notificationUID, attributes: lastAttributes)
        return shared.map { .getNotificationAttributes($0) } ?? command
    }

    private mutating func handle(
        _ command: ControlPointCommand, _ received: Command, _ store: NotificationStore,
        _ treatment: AnswerTreatment, at now: MonotonicInstant
    ) throws(ControlPointError) {
        commandCount += 1
        let behavior = treatment.adjusted(behavior)
        let composer = AnswerComposer(behavior: behavior, number: commandCount)
        let answer: Answer
        switch command {
        case .getNotificationAttributes(let get):
            let (_, notification) = try notification(get.notificationUID, store)
            answer = try composer.answer(to: get, about: notification)
        case .getAppAttributes(let get):
            let name = store.displayName(of: get.appIdentifier)
            answer = try composer.answer(to: get, displayName: name)
        case .performNotificationAction(let action): return try perform(action, received, store)
        }
        let entry = AnswerQueue.Entry(answer, to: received, behavior.fragmentSizes)
        accept(treatment.applied(to: entry, at: now), of: received)
    }

    /// The notification with an identifier; without a session there is none (R51, R59).
    private func notification(
        _ uid: NotificationUID, _ store: NotificationStore
    ) throws(ControlPointError) -> (NotificationID, ProviderNotification) {
        guard let id = notificationID(of: uid), let notification = store[id] else {
            throw .invalidParameter
        }
        return (id, notification)
    }

    private mutating func perform(
        _ action: PerformNotificationAction, _ received: Command, _ store: NotificationStore
    ) throws(ControlPointError) {
        let (id, notification) = try notification(action.notificationUID, store)
        guard let flag = action.actionID.flag else { throw behavior.reservedAction }
        guard notification.eventFlags.contains(flag) else { throw behavior.absentAction }
        guard behavior.responsiveness == .normal else { return succeed(received, .withheld) }
        let request = ActionRequest(
            number: commandCount, notificationID: id, notificationUID: action.notificationUID,
            actionID: action.actionID)
        write = .performing(received, request)
        outputs.append(.perform(request))
    }
}

// MARK: - Responses

extension ProviderSession {
    /// Accepts a command for attributes; `entries` are its answer, empty for none.
    private mutating func accept(_ entries: [AnswerQueue.Entry], of command: Command) {
        guard isSubscribedToDataSource, behavior.responsiveness == .normal, !entries.isEmpty else {
            return succeed(command, .withheld)
        }
        guard answers.count < configuration.maximumPendingAnswers else {
            write = .held(command, entries)
            return
        }
        outputs.append(.link(.respond(nil)))
        for entry in entries { answers.append(entry) }
    }

    /// An answer has been sent; the one held back takes its place in the queue.
    mutating func releaseHeldWrite() {
        guard case .held(let command, let entries) = write else { return }
        write = .none
        accept(entries, of: command)
    }

    /// The session or the consent ended while a response was held back.
    mutating func refuseOutstandingWrite(_ error: ControlPointError) {
        switch exchange(&write, with: .none) {
        case .none: break
        case .held(let command, _): refuse(command, error)
        case .performing(let command, _): refuse(command, .actionFailed)
        case .ignored: write = .ignored
        }
    }

    /// The link was lost before the response.
    mutating func abandonOutstandingWrite() {
        switch exchange(&write, with: .none) {
        case .none, .ignored: break
        case .held(let command, _), .performing(let command, _):
            outputs.append(.answered(command, .abandoned(octets: 0)))
        }
    }

    private mutating func succeed(_ command: Command, _ outcome: Outcome) {
        outputs.append(.link(.respond(nil)))
        outputs.append(.answered(command, outcome))
    }

    private mutating func refuse(_ command: Command, _ error: ControlPointError) {
        outputs.append(.link(.respond(error)))
        outputs.append(.answered(command, .refused(error)))
    }

    private mutating func ignore(_ command: Command) {
        write = .ignored
        outputs.append(.answered(command, .ignored))
    }
}
