public import Octets

/// Delays the attempts to pair after failures, so that a peer cannot try one passkey after the other: the
/// delay doubles with each failure. Core Vol 3, Part H, 2.3.6.
public struct PairingThrottle: Equatable, Sendable {
    /// The delay after the first failure; the specification leaves the length open. Both times are integers,
    /// because multiplying a `Duration` takes 128 bits.
    static let firstWaitInNanoseconds: Int64 = 1_000_000_000
    /// The largest exponent, for a delay of about 17 minutes.
    static let maximumExponent = 10
    /// After each such time without a failure the delay is halved: five minutes.
    static let forgivenessInNanoseconds: Int64 = 300_000_000_000

    private var failures = 0
    private var lastFailure = MonotonicInstant.zero

    /// No failures so far.
    public init() {}

    /// The end of the delay; `nil` if there is none.
    public func blockedUntil(at now: MonotonicInstant) -> MonotonicInstant? {
        let failures = remainingFailures(at: now)
        guard failures > 0 else { return nil }
        let exponent = min(failures - 1, Self.maximumExponent)
        let end = lastFailure.nanoseconds + Self.firstWaitInNanoseconds << Int64(exponent)
        return now.nanoseconds < end ? MonotonicInstant(nanoseconds: end) : nil
    }

    /// Whether there are no failures to remember.
    public func isClear(at now: MonotonicInstant) -> Bool { remainingFailures(at: now) == 0 }

    /// Records a failed attempt.
    public mutating func recordFailure(at now: MonotonicInstant) {
        failures = min(remainingFailures(at: now), Self.maximumExponent) + 1
        lastFailure = now
    }

    /// Records a successful attempt.
    public mutating func recordSuccess() { failures = 0 }

    private func remainingFailures(at now: MonotonicInstant) -> Int {
        let elapsed = max(0, now.nanoseconds - lastFailure.nanoseconds)
        return max(0, failures - Int(clamping: elapsed / Self.forgivenessInNanoseconds))
    }
}

/// The throttles of the peers that failed recently, so that disconnecting does not reset them.
public struct PairingThrottles: Equatable, Sendable {
    /// How many peers are remembered.
    public let limit: Int
    private var entries: [Entry] = []

    private struct Entry: Equatable, Sendable {
        var address: DeviceAddress
        var throttle: PairingThrottle
    }

    /// No failures; remembers `limit` peers, 64 by default.
    public init(limit: Int = 64) { self.limit = max(1, limit) }

    /// The throttle of a peer, by identity address if known, otherwise by the address on air.
    public subscript(address: DeviceAddress) -> PairingThrottle {
        entries.first { $0.address == address }?.throttle ?? PairingThrottle()
    }

    /// Stores the throttle of a peer; the entry that has not changed for longest makes room.
    public mutating func store(
        _ throttle: PairingThrottle, for address: DeviceAddress, at now: MonotonicInstant
    ) {
        entries.removeAll { $0.address == address || $0.throttle.isClear(at: now) }
        guard !throttle.isClear(at: now) else { return }
        if entries.count >= limit { entries.removeFirst() }
        entries.append(Entry(address: address, throttle: throttle))
    }
}
