internal import Octets

/// The queue of negative actions that the user requested: at most one per second, those of calls first.
struct NegativeActions: Sendable {
    private static let distance = Duration.seconds(1)
    private static let limit = 8
    private var waiting: [RecordID] = []
    private var last: (record: RecordID, instant: MonotonicInstant)?

    var nextDeadline: MonotonicInstant? {
        guard !waiting.isEmpty else { return nil }
        return last.map { $0.instant + Self.distance } ?? .zero
    }

    /// The user requested one. A request that is queued, or was just performed, is ignored as a double click.
    mutating func want(_ record: RecordID, isCall: Bool, at now: MonotonicInstant) {
        guard !waiting.contains(record) else { return }
        if let last, last.record == record, now - last.instant < Self.distance { return }
        if isCall { waiting.insert(record, at: 0) } else { waiting.append(record) }
        if waiting.count > Self.limit { waiting.removeLast() }
    }

    /// The next record, if it is due.
    mutating func takeDue(at now: MonotonicInstant) -> RecordID? {
        guard let next = waiting.first else { return nil }
        if let last, now - last.instant < Self.distance { return nil }
        waiting.removeFirst()
        last = (next, now)
        return next
    }

    mutating func forget(_ record: RecordID) { waiting.removeAll { $0 == record } }
}
