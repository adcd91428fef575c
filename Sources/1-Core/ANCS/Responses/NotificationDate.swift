internal import Octets

/// The date of a notification: `yyyyMMdd'T'HHmmss` in the local time of the Notification Provider, without a
/// time zone (R34, S12). It does not identify a notification, and is not alone a sign of age.
public struct NotificationDate: Hashable, Sendable {
    // Seven octets in all, because a program may keep thousands of notifications.
    private let fourDigits: Int16
    private let twoDigits: TwoDigits

    /// The fields of two digits, in the order of the text.
    private struct TwoDigits: Hashable, Sendable { let month, day, hour, minute, second: Int8 }

    /// The year.
    public var year: Int { Int(fourDigits) }
    /// The month, 1 to 12.
    public var month: Int { Int(twoDigits.month) }
    /// The day, 1 to 31.
    public var day: Int { Int(twoDigits.day) }
    /// The hour, 0 to 23.
    public var hour: Int { Int(twoDigits.hour) }
    /// The minute, 0 to 59.
    public var minute: Int { Int(twoDigits.minute) }
    /// The second, 0 to 60.
    public var second: Int { Int(twoDigits.second) }

    /// A date and a time of day; `nil` if a field is out of range or the year has more than four digits.
    public init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
            (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second)
        else { return nil }
        fourDigits = Int16(year)
        twoDigits = TwoDigits(
            month: Int8(month), day: Int8(day), hour: Int8(hour), minute: Int8(minute),
            second: Int8(second))
    }

    /// Parses the octets of an attribute; `nil` if they are empty, as for ringing calls on older systems, or
    /// have another format (S12).
    public init?(_ octets: [UInt8]) {
        guard octets.count == 15, octets[8] == UInt8(ascii: "T") else { return nil }
        guard let year = Self.number(octets[0..<4]), let month = Self.number(octets[4..<6]),
            let day = Self.number(octets[6..<8]), let hour = Self.number(octets[9..<11]),
            let minute = Self.number(octets[11..<13]), let second = Self.number(octets[13..<15])
        else { return nil }
        self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    /// The octets of the attribute: 15, in the format of iOS (S12).
    public var octets: [UInt8] {
        [UInt8](count: 15) { write(day: nil, time: nil, to: &$0) }
    }

    /// Appends the date with what separates the fields of the day and of the time.
    func write(day: UInt8?, time: UInt8?, to octets: inout OutputSpan<UInt8>) {
        octets.append(decimal: UInt64(year.magnitude), width: 4)
        Self.write(day, month, to: &octets)
        Self.write(day, self.day, to: &octets)
        Self.write(UInt8(ascii: "T"), hour, to: &octets)
        Self.write(time, minute, to: &octets)
        Self.write(time, second, to: &octets)
    }

    private static func write(
        _ separator: UInt8?, _ field: Int, to octets: inout OutputSpan<UInt8>
    ) {
        if let separator { octets.append(separator) }
        octets.append(decimal: UInt64(field.magnitude), width: 2)
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
    /// Whether `left` is earlier than `right`, if both are in the same time zone.
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
    /// The date in ISO 8601 without a time zone: `2026-11-21T09:30:00`.
    public var description: String { text(at: nil) }
}

extension AttributeValue {
    /// The value as a date; `nil` if it is not one.
    public var date: NotificationDate? { NotificationDate(octets) }

    /// The value as a decimal number, as *Message Size* is; `nil` if it is not one. Only a hint: some systems
    /// count octets, others characters (R33, S11).
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
