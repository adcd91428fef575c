/// The date of a notification: `yyyyMMdd'T'HHmmss` in the local time of the Notification Provider,
/// without a zone (R34, S12). Never an identity and never alone a sign of age.
public struct NotificationDate: Hashable, Sendable {
    /// The year.
    public var year: Int
    /// The month, 1 to 12.
    public var month: Int
    /// The day, 1 to 31.
    public var day: Int
    /// The hour, 0 to 23.
    public var hour: Int
    /// The minute, 0 to 59.
    public var minute: Int
    /// The second, 0 to 60.
    public var second: Int

    /// A date and a time of day; `nil` if a member is out of its range or the year has more than four
    /// digits.
    public init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
            (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// The date of an attribute's octets; `nil` if they are empty, as for ringing calls on older
    /// systems, or have another form (S12).
    public init?(_ octets: [UInt8]) {
        guard octets.count == 15, octets[8] == UInt8(ascii: "T") else { return nil }
        guard let year = Self.number(octets[0..<4]), let month = Self.number(octets[4..<6]),
            let day = Self.number(octets[6..<8]), let hour = Self.number(octets[9..<11]),
            let minute = Self.number(octets[11..<13]), let second = Self.number(octets[13..<15])
        else { return nil }
        self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    /// The octets of the attribute: 15, as iOS writes them (S12).
    public var octets: [UInt8] {
        let day = padded(year, 4) + padded(month, 2) + padded(day, 2)
        return Array((day + "T" + padded(hour, 2) + padded(minute, 2) + padded(second, 2)).utf8)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            number = number * 10 + Int(digit - 0x30)
        }
        return number
    }
}

extension NotificationDate: Comparable {
    /// Whether a date is the earlier one, if both are of one zone.
    public static func < (left: Self, right: Self) -> Bool {
        if left.year != right.year { return left.year < right.year }
        if left.month != right.month { return left.month < right.month }
        if left.day != right.day { return left.day < right.day }
        if left.hour != right.hour { return left.hour < right.hour }
        if left.minute != right.minute { return left.minute < right.minute }
        return left.second < right.second
    }
}

extension NotificationDate: CustomStringConvertible {
    /// The date in the form of ISO 8601 without a zone: `2026-11-21T09:30:00`.
    public var description: String {
        let day = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        return day + "T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension AttributeValue {
    /// The date, if the value is one.
    public var date: NotificationDate? { NotificationDate(octets) }

    /// The decimal number, if the value is one, as *Message Size* is: a hint, for its unit is octets on
    /// some systems and characters on others (R33, S11).
    public var number: Int? {
        guard !octets.isEmpty, octets.count <= 9 else { return nil }
        var number = 0
        for digit in octets {
            guard (0x30...0x39).contains(digit) else { return nil }
            number = number * 10 + Int(digit - 0x30)
        }
        return number
    }
}
