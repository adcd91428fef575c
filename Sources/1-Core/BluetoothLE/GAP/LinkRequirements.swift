/// What Apple asks of the link of an accessory, as judgements of values: the one place for these numbers.
///
/// The requirements are those of the *Accessory Design Guidelines for Apple Devices*, whose numbers changed between the
/// editions that are called 2022 and 2025 here; L1, L2, L4 to L7 and A1 to A3 are the project's names for them
/// (`Documentation/Development/Requirements.md`). Apple's word is that a request that breaks them *may be rejected*; what an iPhone
/// does is its own choice.
public enum LinkRequirements: Sendable {
    /// The editions of Apple's numbers.
    public struct Generations: OptionSet, Hashable, Sendable {
        /// A bit for each edition.
        public let rawValue: UInt8
        /// A set with these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The numbers until 2022.
        public static let year2022 = Generations(rawValue: 1 << 0)
        /// The numbers of 2025.
        public static let year2025 = Generations(rawValue: 1 << 1)
        /// Both.
        public static let all: Generations = [.year2022, .year2025]
    }

    /// A requirement for a request for connection parameters.
    public enum ParameterRequirement: String, CaseIterable, Hashable, Sendable {
        /// The shortest interval: at least 15 ms, at most 2 s, a multiple of 15 ms. An HID accessory may ask for
        /// 11.25 ms and more (L3).
        case shortestInterval = "L1"
        /// The longest interval: at least 15 ms above the shortest, or both are 15 ms.
        case longestInterval = "L2"
        /// The latency: at most 30.
        case latency = "L4"
        /// The supervision timeout: 2 to 6 s (2022), 6 to 18 s (2025).
        case supervisionTimeout = "L5"
        /// The longest interval × (latency + 1): at most 2 s (2022), 6 s (2025).
        case longestSilence = "L6"
        /// The supervision timeout is longer than three times the longest interval × (latency + 1).
        case timeoutBeyondSilence = "L7"
    }

    /// A requirement that a request breaks.
    public struct Breach: Hashable, Sendable {
        /// The requirement.
        public var requirement: ParameterRequirement
        /// The editions whose numbers it breaks, at least one.
        public var generations: Generations

        /// A breach.
        public init(_ requirement: ParameterRequirement, _ generations: Generations = .all) {
            self.requirement = requirement
            self.generations = generations
        }
    }

    /// The requirements that a request breaks, in their order. `isHID` says that the accessory has the Human Interface
    /// Device service (0x1812).
    ///
    /// Units are those of the request: 1.25 ms and 10 ms, so that no rounding takes part.
    public static func breaches(of request: ConnectionParameters, isHID: Bool = false) -> [Breach] {
        let (shortest, longest) = (
            Int(request.intervalMinimum.rawValue), Int(request.intervalMaximum.rawValue)
        )
        let silence = longest * (Int(request.latency) + 1)
        let timeout = Int(request.supervisionTimeout.rawValue)
        let isFastHID = isHID && hidIntervals.contains(shortest)
        var breaches: [Breach] = []
        func judge(_ requirement: ParameterRequirement, _ generations: Generations) {
            if !generations.isEmpty { breaches.append(Breach(requirement, generations)) }
        }
        let isRegular = intervals.contains(shortest) && shortest.isMultiple(of: intervalStep)
        judge(.shortestInterval, isRegular || isFastHID ? [] : .all)
        let isOneInterval = shortest == longest && (shortest == intervalStep || isFastHID)
        judge(.longestInterval, longest >= shortest + intervalStep || isOneInterval ? [] : .all)
        judge(.latency, request.latency <= maximumLatency ? [] : .all)
        judge(.supervisionTimeout, broken { timeouts(in: $0).contains(timeout) })
        judge(.longestSilence, broken { silence <= longestSilence(in: $0) })
        // 10 ms × timeout > 3 × 1.25 ms × silence, both sides divided by 1.25 ms.
        judge(.timeoutBeyondSilence, 8 * timeout > 3 * silence ? [] : .all)
        return breaches
    }

