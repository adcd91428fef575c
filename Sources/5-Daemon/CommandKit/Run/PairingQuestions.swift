package import ANCSEvents

/// The questions of pairing that await the user. Only one is shown at a time. If two were shown, one could be
/// from a stranger's device, and the answer meant for the user's own device would let it in.
///
/// For the same reason a question that is no longer asked is taken back in words, and the one that follows
/// needs a second on the screen before an answer counts: what the user had begun to type was for the other.
package struct PairingQuestions<Peer: Hashable & Sendable, Question: Equatable & Sendable>: Sendable
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

    /// The open questions; the first one is shown.
    fileprivate var waiting: [Asked] = []
    /// Until when answers to the shown one do not count.
    private var deafUntil: MonotonicInstant?
    private var reading = ReadingTime()

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
        reading.left(at: now)
        return [.withdrawn(shown)] + show(at: now)
    }

    /// Takes a typed word, if it is an answer to the shown question.
    package mutating func take(
        at now: MonotonicInstant, where isAnswer: (Question) -> Bool
    ) -> Outcome {
        guard let shown = waiting.first, isAnswer(shown.question) else { return .notAnAnswer }
        if let deafUntil, now < deafUntil { return .tooSoon }
        waiting.removeFirst()
        reading.left(at: now)
        return .answer(shown, show(at: now))
    }

    /// The open question of a peer.
    package func question(of peer: Peer) -> Question? {
        waiting.first { $0.peer == peer }?.question
    }

    /// The question that is shown.
    package var shown: Asked? { waiting.first }

    private mutating func show(at now: MonotonicInstant) -> [Change] {
        guard let next = waiting.first else { return [] }
        deafUntil = reading.begins(at: now)
        return [.show(next)]
    }
}

extension PairingQuestions where Question == PairingRequest {
    /// A question about a bond is asked again because its device has returned. Returns whether it is still open, and
    /// need not be shown.
    package mutating func isOpen(_ request: PairingRequest, nowOf peer: Peer) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.question == request }) else {
            return false
        }
        waiting[index] = Asked(peer: peer, question: request)
        return true
    }

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
