internal import ANCSKit

/// The requests of pairing that wait for the user. Only one is shown at a time: of two on the screen, one
/// may be a stranger's, and the answer that is meant for the user's own device would let it in.
struct PairingQuestions<Peer: Hashable & Sendable>: Sendable {
    /// What the pairing of a peer shows or asks.
    struct Asked: Hashable, Sendable {
        let peer: Peer
        let request: PairingRequest
    }

    /// The first one is on the screen.
    private var waiting: [Asked] = []

    /// The pairing of a peer shows or asks something, in the place of what it asked before; gives what is
    /// to be shown now.
    mutating func ask(_ request: PairingRequest, of peer: Peer) -> [Asked] {
        let next = withdraw(peer)
        let asked = Asked(peer: peer, request: request)
        if case .display = request { return [asked] + next }
        waiting.append(asked)
        return waiting.count == 1 ? [asked] : next
    }

    /// A peer does not wait for an answer any more; gives what is to be shown now.
    mutating func withdraw(_ peer: Peer) -> [Asked] {
        let shown = waiting.first
        waiting.removeAll { $0.peer == peer }
        return shown?.peer == peer ? Array(waiting.prefix(1)) : []
    }

    /// Answers the request on the screen with a typed word; gives what is to be shown next, or `nil` where
    /// the word is no answer to it.
    mutating func answer(_ word: String) -> [Asked]? {
        guard let asked = waiting.first, asked.request.answer(word) else { return nil }
        return withdraw(asked.peer)
    }
}
