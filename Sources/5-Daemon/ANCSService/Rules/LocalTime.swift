internal import Printing

/// A day of the week, starting with Monday (ISO 8601).
package enum Weekday: Int, Equatable, Sendable, CaseIterable, CustomStringConvertible {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

    /// As the configuration writes it: `mon`.
    package var description: String {
        switch self {
        case .monday: "mon"
        case .tuesday: "tue"
        case .wednesday: "wed"
        case .thursday: "thu"
        case .friday: "fri"
        case .saturday: "sat"
        case .sunday: "sun"
        }
    }

    /// The day before.
    package var previous: Weekday { Weekday(rawValue: (rawValue + 6) % 7) ?? self }
}

/// A local time of day, as rules use it.
package struct LocalTime: Equatable, Sendable, CustomStringConvertible {
    /// How many minutes a day has.
    static let minutesOfDay = 24 * 60

    package var weekday: Weekday
    /// Minutes since midnight, 0 to 1439.
    package var minute: Int

    package init(weekday: Weekday, minute: Int) {
        self.weekday = weekday
        self.minute = min(max(minute, 0), Self.minutesOfDay - 1)
    }

    /// `mon 22:05`
    package var description: String { "\(weekday) \(TimeOfDay.text(minute))" }
}

/// A part of the day from one minute up to, but not including, another: `22:00-07:00`. One whose end is
/// before its start passes midnight.
package struct TimeOfDay: Equatable, Sendable, CustomStringConvertible {
    /// Minutes since midnight.
    package let start: Int
    /// Minutes since midnight, 1 to 1440.
    package let end: Int

    /// Parses `HH:MM-HH:MM`, up to `24:00`; `nil` for any other text, and for an empty part.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = Self.minute(parts[0]), let end = Self.minute(parts[1]),
            start < LocalTime.minutesOfDay, start != end
        else { return nil }
        self.start = start
        // 22:00-00:00 ends at midnight, and does not pass it.
        self.end = end == 0 ? LocalTime.minutesOfDay : end
    }

    /// The minute of the day of `HH:MM`, up to `24:00`; `nil` for any other text.
    package static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 2, parts[1].utf8.count == 2,
            let hour = DecimalText.number(parts[0]), let minute = DecimalText.number(parts[1]),
            minute < 60, hour * 60 + minute <= LocalTime.minutesOfDay
        else { return nil }
        return hour * 60 + minute
    }

    /// Whether it passes midnight.
    package var wraps: Bool { end < start }

    /// The day on which the part that contains a time started; `nil` if the time is outside.
    package func beginning(of time: LocalTime) -> Weekday? {
        if wraps {
            if time.minute >= start { return time.weekday }
            return time.minute < end ? time.weekday.previous : nil
        }
        return (start..<end).contains(time.minute) ? time.weekday : nil
    }

    package var description: String { "\(Self.text(start))-\(Self.text(end))" }

    /// `07:05`
    static func text(_ minute: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return two(minute / 60) + ":" + two(minute % 60)
    }
}

/// When a rule applies: on days of the week, in parts of the day, or both.
///
/// With both, a part of the day that passes midnight belongs to the day on which it started: `fri` with
/// `22:00-07:00` ends on Saturday at seven.
package struct Schedule: Equatable, Sendable {
    /// `nil` for every day.
    package var days: Set<Weekday>?
    /// `nil` for the whole day.
    package var times: [TimeOfDay]?

    /// Whether a time is within it.
    package func contains(_ time: LocalTime) -> Bool {
        guard let times else { return days?.contains(time.weekday) ?? true }
        return times.contains { part in
            guard let day = part.beginning(of: time) else { return false }
            return days?.contains(day) ?? true
        }
    }

    /// Whether it contains every minute of another one.
    package func covers(_ other: Self) -> Bool {
        // Nothing changes between two borders, so checking at the borders is enough.
        let borders = ((times ?? []) + (other.times ?? [])).flatMap { [$0.start, $0.end] } + [0]
        return Weekday.allCases.allSatisfy { day in
            borders.filter { $0 < LocalTime.minutesOfDay }.allSatisfy { minute in
                let time = LocalTime(weekday: day, minute: minute)
                return !other.contains(time) || contains(time)
            }
        }
    }

    /// The days as the configuration writes them.
    var daysText: String {
        Weekday.allCases.filter { days?.contains($0) ?? true }.map(\.description)
            .joined(separator: ", ")
    }

    /// The parts of the day as the configuration writes them.
    var timesText: String { (times ?? []).map(\.description).joined(separator: ", ") }
}
