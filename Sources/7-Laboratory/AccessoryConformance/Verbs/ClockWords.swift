internal import ANCSKit

/// Parses and formats clock times and time zones.
package enum ClockWords {
    /// The words for daylight saving time.
    static let savings: [(String, PhoneTimeZone.DaylightSaving)] = [
        ("off", .standard), ("half", .halfHour), ("on", .hour), ("double", .twoHours),
    ]

    package static func saving(_ saving: PhoneTimeZone.DaylightSaving) -> String {
        savings.first { $0.1 == saving }?.0 ?? ""
    }

    /// The minutes of an offset such as `+01:00`; `nil` if the text is not one.
    package static func offset(_ text: String) -> Int? {
        let characters = Array(text.utf8)
        guard characters.count == 6, characters[3] == UInt8(ascii: ":"),
            let hours = Int(text.dropFirst().prefix(2)), let minutes = Int(text.suffix(2)),
            characters[1] != UInt8(ascii: "+"), characters[4] != UInt8(ascii: "+"),
            hours >= 0, (0..<60).contains(minutes)
        else { return nil }
        let sign: Int
        switch characters[0] {
        case UInt8(ascii: "+"): sign = 1
        case UInt8(ascii: "-"): sign = -1
        default: return nil
        }
        let offset = sign * (hours * 60 + minutes)
        return PhoneTimeZone(offset: offset) == nil ? nil : offset
    }

    /// `+01:00`.
    package static func zone(_ offset: Int) -> String {
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
        return (offset < 0 ? "-" : "+") + two(abs(offset) / 60) + ":" + two(abs(offset) % 60)
    }
}

extension NotificationDate {
    /// Whether *Date Time* can represent it: the year must be 1582 or later. GATT Specification Supplement.
    var isOnClocks: Bool { year >= 1582 }
}
