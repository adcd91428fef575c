internal import Glibc
package import LinuxIO

extension LocalTime {
    /// The local time of this machine at a time.
    package init(at time: CaptureTime) {
        let parts = tm(time)
        // tm_wday starts with Sunday.
        let weekday = Weekday(rawValue: (Int(parts.tm_wday) + 6) % 7) ?? .monday
        self.init(weekday: weekday, minute: Int(parts.tm_hour) * 60 + Int(parts.tm_min))
    }

    /// The end of the day that contains a time, in this machine's local time.
    package static func midnight(after time: CaptureTime) -> CaptureTime {
        var parts = tm(time)
        parts.tm_hour = 0
        parts.tm_min = 0
        parts.tm_sec = 0
        parts.tm_mday += 1
        // The next day may have another offset from UTC.
        parts.tm_isdst = -1
        return CaptureTime(microsecondsSince1970: Int64(mktime(&parts)) * 1_000_000)
    }
}

extension tm {
    fileprivate init(_ time: CaptureTime) {
        self.init()
        var seconds = time_t(time.microsecondsSince1970 / 1_000_000)
        localtime_r(&seconds, &self)
    }
}
