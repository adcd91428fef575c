/// The parameters of a connection, which a Central chooses and a Peripheral may request. Core Vol 3, Part A,
/// 4.20; Vol 4, Part E, 7.8.18.
public struct ConnectionParameters: Equatable, Sendable {
    /// The shortest acceptable interval.
    public var intervalMinimum: ConnectionInterval
    /// The longest acceptable interval.
    public var intervalMaximum: ConnectionInterval
    /// How many connection events in a row the Peripheral may skip, at most 499.
    public var latency: UInt16
    /// The time without a packet after which the connection is lost.
    public var supervisionTimeout: SupervisionTimeout

    /// Parameters, which may be out of range: check ``fault``.
    public init(
        intervalMinimum: ConnectionInterval, intervalMaximum: ConnectionInterval, latency: UInt16,
        supervisionTimeout: SupervisionTimeout
    ) {
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    /// Why parameters are invalid.
    public enum Fault: Error, Equatable, Sendable {
        /// An interval is not in 6...3200 units, or the shortest is longer than the longest.
        case interval
        /// The latency is above 499.
        case latency
        /// The supervision timeout is not in 10...3200 units.
        case supervisionTimeout
        /// The timeout is not longer than (1 + latency) × interval × 2.
        case timeoutTooShort
    }

    /// The first fault of the parameters; `nil` if they are valid.
    public var fault: Fault? {
        let intervals = UInt16(6)...3200
        guard intervals.contains(intervalMinimum.rawValue),
            intervals.contains(intervalMaximum.rawValue), intervalMinimum <= intervalMaximum
        else { return .interval }
        guard latency <= 499 else { return .latency }
        guard (10...3200).contains(supervisionTimeout.rawValue) else { return .supervisionTimeout }
        // 10 ms × timeout > (1 + latency) × 1.25 ms × interval × 2, both sides divided by 2.5 ms.
        let longestSilence = (1 + UInt32(latency)) * UInt32(intervalMaximum.rawValue)
        guard 4 * UInt32(supervisionTimeout.rawValue) > longestSilence else {
            return .timeoutTooShort
        }
        return nil
    }
}
