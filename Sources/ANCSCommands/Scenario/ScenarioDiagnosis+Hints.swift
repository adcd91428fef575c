internal import ANCS
internal import ANCSKit
internal import Octets

extension ScenarioDiagnosis {
    /// What may be the reason.
    func hints(instead action: ScenarioStep.Action) -> [String] {
        var hints = commandHints
        if case .expect(.command(let pattern)) = action { hints += attributeHints(pattern) }
        switch action {
        case .expect(.command), .expect(.action), .wait(.command), .wait(.action),
            .wait(.subscribed), .wait(.session), .wait(.paired), .wait(.encrypted),
            .wait(.restored),
            .wait(.connected), .expect(.subscription(_, true)):
            hints += writeHints + linkHints
        default: break
        }
        switch action {
        case .expect(.command), .wait(.command):
            if hints.isEmpty { hints += announcementHints + silenceHints }
        case .expect(.action), .wait(.action),
            .expect(.absence(of: .disconnection, about: _, for: _)):
            if hints.isEmpty { hints += silenceHints }
        default: break
        }
        // More would hide what came first.
        return hints.reduce(into: []) { unique, hint in
            if unique.count < 12, !unique.contains(hint) { unique.append(hint) }
        }
    }

    /// What is missing on the way to commands.
    private var linkHints: [String] {
        guard state.isConnected else {
            return state.isOnAir || state.id != nil
                ? [] : ["it has to advertise connectably with a solicitation of the ANCS UUID: S30"]
        }
        if let failure = state.securityFailure { return [failure] }
        if !state.isEncrypted {
            if let denied = state.deniedAccess {
                return [
                    "it was refused handle \(denied.words), and pairing has not ended: it has to "
                        + "answer the Pairing Request of the phone, R7"
                ]
            }
            return [
                "it neither asked for security nor touched an attribute that needs it: the "
                    + "characteristics of ANCS are protected, R7"
            ]
        }
        if !state.hasSession {
            return ["it has to subscribe to the Notification Source, which starts the session: R49"]
        }
        if !state.subscriptions.contains(.dataSource) {
            return ["answers come by the Data Source, so it has to subscribe to that too: S25"]
        }
        return []
    }

    /// After what an accessory that asks nothing fell silent.
    private var silenceHints: [String] {
        for entry in timeline.entries.reversed() where entry.accessory == accessory {
            guard case .answered(_, let command, let outcome) = entry.event else { continue }
            let last = "its last command was \(command.words)"
            switch outcome {
            // After these there was something else that it could have asked.
            case .refused where !deeds.isEmpty, .sent where !deeds.isEmpty: return []
            case .refused(let error):
                return [
                    "\(last), refused with \(error.described): a refusal is about one command, S28"
                ]
            case .withheld, .ignored, .abandoned:
                return ["\(last), which got no answer: after some seconds it has to go on, S26"]
            case .sent(let octets):
                return ["\(last), answered with \(octets) octets; does it accept that answer?"]
            case .performed: return []
            }
        }
        return []
    }

    /// What it wrote in vain.
    private var writeHints: [String] {
        var hints = state.refusedWrites.map { "it wrote to handle \($0.words)" }
        for entry in timeline.entries where entry.number >= mark && entry.accessory == accessory {
            guard case .commandWithoutResponse = entry.event else { continue }
            hints.append(
                "it wrote to the Control Point with a Write Command, which the phone drops: only a "
                    + "Write Request is a command, R21")
            break
        }
        return hints
    }

    /// What it was told of without asking anything.
    private var announcementHints: [String] {
        guard deeds.isEmpty else { return [] }
        for entry in timeline.entries.reversed()
        where entry.number >= mark && entry.accessory == accessory {
            guard case .announced(_, _, let source) = entry.event else { continue }
            let told = "it was told that UID \(source.notificationUID) was"
            switch source.eventID {
            case .added: return ["\(told) added, and asked nothing about it"]
            case .modified:
                return [
                    "\(told) modified, and asked nothing about it: what has changed it can only "
                        + "learn by fetching again, S22"
                ]
            default: return []
            }
        }
        return []
    }

    /// What is wrong with the commands that came, and what the phone answered.
    private var commandHints: [String] {
        deeds.flatMap { deed -> [String] in
            let answer = deed.refusal.map { "; the phone answered \($0.described)" } ?? ""
            let critiques = CommandCritique.critiques(of: deed.command.octets).map(\.sentence)
            return (critiques + strangerHints(deed.command)).map { $0 + answer }
        }
    }

    /// A UID that the accessory cannot know.
    private func strangerHints(_ command: ProviderSession.Command) -> [String] {
        guard let uid = command.notificationUID, state.hasSession, state.notifications[uid] == nil
        else { return [] }
        let reversed = NotificationUID(rawValue: uid.rawValue.byteSwapped)
        let origin =
            state.notifications[reversed] == nil
            ? "R18" : "UID \(reversed) was, whose octets are the other way round, R1"
        return ["UID \(uid) was not announced in this session: \(origin)"]
    }

    private func attributeHints(_ pattern: CommandPattern) -> [String] {
        deeds.compactMap { deed in
            guard case .decoded(.getNotificationAttributes(let get)) = deed.command else {
                return nil
            }
            let missing = pattern.missing(in: get)
            guard !missing.isEmpty else { return nil }
            return "getNotificationAttributes of UID \(get.notificationUID) does not ask for "
                + missing.map(\.description).joined(separator: ", ")
        }
    }
}
