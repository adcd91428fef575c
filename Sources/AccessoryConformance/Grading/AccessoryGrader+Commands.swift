package import ANCS
internal import ANCSKit
internal import Octets

/// Judges the commands of the accessory.
extension AccessoryGrader {
    mutating func received(
        _ command: ProviderSession.Command, _ known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        let octets = command.octets
        card.pass(.writesWithResponse)
        for rule in CommandCritique.rules(of: octets) { card.pass(rule) }
        for critique in CommandCritique.critiques(of: octets) {
            card.fail(critique.rule, "\(stamp(now)) \(critique.fault) (\(octets.hexText))")
        }
        if octets.count > 20 { card.pass(.sendsLongCommands) }
        for trial in trials { card.pass(trial.rule) }
        trials = []
        judgeTurn(known, at: now)
        guard case .decoded(let decoded) = command else { return }
        judgeSession(decoded, known, at: now)
        switch decoded {
        case .getNotificationAttributes(let get): judge(get, known, at: now)
        case .getAppAttributes(let get): judge(get, known, at: now)
        case .performNotificationAction(let perform): judge(perform, known, at: now)
        }
        existingSince = nil
    }

    /// Commands must be sent one at a time (S4); one that was given up has ended (S26).
    private mutating func judgeTurn(_ known: AccessoryKnowledge, at now: MonotonicInstant) {
        guard let outstanding = known.outstanding else {
            return card.pass(.sendsOneCommandAtATime)
        }
        guard now - outstanding.writtenAt < Self.patience else { return }
        card.fail(
            .sendsOneCommandAtATime,
            "\(stamp(now)) a command arrived while the answer to \(outstanding.command.text) was on "
                + "its way")
    }

    private mutating func judgeSession(
        _ command: ControlPointCommand, _ known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        if known.hasSession {
            card.pass(.asksNothingWithoutSession)
        } else {
            card.fail(
                .asksNothingWithoutSession,
                "\(stamp(now)) \(command.commandID) arrived although it is not subscribed to the "
                    + "Notification Source")
        }
        guard command.commandID != .performNotificationAction else { return }
        if known.canReceiveAnswers {
            card.pass(.asksOnlyWithDataSource)
        } else {
            card.fail(
                .asksOnlyWithDataSource,
                "\(stamp(now)) \(command.commandID) arrived although it is not subscribed to the "
                    + "Data Source, where the answer goes")
        }
    }

    // MARK: Notifications

    private mutating func judge(
        _ get: GetNotificationAttributes, _ known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        let uid = get.notificationUID
        guard uid != .probe else { return }
        guard judgeIdentifier(uid, of: "GetNotificationAttributes", known, at: now),
            let track = known.session?.tracks[uid]
        else { return }
        if track.removedAt != nil {
            judgeAfterRemoval(get, track, at: now)
        } else {
            judgeRepetition(get, track, at: now)
        }
        if track.modifiedAt != nil { card.pass(.fetchesModifiedAgain) }
        for rule in FetchChoices.rules(of: track.source) { card.pass(rule) }
    }

    private mutating func judgeRepetition(
        _ get: GetNotificationAttributes, _ track: AccessoryKnowledge.Track,
        at now: MonotonicInstant
    ) {
        guard let wasReordered = track.answered[get.attributes] else {
            return card.pass(.fetchesOnce)
        }
        let uid = get.notificationUID
        card.fail(
            .fetchesOnce,
            "\(stamp(now)) it asked again for the same attributes of UID \(uid), which had not "
                + "changed")
        guard wasReordered else { return }
        card.fail(
            .acceptsAnyOrder,
            "\(stamp(now)) it asked again for UID \(uid) after an answer whose attributes came in "
                + "another order")
    }

    /// A command that crosses the removal of its notification is not a fault, unless only the removal can
    /// have caused it.
    private mutating func judgeAfterRemoval(
        _ get: GetNotificationAttributes, _ track: AccessoryKnowledge.Track,
        at now: MonotonicInstant
    ) {
        guard let removedAt = track.removedAt, now - removedAt <= Self.crossing,
            !get.attributes.isEmpty,
            Set(track.answered.keys.joined()).isSuperset(of: get.attributes)
        else { return }
        card.fail(
            .asksNothingAboutRemoved,
            "\(stamp(now)) it asked for UID \(get.notificationUID), which was removed "
                + "\(stamp(removedAt)): all that it asked for was answered before, and had not "
                + "changed")
    }

