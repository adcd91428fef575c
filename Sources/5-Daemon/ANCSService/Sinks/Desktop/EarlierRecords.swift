internal import Octets

/// Waits until the notifications that were on the phone before the session have arrived, one after the other:
/// if there are many, they are shown as one popup.
struct EarlierRecords: Sendable {
    private static let quiet = Duration.seconds(2)
    private static let longest = Duration.seconds(10)
    private var first: MonotonicInstant?
    private var last = MonotonicInstant.zero
    /// How many have arrived since the wait started.
    private(set) var count = 0

    /// When the wait ends.
    var nextDeadline: MonotonicInstant? { first.map { min($0 + Self.longest, last + Self.quiet) } }

    mutating func receive(at now: MonotonicInstant) {
        if first == nil { first = now }
        last = now
        count += 1
    }

    /// Returns, once, whether all have arrived.
    mutating func takeEnd(at now: MonotonicInstant) -> Bool {
        guard let nextDeadline, now >= nextDeadline else { return false }
        first = nil
        count = 0
        return true
    }
}
