public import ANCS
public import BluetoothLE

/// Names an accessory for as long as a provider runs: it stays the same when the accessory leaves and
/// comes back, as far as it can be recognised, which a bonded one can.
public struct AccessoryID: Hashable, Sendable {
    /// Counts the accessories of a provider from 1.
    public let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Who an accessory is.
public struct AccessoryDescription: Hashable, Sendable {
    /// The name that it advertises, as it came over the air; `nil` where it advertises none.
    public var name: String?
    /// The address that it is, or was last, on air with, as `F0:F1:F2:F3:F4:F5`.
    public var address: String
    /// Its identity address, where it is bonded.
    public var identity: String?
}

/// An accessory as the phone sees it at the moment.
public struct Accessory: Hashable, Sendable {
    /// Its name for this run.
    public var id: AccessoryID
    /// Who it is.
    public var description: AccessoryDescription
    /// Whether there is a link to it.
    public var isConnected: Bool
    /// How the link is protected; `nil` where there is none, or it is not encrypted.
    public var protection: LinkProtection?
    /// Whether its keys are stored.
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

/// What happens at a phone, in the order in which it happens.
public enum ProviderEvent: Hashable, Sendable {
    /// A characteristic that accessories subscribe to.
    public typealias Characteristic = ProviderSession.Characteristic
    /// What an accessory wrote to the Control Point.
    public typealias Command = ProviderSession.Command
    /// What became of a command.
    public typealias Outcome = ProviderSession.Outcome
    /// An action that an accessory asks for.
    public typealias ActionRequest = ProviderSession.ActionRequest

    /// The transport waits for a controller at this place.
    case listening(at: String)
    /// The Bluetooth stack is ready.
    case ready
    /// The controller failed and is being set up again; all links have ended.
    case resetting(ControllerTrouble)
    /// Whether the phone looks for accessories.
    case scanning(Bool)
    /// An accessory that wants ANCS, or is bonded, is on air; told once until it was connected.
    case discovered(AccessoryID, AccessoryDescription)
    /// An accessory that was discovered could not be connected to; the phone tries again.
    case connectingFailed(AccessoryID, BluetoothError)
    /// An accessory is connected.
    case connected(AccessoryID, AccessoryDescription)
    /// The link to an accessory is protected differently.
    case secured(AccessoryID, LinkProtection)
    /// Pairing asks the user, who answers the request.
    case pairing(AccessoryID, PairingRequest)
    /// Pairing succeeded. An accessory that pairs without bonding keeps no keys, and has to pair again on
    /// its next link.
    case paired(AccessoryID, isBonded: Bool)
    /// The link was encrypted with the keys of an earlier pairing.
    case bondRestored(AccessoryID)
    /// Pairing or encryption failed.
    case securityFailed(AccessoryID, SecurityFailure)
    /// An accessory was refused an attribute because the link is not secure enough, or a write that
    /// the attribute never takes: the attribute handle and the ATT error code.
    case accessDenied(AccessoryID, handle: UInt16, errorCode: UInt8)
    /// The ATT_MTU was agreed, in octets.
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
    case command(AccessoryID, Command)
    /// An accessory wrote these octets to the Control Point by a Write Command, which the phone drops:
    /// commands are written with a response (R21).
    case commandWithoutResponse(AccessoryID, [UInt8])
    /// What became of a command.
    case answered(AccessoryID, Command, Outcome)
    /// An accessory asked for an action, which was performed or not.
    case action(AccessoryID, ActionRequest, performed: Bool)
    /// A notification was added to the phone, modified or removed, by whom ever.
    case notification(EventID, NotificationID)
    /// An accessory is gone.
    case disconnected(AccessoryID, DisconnectReason)
    /// Something that the user should know, but that stops nothing.
    case warning(DeviceWarning)
    /// The reader of events was so slow that this many events were dropped.
    case missed(Int)
}