    /// Whether the UID belongs to this session.
    private mutating func judgeIdentifier(
        _ uid: NotificationUID, of command: String, _ known: AccessoryKnowledge,
        at now: MonotonicInstant
    ) -> Bool {
        guard let session = known.session else { return false }
        guard let track = session.tracks[uid] else {
            if known.earlierUIDs.contains(uid) {
                card.fail(
                    .forgetsEarlierSessions,
                    "\(stamp(now)) \(command) has UID \(uid) of an earlier session; UIDs are invalid "
                        + "when a session ends")
            } else {
                card.fail(
                    .usesAnnouncedIdentifiers,
                    "\(stamp(now)) \(command) has UID \(uid), which was never announced")
            }
            return false
        }
        card.pass(.usesAnnouncedIdentifiers)
        if !known.earlierUIDs.isEmpty { card.pass(.forgetsEarlierSessions) }
        if let removedAt = track.removedAt, now - removedAt > Self.crossing {
            card.fail(
                .asksNothingAboutRemoved,
                "\(stamp(now)) \(command) has UID \(uid), which was removed \(stamp(removedAt))")
        }
        return true
    }

    // MARK: Apps and actions

    private mutating func judge(
        _ get: GetAppAttributes, _ known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        if known.session?.namedApps.contains(get.appIdentifier) == true {
            card.fail(
                .asksForNamesOnce,
                "\(stamp(now)) it asked again for \(get.appIdentifier), whose name it received in "
                    + "this session")
        } else {
            card.pass(.asksForNamesOnce)
        }
    }

    private mutating func judge(
        _ perform: PerformNotificationAction, _ known: AccessoryKnowledge,
        at now: MonotonicInstant
    ) {
        let uid = perform.notificationUID
        if !allowsActions {
            card.fail(
                .actsOnlyWhenAsked,
                "\(stamp(now)) it performed the \(perform.actionID) action of UID \(uid), although "
                    + "no user asked it to")
        }
        guard judgeIdentifier(uid, of: "PerformNotificationAction", known, at: now),
            let flag = perform.actionID.flag, let track = known.session?.tracks[uid]
        else { return }
        if track.source.eventFlags.contains(flag) {
            card.pass(.actsOnlyWithFlag)
        } else {
            card.fail(
                .actsOnlyWithFlag,
                "\(stamp(now)) it performed the \(perform.actionID) action of UID \(uid), whose "
                    + "flags offer none")
        }
    }
}

extension ProviderSession.Command {
    /// The octets that were written.
    package var octets: [UInt8] {
        switch self {
        case .decoded(let command): command.octets
        case .malformed(let octets, _): octets
        }
    }

    /// The command in words, as in a log.
    package var text: String { text { "UID \($0)" } }

    /// The command in words; `title` returns the words for the notification.
    package func text(_ title: (NotificationUID) -> String) -> String {
        switch self {
        case .malformed(let octets, _):
            return "a value that is not a command (\(octets.hexText))"
        case .decoded(.getNotificationAttributes(let get)):
            let attributes = get.attributes.map(\.text)
            return "getNotificationAttributes of \(title(get.notificationUID)) with "
                + (attributes.isEmpty ? "no attribute" : attributes.joined(separator: ", "))
        case .decoded(.getAppAttributes(let get)):
            return "getAppAttributes of \(get.appIdentifier.description)"
        case .decoded(.performNotificationAction(let perform)):
            return "performNotificationAction \(perform.actionID) of "
                + title(perform.notificationUID)
        }
    }
}

extension [UInt8] {
    /// The first octets in hexadecimal, for evidence.
    package var hexText: String {
        let shown = Hexadecimal.text(Array(prefix(32)))
        return count > 32 ? "\(shown)... \(count) octets" : shown
    }
}
