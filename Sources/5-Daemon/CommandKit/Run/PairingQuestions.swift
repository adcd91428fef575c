package import ANCSEvents
package import Octets

/// The questions of pairing that await the user. Only one is shown at a time. If two were shown, one could be
/// from a stranger's device, and the answer meant for the user's own device would let it in.
///
/// For the same reason a question that is no longer asked is taken back in words, and the one that follows
/// needs a second on the screen before an answer counts: what the user had begun to type was for the other.
package struct PairingQuestions<Peer: Hashable & Sendable, Question: Equatable & Sendable>:
    Sendable
{
    /// A question of the pairing with a peer.
    package struct Asked: Equatable, Sendable {
        package let peer: Peer
        package let question: Question
    }

    /// What to tell the user.
    package enum Change: Equatable, Sendable {
        /// Show this question.
        case show(Asked)
        /// The question that was shown is not asked any more.
        case withdrawn(Asked)
    }

    /// What becomes of a typed word.
    package enum Outcome: Equatable, Sendable {
        /// No question is shown, or the word is no answer to it.
        case notAnAnswer
        /// It came too soon after the question that follows another one.
        case tooSoon
        /// It is the answer to this question.
        case answer(Asked, [Change])
    }

    /// How long a question has to be on the screen: less than it takes to read six digits.
    static var readingTime: Duration { .seconds(1) }
    /// For how long after a question a following one counts as its successor.
    static var succession: Duration { .seconds(10) }

    /// The open questions; the first one is shown.
    private var waiting: [Asked] = []
    /// Until when answers to the shown one do not count.
    private var deafUntil: MonotonicInstant?
    /// When the last question left the screen.
    private var leftAt: MonotonicInstant?

    /// No questions.
    package init() {}

    /// Adds a question, which replaces an earlier one of the same peer.
    package mutating func ask(
        _ question: Question, of peer: Peer, at now: MonotonicInstant
    ) -> [Change] {
        let changes = withdraw(peer, at: now)
        waiting.append(Asked(peer: peer, question: question))
        return waiting.count == 1 ? changes + show(at: now) : changes
    }

    /// Removes the question of a peer that is no longer waiting.
    package mutating func withdraw(_ peer: Peer, at now: MonotonicInstant) -> [Change] {
        let shown = waiting.first
        waiting.removeAll { $0.peer == peer }
        guard let shown, shown.peer == peer else { return [] }
        leftAt = now
        return [.withdrawn(shown)] + show(at: now)
    }

    /// Takes a typed word, if it is an answer to the shown question.
    package mutating func take(
        at now: MonotonicInstant, where isAnswer: (Question) -> Bool
    ) -> Outcome {
        guard let shown = waiting.first, isAnswer(shown.question) else { return .notAnAnswer }
        if let deafUntil, now < deafUntil { return .tooSoon }
        waiting.removeFirst()
        leftAt = now
        return .answer(shown, show(at: now))
    }

    /// The question that is shown.
    package var shown: Asked? { waiting.first }

    private mutating func show(at now: MonotonicInstant) -> [Change] {
        guard let next = waiting.first else { return [] }
        let follows = leftAt.map { now - $0 < Self.succession } ?? false
        deafUntil = follows ? now + Self.readingTime : nil
        return [.show(next)]
    }
}

extension PairingQuestions where Question == PairingRequest {
    /// Adds a request. One that only displays something needs no answer, so it is shown at once.
    package mutating func receive(
        _ request: PairingRequest, of peer: Peer, at now: MonotonicInstant
    ) -> [Change] {
        guard case .display = request else { return ask(request, of: peer, at: now) }
        return withdraw(peer, at: now) + [.show(Asked(peer: peer, question: request))]
    }

    /// Answers the shown request with a typed word.
    package mutating func answer(_ word: String, at now: MonotonicInstant) -> Outcome {
        let outcome = take(at: now) { $0.decision(word) != nil }
        if case .answer(let asked, _) = outcome { asked.question.decision(word)?() }
        return outcome
    }
}

/// What is said of an answer that came within a second of a question that follows another one.
package let pairingAnswerTooSoon =
    "an answer within a second of a new question does not count: read it, and answer again"
