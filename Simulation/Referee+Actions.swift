import ANCS
import ANCSKit
import Octets

/// An action that the user of an accessory requested.
struct AskedAction {
    let action: ActionID
    let uid: NotificationUID
    let accessory: Int
    /// The session in which it was requested.
    let session: Int
    /// The sessions of phones that this session can be.
    let candidates: [PhoneSession]
    /// The flags in the notification's announcement.
    let flags: EventFlags
    /// Whether faults have ended, so that nothing excuses a failure.
    let isCalm: Bool
    /// The number of times the phone received it.
    var arrivals = 0
    /// The number of times the phone performed it.
    var performances = 0
    /// The answer of the phone.
    var answer: ProviderSession.Outcome?
    var end: (failure: RequestError.Code?, at: MonotonicInstant)?

    fileprivate func isAbout(_ uid: NotificationUID, _ action: ActionID, of accessory: Int) -> Bool
    {
        self.uid == uid && self.action == action && self.accessory == accessory
    }
}

/// What a phone did because of an action.
struct Deed: Hashable {
    let phone: Int
    let notification: NotificationID
    let action: ActionID
}

// Checks that each requested action reaches the phone once, and has the effect that the user wanted.
extension Referee {
    /// A user requests an action. Returns a number for reporting its end.
    mutating func asked(
        _ action: ActionID, on uid: NotificationUID, of provider: PhoneID, at accessory: Int,
        isCalm: Bool
    ) -> Int? {
        guard let session = shown[accessory]?[provider],
            let delivery = session.notifications[uid]
        else { return nil }
        actions.append(
            AskedAction(
                action: action, uid: uid, accessory: accessory, session: session.number,
                candidates: session.candidates, flags: delivery.source.eventFlags, isCalm: isCalm))
        return actions.count - 1
    }

    mutating func ended(
        _ number: Int, _ failure: RequestError.Code?, at now: MonotonicInstant
    ) {
        actions[number].end = (failure, now)
    }

    /// Whether an action of a notification has already been requested.
    func wasAsked(_ uid: NotificationUID, in session: Shown) -> Bool {
        actions.contains { $0.session == session.number && $0.uid == uid }
    }

    /// The number of actions whose outcome is still open.
    var openActions: Int { actions.count { $0.end == nil } }

    // MARK: At the phone

    mutating func arrived(
        _ command: PerformNotificationAction, from accessory: Int, in session: PhoneSession
    ) {
        let evidence = "accessory \(accessory), \(command)"
        let asked = actions.indices.filter { index in
            actions[index].isAbout(command.notificationUID, command.actionID, of: accessory)
                && actions[index].candidates.contains { $0 === session }
        }
        // One that has ended may arrive late, but a request that is open comes before it.
        let open = asked.first { actions[$0].arrivals == 0 && actions[$0].end == nil }
        guard let index = open ?? asked.first(where: { actions[$0].arrivals == 0 }) else {
            let isKnown = asked.last.map { actions[$0].arrivals += 1 } != nil
            return violate(
                isKnown ? "an action that arrives twice" : "an action that was never requested",
                evidence)
        }
        actions[index].arrivals = 1
    }

    mutating func answered(
        _ command: PerformNotificationAction, _ outcome: ProviderSession.Outcome,
        from accessory: Int, in session: PhoneSession
    ) {
        let index = actions.firstIndex {
            $0.isAbout(command.notificationUID, command.actionID, of: accessory)
                && $0.arrivals > 0 && $0.answer == nil
                && $0.candidates.contains { $0 === session }
        }
        if let index { actions[index].answer = outcome }
    }

    /// The phone carried out an action of a notification.
    mutating func did(_ action: ActionID, with notification: NotificationID, at phone: Int) {
        deeds.append(Deed(phone: phone, notification: notification, action: action))
    }

    /// The phone performed an action for an accessory.
    mutating func performed(
        _ request: ProviderSession.ActionRequest, for accessory: Int, at phone: Int
    ) {
        let id = request.notificationID
        let deed = Deed(phone: phone, notification: id, action: request.actionID)
        let evidence = "phone \(phone), accessory \(accessory), \(request)"
        guard let done = deeds.firstIndex(of: deed) else {
            return violate("an action that did something else", evidence)
        }
        deeds.remove(at: done)
        let index = actions.lastIndex { asked in
            asked.isAbout(request.notificationUID, request.actionID, of: accessory)
                && asked.arrivals > 0 && asked.performances == 0 && asked.answer == nil
                && asked.candidates.contains {
                    $0.life.phone == phone && $0.identifiers[request.notificationUID] == id
                }
        }
        guard let index else { return violate("an action that was never requested", evidence) }
        actions[index].performances = 1
    }

    // MARK: At the end

    mutating func checkActions() {
        for deed in deeds { violate("an effect that was never requested", "\(deed)") }
        for asked in actions {
            guard let fault = fault(of: asked) else { continue }
            violate(
                "an action that \(fault)",
                "accessory \(asked.accessory), uid \(asked.uid), \(asked.action)")
        }
    }

    private func fault(of asked: AskedAction) -> String? {
        guard let (failure, instant) = asked.end else { return "has no end" }
        let isOver = ends[asked.session].map { $0 <= instant } ?? false
        guard let failure else {
            return asked.arrivals == 1 && asked.performances == 1
                || isDecidedByOther(asked, instant)
                ? nil : "counts as performed and was not"
        }
        return isExplained(failure, asked, isOver: isOver)
            ? nil : "failed for no reason: \(failure)"
    }

    /// Whether the same action was requested twice, and performed once for both: the second request came while
    /// the outcome of the first was unknown.
    private func isDecidedByOther(_ asked: AskedAction, _ instant: MonotonicInstant) -> Bool {
        asked.arrivals == 0
            && actions.contains { other in
                other.session == asked.session && other.uid == asked.uid
                    && other.action == asked.action && other.performances == 1
                    && other.end?.failure == nil && other.end?.at == instant
            }
    }

    /// Whether an earlier action on the same notification has ended.
    private func hasEarlier(_ asked: AskedAction) -> Bool {
        actions.contains { earlier in
            earlier.session == asked.session && earlier.uid == asked.uid
                && earlier.arrivals > 0 && earlier.end != nil
        }
    }

    private func isExplained(
        _ failure: RequestError.Code, _ asked: AskedAction, isOver: Bool
    ) -> Bool {
        if asked.isCalm { return false }
        switch failure {
        case .refused(.invalidHandle) where asked.arrivals == 0:
            // The service disappeared without notice: the session ends then.
            return isOver
        case .refused(let error): return asked.arrivals == 1 && asked.answer == .refused(error)
        case .notPerformed: return asked.arrivals == 1 && asked.answer == .refused(.actionFailed)
        case .timedOut:
            // A write that follows an unanswered one is never sent.
            return asked.answer == .ignored || isOver
                || asked.candidates.contains { $0.lostResponses > 0 }
                || asked.arrivals == 0 && asked.candidates.contains(where: \.hasIgnoredWrite)
        case .notConnected, .sessionEnded: return isOver
        case .removed:
            // The phone may have said so earlier, or not yet (S19).
            if asked.arrivals == 0, hasEarlier(asked) { return true }
            return asked.candidates.contains { $0.announced[asked.uid]?.last?.eventID == .removed }
        case .actionUnavailable:
            guard let flag = asked.action.flag else { return true }
            return !asked.flags.contains(flag)
        case .alreadyPerformed: return asked.arrivals == 0 && hasEarlier(asked)
        case .evicted, .tooManyRequests, .responseTooLong, .contentUnavailable, .invalidRequest:
            return false
        }
    }
}
