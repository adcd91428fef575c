public import Octets

/// Measures the interval of an advertiser by the times of its reports.
///
/// An advertising event comes one interval and a random delay of 0 to 10 ms after the one before (Core Vol 6,
/// Part B, 4.4.2.2.1). Events that are not heard, because the scanner pauses or something else is on air, make gaps of
/// several intervals: `k` of them lie between `k` intervals and as many delays of 10 ms. The interval is the longest one
/// whose multiples all gaps are; what they last altogether then gives it without the delay. Where every second event is
/// missed all the time, nothing tells it from half of it: then there is an ``alternative``. It takes the same memory
/// however many reports arrive.
public struct AdvertisingMeasurement: Equatable, Sendable {
    /// How many gaps a measurement needs.
    public static var sufficientGaps: Int { 24 }
    /// With fewer gaps than this there is no result.
    static var fewestGaps: Int { 8 }
    /// How many gaps are kept, the last ones.
    private static var limit: Int { 192 }
    /// Reports that follow so soon are of the same event, on another channel; in microseconds, as all that follows.
    private static var sameEvent: Int { 10_000 }
    /// The limit of the random delay.
    private static var longestDelay: Int { 10_000 }
    /// What the times are uncertain by.
    private static var tolerance: Int { 1500 }
    /// The unit of advertising intervals.
    private static var step: Int { 625 }
    /// No advertiser has a longer interval with legacy PDUs: 10.24 s.
    private static var longest: Int { 10_240_000 }
    /// No advertiser is faster than 20 ms; a little less, because a measured one may be.
    private static var shortest: Int { 17_500 }

    private var last: MonotonicInstant?
    private var gaps: [Int] = []
    private var count = 0
    /// The interval; `nil` if too few reports have arrived, or if they fit none.
    public private(set) var interval: Duration?
    /// One of Apple's intervals that the advertiser has instead if it was heard only every second or third time, as
    /// long as no gap says otherwise; `nil` if there is none.
    public private(set) var alternative: Duration?

    /// A measurement without reports.
    public init() {}

    /// How many gaps the measurement rests on.
    public var gapCount: Int { gaps.count }

    /// A report of the advertising data arrived; those of scan responses do not count.
    public mutating func heard(at now: MonotonicInstant) {
        guard let last else {
            self.last = now
            return
        }
        let gap = Self.microseconds(now - last)
        guard gap >= Self.sameEvent else { return }
        self.last = now
        if gaps.count == Self.limit { gaps.removeFirst() }
        gaps.append(gap)
        count += 1
        if hasChanged { gaps.removeFirst(gaps.count - Self.fewestGaps) }
        guard gaps.count >= Self.fewestGaps else { return }
        // Later, one more gap changes little.
        if gaps.count <= Self.sufficientGaps || count % 8 == 0 {
            (interval, alternative) = estimate() ?? (nil, nil)
        }
    }

    /// Reports were not listened for: the next one begins a new gap.
    public mutating func paused() { last = nil }

    /// Whether more reports would not change much.
    public var isSufficient: Bool {
        gaps.count >= Self.sufficientGaps && interval != nil && alternative == nil
    }

    /// Whether the last gaps are of another interval than those before: all of them much longer, or all shorter.
    private var hasChanged: Bool {
        guard gaps.count > 2 * Self.fewestGaps else { return false }
        let recent = gaps.suffix(Self.fewestGaps)
        let earlier = gaps.dropLast(Self.fewestGaps).sorted()
        guard let least = recent.min(), let most = recent.max() else { return false }
        return least > 3 * earlier[earlier.count / 2] || 4 * most < 3 * earlier[0]
    }

    private static func microseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        return Int(clamping: seconds) * 1_000_000 + Int(clamping: attoseconds / 1_000_000_000_000)
    }

    // MARK: The estimate

    private func estimate() -> (Duration, alternative: Duration?)? {
        let sorted = gaps.sorted()
        var candidate = min(sorted[sorted.count / 20] + Self.tolerance, Self.longest)
        while candidate >= Self.shortest {
            if let period = period(of: sorted, near: candidate),
                let (interval, delay) = interval(of: sorted, near: period)
            {
                return (.microseconds(interval), alternative(to: interval, delay))
            }
            candidate -= Self.step
        }
        return nil
    }

    /// How many periods a gap is.
    private static func multiple(_ gap: Int, of period: Int) -> Int {
        max((gap + period / 2) / period, 1)
    }

    /// The mean time between two events if this is the interval; `nil` if more than a twentieth of the gaps do not fit.
    /// Gaps of so many intervals that nearly every one fits say nothing.
    private func period(of sorted: [Int], near interval: Int) -> Int? {
        let period = interval + Self.longestDelay / 2
        var (fits, misfits, time, events) = (0, 0, 0, 0)
        for gap in sorted {
            let multiple = Self.multiple(gap, of: period)
            guard 4 * (multiple * Self.longestDelay + 2 * Self.tolerance) <= 3 * period else {
                break
            }
            let least = multiple * interval - Self.tolerance
            let most = multiple * (interval + Self.longestDelay) + Self.tolerance
            if (least...most).contains(gap) {
                (fits, time, events) = (fits + 1, time + gap, events + multiple)
            } else {
                misfits += 1
                if misfits > sorted.count / 20 { return nil }
            }
        }
        // Long intervals are told apart by fewer gaps than short ones, whose delays are nearly as long.
        guard fits >= (interval >= 100_000 ? 5 : 8), misfits * 20 <= fits + misfits else {
            return nil
        }
        return time / events
    }

    /// The interval, by all gaps of which it is certain how many periods they are: the delays of `k` of them add up to
    /// a sum whose deviation is 2.9 ms × √k. With the mean delay.
    private func interval(of sorted: [Int], near first: Int) -> (Int, delay: Int)? {
        var period = first
        var spread = 0
        for _ in 0..<2 {
            var (time, events, least, most) = (0, 0, 0, 0)
            for gap in sorted {
                let multiple = Self.multiple(gap, of: period)
                let difference = gap - multiple * period
                guard multiple * 14_500 * 14_500 <= period * period,
                    abs(difference) <= multiple * Self.longestDelay / 2 + 2 * Self.tolerance
                else { continue }
                (time, events) = (time + gap, events + multiple)
                (least, most) = (min(least, difference), max(most, difference))
            }
            guard events > 0 else { return nil }
            period = time / events
            spread = most - least
        }
        // Without a visible random delay there is none.
        let delay = spread < 3000 ? 0 : Self.longestDelay / 2
        return (period - delay, delay)
    }

    /// The interval of Apple's of which this one may be two or three: the pauses of a scanner, or another advertiser,
    /// can hide every second event.
    private func alternative(to interval: Int, _ delay: Int) -> Duration? {
        func apples(_ interval: Int) -> Duration? {
            LinkRequirements.advertisingInterval(near: .microseconds(interval))?.duration
        }
        guard apples(interval) == nil else { return nil }
        for count in 2...3 {
            let part = (interval + delay) / count - delay
            guard let found = apples(part) else { continue }
            // Few gaps give a multiple no better than a single interval.
            let difference = abs(Self.microseconds(found) - part)
            if gaps.count < Self.sufficientGaps || difference * count <= 2500 { return found }
        }
        return nil
    }
}
