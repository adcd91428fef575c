/// What names a record in every sink, in every command and across restarts: the time at which it came, so that
/// a later one is greater, as eight to nine letters and digits such as `3mb9k2x0q`.
package struct RecordID: Hashable, Comparable, Sendable {
    /// Milliseconds since 2025 began, by UTC, and more where two would be the same.
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension RecordID: LosslessStringConvertible {
    /// Without letters that are taken for digits, as Crockford's base 32 has it.
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    package var description: String {
        var rest = rawValue
        var text: [UInt8] = []
        repeat {
            text.append(Self.digits[Int(rest % 32)])
            rest /= 32
        } while rest > 0
        return String(decoding: text.reversed(), as: UTF8.self)
    }

    /// Reads what ``description`` wrote.
    package init?(_ description: String) {
        guard (1...12).contains(description.utf8.count) else { return nil }
        var number: UInt64 = 0
        for letter in description.utf8 {
            guard let digit = Self.digits.firstIndex(of: letter) else { return nil }
            number = number << 5 | UInt64(digit)
        }
        rawValue = number
    }
}

/// Gives each record its name.
package struct RecordIDs: Sendable {
    /// When 2025 began, in milliseconds since 1970.
    private static let epoch: Int64 = 1_735_689_600_000
    private var last: UInt64 = 0

    package init() {}

    /// The next name, at a time in microseconds since 1970: greater than every earlier one, though the clock
    /// was set back.
    package mutating func next(at microseconds: Int64) -> RecordID {
        last = max(last + 1, UInt64(max(0, microseconds / 1000 - Self.epoch)))
        return RecordID(rawValue: last)
    }
}
