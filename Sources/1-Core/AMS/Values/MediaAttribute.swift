/// What a phone reports about its media: the player, its queue and its track (M8). Values without a name here are kept.
@frozen public struct MediaEntityID: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8

    /// The entity with this value on the wire.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `EntityIDPlayer`
    public static let player = MediaEntityID(rawValue: 0)
    /// `EntityIDQueue`
    public static let queue = MediaEntityID(rawValue: 1)
    /// `EntityIDTrack`
    public static let track = MediaEntityID(rawValue: 2)
}

/// An attribute of an entity (M9 to M11). Values without a name here are kept.
@frozen public struct MediaAttribute: Hashable, Sendable {
    /// The entity.
    public var entityID: MediaEntityID
    /// The attribute, whose meaning depends on the entity.
    public var attributeID: UInt8

    /// The attribute with these octets on the wire.
    @inlinable public init(_ entityID: MediaEntityID, _ attributeID: UInt8) {
        self.entityID = entityID
        self.attributeID = attributeID
    }

    /// `PlayerAttributeIDName`
    public static let playerName = MediaAttribute(.player, 0)
    /// `PlayerAttributeIDPlaybackInfo`: see ``PlaybackInfo``.
    public static let playbackInfo = MediaAttribute(.player, 1)
    /// `PlayerAttributeIDVolume`: `0` to `1`.
    public static let volume = MediaAttribute(.player, 2)
    /// The identifier of the player's app. It is not in Apple's reference, and there since iOS 8.3 (M9).
    public static let bundleIdentifier = MediaAttribute(.player, 3)
    /// `QueueAttributeIDIndex`, from 0.
    public static let queueIndex = MediaAttribute(.queue, 0)
    /// `QueueAttributeIDCount`
    public static let queueCount = MediaAttribute(.queue, 1)
    /// `QueueAttributeIDShuffleMode`: see ``MediaMode``.
    public static let shuffleMode = MediaAttribute(.queue, 2)
    /// `QueueAttributeIDRepeatMode`: see ``MediaMode``.
    public static let repeatMode = MediaAttribute(.queue, 3)
    /// `TrackAttributeIDArtist`
    public static let artist = MediaAttribute(.track, 0)
    /// `TrackAttributeIDAlbum`
    public static let album = MediaAttribute(.track, 1)
    /// `TrackAttributeIDTitle`
    public static let title = MediaAttribute(.track, 2)
    /// `TrackAttributeIDDuration`, in seconds.
    public static let duration = MediaAttribute(.track, 3)

    /// Those that have a name, in the order of their numbers: four of each entity.
    public static let named: [MediaAttribute] = (0..<12).map { MediaAttribute(index: $0) }

    /// The position in ``named``; `nil` for one without a name.
    @usableFromInline var index: Int? {
        entityID.rawValue < 3 && attributeID < 4
            ? Int(entityID.rawValue) * 4 + Int(attributeID) : nil
    }

    @usableFromInline init(index: Int) {
        self.init(MediaEntityID(rawValue: UInt8(index / 4)), UInt8(index % 4))
    }
}

extension MediaAttribute: CustomStringConvertible {
    /// `title`, `playbackInfo` and so on, or the two numbers.
    public var description: String {
        let names: [12 of StaticString] = [
            "playerName", "playbackInfo", "volume", "bundleIdentifier", "queueIndex", "queueCount",
            "shuffleMode", "repeatMode", "artist", "album", "title", "duration",
        ]
        return index.map { "\(names[$0])" } ?? "reserved\(entityID.rawValue).\(attributeID)"
    }
}

/// Some of the attributes that have a name.
@frozen public struct MediaAttributeSet: OptionSet, Hashable, Sendable {
    /// A bit for each, in the order of ``MediaAttribute/named``.
    public var rawValue: UInt16

    /// The set with these bits.
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The set of one attribute; empty for one without a name.
    public init(_ attribute: MediaAttribute) {
        rawValue = attribute.index.map { 1 << UInt16($0) } ?? 0
    }

    /// All of them.
    public static let all = MediaAttributeSet(rawValue: 0x0FFF)

    /// Those of one entity.
    public static func all(of entity: MediaEntityID) -> MediaAttributeSet {
        entity.rawValue < 3 ? MediaAttributeSet(rawValue: 0xF << (UInt16(entity.rawValue) * 4)) : []
    }

    /// Whether an attribute is among them.
    public func contains(_ attribute: MediaAttribute) -> Bool {
        guard let index = attribute.index else { return false }
        return rawValue & (1 << UInt16(index)) != 0
    }

    /// The first of them, in the order of their numbers.
    public var first: MediaAttribute? {
        rawValue == 0 ? nil : MediaAttribute(index: rawValue.trailingZeroBitCount)
    }
}
