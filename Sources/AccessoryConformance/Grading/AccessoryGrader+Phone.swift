internal import Terminal
internal import ANCS
internal import ANCSKit
internal import Octets

/// Judges the accessory's reactions to what the phone sends.
extension AccessoryGrader {
    package mutating func announced(_ source: NotificationSourceValue, at now: MonotonicInstant) {
        let uid = source.notificationUID
        switch source.eventID {
        case .added:
            session?.tracks[uid] = Track(
                source: source, announcedAt: now, isForbidden: !hasConsent)
            if source.eventFlags.contains(.preExisting) {
                existingSince = existingSince ?? now
                card.pass(.survivesExisting)
            }
        case .modified:
            guard var track = session?.tracks[uid] else { return }
            let isPreExisting = track.source.eventFlags.contains(.preExisting)
            track.source = source
            if isPreExisting { track.source.eventFlags.insert(.preExisting) }
            track.asked = []
            track.answered = []
            if track.isFetched { track.modifiedAt = track.modifiedAt ?? now }
            session?.tracks[uid] = track
        case .removed:
            session?.tracks[uid]?.removedAt = now
            card.pass(.asksNothingAboutRemoved)
        case _: return
        }
        guard givesWork(source) else { return }
        for index in trials.indices where trials[index].remaining == 0 {
            trials[index].workSince = trials[index].workSince ?? now
        }
    }

    /// Whether the accessory, judging by its behavior so far, should send a command because of this value.
    private func givesWork(_ source: NotificationSourceValue) -> Bool {
        guard let session else { return false }
        return switch source.eventID {
        // Notifications that are older than the session may be ignored (R54).
        case .added where source.eventFlags.contains(.preExisting):
            session.tracks.values.contains { track in
                track.isFetched && track.source.eventFlags.contains(.preExisting)
            }
        case .added: true
        case .modified: session.tracks[source.notificationUID]?.isFetched == true
        case _: false
        }
    }

    // MARK: Answers

    package mutating func answered(
        _ command: ProviderSession.Command, _ outcome: ProviderSession.Outcome,
        at now: MonotonicInstant
    ) {
        if outstanding?.command == command { outstanding = nil }
        settleTrials(at: now)
        switch outcome {
        case .sent(let octets):
            delivered(command, octets, at: now)
        case .performed: allowed()
        case .refused(let error): refused(error, command, at: now)
        case .withheld, .ignored, .abandoned: break
        }
    }

    private mutating func delivered(
        _ command: ProviderSession.Command, _ octets: Int, at now: MonotonicInstant
    ) {
        allowed()
        guard case .decoded(let decoded) = command else { return }
        switch decoded {
        case .getNotificationAttributes(let get):
            // The answer consisted of the command and the UID alone (S5), which is a reason to ask again.
            guard octets > 5 else { return }
            if session?.tracks[get.notificationUID]?.asked.contains(get.attributes) == true {
                session?.tracks[get.notificationUID]?.answered.insert(get.attributes)
            }
            if isReordering, get.attributes.count > 1 { card.pass(.acceptsAnyOrder) }
        case .getAppAttributes(let get):
            // The answer consisted of the command and the identifier with its NUL alone (S23).
            if octets == get.appIdentifier.octets.count + 2 {
                begin(.goesOnWithoutName, "the answer about an app had no attribute", 0, at: now)
            } else {
                session?.namedApps.insert(get.appIdentifier)
            }
        case .performNotificationAction: break
        }
    }

    /// A command was permitted.
    private mutating func allowed() {
        if consentGivenAt != nil { card.pass(.returnsAfterConsent) }
        consentGivenAt = nil
        hasConsent = true
        refusals = []
    }

    private mutating func refused(
        _ error: ControlPointError, _ command: ProviderSession.Command, at now: MonotonicInstant
    ) {
        if error.isAuthorization {
            hammered(at: now)
        } else {
            allowed()
            if error == .invalidParameter {
                trials.append(
                    Trial(
                        rule: .goesOnAfterRefusal,
                        what: "\(command.text) was refused with \(error.code.nameWithCode)",
                        remaining: 0, since: now))
            }
        }
    }

    /// The user has given or withdrawn consent.
    package mutating func consentChanged(to isGiven: Bool, at now: MonotonicInstant) {
        consentGivenAt = isGiven && !refusals.isEmpty ? now : nil
        if isGiven { hasConsent = true } else { forbid() }
    }

