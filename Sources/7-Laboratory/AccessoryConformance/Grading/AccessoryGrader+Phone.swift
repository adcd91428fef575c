internal import Printing
internal import ANCSKit

/// Judges the accessory's reactions to what the phone sends.
extension AccessoryGrader {
    mutating func announced(
        _ source: NotificationSourceValue, _ known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        if source.eventID == .added, source.eventFlags.contains(.preExisting) {
            existingSince = existingSince ?? now
            burstSince = burstSince ?? now
            card.pass(.survivesExisting)
        }
        let uid = source.notificationUID
        if source.eventID == .removed {
            card.pass(.asksNothingAboutRemoved)
            closeOverdueTrials(at: now, "until UID \(uid) was removed \(stamp(now))")
            for index in trials.indices { trials[index].work[uid] = nil }
        }
        guard givesWork(source, known) else { return }
        for index in trials.indices { trials[index].work[uid] = trials[index].work[uid] ?? now }
    }

    /// Whether the accessory, judging by its behavior so far, should send a command because of this value.
    private func givesWork(_ source: NotificationSourceValue, _ known: AccessoryKnowledge) -> Bool {
        guard let session = known.session, known.canReceiveAnswers, known.phone.hasConsent else {
            return false
        }
        return switch source.eventID {
        // Notifications that are older than the session may be ignored (R54).
        case .added where source.eventFlags.contains(.preExisting):
            session.tracks.values.contains { track in
                track.isFetched && track.source.eventFlags.contains(.preExisting)
            }
        // An accessory whose user chose what to see has asked about others like it.
        case .added where capture != nil:
            session.tracks.values.contains { track in
                track.isFetched && track.source.categoryID == source.categoryID
                    && track.source.eventFlags.contains(.silent)
                        == source.eventFlags.contains(.silent)
            }
        case .added: true
        case .modified: session.tracks[source.notificationUID]?.isFetched == true
        // EventID is open: nothing has to be done about what the specification does not know.
        case _: false
        }
    }

    // MARK: Answers

    package mutating func answered(
        _ command: ProviderSession.Command, _ outcome: ProviderSession.Outcome,
        _ known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        let exchange = known.openExchange(of: command).map { known.exchanges[$0] }
        switch outcome {
        case .sent(let octets):
            permitted(known)
            delivered(command, octets, exchange, at: now)
        case .performed: permitted(known)
        case .refused(let error) where error.isAuthorization: hammered(known, at: now)
        case .refused(let error):
            permitted(known)
            guard error == .invalidParameter else { break }
            begin(
                .goesOnAfterRefusal,
                "\(command.text) was refused with \(error.code.nameWithCode)", at: now)
        // A write without a response ends all writes on the link (Core Vol 3, Part F, 3.3.3), but an answer may
        // be lost by a fault, and another command follow.
        case .withheld:
            guard exchange?.treatment.isLost == true else { break }
            begin(.goesOnAfterLostAnswer, "an answer was lost", at: now)
        case .ignored, .abandoned: break
        }
    }

    private mutating func delivered(
        _ command: ProviderSession.Command, _ octets: Int,
        _ exchange: AccessoryKnowledge.Exchange?, at now: MonotonicInstant
    ) {
        if let delay = exchange?.treatment.delay {
            begin(.goesOnAfterLateAnswer, "an answer came \(delay.text) late", at: now)
        }
        guard case .decoded(let decoded) = command else { return }
        switch decoded {
        case .getNotificationAttributes(let get):
            if octets > 5, exchange?.isReordered == true, get.attributes.count > 1 {
                card.pass(.acceptsAnyOrder)
            }
        case .getAppAttributes(let get):
            guard get.isAnsweredWithoutName(octets), capture == nil else { break }
            begin(.goesOnWithoutName, "the answer about an app had no attribute", at: now)
        case .performNotificationAction: break
        }
    }

    /// A command was permitted.
    private mutating func permitted(_ known: AccessoryKnowledge) {
        if known.consentGivenAt != nil { card.pass(.returnsAfterConsent) }
    }

