/// Identifies a record in every sink, in every command and across restarts. It is the time of the record, so
/// that later ones are greater, written as eight or nine letters and digits such as `3mb9k2x0q`.
package struct RecordID: Hashable, Comparable, Sendable {
    /// Milliseconds since the start of 2025 in UTC, increased where two would be equal.
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension RecordID: LosslessStringConvertible {
    /// Without letters that look like digits, as in Crockford's base 32.
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

    /// Parses a ``description``; `nil` for any other text.
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

/// Assigns identifiers to records.
package struct RecordIDs: Sendable {
    /// The start of 2025, in milliseconds since 1970.
    private static let epoch: Int64 = 1_735_689_600_000
    private var last: UInt64 = 0

    package init() {}

    /// The next identifier, at a time in microseconds since 1970: greater than all earlier ones, even if the
    /// clock was set back.
    package mutating func next(at microseconds: Int64) -> RecordID {
        last = max(last + 1, UInt64(max(0, microseconds / 1000 - Self.epoch)))
        return RecordID(rawValue: last)
    }
}
