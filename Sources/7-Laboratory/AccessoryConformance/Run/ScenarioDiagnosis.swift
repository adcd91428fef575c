internal import Printing
internal import ANCSKit

/// Finds out, for a failed step, what the accessory did instead and what may be wrong with it.
struct ScenarioDiagnosis {
    package let timeline: ScenarioTimeline
    package let accessory: Int
    /// The first entry whose events count.
    package let mark: Int
    /// The names of the notifications in the scenario.
    package let names: [String: NotificationID]
    /// What the phone has heard of advertisers that it does not connect to.
    let passedOver: [String]
    /// The first entry of the present or last link; earlier events do not matter.
    let linkStart: Int
    /// The first entry of the last session on that link, or of the link if there was no session.
    let sessionStart: Int

    /// The start of the run, and the present.
    let (origin, now): (MonotonicInstant, MonotonicInstant)
    /// Whether the scenario is about ANCS, and not about the link of an accessory that may not use it.
    let isOfANCS: Bool

    init(
        timeline: ScenarioTimeline, accessory: Int, mark: Int, names: [String: NotificationID],
        passedOver: [String], isOfANCS: Bool, since origin: MonotonicInstant,
        at now: MonotonicInstant
    ) {
        (self.origin, self.now, self.isOfANCS) = (origin, now, isOfANCS)
        (self.timeline, self.accessory, self.mark, self.names) = (timeline, accessory, mark, names)
        self.passedOver = passedOver
        let own = timeline.entries.lazy.filter { $0.accessory == accessory }
        linkStart =
            own.last { if case .peer(_, .connected) = $0.event { true } else { false } }?.number
            ?? 0
        let start = own.last { if case .session(_, .started) = $0.event { true } else { false } }
        sessionStart = max(linkStart, start?.number ?? 0)
    }

    /// The entries of the accessory, starting with a number.
    package func entries(from number: Int) -> [ScenarioTimeline.Entry] {
        timeline.entries.filter { $0.number >= number && $0.accessory == accessory }
    }

    /// The name of a notification in the scenario, with its UID.
    package func title(of uid: NotificationUID) -> String {
        guard let id = state.notifications[uid],
            let name = names.filter({ $0.value == id }).keys.min()
        else { return "UID \(uid)" }
        return "\"\(name)\" (UID \(uid))"
    }

    /// What the phone knows of the accessory.
    var state: AccessoryKnowledge { timeline.states[accessory] }

    /// What happened instead of what the step expected, in one sentence.
    func came(instead condition: ScenarioCondition) -> String {
        switch condition {
        case .expectation(.command), .expectation(.action), .milestone(.command),
            .milestone(.action):
            guard state.isConnected else { return situation }
            let strangers = deeds.suffix(3).map(words)
            return strangers.isEmpty
                ? "no command arrived" : "only " + strangers.joined(separator: "; then ")
        case .expectation(.subscription(_, false)): return "it is still subscribed"
        case .expectation, .milestone, .linkEnded, .restarted, .servicesFound, .time:
            return situation
        }
    }

    /// How far the accessory has got: its link, its encryption and its subscriptions.
    private var situation: String {
        guard state.isConnected else {
            if let end = ends.last {
                return "it is not connected; the last link ended: \(end.reason.words)"
            }
            if state.isOnAir { return "the accessory advertises, but is not connected" }
            let others = timeline.connectedAccessories(besides: accessory)
            guard others.isEmpty else {
                return "it has not been found; only "
                    + others.map { "\"\($0)\"" }.joined(separator: " and ") + " is connected"
            }
            return "no accessory was found"
        }
        var words = ["it is connected"]
        words.append(state.isEncrypted ? "encrypted" : "not encrypted")
        guard isOfANCS else { return words.joined(separator: ", ") }
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

    /// Whether the phone has heard an accessory that is not connected: it may be this one.
    var isHeard: Bool {
        state.isOnAir
            || timeline.entries.contains { entry in
                if case .peer(_, .discovered) = entry.event { true } else { false }
            }
    }

    /// How the links to the accessory ended.
    var ends: [(number: Int, at: MonotonicInstant, reason: DisconnectReason)] {
        entries(from: 0).compactMap { entry in
            guard case .peer(_, .disconnected(let reason)) = entry.event else { return nil }
            return (entry.number, entry.at, reason)
        }
    }

    /// The action that the accessory performed on a notification, and when.
    func act(on id: NotificationID?) -> String? {
        entries(from: 0).lazy.compactMap { entry in
            guard case .session(_, .action(let request, true)) = entry.event,
                request.notificationID == id
            else { return nil }
            return "it performed the \(request.actionID) action of \(title(request)) itself at "
                + "\((entry.at - origin).text)"
        }.last
    }

    private func title(_ request: ProviderSession.ActionRequest) -> String {
        names.filter { $0.value == request.notificationID }.keys.min().map { "\"\($0)\"" }
            ?? "UID \(request.notificationUID)"
    }

    // MARK: Deeds

    /// A command that no step counted, and its refusal, if any.
    struct Deed {
        /// The number of its entry.
        package var number: Int
        package var command: ProviderSession.Command
        package var refusal: ControlPointError?
    }

    private func words(of deed: Deed) -> String {
        deed.command.text(title)
            + (deed.refusal.map { ", refused with \($0.code.nameWithCode)" } ?? "")
    }

    /// The commands on this link since the step began that no step has counted, nor their answers.
    var deeds: [Deed] {
        var deeds: [Deed] = []
        for entry in entries(from: max(mark, linkStart)) {
            switch entry.event {
            case .session(_, .command(let command)) where !entry.isCounted:
                deeds.append(Deed(number: entry.number, command: command))
            case .session(_, .answered(let command, let outcome)):
                guard
                    let index = deeds.lastIndex(where: {
                        $0.command == command && $0.refusal == nil
                    })
                else { continue }
                if entry.isCounted {
                    deeds.remove(at: index)
                } else if case .refused(let error) = outcome {
                    deeds[index].refusal = error
                }
            case .device, .peer, .link, .session, .notification: break
            }
        }
        return deeds
    }
}

extension DisconnectReason {
    /// Whether the accessory ended the link (Core Vol 1, Part F, 2.19 to 2.21).
    var isOfPeer: Bool {
        if case .link(let status) = self { (0x13...0x15).contains(status.rawValue) } else { false }
    }

    /// What happened: during a run, the phone stops only to be started again.
    var words: String { self == .stopped ? "the phone was restarted" : message }
}

extension ControlPointError {
    /// The name in the Core Specification.
    package var code: ATTErrorCode { ATTErrorCode(rawValue: rawValue) }
}
