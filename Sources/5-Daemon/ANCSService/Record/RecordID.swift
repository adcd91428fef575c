package import ANCSReceiver

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
///
/// Notifications are fetched in another order than they were announced in: of those that a phone had before the
/// session, the last one first. When one is fetched, identifiers are set aside for those that were announced
/// before it.
package struct RecordIDs: Sendable {
    /// Identifiers for consecutive announcements of a session.
    private struct Block: Sendable {
        let numbers: ClosedRange<UInt64>
        let first: UInt64

        func id(of number: UInt64) -> RecordID {
            RecordID(rawValue: first + number - numbers.lowerBound)
        }
    }

    /// What is known of the announcements of a session.
    private struct Announcements: Sendable {
        var last: UInt64 = 0
        /// Where identifiers were set aside, oldest first.
        var blocks: [Block] = []
    }

    /// The start of 2025, in milliseconds since 1970.
    private static let epoch: Int64 = 1_735_689_600_000
    /// As many announcements as the feed of a phone keeps.
    private static let blockLimit: UInt64 = 8192
    private static let maximumBlocks = 256
    private var last: UInt64 = 0
    private var sessions = BoundedDictionary<SessionID, Announcements>(limit: 8)

    package init() {}

    /// The identifier for an announcement, by its ``NotificationFeed/Delivery/announcementNumber``: greater
    /// than those of earlier announcements of the session, whichever are asked for first.
    package mutating func next(
        at microseconds: Int64, for number: UInt64, in session: SessionID
    ) -> RecordID {
        guard number > 0 else { return next(at: microseconds) }
        var known = sessions[session] ?? Announcements()
        if let block = known.blocks.last(where: { $0.numbers.contains(number) }) {
            return block.id(of: number)
        }
        // It was announced so long ago that its place was not kept.
        guard number > known.last else { return next(at: microseconds) }
        let count = min(number - known.last, Self.blockLimit)
        let block = Block(
            numbers: number - count + 1...number, first: next(at: microseconds).rawValue)
        last += count - 1
        known.last = number
        if count > 1 { known.blocks = (known.blocks + [block]).suffix(Self.maximumBlocks) }
        sessions.set(known, for: session)
        return block.id(of: number)
    }

    /// The next identifier, at a time in microseconds since 1970: greater than all earlier ones, even if the
    /// clock was set back.
    package mutating func next(at microseconds: Int64) -> RecordID {
        last = max(last + 1, UInt64(max(0, microseconds / 1000 - Self.epoch)))
        return RecordID(rawValue: last)
    }
}
