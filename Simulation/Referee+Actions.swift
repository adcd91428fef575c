import ANCS
import ANCSKit
import Octets

/// An action that the user of an accessory asked for.
struct AskedAction {
    let action: ActionID
    let uid: NotificationUID
    let accessory: Int
    /// The session that it was asked for in.
    let session: Int
    /// What the phone may know that session as.
    let candidates: [PhoneSession]
    /// What the announcement said of the notification.
    let flags: EventFlags
    /// Nothing goes wrong any more, so that nothing excuses it.
    let isCalm: Bool
    /// How often the phone received it.
    var arrivals = 0
    /// How often the phone performed it.
    var performances = 0
    /// What the phone answered.
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

// Each action that a user asks for reaches the phone once, and does there what the user wanted.
extension Referee {
    /// A user asks; returns a number for the end of it.
    mutating func asked(
        _ action: ActionID, on uid: NotificationUID, of provider: ProviderID, at accessory: Int,
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

    /// Whether an action of a notification was asked for already.
    func wasAsked(_ uid: NotificationUID, in session: Shown) -> Bool {
        actions.contains { $0.session == session.number && $0.uid == uid }
    }

    /// How many users still wait for what becomes of an action.
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
        guard let index = asked.first(where: { actions[$0].arrivals == 0 }) else {
            let isKnown = asked.last.map { actions[$0].arrivals += 1 } != nil
            return violate(
                isKnown ? "an action that arrives twice" : "an action that nobody asked for",
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

    /// The phone does what an action of a notification does.
    mutating func did(_ action: ActionID, with notification: NotificationID, at phone: Int) {
        deeds.append(Deed(phone: phone, notification: notification, action: action))
    }

    /// The phone has performed an action for an accessory.
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
        guard let index else { return violate("an action that nobody asked for", evidence) }
        actions[index].performances = 1
    }

    // MARK: At the end

    mutating func checkActions() {
        for deed in deeds { violate("a deed that nobody asked for", "\(deed)") }
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
                ? nil : "counts as performed and was not"
        }
        return isExplained(failure, asked, isOver: isOver)
            ? nil : "failed for no reason: \(failure)"
    }

    private func isExplained(
        _ failure: RequestError.Code, _ asked: AskedAction, isOver: Bool
    ) -> Bool {
        if asked.isCalm { return false }
        switch failure {
        case .refused(.invalidHandle) where asked.arrivals == 0:
            // The service is gone, and nobody said so: the session ends with that.
            return isOver
        case .refused(let error): return asked.arrivals == 1 && asked.answer == .refused(error)
        case .notPerformed: return asked.arrivals == 1 && asked.answer == .refused(.actionFailed)
        case .timedOut:
            // A write behind one that the phone does not answer is not even sent.
            return asked.answer == .ignored || isOver
                || asked.arrivals == 0 && asked.candidates.contains(where: \.hasIgnoredWrite)
        case .notConnected, .sessionEnded: return isOver
        case .removed:
            return asked.candidates.contains { $0.announced[asked.uid]?.last?.eventID == .removed }
        case .actionUnavailable:
            guard let flag = asked.action.flag, asked.flags.contains(flag) else { return true }
            // What was done, or is gone, cannot be done again (S19).
            return actions.contains { earlier in
                earlier.session == asked.session && earlier.uid == asked.uid
                    && earlier.arrivals > 0 && earlier.end != nil
            }
        case .evicted, .tooManyRequests, .responseTooLong, .contentUnavailable, .invalidRequest:
            return false
        }
    }
}
