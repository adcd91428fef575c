public import ANCS
internal import Glibc

extension NotificationDate {
    /// The local time of this machine, in the time zone of `TZ` or `/etc/localtime`.
    public static var now: NotificationDate { local(time(nil)) }

    /// The date in UTC of a time in seconds since 1970; the same on every machine. Clamped to what *Date
    /// Time* can express: the years 1582 to 9999.
    package static func utc(_ seconds: Int) -> NotificationDate {
        var (time, utc) = (time_t(min(max(seconds, firstSecond), lastSecond)), tm())
        gmtime_r(&time, &utc)
        return date(utc)
    }

    // 1 January 1582 and 31 December 9999.
    private static let firstSecond = -12_244_089_600
    private static let lastSecond = 253_402_300_799

    /// The seconds since 1970, as if the date were in UTC.
    package var seconds: Int {
        var parts = parts
        return timegm(&parts)
    }

    private var parts: tm {
        var date = tm()
        date.tm_year = CInt(year - 1900)
        date.tm_mon = CInt(month - 1)
        date.tm_mday = CInt(day)
        date.tm_hour = CInt(hour)
        date.tm_min = CInt(minute)
        date.tm_sec = CInt(second)
        return date
    }

    /// The seconds since 1970, for a date in a time zone with this offset; without one, in the time zone of this
    /// machine.
    package func secondsSince1970(at offset: UTCOffset?) -> Int {
        if let offset { return seconds - Int(offset.minutes) * 60 }
        var parts = parts
        // Lets mktime(3) determine whether daylight saving time is in effect.
        parts.tm_isdst = -1
        return mktime(&parts)
    }

    private static func local(_ time: time_t) -> NotificationDate {
        var seconds = time
        var local = tm()
        localtime_r(&seconds, &local)
        return date(local)
    }

    private static func date(_ local: tm) -> NotificationDate {
        let date = NotificationDate(
            year: Int(local.tm_year) + 1900, month: Int(local.tm_mon) + 1, day: Int(local.tm_mday),
            hour: Int(local.tm_hour), minute: Int(local.tm_min), second: Int(local.tm_sec))
        guard let date else { preconditionFailure("the system could not convert a time to a date") }
        return date
    }
}
