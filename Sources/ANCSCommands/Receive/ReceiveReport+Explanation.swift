internal import AccessoryConformance
internal import ANCSService
internal import ANCS
internal import ANCSKit
internal import BluetoothLE

// The explanations that `--verbose` adds. Texts of the phone stand in them as received: what writes a diagnostic
// makes all of it visible.
extension ReceiveReport {
    func explanation(of event: ConsumerEvent) -> String? {
        switch event {
        case .device(let event): explanation(of: event)
        case .peer(let id, let event): explanation(of: event, id)
        case .session(_, let event): Self.explanation(of: event)
        case .announced, .notification: nil
        }
    }

    private func explanation(of event: DeviceEvent) -> String? {
        switch event {
        case .listening(let place): "waiting for a controller to connect to \(place)"
        case .ready: "the controller is ready"
        case .resetting(let failure): failure.message
        case .advertising(true): "advertising as '\(name)' with a solicitation of ANCS"
        case .advertising(false): "not advertising"
        case .resumed: "the machine was suspended; probing the phones"
        case .pairingWindow(true): "pairing is open" + face.mention
        case .pairingWindow(false): "pairing is closed"
        case .warning(let warning): warning.message
        case .scanning, .missed: nil
        }
    }

    private func explanation(of event: PeerEvent, _ id: ProviderID) -> String? {
        switch event {
        case .connected(let description):
            description.identity.map { "a known phone connected: \($0)" }
                ?? "an unbonded phone connected: \(description.address)"
        case .linkParameters(let link): Self.explanation(of: link)
        case .secured(let protection): Self.explanation(of: protection)
        case .named(let name): "the phone is called '\(name)'"
        case .paired: "paired"
        case .pairing: "pairing asks the user"
        case .pairingWithdrawn: "pairing asks no more"
        case .pairingRefused: refusal
        case .keyTrouble(let trouble): text(of: trouble, with: id)
        case .securityFailed(let failure): Self.text(of: failure)
        case .disconnected(let reason): "the link ended: \(reason.message)"
        case .discovered, .connectingFailed, .mtuChanged, .bondRestored, .identified,
            .accessDenied:
            nil
        }
    }

    private static func explanation(of event: ConsumerEvent.SessionEvent) -> String? {
        switch event {
        case .waitingForService:
            "the phone does not offer notifications yet; waiting for Service Changed, and searching "
                + "again from time to time"
        case .started: "subscribed to the phone's notifications: the session began"
        case .authorizationChanged(.authorized): "the phone answers: reading is allowed"
        case .authorizationChanged(.unauthorized(let error)):
            "the phone refuses with \(error.code.nameWithCode): Share System Notifications is off"
        case .authorizationChanged(.unknown): nil
        case .livenessChanged(.suspect): "the phone left commands unanswered; subscribing again"
        case .livenessChanged(.wedged):
            "the phone still leaves commands unanswered: its Bluetooth is stuck"
        case .livenessChanged(.live): "the phone answers again"
        case .ended: "the session ended; its data is discarded"
        }
    }

    private static func explanation(of link: LinkParameters) -> String {
        link.isKept
            ? "the phone was asked for parameters with which its link lasts, and keeps \(link.message)"
            : "the link has what was asked for: \(link.message)"
    }

    private static func explanation(of protection: LinkProtection) -> String {
        guard protection.isEncrypted else { return "the link is no longer encrypted" }
        return "the link is encrypted, "
            + (protection.isAuthenticated ? "protected" : "not protected")
            + " against a man in the middle, by "
            + (protection.usesSecureConnections ? "LE Secure Connections" : "LE legacy pairing")
    }
}

extension SessionEnd.RenewalReason {
    /// Why the session begins again, in words.
    var message: String {
        switch self {
        case .unanswered: "the phone did not answer; subscribing again"
        case .silent: "the phone was silent for hours; subscribing again"
        case .unsubscribed: "the phone had dropped the subscription; subscribing again"
        }
    }
}

extension ConsumerEvent {
    /// The phone that the event is about, if any.
    var provider: ProviderID? {
        switch self {
        case .peer(let id, _), .session(let id, _): id
        case .announced(let notification), .notification(let notification): notification.provider
        case .device: nil
        }
    }
}
