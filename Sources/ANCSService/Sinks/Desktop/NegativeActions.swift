internal import Octets

/// The negative actions that a person wants, at most one a second, those of calls first.
struct NegativeActions: Sendable {
    private static let distance = Duration.seconds(1)
    private static let limit = 8
    private var waiting: [RecordID] = []
    private var last: (record: RecordID, instant: MonotonicInstant)?

    var nextDeadline: MonotonicInstant? {
        guard !waiting.isEmpty else { return nil }
        return last.map { $0.instant + Self.distance } ?? .zero
    }

    /// A person wants one. One that waits, or was just performed, is not wanted twice: that is a double click.
    mutating func want(_ record: RecordID, isCall: Bool, at now: MonotonicInstant) {
        guard !waiting.contains(record) else { return }
        if let last, last.record == record, now - last.instant < Self.distance { return }
        if isCall { waiting.insert(record, at: 0) } else { waiting.append(record) }
        if waiting.count > Self.limit { waiting.removeLast() }
    }

    /// The record whose turn it is.
    mutating func takeDue(at now: MonotonicInstant) -> RecordID? {
        guard let next = waiting.first else { return nil }
        if let last, now - last.instant < Self.distance { return nil }
        waiting.removeFirst()
        last = (next, now)
        return next
    }

    mutating func forget(_ record: RecordID) { waiting.removeAll { $0 == record } }
}
