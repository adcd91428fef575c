public import AMS
public import ANCSProvider

/// Identifies an accessory while a provider runs. It stays the same when the accessory disconnects and
/// returns, if it can be recognized, as a bonded one always can.
public struct AccessoryID: Hashable, Sendable {
    /// The number of the accessory, counted from 1 for each provider.
    public let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The current state of an accessory.
public struct Accessory: Equatable, Sendable {
    /// Its identifier in this run.
    public var id: AccessoryID
    /// Its identity.
    public var description: PeerDescription
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

    /// An event of this device.
    case device(DeviceEvent)
    /// An event of an accessory and of the link to it.
    case peer(AccessoryID, PeerEvent)
    /// An event of an accessory's advertising and of the parameters of its link.
    case link(AccessoryID, LinkEvent)
    /// An event of an accessory that uses the services of the phone.
    case session(AccessoryID, SessionEvent)
    /// A notification of the phone was added, modified or removed, by the program or by an action.
    case notification(EventID, NotificationID)

    /// An event of an accessory that uses the services of the phone.
    public enum SessionEvent: Equatable, Sendable {
        /// It subscribed to a characteristic, or unsubscribed.
        case subscriptionChanged(Characteristic, Bool)
        /// It subscribed to Service Changed, or unsubscribed (R5).
        case serviceChangedSubscription(Bool)
        /// It confirmed an indication of Service Changed: before that, no other is sent.
        case serviceChangedConfirmed
        /// It read a value of the phone's battery or clock.
        case attributeRead(PhoneAttribute)
        /// It subscribed to such a value, or unsubscribed.
        case attributeSubscription(PhoneAttribute, Bool)
        /// An ANCS session started (R49).
        case started
        /// The ANCS session ended; its UIDs are void (R51).
        case ended
        /// A notification was announced as added, modified or removed. The UID is that of the session.
        case announced(NotificationID, NotificationSourceValue)
        /// It wrote to the Control Point.
        indirect case command(Command)
        /// It wrote these octets to the Control Point with a Write Command, which the phone ignores: commands
        /// have to be written with a response (R21).
        case commandWithoutResponse([UInt8])
        /// A command has ended.
        indirect case answered(Command, Outcome)
        /// It requested an action, which was performed or not.
        indirect case action(ActionRequest, performed: Bool)
        /// It uses the media of the phone.
        indirect case media(MediaSourceEvent)
    }
}
