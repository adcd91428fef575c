internal import ANCSReceiver

/// The notification with which a phone shows a call, and since when it is not certain that it still does: the
/// removal of one can be lost.
struct CallPresence: Sendable {
    /// How long no proof is needed.
    private static let trust = Duration.seconds(45)
    /// The time between two questions.
    private static let interval = Duration.seconds(30)
    /// How long a call lasts without any proof.
    private static let limit = Duration.seconds(120)
    /// How long a call lasts after its session.
    private static let farewell = Duration.seconds(10)

    let id: RecordID
    let session: SessionID
    let uid: NotificationUID
    private var proof: MonotonicInstant
    private var question: MonotonicInstant
    /// When it ends, after the end of its session.
    private var end: MonotonicInstant?

    /// The notification of a record, which was announced or changed just now.
    init(_ record: Record, at now: MonotonicInstant) {
        (id, session, uid) = (record.id, record.notification.session, record.notification.uid)
        proof = now
        question = now + Self.trust
    }

    /// Whether its session has ended.
    var isLost: Bool { end != nil }
    /// When something is due.
    var deadline: MonotonicInstant { end ?? min(question, proof + Self.limit) }

    func isOver(at now: MonotonicInstant) -> Bool { (end ?? proof + Self.limit) <= now }

    /// Whether the phone has to be asked now; once for each question.
    mutating func takeQuestion(at now: MonotonicInstant) -> Bool {
        guard end == nil, question <= now else { return false }
        question = now + Self.interval
        return true
    }

    /// The phone has answered that it has the notification.
    mutating func prove(at now: MonotonicInstant) { proof = now }

    /// Its session has ended.
    mutating func lose(at now: MonotonicInstant) { end = end ?? now + Self.farewell }
}
