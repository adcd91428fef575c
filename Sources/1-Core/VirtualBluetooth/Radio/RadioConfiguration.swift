/// Identifies a controller on a radio.
public struct ControllerID: Equatable, Sendable {
    /// The number of the controller, counted from 0 in the order of addition.
    public let index: Int

    package init(index: Int) { self.index = index }
}

/// A place: controllers in different rooms do not receive each other. All start in the first.
public struct RadioRoom: RawRepresentable, Hashable, Sendable {
    /// The number of the room.
    public var rawValue: UInt32
    /// The number of the room.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The room of new controllers.
    public static let first = RadioRoom(rawValue: 0)
}

/// The conditions between two controllers.
public struct RadioPath: Equatable, Sendable {
    /// The probability from 0 to 1 that a PDU is lost; on a link it is then sent again.
    public var loss: Double
    /// Whether they receive each other at all.
    public var isInRange: Bool

    /// A path with this loss.
    public init(loss: Double = 0, isInRange: Bool = true) {
        self.loss = min(max(loss, 0), 1)
        self.isInRange = isInRange
    }
}

/// How a radio transmits.
public struct RadioConfiguration: Equatable, Sendable {
    /// When the PDUs of a link are transmitted.
    public enum Timing: Equatable, Sendable {
        /// At the connection events of the link: a request and its answer take two intervals.
        case connectionEvents
        /// At once, as long as nothing is lost: for tests that only need to be fast.
        case immediate
    }

    /// The seed of all randomness.
    public var seed: UInt64
    /// Fades that come by themselves; `nil` for none.
    public var fades: RadioFades?
    /// When the PDUs of a link are transmitted.
    public var timing: Timing
    /// An additional delay for each PDU of a link.
    public var latency: Duration
    /// The default conditions between two controllers.
    public var path: RadioPath
    /// The maximum number of PDUs in each direction per connection event; the interval may leave room for
    /// fewer.
    public var maximumPDUsPerEvent: Int

    /// A configuration; by default without losses.
    public init(
        seed: UInt64 = 0, timing: Timing = .connectionEvents, latency: Duration = .zero,
        path: RadioPath = RadioPath(), maximumPDUsPerEvent: Int = 6, fades: RadioFades? = nil
    ) {
        self.seed = seed
        self.timing = timing
        self.latency = latency
        self.path = path
        self.maximumPDUsPerEvent = max(maximumPDUsPerEvent, 1)
        self.fades = fades
    }
}

/// Fades of the whole radio: nothing is heard for a time, as when a hand or a body covers an antenna, and then
/// all is well again. Losses on a ``RadioPath`` are independent of each other; these are not.
public struct RadioFades: Equatable, Sendable {
    /// How long nothing is heard.
    public var length: Duration
    /// There is one fade in each period, at a random time. Never shorter than ``length``.
    public var period: Duration

    /// Fades of this length, one in each period; both are at least 1 ms.
    public init(length: Duration, period: Duration) {
        self.length = max(length, .milliseconds(1))
        self.period = max(period, self.length)
    }
}
