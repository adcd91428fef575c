public import Octets

/// How long a peer has to wait after failed attempts to pair, so that it cannot try passkeys one after
/// the other: twice as long after each failure. Core Vol 3, Part H, 2.3.6.
public struct PairingThrottle: Hashable, Sendable {
    /// The wait after the first failure; the specification leaves the length open.
    static let firstWait = Duration.seconds(1)
    /// The exponent stops here: about 17 minutes.
    static let maximumExponent = 10
    /// After each of these without a failure, half of the wait is forgiven: five minutes.
    static let forgivenessInNanoseconds: Int64 = 300_000_000_000

    private var failures = 0
    private var lastFailure = MonotonicInstant.zero

    /// No failures so far.
    public init() {}

    /// Until when nothing may be tried, or `nil`.
    public func blockedUntil(at now: MonotonicInstant) -> MonotonicInstant? {
        let failures = remainingFailures(at: now)
        guard failures > 0 else { return nil }
        let exponent = min(failures - 1, Self.maximumExponent)
        let end = lastFailure + Self.firstWait * (1 << exponent)
        return now < end ? end : nil
    }

    /// Whether anything is worth keeping.
    public func isClear(at now: MonotonicInstant) -> Bool { remainingFailures(at: now) == 0 }

    /// An attempt failed.
    public mutating func recordFailure(at now: MonotonicInstant) {
        failures = min(remainingFailures(at: now), Self.maximumExponent) + 1
        lastFailure = now
    }

    /// An attempt succeeded.
    public mutating func recordSuccess() { failures = 0 }

    private func remainingFailures(at now: MonotonicInstant) -> Int {
        let elapsed = max(0, now.nanoseconds - lastFailure.nanoseconds)
        return max(0, failures - Int(clamping: elapsed / Self.forgivenessInNanoseconds))
    }
}

/// The throttles of the peers that failed lately, so that disconnecting does not reset them.
public struct PairingThrottles: Hashable, Sendable {
    /// How many peers are remembered.
    public let limit: Int
    private var entries: [Entry] = []

    private struct Entry: Hashable, Sendable {
        var address: DeviceAddress
        var throttle: PairingThrottle
    }

    /// Nobody failed so far; `limit` is how many peers are remembered, 64 where not said.
    public init(limit: Int = 64) { self.limit = max(1, limit) }

    /// The throttle of a peer: by identity address where known, else by the address on air.
    public subscript(address: DeviceAddress) -> PairingThrottle {
        entries.first { $0.address == address }?.throttle ?? PairingThrottle()
    }

    /// Keeps a peer's throttle; the entry that was not changed for longest makes room.
    public mutating func store(
        _ throttle: PairingThrottle, for address: DeviceAddress, at now: MonotonicInstant
    ) {
        entries.removeAll { $0.address == address || $0.throttle.isClear(at: now) }
        guard !throttle.isClear(at: now) else { return }
        if entries.count >= limit { entries.removeFirst() }
        entries.append(Entry(address: address, throttle: throttle))
    }
}