    /// The editions that forbid a request with these breaches, by whichever requirement.
    public static func forbidding(_ breaches: [Breach]) -> Generations {
        breaches.reduce(into: []) { $0.formUnion($1.generations) }
    }

    private static func broken(by isKept: (Generations) -> Bool) -> Generations {
        var generations: Generations = []
        if !isKept(.year2022) { generations.insert(.year2022) }
        if !isKept(.year2025) { generations.insert(.year2025) }
        return generations
    }

    // MARK: The numbers

    /// 15 ms, in units of 1.25 ms.
    private static var intervalStep: Int { 12 }
    /// 15 ms to 2 s, in units of 1.25 ms.
    private static var intervals: ClosedRange<Int> { 12...1600 }
    /// 11.25 ms to below 15 ms, in units of 1.25 ms.
    private static var hidIntervals: ClosedRange<Int> { 9...11 }
    private static var maximumLatency: UInt16 { 30 }

    /// In units of 10 ms.
    private static func timeouts(in generation: Generations) -> ClosedRange<Int> {
        generation == .year2022 ? 200...600 : 600...1800
    }

    /// In units of 1.25 ms: 2 s and 6 s.
    private static func longestSilence(in generation: Generations) -> Int {
        generation == .year2022 ? 1600 : 4800
    }

    // MARK: Advertising

    /// The interval of the first 30 s and more: 20 ms (A1). Apple QA1931.
    public static var firstAdvertisingInterval: AdvertisingInterval { .minimum }

    /// The intervals after that: 152.5, 211.25, 318.75, 417.5, 546.25, 760, 852.5, 1022.5 and 1285 ms (A1). Apple
    /// QA1931.
    public static var advertisingIntervals: [AdvertisingInterval] {
        [244, 338, 510, 668, 874, 1216, 1364, 1636, 2056].map { AdvertisingInterval(rawValue: $0) }
    }

    /// The interval of Apple's that a measured one may be: the nearest, if it is no further away than half of the 5 ms
    /// that a measurement can tell apart. Otherwise `nil`.
    public static func advertisingInterval(near measured: Duration) -> AdvertisingInterval? {
        ([firstAdvertisingInterval] + advertisingIntervals).first { interval in
            let difference = measured - interval.duration
            return difference >= .microseconds(-2500) && difference <= .microseconds(2500)
        }
    }

    /// Whether one of Apple's intervals, or one that cannot be told from it, lies within a range.
    public static func hasAdvertisingInterval(within range: ClosedRange<Duration>) -> Bool {
        ([firstAdvertisingInterval] + advertisingIntervals).contains { interval in
            range.contains(interval.duration)
        } || advertisingInterval(near: range.lowerBound) != nil
            || advertisingInterval(near: range.upperBound) != nil
    }

    /// What is missing from an advertisement (A3).
    public enum AdvertisementBreach: Hashable, Sendable {
        /// It has no Flags.
        case noFlags
        /// It has no TX Power Level.
        case noTransmitPower
        /// Its name is only in the scan response.
        case nameInScanResponse
        /// A service, offered or solicited, is only in the scan response.
        case serviceInScanResponse
    }

    /// Judges an advertisement: `advertising` is the data of ADV_IND, `response` that of the scan response.
    public static func breaches(
        of advertising: AdvertisingData, response: AdvertisingData
    ) -> [AdvertisementBreach] {
        var breaches: [AdvertisementBreach] = []
        let structures = advertising.structures
        func has(_ isWanted: (AdvertisingData.Structure) -> Bool) -> Bool {
            structures.contains(where: isWanted)
        }
        if !has({ if case .flags = $0 { true } else { false } }) { breaches.append(.noFlags) }
        if !has({ if case .transmitPower = $0 { true } else { false } }) {
            breaches.append(.noTransmitPower)
        }
        if advertising.localName == nil, response.localName != nil {
            breaches.append(.nameInScanResponse)
        }
        let found = advertising.services + advertising.solicitedServices
        if (response.services + response.solicitedServices).contains(where: { !found.contains($0) })
        {
            breaches.append(.serviceInScanResponse)
        }
        return breaches
    }
}
