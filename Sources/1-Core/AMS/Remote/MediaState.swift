public import Octets

/// What an accessory knows of the media on a phone. A member is `nil` if the phone has not said it, or has none.
public struct MediaState: Hashable, Sendable {
    /// A value, and what is missing of it.
    public struct Text: Hashable, Sendable {
        /// The octets, which end with a whole character.
        public var octets: [UInt8]
        /// Whether the phone or this side cut it.
        public var isTruncated: Bool

        /// A text.
        public init(_ octets: [UInt8], isTruncated: Bool = false) {
            (self.octets, self.isTruncated) = (octets, isTruncated)
        }

        /// The text, with U+FFFD in place of what is not UTF-8.
        public var string: String { UTF8Text.repaired(octets) }
    }

    /// The name of the player, such as *Music*.
    public var playerName: Text?
    /// The identifier of its app.
    public var bundleIdentifier: Text?
    /// What it does, and where in the track it was at ``playbackInstant``.
    public var playback: PlaybackInfo?
    /// When ``playback`` arrived.
    public var playbackInstant: MonotonicInstant?
    /// The volume in thousandths of the whole.
    public var volume: Int?
    /// The place of the track in the queue, from 0.
    public var queueIndex: Int?
    /// How many tracks the queue has.
    public var queueCount: Int?
    /// In which order the queue is played.
    public var shuffleMode: MediaMode?
    /// What is played again.
    public var repeatMode: MediaMode?
    /// The artist of the track.
    public var artist: Text?
    /// Its album.
    public var album: Text?
    /// Its title.
    public var title: Text?
    /// The length of the track.
    public var duration: Duration?
    /// What the player can be told to do.
    public var commands = RemoteCommandSet()

    /// Nothing is known.
    public init() {}

    /// Where in the track the player is (M12), at most its end; `nil` if that does not follow from what the phone said.
    public func position(at now: MonotonicInstant) -> Duration? {
        guard let playback, let playbackInstant else { return nil }
        guard let position = playback.position(after: now - playbackInstant) else { return nil }
        return duration.map { min($0, position) } ?? position
    }

    /// The longest text that is kept, in octets.
    static let maximumText = 4096

    /// Takes a value of an attribute that has a name; returns whether it is another one. What cannot be read is as if the
    /// phone had none.
    mutating func set(
        _ attribute: MediaAttribute, to value: [UInt8], isTruncated: Bool, at now: MonotonicInstant
    ) -> Bool {
        let text = Self.text(value, isTruncated: isTruncated)
        let number = MediaNumber(value[...])?.thousandths
        let whole = number.flatMap { $0 >= 0 && $0 % 1000 == 0 ? Int(exactly: $0 / 1000) : nil }
        let mode = whole.flatMap(UInt8.init(exactly:)).map { MediaMode(rawValue: $0) }
        switch attribute {
        case .playerName: return Self.replace(&playerName, with: text)
        case .bundleIdentifier: return Self.replace(&bundleIdentifier, with: text)
        case .playbackInfo:
            let isNews = Self.replace(&playback, with: PlaybackInfo(decoding: value))
            return Self.replace(&playbackInstant, with: playback == nil ? nil : now) || isNews
        case .volume:
            let volume = number.flatMap { (0...1000).contains($0) ? Int($0) : nil }
            return Self.replace(&self.volume, with: volume)
        case .queueIndex: return Self.replace(&queueIndex, with: whole)
        case .queueCount: return Self.replace(&queueCount, with: whole)
        case .shuffleMode: return Self.replace(&shuffleMode, with: mode)
        case .repeatMode: return Self.replace(&repeatMode, with: mode)
        case .artist: return Self.replace(&artist, with: text)
        case .album: return Self.replace(&album, with: text)
        case .title: return Self.replace(&title, with: text)
        case .duration:
            let duration = number.flatMap { $0 > 0 ? Duration.milliseconds($0) : nil }
            return Self.replace(&self.duration, with: duration)
        // MediaAttribute is open: those without a name are not asked for.
        default: return false
        }
    }

    private static func replace<Value: Equatable>(_ old: inout Value?, with new: Value?) -> Bool {
        exchange(&old, with: new) != new
    }

    /// A text without what is cut of its last character.
    private static func text(_ value: [UInt8], isTruncated: Bool) -> Text? {
        guard !value.isEmpty else { return nil }
        var octets = Array(value.prefix(maximumText))
        let isCut = isTruncated || octets.count < value.count
        if isCut, UTF8Text.endsWithinCharacter(octets),
            let start = octets.lastIndex(where: { $0 & 0xC0 != 0x80 })
        {
            octets.removeSubrange(start...)
        }
        return Text(octets, isTruncated: isCut)
    }
}
