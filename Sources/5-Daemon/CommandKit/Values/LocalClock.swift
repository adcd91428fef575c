internal import ANCS
internal import Glibc
package import LinuxIO

/// Times in the user's time zone (`TZ`).
package enum LocalClock {
    /// `2026-11-22 12:00`
    package static func text(of time: CaptureTime) -> String {
        var clock = time_t(time.microsecondsSince1970 / 1_000_000)
        var fields = tm()
        localtime_r(&clock, &fields)
        let day = [Int(fields.tm_year) + 1900, Int(fields.tm_mon) + 1, Int(fields.tm_mday)]
        let hour = [Int(fields.tm_hour), Int(fields.tm_min)]
        return day.map(padded).joined(separator: "-") + " "
            + hour.map(padded).joined(separator: ":")
    }

    /// How far the local time is ahead of UTC, at a time in seconds since 1970.
    @Sendable static func utcOffset(at seconds: Int) -> UTCOffset? {
        var (clock, fields) = (time_t(seconds), tm())
        localtime_r(&clock, &fields)
        return UTCOffset(minutes: Int(fields.tm_gmtoff) / 60)
    }

    /// Parses `2026-11-22` or `2026-11-22T12:00`; a space may replace the T. `nil` if the text is not a valid
    /// time.
    package static func time(_ text: String) -> CaptureTime? {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
        guard let day = parts.first.flatMap({ numbers($0, separator: "-", widths: [4, 2, 2]) }),
            parts.count <= 2
        else { return nil }
        var hour = [0, 0]
        if parts.count == 2 {
            guard let given = numbers(parts[1], separator: ":", widths: [2, 2]) else { return nil }
            hour = given
        }
        return time(day, hour)
    }

    private static func time(_ day: [Int], _ hour: [Int]) -> CaptureTime? {
        guard (1970...9999).contains(day[0]), (1...12).contains(day[1]), (1...31).contains(day[2]),
            (0..<24).contains(hour[0]), (0..<60).contains(hour[1])
        else { return nil }
        var fields = tm()
        fields.tm_year = Int32(day[0] - 1900)
        fields.tm_mon = Int32(day[1] - 1)
        fields.tm_mday = Int32(day[2])
        fields.tm_hour = Int32(hour[0])
        fields.tm_min = Int32(hour[1])
        // Lets mktime(3) determine whether daylight saving time is in effect.
        fields.tm_isdst = -1
        let seconds = mktime(&fields)
        // mktime(3) would turn February 30th into a day in March.
        guard Int(fields.tm_mday) == day[2] else { return nil }
        return CaptureTime(microsecondsSince1970: Int64(seconds) * 1_000_000)
    }

    private static func numbers(_ text: Substring, separator: Character, widths: [Int]) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == widths else { return nil }
        let isDigits = parts.joined().utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isDigits ? parts.compactMap { Int($0) } : nil
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
