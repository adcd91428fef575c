internal import Octets

/// What a player does (M9). Values without a name here are kept.
@frozen public struct PlaybackState: RawRepresentable, Hashable, Sendable {
    /// The number in the value.
    public var rawValue: UInt8

    /// The state with this number.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `PlaybackStatePaused`
    public static let paused = PlaybackState(rawValue: 0)
    /// `PlaybackStatePlaying`
    public static let playing = PlaybackState(rawValue: 1)
    /// `PlaybackStateRewinding`
    public static let rewinding = PlaybackState(rawValue: 2)
    /// `PlaybackStateFastForwarding`
    public static let fastForwarding = PlaybackState(rawValue: 3)
}

/// Shuffle and repeat (M10). Values without a name here are kept.
@frozen public struct MediaMode: RawRepresentable, Hashable, Sendable {
    /// The number in the value.
    public var rawValue: UInt8

    /// The mode with this number.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `Off`
    public static let off = MediaMode(rawValue: 0)
    /// `One`
    public static let one = MediaMode(rawValue: 1)
    /// `All`
    public static let all = MediaMode(rawValue: 2)
}

/// What a player does, how fast, and where in the track it was when the phone said so: `1,1.0,12.5` (M9).
///
/// The phone says nothing while a track plays on: the position follows from the time since (M12). Imitations of the
/// service write a decimal comma, and thereby more fields than three. What is not certain then is `nil`.
public struct PlaybackInfo: Hashable, Sendable {
    /// What the player does.
    public var state: PlaybackState
    /// How fast, in thousandths of the usual speed: 1000 while it plays. `nil` if the value does not say.
    public var rate: Int?
    /// The position in the track when this was said; `nil` if the value does not say.
    public var elapsed: Duration?

    /// The largest rate that is believed, in thousandths, and the longest position.
    static let (maximumRate, maximumElapsed) = (100_000, Duration.seconds(10_000_000))

    /// An info with these fields.
    public init(_ state: PlaybackState, rate: Int?, elapsed: Duration?) {
        (self.state, self.rate, self.elapsed) = (state, rate, elapsed)
    }

    /// Decodes a value; `nil` if it is empty, which means that there is no player, or if it does not say the state.
    public init?(decoding value: [UInt8]) {
        let fields = value.split(
            separator: UInt8(ascii: ","), maxSplits: 5, omittingEmptySubsequences: false)
        guard let first = fields.first, let number = MediaNumber(first, decimals: 0)?.thousandths,
            number % 1000 == 0, let state = UInt8(exactly: number / 1000)
        else { return nil }
        self.state = PlaybackState(rawValue: state)
        switch fields.count {
        case 3:
            rate = Self.rate(MediaNumber(fields[1]))
            elapsed = MediaNumber(fields[2])?.duration
        case 5:
            // Both numbers have a decimal comma.
            rate = Self.rate(MediaNumber(fields[1], fields[2]))
            elapsed = MediaNumber(fields[3], fields[4])?.duration
        // With four fields, nobody knows which number has it, and with others, what they are.
        default: break
        }
        if let elapsed, elapsed < .zero || elapsed > Self.maximumElapsed { self.elapsed = nil }
    }

    private static func rate(_ number: MediaNumber?) -> Int? {
        guard let number, number.thousandths.magnitude <= UInt64(maximumRate) else { return nil }
        return Int(number.thousandths)
    }

    /// The value: `1,1.000,12.500`.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(decimal: Int(state.rawValue))
        octets.append(UInt8(ascii: ","))
        if let rate { octets.append(thousandths: Int64(rate)) }
        octets.append(UInt8(ascii: ","))
        if let elapsed { octets.append(thousandths: elapsed.thousandths) }
        return octets
    }

    /// Where in the track the player is, so long after this was said (M12); `nil` if the value does not say where it
    /// was, or how fast it goes. Never negative.
    public func position(after time: Duration) -> Duration? {
        guard let elapsed else { return nil }
        guard state != .paused else { return elapsed }
        guard let rate else { return nil }
        // A link does not last long enough for this to overflow: 2,900 years.
        return max(.zero, elapsed + .milliseconds(time.thousandths * Int64(rate) / 1000))
    }
}
