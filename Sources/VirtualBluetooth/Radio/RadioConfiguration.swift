internal import BluetoothLE

/// One controller on a radio.
public struct ControllerID: Hashable, Sendable {
    /// The controllers of a radio are numbered from 0 in the order in which they were added.
    public let index: Int

    init(index: Int) { self.index = index }
}

/// A place: who is in one hears nobody in another. Everybody begins in the first.
public struct RadioRoom: RawRepresentable, Hashable, Sendable {
    /// The number of the room.
    public var rawValue: UInt32
    /// The number of the room.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Where controllers are unless said otherwise.
    public static let first = RadioRoom(rawValue: 0)
}

/// What the way between two controllers is like.
public struct RadioPath: Hashable, Sendable {
    /// The probability from 0 to 1 that one PDU is lost; on a link it is then sent again.
    public var loss: Double
    /// Whether they hear each other at all.
    public var isInRange: Bool

    /// A way on which so much is lost.
    public init(loss: Double = 0, isInRange: Bool = true) {
        self.loss = min(max(loss, 0), 1)
        self.isInRange = isInRange
    }
}

/// How a radio carries what its controllers send.
public struct RadioConfiguration: Hashable, Sendable {
    /// When the PDUs of a link move.
    public enum Timing: Hashable, Sendable {
        /// At the connection events of the link: a quick answer takes two intervals.
        case connectionEvents
        /// At once, as long as nothing is lost on the way: for tests that only want to be fast.
        case immediate
    }

    /// Everything random follows from it.
    public var seed: UInt64
    /// When the PDUs of a link move.
    public var timing: Timing
    /// How much longer each PDU of a link takes.
    public var latency: Duration
    /// The way between two controllers about which nothing else was said.
    public var path: RadioPath
    /// How many PDUs a link carries each way in one connection event, at most; the interval may
    /// leave room for fewer.
    public var maximumPDUsPerEvent: Int

    /// A radio that loses nothing, unless said otherwise.
    public init(
        seed: UInt64 = 0, timing: Timing = .connectionEvents, latency: Duration = .zero,
        path: RadioPath = RadioPath(), maximumPDUsPerEvent: Int = 6
    ) {
        self.seed = seed
        self.timing = timing
        self.latency = latency
        self.path = path
        self.maximumPDUsPerEvent = max(maximumPDUsPerEvent, 1)
    }
}

/// What is the same everywhere on this air.
enum VirtualAir {
    /// The signal strength at which everybody hears everybody, in dBm.
    static let rssi: Int8 = -50
    /// The random delay before each advertising event stays below. Core Vol 6, Part B, 4.4.2.2.1.
    static let advertisingDelay = Duration.milliseconds(10)
    /// After so many connection events without an answer a new link has failed.
    /// Core Vol 6, Part B, 4.5.
    static let eventsToEstablish = 6
    /// How long a PDU of 251 octets, its answer and the spaces between them take on LE 1M.
    static let exchangeTime = Duration.microseconds(2500)
}
