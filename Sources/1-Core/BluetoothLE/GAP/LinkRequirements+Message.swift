extension LinkRequirements.Generations {
    /// The editions, for people.
    public var message: String {
        switch self {
        case .year2022: "2022"
        case .year2025: "2025"
        case .all: "2022 and 2025"
        default: "none"
        }
    }
}

extension LinkRequirements.Breach {
    /// The requirement that is broken, with its numbers and the editions that have them.
    public var message: String { "\(requirement.rawValue): \(demand)" }

    /// What the editions ask for: the numbers of the requirement.
    public var demand: String {
        let numbers =
            switch requirement {
            case .shortestInterval: "the shortest interval is 15 ms to 2 s, and a multiple of 15 ms"
            case .longestInterval:
                "the longest interval is at least 15 ms above the shortest, or both are 15 ms"
            case .latency: "the latency is at most 30"
            case .supervisionTimeout:
                generations == .year2022
                    ? "the supervision timeout is 2 to 6 s"
                    : generations == .year2025
                        ? "the supervision timeout is 6 to 18 s"
                        : "the supervision timeout is 2 to 6 s, or 6 to 18 s"
            case .longestSilence:
                "the longest interval × (latency + 1) is at most "
                    + (generations == .year2022 ? "2 s" : "6 s")
            case .timeoutBeyondSilence:
                "the supervision timeout is longer than 3 × the longest interval × (latency + 1)"
            }
        return "\(numbers) (Apple, \(generations.message))"
    }
}

extension LinkRequirements.ParameterRequirement {
    /// The product that the requirement is about, worked out for a request: `200 ms × (9 + 1) = 2000 ms`; `nil` for a
    /// requirement about a single number.
    public func sum(in request: ConnectionParameters) -> String? {
        let longest = Int(request.intervalMaximum.rawValue) * 125
        let silence = longest * (Int(request.latency) + 1)
        let product = "\(ConnectionParameters.milliseconds(longest)) ms × (\(request.latency) + 1)"
        return switch self {
        case .longestSilence: "\(product) = \(ConnectionParameters.milliseconds(silence)) ms"
        case .timeoutBeyondSilence:
            "3 × \(product) = \(ConnectionParameters.milliseconds(3 * silence)) ms"
        case .shortestInterval, .longestInterval, .latency, .supervisionTimeout: nil
        }
    }
}

extension LinkRequirements.AdvertisementBreach {
    /// What is missing.
    public var message: String {
        switch self {
        case .noFlags: "the advertising data (ADV_IND) have no Flags"
        case .noTransmitPower: "the advertising data (ADV_IND) have no TX Power Level"
        case .nameInScanResponse: "the name is only in the scan response"
        case .serviceInScanResponse: "a service is only in the scan response"
        }
    }
}

extension ConnectionParameters {
    /// The parameters, for people: times in milliseconds.
    public var message: String {
        let shortest = Self.milliseconds(Int(intervalMinimum.rawValue) * 125)
        let longest = Self.milliseconds(Int(intervalMaximum.rawValue) * 125)
        let intervals = shortest == longest ? shortest : "\(shortest) to \(longest)"
        return "\(intervals) ms, latency \(latency), timeout "
            + "\(Int(supervisionTimeout.rawValue) * 10) ms"
    }

    /// A number of hundredths as a decimal fraction.
    fileprivate static func milliseconds(_ hundredths: Int) -> String {
        let (whole, rest) = (hundredths / 100, hundredths % 100)
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
