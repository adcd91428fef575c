import BluetoothLE
import Octets
import Testing

/// A request in the units of Apple's text.
private struct Asked: CustomTestStringConvertible, Sendable {
    /// In microseconds.
    var shortest: Int
    /// In microseconds.
    var longest: Int
    var latency: Int
    /// In milliseconds.
    var timeout: Int

    init(_ shortest: Double, _ longest: Double, _ latency: Int, _ timeout: Int) {
        self.shortest = Int(shortest * 1000)
        self.longest = Int(longest * 1000)
        self.latency = latency
        self.timeout = timeout
    }

    var parameters: ConnectionParameters {
        ConnectionParameters(
            intervalMinimum: ConnectionInterval(rawValue: UInt16(shortest / 1250)),
            intervalMaximum: ConnectionInterval(rawValue: UInt16(longest / 1250)),
            latency: UInt16(latency),
            supervisionTimeout: SupervisionTimeout(rawValue: UInt16(timeout / 10)))
    }

    var testDescription: String { "\(shortest) to \(longest) µs, \(latency), \(timeout) ms" }

    /// What it breaks by the numbers of one edition, as the text puts it, in microseconds.
    func broken(_ edition: Int, isHID: Bool = false) -> [String] {
        var broken: [String] = []
        let isHIDInterval = isHID && shortest >= 11_250 && shortest < 15_000
        let isMultiple = shortest % 15_000 == 0 && shortest >= 15_000 && shortest <= 2_000_000
        if !isMultiple && !isHIDInterval { broken.append("L1") }
        let areBothTheSmallest = shortest == 15_000 && longest == 15_000
        let areBothForHID = isHIDInterval && longest == shortest
        if longest - shortest < 15_000, !areBothTheSmallest, !areBothForHID {
            broken.append("L2")
        }
        if latency > 30 { broken.append("L4") }
        switch edition {
        case 2022: if timeout < 2000 || timeout > 6000 { broken.append("L5") }
        default: if timeout < 6000 || timeout > 18_000 { broken.append("L5") }
        }
        let silence = longest * (latency + 1)
        if silence > (edition == 2022 ? 2_000_000 : 6_000_000) { broken.append("L6") }
        if timeout * 1000 <= silence * 3 { broken.append("L7") }
        return broken
    }
}

@Suite("Apple's requirements for the link") struct LinkRequirementsTests {
    private static func judged(
        _ asked: Asked, _ generation: LinkRequirements.Generations, isHID: Bool = false
    ) -> [String] {
        LinkRequirements.breaches(of: asked.parameters, isHID: isHID)
            .filter { $0.generations.contains(generation) }.map(\.requirement.rawValue)
    }

