internal import Octets

/// Finds the popups that the user has closed individually: a server reports the same when the user closes all
/// popups at once.
///
/// A popup counts if no other was closed within a second before or after it.
struct Dismissals: Sendable {
    private struct Candidate: Sendable {
        let record: RecordID
        let deadline: MonotonicInstant
    }

    private static let distance = Duration.seconds(1)
    private var candidate: Candidate?
    private var lastClosing: MonotonicInstant?

    var nextDeadline: MonotonicInstant? { candidate?.deadline }

    /// A popup was closed, but not by this program; `record` is its record if closing it has an effect.
    mutating func closed(_ record: RecordID?, at now: MonotonicInstant) {
        let isAlone = lastClosing.map { now - $0 > Self.distance } ?? true
        lastClosing = now
        candidate = nil
        guard isAlone, let record else { return }
        candidate = Candidate(record: record, deadline: now + Self.distance)
    }

    /// The dismissed record, once the second after it has passed; returned only once.
    mutating func takeDue(at now: MonotonicInstant) -> RecordID? {
        guard let candidate, now >= candidate.deadline else { return nil }
        self.candidate = nil
        return candidate.record
    }

    /// A record was removed.
    mutating func forget(_ record: RecordID) { if candidate?.record == record { candidate = nil } }

    /// Forgets the popup that was closed last: the user did not mean it.
    mutating func cancel() { candidate = nil }
}
