import ANCS

/// What the accessory says on its console.
enum Report {
    // What it does by itself.
    case ready
    case advertising
    case connected(isBonded: Bool)
    case encrypted(isProven: Bool)
    case paired
    case named([UInt8])
    case subscribed
    case disconnected
    case removed(NotificationUID)
    case clock(Clock.Reading, Clock.Zone?)
    /// The title; empty for none.
    case playing([UInt8])
    // What the user did.
    case performed
    case notPerformed
    case nothingToDo
    // What is not as it should be.
    case securityFailed
    case noService
    case serviceGone
    case renewing
    case notAllowed
    case liveness(ConsumerSession.Liveness)
    case tooMany
    case ending(ProviderLink.EndReason)
    case controllerReset
    case controllerSilent
    case controllerFailed
    case refreshing
    case notAdvertising
    case lineLost
    case memoryShort

    /// What happened, why where that is known, and what comes of it.
    var text: StaticString {
        switch self {
        case .ready: "the controller is ready"
        case .advertising: "waiting for a phone"
        case .connected(isBonded: true): "connected with the bonded phone"
        case .connected(isBonded: false): "connected with a phone that is not bonded"
        case .encrypted(isProven: true): "encrypted with the bond"
        case .encrypted(isProven: false): "encrypted"
        case .paired: "paired"
        case .named: "the phone is "
        case .subscribed: "subscribed"
        case .disconnected: "disconnected"
        case .removed: "removed "
        case .clock: "the phone's clock: "
        case .playing(let title) where title.isEmpty: "nothing is playing"
        case .playing: "playing: "
        case .performed: "done"
        case .notPerformed: "the phone did not do it"
        case .nothingToDo: "there is nothing to act on"
        case .securityFailed:
            "pairing or encryption failed; if this continues, forget this accessory on the phone"
        case .noService: "the phone does not offer notifications; looking again"
        case .serviceGone: "the phone's notifications are gone; looking again"
        case .renewing: "the phone fell silent; subscribing again"
        case .notAllowed:
            "the phone does not share its notifications: allow it in its Bluetooth settings"
        case .liveness(.live): "the phone answers"
        case .liveness(.suspect): "the phone does not answer"
        case .liveness(.wedged): "the phone does not answer: turn its Bluetooth off and on"
        case .tooMany: "too many notifications: an old one is left out"
        case .ending(.notSecured): "the phone did not pair; ending the link"
        case .ending(.notAnswered): "the phone did not answer; ending the link"
        case .ending(.closed), .ending(.left): "ending the link"
        case .controllerReset: "the controller was reset; setting it up"
        case .controllerSilent: "the controller is silent; setting it up"
        case .controllerFailed: "the controller cannot be set up; trying again"
        case .refreshing: "no phone came; setting the controller up again"
        case .notAdvertising: "the controller does not advertise; trying again"
        case .lineLost:
            "the controller's data makes no sense; resetting it when the line is quiet"
        case .memoryShort: "memory is running short: ending the links"
        }
    }
}
