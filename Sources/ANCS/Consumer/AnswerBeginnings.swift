internal import Octets

/// Finds the start of an answer at the borders of values (R30), where something else was being read.
///
/// Fewer than five octets do not tell. Values that are shorter are kept as long as they may be the start
/// of what is looked for: never more than four of them, with four octets each.
struct AnswerBeginnings: Sendable {
    private static let telling = 5
    /// What has come since each border that may be a start, the earliest first.
    private var candidates: [[UInt8]] = []

    var isEmpty: Bool { candidates.isEmpty }

    mutating func removeAll() {
        if !isEmpty { candidates = [] }
    }

    /// The octets before `value` with which an answer with one of these identities starts, `[]` if it
    /// starts with the value; `nil` if none is known to start. `isStart` is whether the border in front
    /// of the value may be a start.
    mutating func find(
        _ identities: [ResponseIdentity], in value: Span<UInt8>, isStart: Bool
    ) -> [UInt8]? {
        for candidate in candidates {
            let octets = candidate + value.first(Self.telling)
            guard identities.contains(where: { octets.span.tells($0) }) else { continue }
            removeAll()
            return candidate
        }
        if isStart, identities.contains(where: { value.tells($0) }) {
            removeAll()
            return []
        }
        note(value, identities, isStart: isStart)
        return nil
    }

    /// Keeps what may turn out to be a start.
    mutating func note(
        _ value: Span<UInt8>, _ identities: [ResponseIdentity], isStart: Bool
    ) {
        guard value.count < Self.telling else { return removeAll() }
        let octets = value.first(Self.telling)
        candidates = candidates.map { $0 + octets }.filter { candidate in
            candidate.count < Self.telling
                && identities.contains { candidate.span.matches($0) }
        }
        if isStart, !octets.isEmpty, identities.contains(where: { value.matches($0) }) {
            candidates.append(octets)
        }
    }
}

extension Span where Element == UInt8 {
    /// Whether the octets are the start of an answer with this identity, as far as they go.
    func matches(_ identity: ResponseIdentity) -> Bool {
        let header = identity.header
        for index in 0..<Swift.min(count, header.count) where self[index] != header[index] {
            return false
        }
        return true
    }

    /// Whether they are, and as many as tell.
    fileprivate func tells(_ identity: ResponseIdentity) -> Bool {
        count >= Swift.min(5, identity.header.count) && matches(identity)
    }

    fileprivate func first(_ maximum: Int) -> [UInt8] {
        Array(extracting(first: Swift.min(maximum, count)))
    }
}
