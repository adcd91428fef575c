internal import AccessoryConformance
internal import CommandKit
internal import EventLines

extension ConsumerEvent {
    /// What an accessory says about the event. `address` is that of the phone; `shown` is what was shown of a
    /// notification before, which a removal repeats.
    func line(
        for reporter: Reporter, address: String? = nil, shown: ReceivedNotification? = nil
    ) -> Line {
        switch self {
        case .device(let event): event.line(for: reporter)
        case .peer(_, let event): event.line(for: reporter, address: address)
        case .session(_, let event): event.line(for: reporter, address: address)
        case .notification(let notification):
            NotificationReport(notification: notification, shown: shown).line
        }
    }

    /// The phone that the event is about, if any.
    var provider: PhoneID? {
        switch self {
        case .peer(let id, _), .session(let id, _): id
        case .notification(let notification): notification.provider
        case .device: nil
        }
    }
}

extension ConsumerEvent.SessionEvent {
    fileprivate func line(for reporter: Reporter, address: String?) -> Line {
        /// What is known where a session ends with its service; whether it is gone, a search will show.
        let servicesChanged = "the phone's services have changed"
        return switch self {
        case .waitingForService:
            state(
                "waitingForService",
                "the phone does not offer its notifications yet; waiting for them",
                below: reporter.waitingHints(address: address),
                detail: "the phone does not offer notifications yet; waiting for Service Changed, "
                    + "and searching again from time to time")
        // The phone's side shows it.
        case .started: state("started", "receiving notifications").viewed(nil)
        case .authorizationChanged(.unknown): state("unknown")
        case .authorizationChanged(.authorized):
            state("authorized", detail: "the phone answers: reading is allowed")
        case .authorizationChanged(.unauthorized(let error)):
            state(
                "unauthorized", ["attError": .integer(Int(error.rawValue))],
                "the phone does not allow reading its notifications",
                below: PairingAdvice.sharing(reporter.name).map { .hint($0) },
                detail: "the phone refuses with \(error.code.nameWithCode): Share System "
                    + "Notifications is off")
        case .livenessChanged(.wedged):
            state(
                "wedged", "the phone does not answer, though it is connected",
                below: [.hint(PairingAdvice.toggle)])
        case .livenessChanged(.suspect):
            state("silent", detail: "the phone left commands unanswered; subscribing again")
                .viewed(.sight("● no answer: probing the phone"))
        case .livenessChanged(.live): state("answering", "the phone answers again")
        case .announced(let call): NotificationReport(notification: call).announcement
        case .ended(_, .linkEnded):
            state(
                "ended", ["reason": "the link has ended"],
                detail: "the session ended; its data is discarded")
        case .ended(_, .serviceGone):
            state("ended", ["reason": .string(servicesChanged)], servicesChanged)
        case .ended(_, .renewed(let reason)):
            state("ended", ["reason": .string(reason.message)], reason.message)
        }
    }

    private func state(
        _ state: String, _ members: KeyValuePairs<String, JSONValue?> = [:],
        _ sentence: String? = nil, below: [Line.Below] = [], detail: String? = nil
    ) -> Line {
        Line(
            "session", [.init("state", .string(state))] + [JSONValue.Member](present: members),
            sentence, below: below, detail: detail
        ).viewed(sentence.map { .sight("● " + $0) })
    }

    private func state(
        _ state: String, _ sentence: String, below: [Line.Below] = [], detail: String? = nil
    ) -> Line { self.state(state, [:], sentence, below: below, detail: detail) }
}

extension ConsumerEvent.SessionEvent {
    /// The kinds of lines of these events.
    static let kinds = [
        kind("waitingForService", "the phone does not offer its notifications (yet)"),
        kind("started", "the session began"), kind("authorized", "the phone answers"),
        kind(
            "unauthorized", "the phone refuses: Share System Notifications is off",
            ["attError": .octet]), kind("silent", "the phone does not answer commands"),
        kind("wedged", "it still does not answer after `ancs` subscribed again"),
        kind("answering", "it answers again"),
        kind("unknown", "another session has begun, and the phone has yet to answer"),
        kind("ended", "the session is over", ["reason": .text]),
    ]

    private static func kind(
        _ state: String, _ meaning: String, _ members: LineKind.Members = [:]
    ) -> LineKind { LineKind("session", meaning, ["state": .constant(.string(state))], members) }
}

extension SessionEnd.RenewalReason {
    /// Why the session begins again, in words.
    fileprivate var message: String {
        switch self {
        case .unanswered: "the phone did not answer; subscribing again"
        case .silent: "the phone was silent for hours; subscribing again"
        case .unsubscribed: "the phone had dropped the subscription; subscribing again"
        }
    }
}
