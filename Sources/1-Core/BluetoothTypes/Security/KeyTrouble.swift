public import Octets

/// Trouble with the keys of a bond, by what it means. None of it proves anything about the bonded device,
/// because any device in range can use its address; the bond stays as it is.
public struct KeyTrouble: Equatable, Sendable {
    /// What is wrong with the keys.
    public enum Kind: Equatable, Sendable {
        /// The peer has no key of the bond: encryption ended with *PIN or Key Missing* (0x06), or the peer
        /// asks to pair again. Core Vol 1, Part F, 2.6.
        case missing
        /// The peer has another key: the first encrypted packet could not be authenticated, *Connection
        /// Terminated due to MIC Failure* (0x3D). Core Vol 1, Part F, 2.61.
        case different
        /// The peer asked for a key by an EDIV or Rand that this device never gave it, so for a key of
        /// another bond. Core Vol 3, Part H, 2.4.4.
        case unknown
    }

    /// What is wrong.
    public var kind: Kind
    /// Whether it goes on: ``KeyTroubleRecord/lastingFailures`` links failed over at least
    /// ``KeyTroubleRecord/lastingTime``, and none succeeded meanwhile. Before that, no user should be advised
    /// to remove a bond.
    public var isLasting: Bool

    /// Trouble of this kind.
    public init(_ kind: Kind, isLasting: Bool = false) {
        self.kind = kind
        self.isLasting = isLasting
    }
}

/// The trouble with the keys of one bond since they last worked: what is news for the user, and how long the
/// peer has to be content with a slower advertisement. When the keys work, drop it.
public struct KeyTroubleRecord: Equatable, Sendable {
    /// How many links have to fail before trouble counts as lasting.
    public static var lastingFailures: Int { 3 }
    /// The time over which they have to fail.
    public static var lastingTime: Duration { .seconds(60) }
    /// The longest pause after a failure, in seconds: a phone whose address was misused is not kept out for
    /// longer.
    static var longestPause: Int { 30 }

    /// How many links failed, up to five: then the pause is longest.
    private var failedLinks = 0
    /// How many of them say that the keys do not fit, up to ``lastingFailures``.
    private var failures = 0
    private var firstFailure = MonotonicInstant.zero
    /// What was reported: at most five different troubles.
    private var reported: [KeyTrouble] = []
    /// The end of the pause after the last failure. The pauses are 2, 4, 8, 16, and 30 seconds.
    public private(set) var pauseEnd = MonotonicInstant.zero

    /// A record of keys that have worked so far.
    public init() {}

    /// A link failed in this way; call it once per link. Returns what has to be reported: each trouble is
    /// news once, and once more when it is lasting.
    public mutating func note(_ kind: KeyTrouble.Kind, at now: MonotonicInstant) -> KeyTrouble? {
        failedLinks = min(failedLinks + 1, 5)
        pauseEnd = now + .seconds(min(1 << failedLinks, Self.longestPause))
        // A request for a key of another bond says nothing about this one.
        if kind != .unknown {
            if failures == 0 { firstFailure = now }
            failures = min(failures + 1, Self.lastingFailures)
        }
        let isLasting = failures >= Self.lastingFailures && now - firstFailure >= Self.lastingTime
        if isLasting, kind == .unknown { return nil }
        let trouble = KeyTrouble(kind, isLasting: isLasting)
        guard !reported.contains(trouble) else { return nil }
        reported.append(trouble)
        return trouble
    }
}
