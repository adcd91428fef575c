internal import ANCS
internal import ANCSKit
internal import Octets

/// Finds out, for a step that failed, what the accessory did instead and what may be wrong with it.
struct ScenarioDiagnosis {
    let timeline: ScenarioTimeline
    let accessory: Int
    /// From which entry on events count.
    let mark: Int
    /// What the scenario calls the notifications.
    let names: [String: NotificationID]
    /// How the phone has ANCS.
    let service: ScenarioService
    /// The first entry of the link that stands, or stood last: what was before is another matter.
    let linkStart: Int
    /// The first entry of the last session on that link, or of the link where there was none.
    let sessionStart: Int

    init(
        timeline: ScenarioTimeline, accessory: Int, mark: Int, names: [String: NotificationID],
        service: ScenarioService
    ) {
        self.timeline = timeline
        self.accessory = accessory
        self.mark = mark
        self.names = names
        self.service = service
        let own = timeline.entries.lazy.filter { $0.accessory == accessory }
        linkStart =
            own.last { if case .connected = $0.event { true } else { false } }?.number ?? 0
        let start = own.last { if case .sessionStarted = $0.event { true } else { false } }
        sessionStart = max(linkStart, start?.number ?? 0)
    }

    /// What happened at the accessory from an entry on.
    func entries(from number: Int) -> [ScenarioTimeline.Entry] {
        timeline.entries.filter { $0.number >= number && $0.accessory == accessory }
    }

    /// A notification by the name that the scenario has for it, and its UID.
    func title(of uid: NotificationUID) -> String {
        guard let id = state.notifications[uid],
            let name = names.filter({ $0.value == id }).keys.min()
        else { return "UID \(uid)" }
        return "\"\(name)\" (UID \(uid))"
    }

    var state: ScenarioTimeline.AccessoryState { timeline.states[accessory] }

    /// What came instead of what a step expected, in a sentence.
    func came(instead condition: ScenarioCondition) -> String {
        switch condition {
        case .expectation(.command), .expectation(.action), .milestone(.command),
            .milestone(.action):
            guard state.isConnected else { return situation }
            let strangers = deeds.suffix(3).map(words)
            return strangers.isEmpty
                ? "no command came" : "only " + strangers.joined(separator: "; then ")
        case .expectation(.subscription(_, false)): return "it is still subscribed"
        case .expectation, .milestone, .linkEnded, .restarted, .time: return situation
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
            if case .disconnected(_, let reason) = entry.event { return reason.message }
        }
        return nil
    }

    // MARK: Deeds

    /// A command that no step counted, and its refusal.
    struct Deed {
        /// The number of its entry.
        var number: Int
        var command: ProviderSession.Command
        var refusal: ControlPointError?
    }

    private func words(of deed: Deed) -> String {
        deed.command.words(title)
            + (deed.refusal.map { ", refused with \($0.code.nameWithCode)" } ?? "")
    }

    /// The commands since the step began to count, on this link.
    var deeds: [Deed] {
        var deeds: [Deed] = []
        for entry in entries(from: max(mark, linkStart)) where !entry.isCounted {
            switch entry.event {
            case .command(_, let command):
                deeds.append(Deed(number: entry.number, command: command))
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
    /// As the Core Specification has it.
    var code: ATTErrorCode { ATTErrorCode(rawValue: rawValue) }
}
