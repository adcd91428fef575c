internal import Octets

/// Which closed popup a person has closed on purpose, one by itself: a server that closes all of them says of
/// each what it says of one that a person closed.
///
/// A popup counts when none was closed within a second before it, nor within the second after it, which is
/// waited for.
struct Dismissals: Sendable {
    private struct Candidate: Sendable {
        let record: RecordID
        let deadline: MonotonicInstant
    }

    private static let distance = Duration.seconds(1)
    private var candidate: Candidate?
    private var lastClosing: MonotonicInstant?

    var nextDeadline: MonotonicInstant? { candidate?.deadline }

    /// A popup was closed by others than this program; `record` is what it showed, where closing it may do
    /// something.
    mutating func closed(_ record: RecordID?, at now: MonotonicInstant) {
        let isAlone = lastClosing.map { now - $0 > Self.distance } ?? true
        lastClosing = now
        candidate = nil
        guard isAlone, let record else { return }
        candidate = Candidate(record: record, deadline: now + Self.distance)
    }

    /// The record that was dismissed, once.
    mutating func takeDue(at now: MonotonicInstant) -> RecordID? {
        guard let candidate, now >= candidate.deadline else { return nil }
        self.candidate = nil
        return candidate.record
    }

    /// A record is gone.
    mutating func forget(_ record: RecordID) {
        if candidate?.record == record { candidate = nil }
    }

    /// What was closed last was not meant.
    mutating func cancel() { candidate = nil }
}
