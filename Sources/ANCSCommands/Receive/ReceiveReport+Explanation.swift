internal import ANCSService
internal import ANCS
internal import ANCSKit
internal import BluetoothLE

// The explanations that `--verbose` adds.
extension ReceiveReport {
    func explanation(of event: ConsumerEvent) -> String? {
        switch event {
        case .listening(let place): "waiting for a controller to connect to \(place)"
        case .ready: "the controller is ready"
        case .resetting(let failure): failure.message
        case .advertising(true): "advertising as '\(name)' with a solicitation of ANCS"
        case .advertising(false): "not advertising"
        case .connected(_, let description):
            description.identity.map { "a known phone connected: \($0)" }
                ?? "an unbonded phone connected: \(description.address)"
        case .linkParameters(_, let link): Self.explanation(of: link)
        case .secured(_, let protection): Self.explanation(of: protection)
        case .named(_, let name): "the phone is called '\(TerminalText.visible(name))'"
        case .resumed: "the machine was suspended; probing the phones"
        case .paired: "paired"
        case .pairing: "pairing asks the user"
        case .pairingWithdrawn: "pairing asks no more"
        case .pairingWindow(true): "pairing is open" + face.mention
        case .pairingWindow(false): "pairing is closed"
        case .pairingRefused: refusal
        case .keyTrouble(let id, let trouble): text(of: trouble, with: id)
        case .securityFailed(_, let failure): Self.text(of: failure)
        case .waitingForService:
            "the phone does not offer notifications yet; waiting for Service Changed, and searching "
                + "again from time to time"
        case .sessionStarted: "subscribed to the phone's notifications: the session began"
        case .authorizationChanged(_, .authorized): "the phone answers: reading is allowed"
        case .authorizationChanged(_, .unauthorized(let error)):
            "the phone refuses with \(error.code.nameWithCode): Share System Notifications is off"
        case .livenessChanged(_, .suspect):
            "the phone left commands unanswered; subscribing again"
        case .livenessChanged(_, .wedged):
            "the phone still leaves commands unanswered: its Bluetooth is stuck"
        case .livenessChanged(_, .live): "the phone answers again"
        case .sessionEnded: "the session ended; its data is discarded"
        case .disconnected(_, let reason): "the link ended: \(reason.message)"
        case .warning(let warning): warning.message
        case .authorizationChanged(_, .unknown), .announced, .notification, .missed: nil
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
        case .connected(let id, _), .linkParameters(let id, _), .named(let id, _),
            .secured(let id, _), .pairing(let id, _),
            .pairingWithdrawn(let id), .paired(let id, _, _), .securityFailed(let id, _),
            .waitingForService(let id),
            .pairingRefused(let id), .keyTrouble(let id, _), .authorizationChanged(let id, _),
            .livenessChanged(let id, _), .disconnected(let id, _):
            id
        case .announced(let notification), .notification(let notification): notification.provider
        case .sessionStarted(let id), .sessionEnded(let id, _): id.provider
        case .listening, .ready, .resetting, .advertising, .resumed, .pairingWindow, .warning,
            .missed:
            nil
        }
    }
}
