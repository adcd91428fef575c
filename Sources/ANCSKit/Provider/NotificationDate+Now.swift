public import ANCS
internal import Glibc

extension NotificationDate {
    /// The local time of this machine, in the time zone of `TZ` or `/etc/localtime`.
    public static var now: NotificationDate { local(time(nil)) }

    /// The local time a minute ago. Dates before it are older than now, even though clocks differ by some
    /// seconds.
    static var aMinuteAgo: NotificationDate { local(time(nil) - 60) }

    /// The date in UTC of a time in seconds since 1970; the same on every machine.
    package static func utc(_ seconds: Int) -> NotificationDate {
        var (time, utc) = (time_t(seconds), tm())
        gmtime_r(&time, &utc)
        return date(utc)
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
