internal import Octets

/// Finds the start of an answer at the border between two values (R30), while the octets of another answer
/// were expected.
///
/// Fewer than five octets are too few to recognize one. Shorter values are kept as long as they may be a
/// start: at most four octets of them.
struct AnswerBeginnings: Sendable {
    static let distinctive = 5
    /// The octets since the earliest border that may be a start.
    private var octets: [UInt8] = []
    /// The octets that may be a start, one bit each; the lowest bit is the first octet.
    private var starts: UInt8 = 0

    var isEmpty: Bool { starts == 0 }

    mutating func removeAll() {
        octets = []
        starts = 0
    }

    /// The octets before `value` that belong to the answer to one of these commands: `[]` if the answer
    /// starts with the value, `nil` if no answer starts here. `isStart` says whether the border in front of
    /// the value may be a start.
    mutating func find(
        _ commands: [WrittenCommand], in value: Span<UInt8>, isStart: Bool
    ) -> [UInt8]? {
        for start in 0...octets.count
        where start == octets.count ? isStart : isKept(start) {
            let seen = value.extracting(
                first: start == octets.count ? value.count : Self.distinctive)
            guard matches(one: commands, from: start, seen, distinctive: Self.distinctive) else {
                continue
            }
            let beginning = Array(octets.span.extracting(droppingFirst: start))
            removeAll()
            return beginning
        }
        note(value, commands, isStart: isStart)
        return nil
    }

    /// Keeps octets that may turn out to be a start.
    mutating func note(_ value: Span<UInt8>, _ commands: [WrittenCommand], isStart: Bool) {
        guard value.count < Self.distinctive else { return removeAll() }
        guard !value.isEmpty else { return }
        if isStart { starts |= 1 &<< UInt8(octets.count) }
        var kept: UInt8 = 0
        var first = octets.count + value.count
        for start in (0...octets.count).reversed() where isKept(start) {
            guard octets.count + value.count - start < Self.distinctive,
                matches(one: commands, from: start, value)
            else { continue }
            kept |= 1 &<< UInt8(start)
            first = start
        }
        for index in value.indices { octets.append(value[index]) }
        octets = Array(octets.span.extracting(droppingFirst: first))
        starts = kept &>> UInt8(first)
    }

    private func isKept(_ start: Int) -> Bool { starts &>> UInt8(start) & 1 != 0 }

    /// Whether the octets kept from `start` on, and the value after them, match the start of the answer to
    /// one of the commands, as far as they go; with `distinctive`, only if they are enough to be sure.
    private func matches(
        one commands: [WrittenCommand], from start: Int, _ value: Span<UInt8>, distinctive: Int = 0
    ) -> Bool {
        let kept = octets.span.extracting(droppingFirst: start)
        for command in commands
        where kept.count + value.count >= min(distinctive, command.headerCount)
            && kept.isStart(ofAnswerTo: command)
            && value.isStart(ofAnswerTo: command, after: kept.count)
        { return true }
        return false
    }
}
