internal import ANCSKit

/// The pairing requests that await the user. Only one is shown at a time. If two were shown, one could be
/// from a stranger's device, and the answer meant for the user's own device would let it in.
struct PairingQuestions<Peer: Hashable & Sendable>: Sendable {
    /// A request from the pairing with a peer.
    struct Asked: Equatable, Sendable {
        let peer: Peer
        let request: PairingRequest
    }

    /// The open requests; the first one is shown.
    private var waiting: [Asked] = []

    /// Adds a request, which replaces an earlier one of the same peer. Returns what to show now.
    mutating func ask(_ request: PairingRequest, of peer: Peer) -> [Asked] {
        let next = withdraw(peer)
        let asked = Asked(peer: peer, request: request)
        if case .display = request { return [asked] + next }
        waiting.append(asked)
        return waiting.count == 1 ? [asked] : next
    }

    /// Removes the request of a peer that is no longer waiting. Returns what to show now.
    mutating func withdraw(_ peer: Peer) -> [Asked] {
        let shown = waiting.first
        waiting.removeAll { $0.peer == peer }
        return shown?.peer == peer ? Array(waiting.prefix(1)) : []
    }

    /// Answers the shown request with a typed word. Returns what to show next, or `nil` if the word is not an
    /// answer.
    mutating func answer(_ word: String) -> [Asked]? {
        guard let asked = waiting.first, asked.request.answer(word) else { return nil }
        return withdraw(asked.peer)
    }
}