    /// Requests with what they break, in 2022 and in 2025, worked out by hand.
    private static let table: [(Asked, String, String)] = [
        // What this project asks for, and what both editions accept.
        (Asked(30, 45, 0, 6000), "", ""), (Asked(15, 30, 0, 6000), "", ""),
        (Asked(15, 15, 0, 6000), "", ""), (Asked(15, 30, 4, 6000), "", ""),
        (Asked(285, 300, 4, 6000), "", ""), (Asked(45, 60, 30, 6000), "", ""),
        (Asked(1980, 1995, 0, 6000), "", ""), (Asked(30, 1995, 0, 6000), "", ""),
        // L1: too short, no multiple of 15 ms, too long.
        (Asked(7.5, 30, 0, 6000), "L1", "L1"), (Asked(11.25, 30, 0, 6000), "L1", "L1"),
        (Asked(13.75, 30, 0, 6000), "L1", "L1"), (Asked(16.25, 45, 0, 6000), "L1", "L1"),
        (Asked(20, 40, 0, 6000), "L1", "L1"), (Asked(28.75, 45, 0, 6000), "L1", "L1"),
        (Asked(31.25, 50, 0, 6000), "L1", "L1"), (Asked(100, 200, 0, 6000), "L1", "L1"),
        (Asked(2010, 2025, 0, 6000), "L1 L6 L7", "L1 L7"),
        (Asked(2000, 2015, 0, 6100), "L1 L5 L6", "L1"),
        // L2.
        (Asked(30, 30, 0, 6000), "L2", "L2"), (Asked(30, 43.75, 0, 6000), "L2", "L2"),
        (Asked(15, 28.75, 0, 6000), "L2", "L2"), (Asked(15, 16.25, 0, 6000), "L2", "L2"),
        (Asked(45, 45, 0, 6000), "L2", "L2"), (Asked(45, 30, 0, 6000), "L2", "L2"),
        (Asked(15, 31.25, 0, 6000), "", ""), (Asked(7.5, 7.5, 0, 6000), "L1 L2", "L1 L2"),
        // L4.
        (Asked(15, 30, 30, 6000), "", ""), (Asked(15, 30, 31, 6000), "L4", "L4"),
        (Asked(15, 15, 99, 6000), "L4", "L4"), (Asked(15, 30, 99, 6000), "L4 L6 L7", "L4 L7"),
        (Asked(15, 15, 499, 18_000), "L4 L5 L6 L7", "L4 L6 L7"),
        // L5, the requirement in which the editions agree on one number only.
        (Asked(30, 45, 0, 720), "L5", "L5"), (Asked(30, 45, 0, 1000), "L5", "L5"),
        (Asked(30, 45, 0, 1990), "L5", "L5"), (Asked(30, 45, 0, 2000), "", "L5"),
        (Asked(30, 45, 0, 4000), "", "L5"), (Asked(30, 45, 0, 5990), "", "L5"),
        (Asked(30, 45, 0, 6010), "L5", ""), (Asked(30, 45, 0, 18_000), "L5", ""),
        (Asked(30, 45, 0, 18_010), "L5", "L5"), (Asked(30, 45, 0, 32_000), "L5", "L5"),
        // L6: 2 s and 6 s are allowed, 1.25 ms more is not.
        (Asked(15, 2000, 0, 6010), "L5", ""), (Asked(15, 2001.25, 0, 6010), "L5 L6", ""),
        (Asked(485, 500, 3, 6010), "L1 L5", "L1"), (Asked(480, 500, 3, 6010), "L5", ""),
        (Asked(480, 501.25, 3, 6020), "L5 L6", ""),
        (Asked(1980, 2000, 2, 18_000), "L5 L6 L7", "L7"),
        (Asked(1965, 1995, 2, 18_000), "L5 L6", ""),
        (Asked(180, 200, 29, 18_000), "L5 L6 L7", "L7"),
        (Asked(180, 201.25, 29, 18_000), "L5 L6 L7", "L6 L7"),
        // L7: strictly longer.
        (Asked(1980, 2000, 0, 6000), "L7", "L7"), (Asked(1980, 1998.75, 0, 6000), "", ""),
        (Asked(180, 200, 9, 6000), "L7", "L7"), (Asked(180, 200, 8, 6000), "", ""),
        (Asked(645, 660, 0, 2000), "", "L5"), (Asked(645, 667.5, 0, 2000), "L7", "L5 L7"),
        // Each edition forbids it, by another requirement.
        (Asked(285, 300, 6, 5000), "L6 L7", "L5 L7"), (Asked(1980, 2010, 0, 6040), "L5 L6", ""),
        (Asked(15, 30, 0, 32_000), "L5", "L5"),
        (Asked(7.5, 7.5, 99, 1000), "L1 L2 L4 L5 L7", "L1 L2 L4 L5 L7"),
    ]

    @Test("requests that were worked out by hand, in both editions")
    func byHand() {
        for (asked, in2022, in2025) in Self.table {
            let place = Comment(rawValue: asked.testDescription)
            #expect(Self.judged(asked, .year2022).joined(separator: " ") == in2022, place)
            #expect(Self.judged(asked, .year2025).joined(separator: " ") == in2025, place)
        }
    }

