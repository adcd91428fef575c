internal import ANCS
internal import ANCSKit
internal import Octets

/// Finds out, for a step that failed, what the accessory did instead and what may be wrong with it.
struct ScenarioDiagnosis {
    let timeline: ScenarioTimeline
    let accessory: Int
    /// From which entry on events count.
    let mark: Int

    var state: ScenarioTimeline.AccessoryState { timeline.states[accessory] }

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

    // MARK: Deeds

    /// A command that no step counted, and its refusal.
    struct Deed {
        var command: ProviderSession.Command
        var refusal: ControlPointError?

        var words: String {
            command.words + (refusal.map { ", refused with \($0.described)" } ?? "")
        }
    }

    var deeds: [Deed] {
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
        "\(self) (0x\(Hexadecimal.text([rawValue]).uppercased()))"
    }
}