    /// Marks the notifications of the session: until a command is permitted, it proves nothing that they are
    /// not fetched.
    private mutating func forbid() {
        hasConsent = false
        guard let uids = session?.tracks.keys else { return }
        for uid in uids { session?.tracks[uid]?.isForbidden = true }
    }

    /// Trying now and then is acceptable; more than ten commands in ten seconds is too many.
    private mutating func hammered(at now: MonotonicInstant) {
        forbid()
        refusals.removeAll { now - $0 > .seconds(10) }
        refusals.append(now)
        if refusals.count > 10 {
            card.fail(
                .waitsForConsent,
                "\(refusals.count) commands within 10 s until \(stamp(now)), although each was "
                    + "refused")
        } else {
            card.pass(.waitsForConsent)
        }
    }

    // MARK: Trials

    mutating func injected(_ fault: ScenarioFault, at now: MonotonicInstant) {
        guard case .answer(let fault) = fault else { return }
        let count = fault.count ?? 1
        switch fault.effect {
        case .lose, .ignoreWrite:
            begin(.goesOnAfterLostAnswer, "an answer was lost", count, at: now)
        case .delay(let delay):
            begin(.goesOnAfterLateAnswer, "an answer came \(delay.text) late", count, at: now)
        case .reorder: isReordering = true
        case .dropLink: isLinkEndedByPhone = true
        case .refuse, .duplicate, .joinWithNext, .fragment, .headerOnly: break
        }
    }

    private mutating func begin(
        _ rule: ConformanceRule, _ what: String, _ count: Int, at now: MonotonicInstant
    ) {
        trials.append(Trial(rule: rule, what: what, remaining: count, since: now))
    }

    /// A command was processed: either the fault affected it, or it shows that the accessory has continued.
    private mutating func settleTrials(at now: MonotonicInstant) {
        var open: [Trial] = []
        for var trial in trials {
            if trial.remaining > 0 {
                trial.remaining -= 1
                trial.since = now
                open.append(trial)
            } else {
                card.pass(trial.rule)
            }
        }
        trials = open
    }

    /// No more events follow: trials in progress have failed.
    mutating func failTrials(at now: MonotonicInstant, _ until: String) {
        for trial in trials where trial.remaining == 0 {
            guard let workSince = trial.workSince,
                now - max(trial.since, workSince) >= trial.rule.patience
            else { continue }
            card.fail(
                trial.rule, "\(trial.what) \(stamp(trial.since)), and no command arrived \(until)")
        }
        trials = []
    }

    // MARK: Ends

    /// Judges what the accessory should have done by the end of a session.
    mutating func closeSession(at now: MonotonicInstant) {
        guard let session else { return }
        let hasActions = session.tracks.values.contains { track in
            !track.source.eventFlags.isDisjoint(with: [.positiveAction, .negativeAction])
        }
        if hasActions, !allowsActions { card.pass(.actsOnlyWhenAsked) }
        for (uid, track) in session.tracks.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            choose(track, uid, in: session.number, at: now)
            guard track.removedAt == nil, let modifiedAt = track.modifiedAt,
                now - modifiedAt >= Self.patience
            else { continue }
            card.fail(
                .fetchesModifiedAgain,
                "UID \(uid) was modified \(stamp(modifiedAt)), and not fetched afterwards")
        }
    }

    /// Records whether the accessory fetched a notification, if it had the time.
    private mutating func choose(
        _ track: Track, _ uid: NotificationUID, in session: Int, at now: MonotonicInstant
    ) {
        guard
            track.isFetched
                || !track.isForbidden
                    && (track.removedAt ?? now) - track.announcedAt
                        >= Self.patience
        else { return }
        choices.append(
            track.source, session: session, isFetched: track.isFetched,
            evidence: "UID \(uid), flags 0x"
                + "\(String(track.source.eventFlags.rawValue, radix: 16)), category "
                + "\(track.source.categoryID.rawValue), was announced "
                + "\(stamp(track.announcedAt)) and not fetched, while others like it were")
    }
}

extension ConformanceRule {
    /// How long to wait for an accessory to continue after a fault. It may be waiting for an answer that
    /// never arrives (S26).
    fileprivate var patience: Duration {
        switch self {
        case .goesOnAfterLostAnswer, .goesOnAfterLateAnswer: .seconds(30)
        default: AccessoryGrader.patience
        }
    }
}
