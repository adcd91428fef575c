public import ANCS
public import BluetoothLE

/// Identifies an accessory while a provider runs. It stays the same when the accessory disconnects and
/// returns, if it can be recognized, as a bonded one always can.
public struct AccessoryID: Hashable, Sendable {
    /// The number of the accessory, counted from 1 for each provider.
    public let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The identity of an accessory.
public struct AccessoryDescription: Equatable, Sendable {
    /// The advertised name, as received; `nil` if there is none. Untrusted.
    public var name: String?
    /// Its current or last address on air, as `F0:F1:F2:F3:F4:F5`.
    public var address: String
    /// Its identity address; `nil` if it is not bonded.
    public var identity: String?
}

/// The current state of an accessory.
public struct Accessory: Equatable, Sendable {
    /// Its identifier in this run.
    public var id: AccessoryID
    /// Its identity.
    public var description: AccessoryDescription
    /// Whether there is a link to it.
    public var isConnected: Bool
    /// The protection of the link; `nil` if there is none, or it is not encrypted.
    public var protection: LinkProtection?
    /// Whether it is bonded.
    public var isBonded: Bool
    /// Whether the user agreed to *Share System Notifications*.
    public var hasConsent: Bool
    /// The ATT_MTU of its link in octets.
    public var mtu: Int
    /// Whether it is subscribed to the Notification Source: there is an ANCS session (R49).
    public var isSubscribedToNotificationSource: Bool
    /// Whether it is subscribed to the Data Source.
    public var isSubscribedToDataSource: Bool
}

/// An event of a phone. Events are in order.
public enum ProviderEvent: Equatable, Sendable {
    /// A characteristic that accessories subscribe to.
    public typealias Characteristic = ProviderSession.Characteristic
    /// A write to the Control Point.
    public typealias Command = ProviderSession.Command
    /// How a command ended.
    public typealias Outcome = ProviderSession.Outcome
    /// An action that an accessory requested.
    public typealias ActionRequest = ProviderSession.ActionRequest

    /// The transport is listening for a controller at this place.
    case listening(at: String)
    /// The Bluetooth stack is ready.
    case ready
    /// The controller failed and is being set up again; all links have ended.
    case resetting(ControllerFailure)
    /// Whether the phone scans for accessories has changed.
    case scanning(Bool)
    /// An accessory that solicits ANCS, or is bonded, is advertising; reported once until it has been
    /// connected.
    indirect case discovered(AccessoryID, AccessoryDescription)
    /// Connecting to a discovered accessory failed; there will be another attempt.
    indirect case connectingFailed(AccessoryID, BluetoothError)
    /// An accessory is connected.
    indirect case connected(AccessoryID, AccessoryDescription)
    /// The protection of the link to an accessory has changed.
    case secured(AccessoryID, LinkProtection)
    /// Pairing needs an answer from the user, which the request accepts.
    indirect case pairing(AccessoryID, PairingRequest)
    /// Pairing succeeded. An accessory that does not bond has to pair again on its next link.
    case paired(AccessoryID, isBonded: Bool)
    /// The link was encrypted with the keys of an earlier pairing.
    case bondRestored(AccessoryID)
    /// Pairing or encryption failed.
    case securityFailed(AccessoryID, SecurityFailure)
    /// An accessory was refused access to an attribute, because the link needs more protection or because the
    /// attribute never accepts such a write. The values are the attribute handle and the ATT error code.
    case accessDenied(AccessoryID, handle: UInt16, errorCode: UInt8)
    /// The ATT_MTU was negotiated, in octets.
    case mtuChanged(AccessoryID, Int)
    /// An accessory subscribed to a characteristic, or unsubscribed.
    case subscriptionChanged(AccessoryID, Characteristic, Bool)
    /// An accessory subscribed to Service Changed, or unsubscribed (R5).
    case serviceChangedSubscription(AccessoryID, Bool)
    /// An accessory read a value of the phone's battery or clock.
    case attributeRead(AccessoryID, PhoneAttribute)
    /// An accessory subscribed to such a value, or unsubscribed.
    case attributeSubscription(AccessoryID, PhoneAttribute, Bool)
    /// An ANCS session started (R49).
    case sessionStarted(AccessoryID)
    /// An ANCS session ended; its UIDs are void (R51).
    case sessionEnded(AccessoryID)
    /// A notification was announced to an accessory as added, modified or removed. The UID is that of
    /// the accessory's session.
    case announced(AccessoryID, NotificationID, NotificationSourceValue)
    /// An accessory wrote to the Control Point.
    indirect case command(AccessoryID, Command)
    /// An accessory wrote these octets to the Control Point with a Write Command, which the phone ignores:
    /// commands have to be written with a response (R21).
    case commandWithoutResponse(AccessoryID, [UInt8])
    /// A command has ended.
    indirect case answered(AccessoryID, Command, Outcome)
    /// An accessory requested an action, which was performed or not.
    case action(AccessoryID, ActionRequest, performed: Bool)
    /// A notification of the phone was added, modified or removed, by the program or by an action.
    case notification(EventID, NotificationID)
    /// An accessory is disconnected.
    case disconnected(AccessoryID, DisconnectReason)
    /// A problem that the user should know about; the phone continues.
    case warning(DeviceWarning)
    /// The reader was so slow that this many events were dropped.
    case missed(Int)
}