    /// Trying now and then is acceptable; more than ten commands in ten seconds is too many.
    private mutating func hammered(_ known: AccessoryKnowledge, at now: MonotonicInstant) {
        let count = known.refusals.count { now - $0 <= .seconds(10) } + 1
        if count > 10 {
            fail(
                .waitsForConsent, "\(count) commands within 10 s, although each was refused",
                at: now)
        } else {
            card.pass(.waitsForConsent)
        }
    }

    // MARK: Trials

    /// A fault has happened: commands that are written from now on show that the accessory continues.
    mutating func begin(_ requirement: Requirement, _ what: String, at now: MonotonicInstant) {
        guard trials.count < Self.maximumOpen else { return }
        trials.append(Trial(requirement: requirement, what: what, since: now))
    }

    /// No more commands follow, or none can be expected: trials in progress that had their time have failed.
    mutating func closeTrials(at now: MonotonicInstant, _ until: String) {
        closeOverdueTrials(at: now, until)
        trials = []
    }

    /// Trials in progress that had their time have failed: what follows in another session does not undo that.
    mutating func closeOverdueTrials(at now: MonotonicInstant, _ until: String) {
        for trial in exchange(&trials, with: []) {
            guard let workSince = trial.work.values.min(),
                now - max(trial.since, workSince) >= trial.requirement.patience
            else {
                trials.append(trial)
                continue
            }
            fail(
                trial.requirement, "\(trial.what), and no command arrived \(until)", at: trial.since
            )
        }
    }

    // MARK: Ends

    /// Judges what the accessory should have done by the end of a session.
    mutating func closeSession(_ known: AccessoryKnowledge, at now: MonotonicInstant) {
        patient = [:]
        capture?.overtaken = []
        guard let session = known.session else { return }
        closeReturn(session, at: now)
        let fetched = session.tracks.values.filter(\.isFetched).map { FetchChoices.Kind($0.source) }
        leavesExisting = session.tracks.values.contains {
            $0.source.eventFlags.contains(.preExisting) && !$0.isFetched && $0.removedAt == nil
                && fetched.contains(FetchChoices.Kind($0.source))
        }
        let hasActions = session.tracks.values.contains { track in
            !track.source.eventFlags.isDisjoint(with: [.positiveAction, .negativeAction])
        }
        if hasActions, !allowsActions { card.pass(.actsOnlyWhenAsked) }
        for (uid, track) in session.tracks.sorted(byNumber: { UInt64($0.key.rawValue) }) {
            // One that uses UIDs of earlier sessions may have meant that one: it shows nothing of what is fetched now.
            let isDoubtful =
                track.isFetched && known.earlierUIDs.contains(uid)
                && card.isBroken(.forgetsEarlierSessions)
            if !isDoubtful { choose(track, uid, in: session.number, at: now) }
            guard let modifiedAt = track.modifiedAt,
                (track.removedAt ?? now) - modifiedAt >= Self.patience
            else { continue }
            fail(
                .fetchesModifiedAgain, "UID \(uid) was modified, and not fetched afterwards",
                at: modifiedAt)
        }
    }

    /// Records whether the accessory fetched a notification, if it had the chance and the time.
    private mutating func choose(
        _ track: AccessoryKnowledge.Track, _ uid: NotificationUID, in session: Int,
        at now: MonotonicInstant
    ) {
        let hadTheChance =
            track.canBeFetched && !track.isForbidden
            && (track.removedAt ?? now) - track.announcedAt >= Self.patience
        guard track.isFetched || hadTheChance else { return }
        choices.append(
            track.source, session: session, isFetched: track.isFetched,
            evidence: "UID \(uid), flags 0x"
                + "\(String(track.source.eventFlags.rawValue, radix: 16)), category "
                + "\(track.source.categoryID.rawValue), was announced and not fetched, while others "
                + "like it were", at: track.announcedAt)
    }
}

extension Requirement {
    /// How long to wait for an accessory to continue after a fault. It may be waiting for an answer that
    /// never arrives (S26).
    fileprivate var patience: Duration {
        self == .goesOnAfterLostAnswer || self == .goesOnAfterLateAnswer
            ? .seconds(30) : AccessoryGrader.patience
    }
}
