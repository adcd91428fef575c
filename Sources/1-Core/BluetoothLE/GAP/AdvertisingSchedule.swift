public import Octets

/// How often a device that waits for a phone advertises: every 20 ms for the first 30 s, so that a phone that is
/// there finds it at once, and then at an interval that costs less and that phones are known to hear (Apple's
/// QA1931). If three links were lost within a minute, it begins with the longer interval: the phone is at the
/// edge of its range, and a link that is made faster is lost faster (PebbleOS).
///
/// A machine without outputs: ask for the ``interval`` after each input, and call ``handleTimeout(at:)`` at
/// ``nextDeadline``.
public struct AdvertisingSchedule: Equatable, Sendable {
    private enum Pace: Equatable, Sendable {
        /// It is on air until then at the short interval; `nil` before it is on air.
        case fast(until: MonotonicInstant?)
        case slow
    }

    /// The longer interval of a machine with mains: 152.5 ms.
    public static let mains = AdvertisingInterval(rawValue: 244)
    /// The longer interval of a device with a small battery: 1022.5 ms.
    public static let battery = AdvertisingInterval(rawValue: 1636)

    /// How long the short interval lasts.
    static var fastPeriod: Duration { .seconds(30) }
    /// How many lost links within ``lossPeriod`` slow it down.
    static var maximumLosses: Int { 3 }
    static var lossPeriod: Duration { .seconds(60) }

    /// The longer interval.
    public let slow: AdvertisingInterval
    private var pace = Pace.fast(until: nil)
    /// When the last links were lost, the latest one last.
    private var losses: [MonotonicInstant] = []

    /// A schedule that begins fast.
    public init(slow: AdvertisingInterval = mains) { self.slow = slow }

    /// The interval of now, which is both the shortest and the longest that the controller may use.
    public var interval: AdvertisingInterval {
        switch pace {
        case .fast: .minimum
        case .slow: slow
        }
    }

    /// Somebody may be near and looking: advertising is wanted, a link has ended, or the machine has resumed.
    public mutating func begin(at now: MonotonicInstant) {
        let isUnsteady = losses.count == Self.maximumLosses && losses[0] + Self.lossPeriod >= now
        pace = isUnsteady ? .slow : .fast(until: nil)
    }

    /// The controller advertises.
    public mutating func started(at now: MonotonicInstant) {
        if case .fast(until: nil) = pace { pace = .fast(until: now + Self.fastPeriod) }
    }

    /// A link ended because its supervision timeout passed.
    public mutating func linkLost(at now: MonotonicInstant) {
        if losses.count == Self.maximumLosses { losses.removeFirst() }
        losses.append(now)
    }

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        if let nextDeadline, nextDeadline <= now { pace = .slow }
    }

    /// When ``handleTimeout(at:)`` is due.
    public var nextDeadline: MonotonicInstant? {
        switch pace {
        case .fast(let until): until
        case .slow: nil
        }
    }
}
