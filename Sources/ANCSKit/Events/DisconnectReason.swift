public import BluetoothLE

/// Why the link to a device ended, or serves no longer.
public enum DisconnectReason: Hashable, Sendable {
    /// What the controller says: an HCI status code. Core Vol 1, Part F.
    case link(HCIStatus)
    /// This device ended its session there.
    case left
    /// This device was stopped.
    case stopped
    /// The device may not pair, and has to.
    case mayNotPair
    /// It did not pair in time.
    case notPaired
    /// It is bonded, and did not encrypt the link in time.
    case notEncrypted
    /// It stopped answering.
    case unresponsive
    /// It does not offer ANCS, and was in the place of a phone that may.
    case noService
    /// The link goes on without ANCS, for other users of the adapter.
    case notNeeded
    /// The link ended; bluetoothd does not say why.
    case linkEnded
    /// bluetoothd stopped answering, and the link was ended, which sets that right.
    case bluetoothdHung
    /// bluetoothd looked for the phone's services too early, and the link was ended, which sets that right.
    case discoveredEarly
    /// Bluetooth went away on this machine.
    case bluetoothGone

    /// What happened, for a user.
    public var message: String {
        switch self {
        case .link(let status): status.message
        case .left: "this side ended the session"
        case .stopped: "this side was stopped"
        case .mayNotPair: "it may not pair"
        case .notPaired: "it did not pair in time"
        case .notEncrypted: "it did not encrypt the link in time"
        case .unresponsive: "the phone stopped answering"
        case .noService: "it does not offer ANCS, and a phone could have its place"
        case .notNeeded: "it is of no use for ANCS"
        case .linkEnded: "bluetoothd does not say why"
        case .bluetoothdHung: "the link was ended because bluetoothd did not answer"
        case .discoveredEarly: "the link was ended so that bluetoothd looks for ANCS again"
        case .bluetoothGone: "Bluetooth went away on this machine"
        }
    }
}
