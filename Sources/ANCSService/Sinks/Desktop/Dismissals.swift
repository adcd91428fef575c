internal import Octets

/// Finds the popups that the user has closed individually: a server that closes all of them reports the same
/// as for one that the user closed.
///
/// A popup counts if no other was closed within a second before and a second after it, which is awaited.
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

    /// The dismissed record, returned once.
    mutating func takeDue(at now: MonotonicInstant) -> RecordID? {
        guard let candidate, now >= candidate.deadline else { return nil }
        self.candidate = nil
        return candidate.record
    }

    /// A record was removed.
    mutating func forget(_ record: RecordID) {
        if candidate?.record == record { candidate = nil }
    }

    /// The last closed popup was not meant.
    mutating func cancel() { candidate = nil }
}
