internal import ANCS
internal import ANCSKit
internal import Octets

/// Finds out, for a step that failed, what the accessory did instead and what may be wrong with it.
struct ScenarioDiagnosis {
    let timeline: ScenarioTimeline
    let accessory: Int
    /// From which entry on events count.
    let mark: Int

    private var state: ScenarioTimeline.AccessoryState { timeline.states[accessory] }

    /// What came instead of what a step expected, in a sentence.
    func came(instead action: ScenarioStep.Action) -> String {
        switch action {
        case .expect(.command), .expect(.action), .wait(.command), .wait(.action):
            guard state.isConnected else { return situation }
            let strangers = deeds.suffix(3).map { $0.words }
            return strangers.isEmpty
                ? "no command came" : "only " + strangers.joined(separator: "; then ")
        case .expect(.subscription(_, false)): return "it is still subscribed"
        default: return situation
        }
    }

    /// How far the accessory has come.
    private var situation: String {
        guard state.isConnected else {
            if let lastEnd { return "it is not connected; the last link ended: \(lastEnd)" }
            return state.isOnAir
                ? "the accessory is on air, and not connected" : "no accessory was found on air"
        }
        var words = ["it is connected"]
        words.append(state.isEncrypted ? "encrypted" : "not encrypted")
        if state.hasSession {
            words.append("subscribed to the Notification Source")
        } else {
            words.append("not subscribed to the Notification Source")
        }
        if state.subscriptions.contains(.dataSource) {
            words.append("subscribed to the Data Source")
        } else if state.hasSession {
            words.append("not subscribed to the Data Source")
        }
        return words.joined(separator: ", ")
    }

    /// Why the last link to the accessory ended.
    private var lastEnd: String? {
        for entry in timeline.entries.reversed() where entry.accessory == accessory {
            if case .disconnected(_, let reason) = entry.event { return reason }
        }
        return nil
    }

    // MARK: Hints

    /// What may be the reason.
    func hints(instead action: ScenarioStep.Action) -> [String] {
        var hints = commandHints
        if case .expect(.command(let pattern)) = action { hints += attributeHints(pattern) }
        switch action {
        case .expect(.command), .expect(.action), .wait(.command), .wait(.action),
            .wait(.subscribed), .wait(.session), .wait(.paired), .wait(.encrypted),
            .wait(.restored),
            .expect(.subscription(_, true)):
            hints += linkHints
            if hints.isEmpty { hints += silenceHints }
        case .wait(.connected):
            if !state.isOnAir, state.id == nil {
                hints.append(
                    "it has to advertise connectably with a solicitation of the ANCS UUID: S30")
            }
        default: break
        }
        // More would hide what came first.
        return hints.reduce(into: []) { unique, hint in
            if unique.count < 12, !unique.contains(hint) { unique.append(hint) }
        }
    }

    /// What is missing on the way to commands.
    private var linkHints: [String] {
        guard state.isConnected else { return [] }
        if let failure = state.securityFailure { return [failure] }
        if !state.isEncrypted {
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
        guard deeds.isEmpty else { return [] }
        for entry in timeline.entries.reversed() where entry.accessory == accessory {
            guard case .answered(_, let command, let outcome) = entry.event else { continue }
            let last = "its last command was \(command.words)"
            switch outcome {
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

    /// What is wrong with the commands that came, and what the phone answered.
    private var commandHints: [String] {
        deeds.flatMap { deed -> [String] in
            let answer = deed.refusal.map { "; the phone answered \($0.described)" } ?? ""
            let critiques = CommandCritique.critiques(of: deed.command.octets)
            return critiques.map { $0.sentence + answer }
        }
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

    // MARK: Deeds

    /// A command that no step counted, and its refusal.
    private struct Deed {
        var command: ProviderSession.Command
        var refusal: ControlPointError?

        var words: String {
            command.words + (refusal.map { ", refused with \($0.described)" } ?? "")
        }
    }

    private var deeds: [Deed] {
        var deeds: [Deed] = []
        for entry in timeline.entries
        where entry.number >= mark && entry.accessory == accessory && !entry.isCounted {
            switch entry.event {
            case .command(_, let command): deeds.append(Deed(command: command))
            case .answered(_, let command, .refused(let error)):
                guard
                    let index = deeds.lastIndex(where: {
                        $0.command == command && $0.refusal == nil
                    })
                else { continue }
                deeds[index].refusal = error
            default: break
            }
        }
        return deeds
    }
}

extension ControlPointError {
    /// The name with the code: `invalidCommand (0xA1)`.
    var described: String {
        "\(self) (0x\(String(rawValue, radix: 16, uppercase: true)))"
    }
}
