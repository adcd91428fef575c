import Octets
import Testing

@testable import BluetoothLE

/// What a scanner that misses events makes of an advertiser.
@Suite("The measurement of an advertising interval") struct AdvertisingMeasurementTests {
    /// How long a scanner listens, of how long, in milliseconds.
    struct Scan: Sendable, CustomTestStringConvertible {
        var window: Double
        var interval: Double
        var testDescription: String { "\(window) of \(interval) ms" }
    }

    static let intervals: [Double] = [
        20, 152.5, 211.25, 318.75, 417.5, 546.25, 760, 852.5, 1022.5, 1285,
    ]

    /// The phone's while it measures and while it has links, and another one.
    static let scans = [
        Scan(window: 60, interval: 60), Scan(window: 30, interval: 60),
        Scan(window: 50, interval: 100),
    ]

    /// What is measured within 45 s of an advertiser with this interval in milliseconds. Three of ten events are lost,
    /// and those during which another accessory advertises, every 100 ms.
    private static func measured(_ interval: Double, by scan: Scan, seed: UInt64) -> Duration? {
        var measurement = AdvertisingMeasurement()
        var random = SeededGenerator(seed: seed)
        func delay() -> Double { Double(random.next() % 10_000) / 1000 }
        var (now, other) = (delay(), delay())
        let phase = delay() * scan.interval / 10
        while now < 45_000, !measurement.isSufficient {
            now += interval + delay()
            while other < now - 1 { other += 100 + delay() }
            let place = (now + phase).truncatingRemainder(dividingBy: scan.interval)
            let isLost = random.next() % 10 < 3
            guard place < scan.window, !isLost, abs(other - now) > 1 else { continue }
            measurement.heard(at: .zero + .microseconds(Int64(now * 1000)))
        }
        return measurement.alternative == nil ? measurement.interval : nil
    }

    private static func isApples(_ measured: Duration) -> Bool {
        LinkRequirements.advertisingInterval(near: measured) != nil
    }

    @Test(
        "Apple's ten intervals are recognized, and 5 ms beside each is none of them, whatever is missed",
        arguments: scans)
    func intervals(scan: Scan) {
        for interval in Self.intervals {
            var missing = 0
            for beside in [-5, 0, 5] as [Double] where interval + beside >= 20 {
                for seed in 1...10 as ClosedRange<UInt64> {
                    guard let found = Self.measured(interval + beside, by: scan, seed: seed) else {
                        missing += 1
                        continue
                    }
                    #expect(
                        Self.isApples(found) == (beside == 0),
                        "\(interval + beside) ms, seed \(seed): \(found)")
                    let error = found - .microseconds(Int64((interval + beside) * 1000))
                    if scan.window == scan.interval {
                        #expect(
                            abs(error / .milliseconds(1)) < 2.5,
                            "\(interval + beside) ms, seed \(seed): \(found)")
                    }
                }
            }
            // A scanner that pauses may hear every second event only, for a while: then nothing is said.
            #expect(
                missing <= (scan.window == scan.interval ? 0 : 10), "\(interval) ms: \(missing)")
        }
    }

    @Test("the advertiser of a recording has an interval of 30 ms, wherever the scan begins")
    func recording() throws {
        let gaps = RecordedGaps.ofThirtyMilliseconds
        try #require(gaps.count > 600)
        for first in stride(from: 0, to: gaps.count - 150, by: 50) {
            var measurement = AdvertisingMeasurement()
            var now = MonotonicInstant.zero
            measurement.heard(at: now)
            for gap in gaps[first...] where !measurement.isSufficient {
                now = now + .microseconds(Int64(gap * 1000))
                measurement.heard(at: now)
            }
            let found = try #require(measurement.interval, "from \(first)")
            #expect(abs(found / .milliseconds(1) - 30) < 2.5, "from \(first): \(found)")
        }
    }

    @Test("gaps that fit no interval say nothing, and nothing grows")
    func noise() {
        var measurement = AdvertisingMeasurement()
        var random = SeededGenerator(seed: 1)
        var now = MonotonicInstant.zero
        for _ in 0..<2000 {
            now = now + .microseconds(Int64(20_000 + random.next() % 3_000_000))
            measurement.heard(at: now)
        }
        #expect(measurement.interval == nil && measurement.gapCount <= 192)
    }
}
