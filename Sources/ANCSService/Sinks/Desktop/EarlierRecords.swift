internal import Octets

/// The notifications that were on the phone before, which come one after the other: it is waited until no
/// further one comes, because many of them are shown as one.
struct EarlierRecords: Sendable {
    private static let quiet = Duration.seconds(2)
    private static let longest = Duration.seconds(10)
    private var first: MonotonicInstant?
    private var last = MonotonicInstant.zero
    /// How many came, since it is waited.
    private(set) var count = 0

    /// When it is not waited any longer.
    var nextDeadline: MonotonicInstant? { first.map { min($0 + Self.longest, last + Self.quiet) } }

    mutating func receive(at now: MonotonicInstant) {
        if first == nil { first = now }
        last = now
        count += 1
    }

    /// Whether all have come, once.
    mutating func takeEnd(at now: MonotonicInstant) -> Bool {
        guard let nextDeadline, now >= nextDeadline else { return false }
        first = nil
        count = 0
        return true
    }
}
