internal import Octets

/// Finds the start of an answer at the borders of values (R30), where something else was being read.
///
/// Fewer than five octets do not tell. Values that are shorter are kept as long as they may be the start
/// of what is looked for: never more than four octets of them.
struct AnswerBeginnings: Sendable {
    private static let telling = 5
    /// What has come since the earliest border that may be a start.
    private var octets: [UInt8] = []
    /// Which of the octets may be a start: a bit for each, the first one's the lowest.
    private var starts: UInt8 = 0

    var isEmpty: Bool { starts == 0 }

    mutating func removeAll() {
        octets = []
        starts = 0
    }

    /// The octets before `value` with which the answer to one of these commands starts, `[]` if it
    /// starts with the value; `nil` if none is known to start. `isStart` is whether the border in front
    /// of the value may be a start.
    mutating func find(
        _ commands: [WrittenCommand], in value: Span<UInt8>, isStart: Bool
    ) -> [UInt8]? {
        for start in 0...octets.count
        where start == octets.count ? isStart : isKept(start) {
            let seen = value.extracting(first: start == octets.count ? value.count : Self.telling)
            guard matches(one: commands, from: start, seen, telling: Self.telling) else { continue }
            let beginning = Array(octets.span.extracting(droppingFirst: start))
            removeAll()
            return beginning
        }
        note(value, commands, isStart: isStart)
        return nil
    }

    /// Keeps what may turn out to be a start.
    mutating func note(_ value: Span<UInt8>, _ commands: [WrittenCommand], isStart: Bool) {
        guard value.count < Self.telling else { return removeAll() }
        guard !value.isEmpty else { return }
        if isStart { starts |= 1 &<< UInt8(octets.count) }
        var kept: UInt8 = 0
        var first = octets.count + value.count
        for start in (0...octets.count).reversed() where isKept(start) {
            guard octets.count + value.count - start < Self.telling,
                matches(one: commands, from: start, value)
            else { continue }
            kept |= 1 &<< UInt8(start)
            first = start
        }
        for index in value.indices { octets.append(value[index]) }
        octets = Array(octets.span.extracting(droppingFirst: first))
        starts = kept &>> UInt8(first)
    }

    private func isKept(_ start: Int) -> Bool {
        starts &>> UInt8(start) & 1 != 0
    }

    /// Whether what is kept from `start` on and the value after it start the answer to one of some
    /// commands, as far as they go; with `telling`, only where they are enough to tell.
    private func matches(
        one commands: [WrittenCommand], from start: Int, _ value: Span<UInt8>, telling: Int = 0
    ) -> Bool {
        let kept = octets.span.extracting(droppingFirst: start)
        for command in commands
        where kept.count + value.count >= min(telling, command.headerCount)
            && kept.isStart(ofAnswerTo: command)
            && value.isStart(ofAnswerTo: command, after: kept.count)
        {
            return true
        }
        return false
    }
}
