public import ANCS
public import BluetoothLE

/// Identifies a Notification Provider while it is connected.
public struct ProviderID: Hashable, Comparable, Sendable {
    /// The number of the connection, counted from 1 for each consumer.
    public let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether `left` connected before `right`.
    public static func < (left: ProviderID, right: ProviderID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Identifies an ANCS session (R49) of a ``NotificationConsumer``. The UIDs of a session are void when it
/// ends (R51).
public struct SessionID: Hashable, Sendable {
    /// The phone.
    public let provider: ProviderID
    /// The number of the session, counted from 1 for each consumer.
    public let number: UInt64

    package init(provider: ProviderID, number: UInt64) {
        self.provider = provider
        self.number = number
    }
}

/// The identity of a Notification Provider.
public struct ProviderDescription: Equatable, Sendable {
    /// Its address on air, as `F0:F1:F2:F3:F4:F5`; iPhones change theirs often.
    public var address: String
    /// Its identity address; `nil` if it is not bonded.
    public var identity: String?
    /// Identifies it in logs, in every run: 16 hexadecimal digits, a digest of its identity address (or of
    /// the other one if it is not bonded) with a key that only this device has.
    public var digest: String
    /// What its link has; `nil` with bluetoothd, which does not say.
    public var link: LinkParameters?
}

/// A phone that is bonded with this device, connected or not.
public struct BondedProvider: Equatable, Sendable {
    /// Identifies it in logs: see ``ProviderDescription/digest``.
    public var digest: String
    /// Its name, as last received; untrusted. `nil` if none was received.
    public var name: String?

    /// A phone with this digest and name.
    public init(digest: String, name: String? = nil) {
        self.digest = digest
        self.name = name
    }
}

/// Why an ANCS session ended.
public enum SessionEnd: Equatable, Sendable {
    /// Why a session is restarted on the same link.
    public typealias RenewalReason = ConsumerSession.RenewalReason

    /// The link ended.
    case linkEnded
    /// The phone's services have changed, so that the handles and subscriptions of this session may be void:
    /// the service is searched for again. It is gone only if ``ConsumerEvent/waitingForService(_:)`` follows.
    case serviceGone
    /// The phone was silent: another session starts on the same link.
    case renewed(RenewalReason)
}

/// An event of a consumer. Events are in order.
public enum ConsumerEvent: Equatable, Sendable {
    /// The transport is listening for a controller at this place.
    case listening(at: String)
    /// The Bluetooth stack is ready.
    case ready
    /// The controller failed and is being set up again.
    case resetting(ControllerFailure)
    /// This device advertises, or no longer does.
    case advertising(Bool)
    /// A phone connected.
    indirect case connected(ProviderID, ProviderDescription)
    /// The phone changed the parameters of its link, by itself or because this device asked for that, or it keeps
    /// its own although this device asked for others. At most 16 times on a link.
    indirect case linkParameters(ProviderID, LinkParameters)
    /// The name of a phone was received.
    case named(ProviderID, String)
    /// The machine was suspended and has resumed; every phone is probed.
    case resumed
    /// The protection of the link to a phone has changed.
    case secured(ProviderID, LinkProtection)
    /// Phones may pair from now on, or may not. Not reported if they always may.
    case pairingWindow(isOpen: Bool)
    /// An unknown phone cannot be served because it may not pair; see
    /// ``NotificationConsumer/openPairingWindow(for:)``. Reported once per link; the link is then ended.
    case pairingRefused(ProviderID)
    /// The keys of a bonded phone do not work, or it asks to pair again and may not; or another device claims
    /// to be that phone. The bond is kept. Each trouble is reported once, and once more when it lasts, until
    /// the keys have worked.
    case keyTrouble(ProviderID, KeyTrouble)
    /// Pairing needs an answer from the user, which the request accepts.
    indirect case pairing(ProviderID, PairingRequest)
    /// The request was withdrawn before it was answered: an answer no longer has an effect.
    case pairingWithdrawn(ProviderID)
    /// Pairing succeeded: the identity of the phone is now known. `replacing` is the phone as it was known
    /// before if it was bonded; the keys of that bond are gone.
    indirect case paired(ProviderID, ProviderDescription, replacing: BondedProvider?)
    /// Pairing or encryption failed.
    case securityFailed(ProviderID, SecurityFailure)
    /// The phone does not offer ANCS, or not yet; the search continues (R5, S2).
    case waitingForService(ProviderID)
    /// An ANCS session started (R49).
    case sessionStarted(SessionID)
    /// The phone has begun to accept commands, or to refuse them (S1).
    case authorizationChanged(ProviderID, NotificationSession.Authorization)
    /// A call is ringing. Reported at once, before queued notifications. The notification follows as added,
    /// with its texts; if it is removed first, only the removal follows.
    indirect case announced(ReceivedNotification)
    /// A notification was added, modified or removed.
    indirect case notification(ReceivedNotification)
    /// The phone has stopped answering, or answers again; a wedged one needs a person (S27).
    case livenessChanged(ProviderID, NotificationSession.Liveness)
    /// An ANCS session has ended; its UIDs are void (R51).
    case sessionEnded(SessionID, SessionEnd)
    /// The phone is disconnected.
    case disconnected(ProviderID, DisconnectReason)
    /// A problem that the user should know about; the consumer continues.
    case warning(DeviceWarning)
    /// The reader was so slow that this many events were dropped.
    case missed(Int)
}
