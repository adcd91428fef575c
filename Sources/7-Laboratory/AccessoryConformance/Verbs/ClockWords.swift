internal import ANCSKit
internal import EventLines

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
        guard let minutes = UTCOffset(text)?.minutes, PhoneTimeZone(offset: Int(minutes)) != nil
        else { return nil }
        return Int(minutes)
    }

    /// `+01:00`.
    package static func zone(_ offset: Int) -> String {
        UTCOffset(minutes: offset)?.description ?? ""
    }
}

extension NotificationDate {
    /// Whether *Date Time* can represent it: the year must be 1582 or later. GATT Specification Supplement.
    var isOnClocks: Bool { year >= 1582 }
}
