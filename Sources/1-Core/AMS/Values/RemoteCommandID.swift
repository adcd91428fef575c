/// A command for the player of a phone (M7). Values without a name here are kept.
@frozen public struct RemoteCommandID: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8

    /// The command with this value on the wire.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `RemoteCommandIDPlay`
    public static let play = RemoteCommandID(rawValue: 0)
    /// `RemoteCommandIDPause`
    public static let pause = RemoteCommandID(rawValue: 1)
    /// `RemoteCommandIDTogglePlayPause`
    public static let togglePlayPause = RemoteCommandID(rawValue: 2)
    /// `RemoteCommandIDNextTrack`
    public static let nextTrack = RemoteCommandID(rawValue: 3)
    /// `RemoteCommandIDPreviousTrack`
    public static let previousTrack = RemoteCommandID(rawValue: 4)
    /// `RemoteCommandIDVolumeUp`: a sixteenth of the whole.
    public static let volumeUp = RemoteCommandID(rawValue: 5)
    /// `RemoteCommandIDVolumeDown`: a sixteenth of the whole.
    public static let volumeDown = RemoteCommandID(rawValue: 6)
    /// `RemoteCommandIDAdvanceRepeatMode`
    public static let advanceRepeatMode = RemoteCommandID(rawValue: 7)
    /// `RemoteCommandIDAdvanceShuffleMode`
    public static let advanceShuffleMode = RemoteCommandID(rawValue: 8)
    /// `RemoteCommandIDSkipForward`: usually 15 s.
    public static let skipForward = RemoteCommandID(rawValue: 9)
    /// `RemoteCommandIDSkipBackward`: usually 15 s.
    public static let skipBackward = RemoteCommandID(rawValue: 10)
    /// `RemoteCommandIDLikeTrack`
    public static let likeTrack = RemoteCommandID(rawValue: 11)
    /// `RemoteCommandIDDislikeTrack`
    public static let dislikeTrack = RemoteCommandID(rawValue: 12)
    /// `RemoteCommandIDBookmarkTrack`
    public static let bookmarkTrack = RemoteCommandID(rawValue: 13)

    /// The commands that have a name, by their numbers.
    static let names: [14 of StaticString] = [
        "play", "pause", "togglePlayPause", "nextTrack", "previousTrack", "volumeUp", "volumeDown",
        "advanceRepeatMode", "advanceShuffleMode", "skipForward", "skipBackward", "likeTrack",
        "dislikeTrack", "bookmarkTrack",
    ]
}

extension RemoteCommandID: CustomStringConvertible {
    /// `play`, `pause` and so on, or `reserved14`.
    public var description: String {
        let index = Int(rawValue)
        return index < Self.names.count ? "\(Self.names[index])" : "reserved\(rawValue)"
    }
}

/// The commands that the player of a phone supports: a value of Remote Command, which replaces the one before (M2).
@frozen public struct RemoteCommandSet: Hashable, Sendable {
    /// A bit for each of the 256 commands that there may be.
    @usableFromInline var bits: [4 of UInt64] = [0, 0, 0, 0]

    /// The empty set: there is no player (M14).
    @inlinable public init() {}

    /// The commands of a value, in any order and any number of times.
    @inlinable public init(decoding value: Span<UInt8>) {
        for index in value.indices { insert(RemoteCommandID(rawValue: value[index])) }
    }

    /// Some commands.
    public init(_ commands: [RemoteCommandID]) { for command in commands { insert(command) } }

    /// Whether there are none.
    @inlinable public var isEmpty: Bool { bits[0] | bits[1] | bits[2] | bits[3] == 0 }

    /// Whether the player supports a command.
    @inlinable public func contains(_ command: RemoteCommandID) -> Bool {
        bits[Int(command.rawValue >> 6)] & (1 << UInt64(command.rawValue & 63)) != 0
    }

    /// Adds a command.
    @inlinable public mutating func insert(_ command: RemoteCommandID) {
        bits[Int(command.rawValue >> 6)] |= 1 << UInt64(command.rawValue & 63)
    }

    /// The commands in the order of their numbers, as a value of Remote Command.
    public var octets: [UInt8] {
        (UInt8.min...UInt8.max).filter { contains(RemoteCommandID(rawValue: $0)) }
    }

    /// Whether both have the same commands.
    public static func == (left: Self, right: Self) -> Bool {
        (0..<4).allSatisfy { left.bits[$0] == right.bits[$0] }
    }

    /// Hashes the commands.
    public func hash(into hasher: inout Hasher) {
        for index in 0..<4 { hasher.combine(bits[index]) }
    }
}