    @Test("1728 requests, against arithmetic in microseconds")
    func byArithmetic() {
        var count = 0
        for shortest in [7.5, 11.25, 15, 18.75, 30, 480, 1995, 2010] as [Double] {
            for above in [0, 1.25, 13.75, 15, 16.25, 150] as [Double] {
                for latency in [0, 3, 30, 31] {
                    for timeout in [1990, 2000, 4000, 5990, 6000, 6010, 17_990, 18_000, 18_010] {
                        let asked = Asked(shortest, shortest + above, latency, timeout)
                        for isHID in [false, true] {
                            let place = Comment(rawValue: asked.testDescription)
                            #expect(
                                Self.judged(asked, .year2022, isHID: isHID)
                                    == asked.broken(2022, isHID: isHID), place)
                            #expect(
                                Self.judged(asked, .year2025, isHID: isHID)
                                    == asked.broken(2025, isHID: isHID), place)
                        }
                        count += 1
                    }
                }
            }
        }
        #expect(count == 1728)
    }

    @Test("an HID accessory may ask for 11.25 ms, and for nothing shorter")
    func hid() {
        #expect(Self.judged(Asked(11.25, 11.25, 0, 6000), .all, isHID: true) == [])
        #expect(Self.judged(Asked(11.25, 30, 0, 6000), .all, isHID: true) == [])
        #expect(Self.judged(Asked(10, 30, 0, 6000), .all, isHID: true) == ["L1"])
        #expect(Self.judged(Asked(16.25, 45, 0, 6000), .all, isHID: true) == ["L1"])
    }

    @Test("a request is forbidden by an edition whichever of its requirements it breaks")
    func forbidden() {
        func editions(_ asked: Asked) -> LinkRequirements.Generations {
            LinkRequirements.forbidding(LinkRequirements.breaches(of: asked.parameters))
        }
        #expect(editions(Asked(30, 45, 0, 6000)) == [])
        #expect(editions(Asked(30, 45, 0, 4000)) == .year2025)
        #expect(editions(Asked(30, 45, 0, 8000)) == .year2022)
        #expect(editions(Asked(7.5, 45, 0, 6000)) == .all)
        // 2 s × 1.005 is too long for one, 5.99 s too short for the other, and L7 forbids it in both.
        #expect(editions(Asked(1980, 2010, 0, 5990)) == .all)
    }

    @Test("values that no controller would accept are judged too, without a trap")
    func extremes() {
        let parameters = ConnectionParameters(
            intervalMinimum: ConnectionInterval(rawValue: .max),
            intervalMaximum: ConnectionInterval(rawValue: .max), latency: .max,
            supervisionTimeout: SupervisionTimeout(rawValue: .max))
        #expect(LinkRequirements.breaches(of: parameters).count == 6)
    }

    private static let appleIntervals: [Double] = [
        20, 152.5, 211.25, 318.75, 417.5, 546.25, 760, 852.5, 1022.5, 1285,
    ]

    /// The measurement of an advertiser that has this interval, in milliseconds, as it is after each report. An event
    /// is heard if `isHeard` says so of its number.
    private static func measurement(
        of interval: Double, seed: UInt64, upTo events: Int = 1000, where isHeard: (Int) -> Bool,
        each: (AdvertisingMeasurement) -> Void = { _ in }
    ) -> AdvertisingMeasurement {
        var measurement = AdvertisingMeasurement()
        var random = SeededGenerator(seed: seed)
        var now = MonotonicInstant.zero
        for event in 1...events where !measurement.isSufficient {
            let delay = Int64(random.next() % 10_000)
            now = now + .microseconds(Int64(interval * 1000) + delay)
            guard isHeard(event) else { continue }
            measurement.heard(at: now)
            // The same event on the next channel.
            measurement.heard(at: now + .microseconds(750))
            each(measurement)
        }
        return measurement
    }

    @Test(
        "Apple's nine intervals and 20 ms are recognized, and 5 ms beside each is none of them",
        arguments: [0, 5])
    func advertisingIntervals(lost: Int) throws {
        func measured(_ interval: Double, _ seed: UInt64) throws -> Duration {
            let measurement = Self.measurement(of: interval, seed: seed) { event in
                lost == 0 || event % lost != 0
            }
            #expect(measurement.alternative == nil, "\(interval) ms, seed \(seed)")
            return try #require(measurement.interval, "\(interval) ms, seed \(seed)")
        }
        for interval in Self.appleIntervals {
            for seed in 1...20 as ClosedRange<UInt64> {
                let right = try measured(interval, seed)
                #expect(
                    LinkRequirements.advertisingInterval(near: right)?.duration
                        == .microseconds(Int64(interval * 1000)),
                    "\(interval) ms, seed \(seed): \(right)")
                for beside in [-5, 5] as [Double] where interval + beside >= 20 {
                    let wrong = try measured(interval + beside, seed)
                    #expect(
                        LinkRequirements.advertisingInterval(near: wrong) == nil,
                        "\(interval + beside) ms, seed \(seed): \(wrong)")
                }
            }
        }
    }

    @Test(
        "an advertiser of which strictly every second event is heard may always have Apple's interval"
    )
    func alternating() {
        for interval in Self.appleIntervals {
            let right = Duration.microseconds(Int64(interval * 1000))
            for seed in 1...20 as ClosedRange<UInt64> {
                _ = Self.measurement(of: interval, seed: seed, upTo: 400) { event in
                    event.isMultiple(of: 2)
                } each: { measurement in
                    guard let found = measurement.interval else { return }
                    let apples = LinkRequirements.advertisingInterval(near: found)?.duration
                    #expect(
                        (apples ?? measurement.alternative) == right,
                        "\(interval) ms, seed \(seed), \(measurement.gapCount) gaps: \(found)")
                }
            }
        }
    }

    @Test("one gap that is no multiple decides that an interval is not twice as long")
    func decided() throws {
        let measurement = Self.measurement(of: 152.5, seed: 1) { event in
            event < 60 ? event % 2 == 0 : true
        }
        let found = try #require(measurement.interval)
        #expect(measurement.isSufficient && measurement.alternative == nil)
        #expect(abs(found / .milliseconds(1) - 152.5) < 2.5, "\(found)")
    }

    @Test("an advertiser that slows down is measured again, and few reports say nothing")
    func slowing() throws {
        var measurement = AdvertisingMeasurement()
        var now = MonotonicInstant.zero
        for step in 0..<40 {
            now = now + .milliseconds(20 + Int64(step * 7 % 10))
            measurement.heard(at: now)
            #expect((measurement.interval == nil) == (step < 8))
        }
        for step in 0..<40 {
            now = now + .microseconds(152_500 + Int64(step * 7 % 10) * 1000)
            measurement.heard(at: now)
        }
        let interval = try #require(measurement.interval)
        #expect(
            LinkRequirements.advertisingInterval(near: interval)?.duration == .microseconds(152_500)
        )
    }

    @Test("what an advertisement lacks")
    func advertisement() {
        let service = BluetoothUUID(0x180F as UInt16)
        let flags = AdvertisingData.Structure.flags(.generalDiscoverable)
        let whole = AdvertisingData([
            flags, .transmitPower(0), .localName("Watch", isComplete: true),
            .solicitedServices([service]),
        ])
        #expect(LinkRequirements.breaches(of: whole, response: AdvertisingData()) == [])
        #expect(LinkRequirements.breaches(of: whole, response: whole) == [])
        let bare = AdvertisingData([flags])
        #expect(
            LinkRequirements.breaches(of: bare, response: whole)
                == [.noTransmitPower, .nameInScanResponse, .serviceInScanResponse])
        #expect(
            LinkRequirements.breaches(of: AdvertisingData(), response: AdvertisingData())
                == [.noFlags, .noTransmitPower])
    }

    @Test("a request and what it breaks, in words")
    func words() {
        let asked = Asked(7.5, 45, 0, 4000).parameters
        #expect(asked.message == "7.5 to 45 ms, latency 0, timeout 4000 ms")
        #expect(
            Asked(11.25, 11.25, 4, 6000).parameters.message
                == "11.25 ms, latency 4, timeout 6000 ms")
        #expect(
            LinkRequirements.breaches(of: asked).map(\.message) == [
                "L1: the shortest interval is 15 ms to 2 s, and a multiple of 15 ms "
                    + "(Apple, 2022 and 2025)",
                "L5: the supervision timeout is 6 to 18 s (Apple, 2025)",
            ])
    }
}
