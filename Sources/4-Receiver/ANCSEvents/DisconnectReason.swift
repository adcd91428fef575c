public import BluetoothTypes

/// Why the link to a device ended, or is no longer used.
public enum DisconnectReason: Equatable, Sendable {
    /// The reason of the controller, an HCI status code. Core Vol 1, Part F.
    case link(HCIStatus)
    /// This device ended the session.
    case left
    /// This device was stopped.
    case stopped
    /// The device has to pair, and may not.
    case mayNotPair
    /// It did not pair in time.
    case notPaired
    /// It tried to pair, and that failed.
    case pairingFailed
    /// It asked for keys, or to pair, again and again.
    case askedTooOften
    /// It is bonded, but did not encrypt the link in time.
    case notEncrypted
    /// It stopped answering.
    case unresponsive
    /// It does not offer ANCS, and occupied the place of a phone.
    case noService
    /// The link continues without ANCS, for other users of the adapter.
    case notNeeded
    /// The link ended; bluetoothd does not say why.
    case linkEnded
    /// bluetoothd stopped answering, and the link was ended as a remedy.
    case bluetoothdHung
    /// bluetoothd discovered the phone's services too early, and the link was ended as a remedy.
    case discoveredEarly
    /// Bluetooth has disappeared from this machine.
    case bluetoothGone
    /// Another program of this machine ended the link, which bluetoothd does for all programs.
    case otherProgram
    /// This machine was suspended.
    case suspended
    /// The device was removed from bluetoothd, with its bond.
    case removed

    /// What happened, for people.
    public var message: String {
        switch self {
        case .link(let status): status.message
        case .left: "this side ended the session"
        case .stopped: "this side was stopped"
        case .mayNotPair: "it may not pair"
        case .notPaired: "it did not pair in time"
        case .pairingFailed: "pairing has failed"
        case .askedTooOften: "it asked for keys again and again"
        case .notEncrypted: "it did not encrypt the link in time"
        case .unresponsive: "the phone stopped answering"
        case .noService: "it does not offer ANCS, and its place is needed for a phone"
        case .notNeeded: "it does not offer ANCS"
        case .linkEnded: "bluetoothd does not say why"
        case .bluetoothdHung: "the link was ended because bluetoothd did not answer"
        case .discoveredEarly: "the link was ended so that bluetoothd looks for ANCS again"
        case .bluetoothGone: "Bluetooth has disappeared from this machine"
        case .otherProgram: "another program of this machine ended the link"
        case .suspended: "this machine was suspended"
        case .removed: "the device was removed from this machine"
        }
    }
}
