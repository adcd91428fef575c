internal import BluetoothTypes

/// How often the two ends of a link meet, and how long nothing may be heard before it is lost. The phone
/// decides; an accessory may ask, with a `LinkParameterPolicy`.
public struct LinkParameters: Equatable, Sendable {
    /// The time between two connection events, 7.5 ms to 4 s.
    public var interval: Duration
    /// How many connection events in a row the accessory may skip, at most 499.
    public var latency: Int
    /// The time without a packet after which the link is lost, 100 ms to 32 s.
    public var supervisionTimeout: Duration
    /// Whether the phone keeps them although this device asked for others; it is not asked again on this link.
    public var isKept: Bool

    /// Parameters.
    public init(
        interval: Duration, latency: Int = 0, supervisionTimeout: Duration, isKept: Bool = false
    ) {
        (self.interval, self.latency) = (interval, latency)
        (self.supervisionTimeout, self.isKept) = (supervisionTimeout, isKept)
    }

    /// In the controller's units, rounded down.
    package var connectionParameters: ConnectionParameters {
        let interval = ConnectionInterval(
            rawValue: UInt16(clamping: Int64(interval / .microseconds(1250))))
        return ConnectionParameters(
            intervalMinimum: interval, intervalMaximum: interval,
            latency: UInt16(clamping: latency),
            supervisionTimeout: SupervisionTimeout(
                rawValue: UInt16(clamping: Int64(supervisionTimeout / .milliseconds(10)))))
    }
}

extension LinkParameters {
    /// What the link has, in words: `30 ms, latency 0, timeout 6000 ms`.
    public var message: String {
        "\(Self.text(interval)), latency \(latency), timeout \(Self.text(supervisionTimeout))"
    }

    private static func text(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        return (Int(exactly: milliseconds).map { "\($0)" } ?? "\(milliseconds)") + " ms"
    }
}
