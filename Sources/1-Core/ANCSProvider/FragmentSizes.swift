internal import Octets

/// How an answer is cut into values of the Data Source (R30, S6). No value is longer than ATT_MTU - 3 octets,
/// whatever the sizes say.
public enum FragmentSizes: Hashable, Sendable {
    /// Every value but the last has ATT_MTU - 3 octets.
    case full
    /// Every value but the last has this many octets, at least 1.
    case every(Int)
    /// The first values have these lengths in octets, which may be 0; the others are full.
    case list([Int])
    /// Every value has 1 to `atMost` octets; the same seed gives the same lengths.
    case random(seed: UInt64, atMost: Int)
}

/// The lengths of the values of one answer, none longer than the limit at which the answer began.
struct FragmentSizer: Sendable {
    private let sizes: FragmentSizes
    private let limit: Int
    private var index = 0
    private var generator = SeededGenerator(seed: 0)

    init(_ sizes: FragmentSizes, limit: Int) {
        self.sizes = sizes
        self.limit = limit
        if case .random(let seed, _) = sizes { generator = SeededGenerator(seed: seed) }
    }

    mutating func next() -> Int {
        switch sizes {
        case .full: return limit
        case .every(let size): return min(max(size, 1), limit)
        case .list(let list):
            guard index < list.count else { return limit }
            index += 1
            return min(max(list[index - 1], 0), limit)
        case .random(_, let maximum):
            return Int.random(in: 1...min(max(maximum, 1), limit), using: &generator)
        }
    }
}
