import ANCS
import Octets

/// The reports of a phone that meets no requirement: announcements without end, refusals of what was never asked,
/// answers that claim more than they have. The same reports for the same seed.
struct HostilePhone {
    private var random: SeededGenerator
    private(set) var now = MonotonicInstant.zero
    /// The command that the session wrote last, so that an answer can begin as a good one would.
    private var command: [UInt8] = []
    /// Whether it announces only, and answers nothing.
    private var isDeaf = false

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// The session wrote a command.
    mutating func receive(_ command: [UInt8]) { self.command = command }

    /// The next report, a little later; `nil` if only time passes.
    mutating func next() -> ConsumerSession.LinkReport? {
        now = now + .milliseconds(Int64(below(30)))
        if below(40) == 0 { isDeaf.toggle() }
        switch isDeaf ? below(45) : below(100) {
        case 0..<40: return .notificationSource(announcement())
        case 40..<45: return .notificationSource(octets(below(12)))
        case 45..<65: return .controlPointWritten(command, nil)
        case 65..<67: return .controlPointWritten(command, ControlPointError(rawValue: octet()))
        case 67..<87: return .dataSource(answer())
        case 87..<95: return .dataSource(octets(below(182)))
        case 95..<97: return .subscribed(below(2) == 0 ? .dataSource : .notificationSource)
        case 97: return .unsubscribed(below(2) == 0 ? .dataSource : .notificationSource)
        case _:
            now = now + .seconds(Int64(below(40)))
            return nil
        }
    }

    private mutating func announcement() -> [UInt8] {
        let (event, flags) = (UInt8(below(4)), octet())
        return [event, flags, octet(), octet(), UInt8(below(48)), 0, 0, 0]
    }

    /// The header of the answer that the session waits for, and a value whose length is a lie.
    private mutating func answer() -> [UInt8] {
        let header = command.first == 1 ? command.dropLast() : command.prefix(5)
        return header + [UInt8(below(4)), octet(), below(4) == 0 ? octet() : 0] + octets(below(170))
    }

    /// Mostly letters, so that texts are texts.
    private mutating func octets(_ count: Int) -> [UInt8] {
        let isText = below(4) > 0
        var octets: [UInt8] = []
        octets.reserveCapacity(count)
        for _ in 0..<count { octets.append(isText ? 97 + UInt8(below(26)) : octet()) }
        return octets
    }

    private mutating func octet() -> UInt8 { UInt8(truncatingIfNeeded: random.next() >> 32) }

    private mutating func below(_ limit: Int) -> Int {
        Int(truncatingIfNeeded: random.next() >> 40) % limit
    }
}
