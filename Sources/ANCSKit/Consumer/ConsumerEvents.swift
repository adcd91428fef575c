public import ANCS
public import BluetoothLE

/// Names a Notification Provider for as long as it is connected.
public struct ProviderID: Hashable, Comparable, Sendable {
    /// Counts the connections of a consumer from 1.
    public let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether one connected before the other.
    public static func < (left: ProviderID, right: ProviderID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Names an ANCS session (R49) of a ``NotificationConsumer``. UIDs are those of one session, and void when
/// it ends (R51).
public struct SessionID: Hashable, Sendable {
    /// The phone.
    public let provider: ProviderID
    /// Counts the sessions of a consumer from 1.
    public let number: UInt64

    package init(provider: ProviderID, number: UInt64) {
        self.provider = provider
        self.number = number
    }
}

/// Who a Notification Provider is.
public struct ProviderDescription: Hashable, Sendable {
    /// The address that it is on air with, as `F0:F1:F2:F3:F4:F5`; iPhones change theirs often.
    public var address: String
    /// Its identity address, where it is bonded.
    public var identity: String?
    /// What names it in logs, the same in every run: 16 hexadecimal digits, a digest of its identity
    /// address, or of the other one as long as it is not bonded, under a key that only this device has.
    public var digest: String
}

/// A phone that is bonded with this device, connected or not.
public struct BondedProvider: Hashable, Sendable {
    /// What names it in logs: see ``ProviderDescription/digest``.
    public var digest: String
    /// Its name, as it was heard last; untrusted. `nil` where none was heard.
    public var name: String?

    /// A phone.
    public init(digest: String, name: String? = nil) {
        self.digest = digest
        self.name = name
    }
}

/// Why an ANCS session ended.
public enum SessionEnd: Hashable, Sendable {
    /// Why a session is begun again on the same link.
    public typealias RenewalReason = ConsumerSession.RenewalReason

    /// The link ended.
    case linkEnded
    /// The phone withdrew the service, or moved it; it is looked for again.
    case serviceGone
    /// The phone was silent: another session begins on the same link.
    case renewed(RenewalReason)
}

/// What happens at a consumer, in the order in which it happens.
public enum ConsumerEvent: Hashable, Sendable {
    /// The transport waits for a controller at this place.
    case listening(at: String)
    /// The Bluetooth stack is ready.
    case ready
    /// The controller failed and is being set up again.
    case resetting(ControllerTrouble)
    /// Whether phones can find us.
    case advertising(Bool)
    /// A phone connected.
    case connected(ProviderID, ProviderDescription)
    /// A phone told its name.
    case named(ProviderID, String)
    /// The machine was suspended, and every phone is asked whether it still does its part.
    case resumed
    /// The link to a phone is protected differently.
    case secured(ProviderID, LinkProtection)
    /// Whether phones may pair from now on. Not reported where they always may.
    case pairingWindow(isOpen: Bool)
    /// A phone cannot be served because it may not pair: ``NotificationConsumer/openPairingWindow(for:)``.
    /// With the identity of a bonded phone, it has lost its keys, or it is another device that claims to
    /// be that phone. Reported once for each link, which ends.
    case pairingRefused(ProviderID, isBonded: Bool)
    /// Pairing asks the user, who answers the request.
    case pairing(ProviderID, PairingRequest)
    /// Pairing succeeded: who the phone is, is known now.
    case paired(ProviderID, ProviderDescription)
    /// Pairing or encryption failed.
    case securityFailed(ProviderID, SecurityFailure)
    /// The phone does not offer ANCS (yet); it is waited for (R5, S2).
    case waitingForService(ProviderID)
    /// An ANCS session started (R49).
    case sessionStarted(SessionID)
    /// The phone began to answer, or refuses (S1).
    case authorizationChanged(ProviderID, NotificationSession.Authorization)
    /// A call rings. It comes at once, before everything else that waits; the notification follows as
    /// added, with its texts, unless it is removed before that. Then the removal alone follows.
    case announced(ReceivedNotification)
    /// A notification was added, modified or removed.
    case notification(ReceivedNotification)
    /// The phone has stopped to do its part, or does it again; a wedged one needs a person (S27).
    case livenessChanged(ProviderID, NotificationSession.Liveness)
    /// The ANCS session ended; every UID is void (R51).
    case sessionEnded(SessionID, SessionEnd)
    /// The phone is gone.
    case disconnected(ProviderID, DisconnectReason)
    /// Something that the user should know, but that stops nothing.
    case warning(DeviceWarning)
    /// The reader of events was so slow that this many events were dropped.
    case missed(Int)
}
