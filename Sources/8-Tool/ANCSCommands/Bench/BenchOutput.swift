internal import Printing

/// What the accessory's program has printed: the newest of it, however much it prints.
struct BenchOutput: Sendable {
    /// The octets that are kept.
    static let limit = 65_536
    /// The characters of a line that are shown.
    private static let width = 400
    private var octets: [UInt8] = []
    /// How many octets came before those.
    private(set) var dropped = 0

    mutating func append(_ more: [UInt8]) {
        octets += more
        // Not at every piece: each time costs a copy of what is kept.
        if octets.count > 2 * Self.limit { cut() }
    }

    private mutating func cut() {
        guard octets.count > Self.limit else { return }
        dropped += octets.count - Self.limit
        octets.removeFirst(octets.count - Self.limit)
    }

    /// The last lines, at most `count`, as printed, with a note on what is left out before them.
    func lines(last count: Int) -> [String] {
        let all = String(decoding: octets.suffix(Self.limit), as: UTF8.self)
            .split(whereSeparator: \.isNewline)
        let lines = all.suffix(count).map { String($0.prefix(Self.width)) }
        if dropped > 0 || octets.count > Self.limit { return ["(more before this)"] + lines }
        guard all.count > count else { return lines }
        return ["(\(counted(all.count - count, "line")) before this)"] + lines
    }
}
