public import Octets

/// Measures the interval of an advertiser by the times of its reports.
///
/// An advertising event comes one interval and a random delay of 0 to 10 ms after the one before (Core Vol 6,
/// Part B, 4.4.2.2.1), so the gaps lie in a window of 10 ms that begins at the interval. Gaps that are much longer
/// are events that were not heard; when only such gaps come, the advertiser has slowed down, and the measurement
/// begins again. It takes the same memory however many reports arrive.
public struct AdvertisingMeasurement: Equatable, Sendable {
    /// How many gaps a measurement needs.
    public static var sufficientGaps: Int { 24 }
    /// With fewer gaps than this there is no result.
    static var fewestGaps: Int { 8 }
    /// Reports that follow so soon are of the same event, on another channel.
    private static var sameEvent: Duration { .milliseconds(10) }
    /// How far apart gaps of the same interval may be: the random delay, and what the times are uncertain by.
    private static var window: Duration { .milliseconds(12) }
    /// The limit of the random delay.
    private static var longestDelay: Duration { .milliseconds(10) }

    private var last: MonotonicInstant?
    private var shortest = Duration.zero
    private var longest = Duration.zero
    /// How many long gaps came in a row.
    private var strays = 0
    /// How many gaps the measurement rests on.
    public private(set) var gapCount = 0

    /// A measurement without reports.
    public init() {}

    /// A report of the advertising data arrived; those of scan responses do not count.
    public mutating func heard(at now: MonotonicInstant) {
        guard let last else {
            self.last = now
            return
        }
        let gap = now - last
        guard gap >= Self.sameEvent else { return }
        self.last = now
        if gapCount == 0 { return begin(gap) }
        if gap > shortest + Self.window {
            strays += 1
            if strays >= Self.fewestGaps { begin(gap) }
        } else if gap + Self.window < longest {
            begin(gap)
        } else {
            strays = 0
            gapCount += 1
            shortest = min(shortest, gap)
            longest = max(longest, gap)
        }
    }

    /// Reports were not listened for: the next one begins a new gap.
    public mutating func paused() { last = nil }

    private mutating func begin(_ gap: Duration) {
        (shortest, longest, gapCount, strays) = (gap, gap, 1, 0)
    }

    /// Whether more reports would not change much.
    public var isSufficient: Bool { gapCount >= Self.sufficientGaps }

    /// The interval; `nil` if too few reports have arrived.
    public var interval: Duration? {
        guard gapCount >= Self.fewestGaps else { return nil }
        // Without a visible random delay there is none.
        guard longest - shortest >= .milliseconds(3) else { return shortest }
        // The middle of what the extremes allow.
        return max((shortest + longest - Self.longestDelay) / 2, .zero)
    }
}
