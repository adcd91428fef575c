package import ANCS
internal import ANCSKit

/// Judges the commands of the accessory.
extension AccessoryGrader {
    mutating func received(
        _ command: ProviderSession.Command, _ known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        comesBack()
        judgeOctets(of: command, at: now)
        passTrials(at: now)
        if capture != nil { awaitAnswer(to: command, at: now) }
        written = command.octets
        defer { written = [] }
        judgeTurn(command, known, at: now)
        guard case .decoded(let decoded) = command else { return }
        judgeSession(decoded, known, at: now)
        switch decoded {
        case .getNotificationAttributes(let get): judge(get, known, at: now)
        case .getAppAttributes(let get): judge(get, known, at: now)
        case .performNotificationAction(let perform): judge(perform, known, at: now)
        }
        // In a capture, a command may have been on its way before.
        if capture == nil { existingSince = nil }
    }

    /// Judges what the octets alone show.
    mutating func judgeOctets(of command: ProviderSession.Command, at now: MonotonicInstant) {
        let octets = command.octets
        written = octets
        defer { written = [] }
        card.pass(.writesWithResponse)
        for requirement in CommandCritique.requirements(of: octets) { card.pass(requirement) }
        for critique in CommandCritique.critiques(of: octets) {
            let evidence = octets.isEmpty ? "" : " (\(octets.hexText))"
            fail(critique.requirement, critique.fault + evidence, at: now)
        }
        if octets.count > 20 { card.pass(.sendsLongCommands) }
    }

    private mutating func judgeSession(
        _ command: ControlPointCommand, _ known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        judge(
            .asksNothingWithoutSession, isKept: known.hasSession,
            otherwise:
                "\(command.commandID) arrived although it is not subscribed to the Notification Source",
            at: now)
        guard command.commandID != .performNotificationAction else { return }
        wantsAnswers()
        judge(
            .asksOnlyWithDataSource, isKept: known.canReceiveAnswers,
            otherwise:
                "\(command.commandID) arrived although it is not subscribed to the Data Source, where "
                + "the answer goes", at: now)
    }

    // MARK: Notifications

    private mutating func judge(
        _ get: GetNotificationAttributes, _ known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        let uid = get.notificationUID
        guard uid != .probe else { return }
        judgeOctetOrder(get.attributes, at: now)
        guard judgeIdentifier(uid, of: "GetNotificationAttributes", known, at: now),
            let track = known.session?.tracks[uid]
        else { return }
        wanted.insert(FetchChoices.Kind(track.source))
        if track.removedAt != nil {
            judgeAfterRemoval(get, track, at: now)
        } else {
            judgeRepetition(get, track, at: now)
        }
        if track.modifiedAt != nil { card.pass(.fetchesModifiedAgain) }
        for requirement in FetchChoices.requirements(of: track.source) { card.pass(requirement) }
    }

    /// Maxima show in which order they were written, unless both orders make sense (R1).
    private mutating func judgeOctetOrder(
        _ attributes: [NotificationAttributeRequest], at now: MonotonicInstant
    ) {
        guard let swapped = SwappedMaxima(attributes) else {
            let maxima = attributes.compactMap(\.maxLength)
            if maxima.contains(where: { $0 != $0.byteSwapped }) { card.pass(.keepsOctetOrder) }
            return
        }
        guard !swapped.isCertain else { return }
        card.note(
            .keepsOctetOrder, "it may have meant other maxima: it \(swapped.sentence)",
            at: now - origin)
    }

    private mutating func judgeRepetition(
        _ get: GetNotificationAttributes, _ track: AccessoryKnowledge.Track,
        at now: MonotonicInstant
    ) {
        guard let wasReordered = track.answered[get.attributes] else {
            return card.pass(.fetchesOnce)
        }
        repetitions.append(
            wasReordered ? .afterOtherOrder : .ordinary, of: get.notificationUID, at: now)
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
        repetitions.append(.afterRemoval, of: get.notificationUID, at: now)
    }

    /// Whether the UID belongs to this session.
    private mutating func judgeIdentifier(
        _ uid: NotificationUID, of command: String, _ known: AccessoryKnowledge,
        at now: MonotonicInstant
    ) -> Bool {
        guard let session = known.session else { return false }
        guard let track = session.tracks[uid] else {
            if known.earlierUIDs.contains(uid) {
                fail(
                    .forgetsEarlierSessions,
                    "\(command) has UID \(uid) of an earlier session; UIDs are invalid when a session "
                        + "ends", at: now)
            } else {
                let reversed = NotificationUID(rawValue: uid.rawValue.byteSwapped)
                let isReversed = session.tracks[reversed] != nil
                let text = "\(command) has UID \(uid), which was never announced"
                fail(
                    isReversed ? .keepsOctetOrder : .usesAnnouncedIdentifiers,
                    text
                        + (isReversed
                            ? "; UID \(reversed) was, whose octets are in reverse order" : ""),
                    at: now)
            }
            return false
        }
        card.pass(.usesAnnouncedIdentifiers)
        if !known.earlierUIDs.isEmpty { card.pass(.forgetsEarlierSessions) }
        if let removedAt = track.removedAt, now - removedAt > Self.crossing {
            fail(
                .asksNothingAboutRemoved,
                "\(command) has UID \(uid), which was removed \(stamp(removedAt))", at: now)
        }
        return true
    }

    // MARK: Apps and actions

    private mutating func judge(
        _ get: GetAppAttributes, _ known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        let identifier = get.appIdentifier.description
        if !apps.contains(identifier), let whole = apps.first(where: { $0.hasPrefix(identifier) }) {
            fail(
                .sendsWholeAppCommands,
                "it asked for \(identifier), which is no app of the phone, but the beginning of "
                    + whole, at: now)
        }
        judge(
            .asksForNamesOnce, isKept: known.session?.namedApps.contains(get.appIdentifier) != true,
            otherwise:
                "it asked again for \(get.appIdentifier), whose name it received in this session",
            at: now)
    }

    private mutating func judge(
        _ perform: PerformNotificationAction, _ known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        let uid = perform.notificationUID
        if !allowsActions {
            fail(
                .actsOnlyWhenAsked,
                "it performed the \(perform.actionID) action of UID \(uid), although no user asked it "
                    + "to", at: now)
        }
        guard judgeIdentifier(uid, of: "PerformNotificationAction", known, at: now),
            let flag = perform.actionID.flag, let track = known.session?.tracks[uid]
        else { return }
        judge(
            .actsOnlyWithFlag, isKept: track.source.eventFlags.contains(flag),
            otherwise:
                "it performed the \(perform.actionID) action of UID \(uid), whose flags offer none",
            at: now)
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
        case .malformed(let octets, _): return "a value that is not a command (\(octets.hexText))"
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
