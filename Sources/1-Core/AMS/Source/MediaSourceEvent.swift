/// What an accessory did with the media of a phone, or was sent of them.
public enum MediaSourceEvent: Hashable, Sendable {
    /// It subscribed to a characteristic, or unsubscribed.
    case subscriptionChanged(MediaCharacteristic, Bool)
    /// It registered for these attributes, in place of those of the entity before; or was refused (M3).
    case registered(EntityUpdateRegistration, MediaServiceError?)
    /// It chose an attribute to read whole, or was refused (M5).
    case asked(MediaAttribute, MediaServiceError?)
    /// It read these octets of the chosen attribute, which has so many.
    case read(MediaAttribute, Range<Int>, of: Int)
    /// It sent a command. If it was not refused, the player obeys.
    case commanded(RemoteCommandID, MediaServiceError?)
    /// It wrote octets that make no sense.
    case malformed([UInt8])
    /// The commands that the player supports were sent to it (M2).
    case offered(RemoteCommandSet)
    /// A value was sent to it.
    case updated(EntityUpdate)
}

/// How a phone differs from a faithful one. Each was seen at a phone, or at an imitation of the service.
public struct MediaQuirks: OptionSet, Hashable, Sendable {
    /// A bit for each.
    public let rawValue: UInt8

    /// The quirks with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The supported commands are not sent again when they change (openradar 21938452).
    public static let staleCommands = MediaQuirks(rawValue: 1 << 0)
    /// Numbers have a decimal comma, and *PlaybackInfo* thereby more fields than three, as imitations of the service
    /// write them.
    public static let decimalComma = MediaQuirks(rawValue: 1 << 1)
    /// A value that is truncated may be cut within a character (M4).
    public static let cutCharacters = MediaQuirks(rawValue: 1 << 2)
    /// *PlaybackInfo* is not reported when the track changes.
    public static let silentTracks = MediaQuirks(rawValue: 1 << 3)
    /// The volume is never reported.
    public static let silentVolume = MediaQuirks(rawValue: 1 << 4)
}

/// Something that goes wrong once.
public enum MediaFault: Hashable, Sendable {
    /// The link is lost at the next registration for the name of the player: the server of iOS 8.3 crashed so
    /// (openradar 21283910).
    case linkLoss
    /// The service is withdrawn during the next read of Entity Attribute: between the parts of a long one.
    case vanishing
    /// The values of the next registration are sent so many times more.
    case burst(Int)
}
