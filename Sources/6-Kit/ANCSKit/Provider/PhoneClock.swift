public import ANCS

/// The reasons of a clock adjustment. GATT Specification Supplement, *Adjust Reason*.
public struct ClockAdjustment: OptionSet, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// The reasons of an octet.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The user set the clock.
    public static let manual = ClockAdjustment(rawValue: 1 << 0)
    /// A better clock set it, such as that of the network.
    public static let reference = ClockAdjustment(rawValue: 1 << 1)
    /// The phone changed its time zone.
    public static let timeZone = ClockAdjustment(rawValue: 1 << 2)
    /// Daylight saving time started or ended.
    public static let daylightSaving = ClockAdjustment(rawValue: 1 << 3)
}

/// A change of a phone's clock; accessories receive one notification for all its parts.
public struct ClockChange: Hashable, Sendable {
    /// The source of a new time.
    public enum Source: Hashable, Sendable {
        /// The user, with this local time.
        case user(NotificationDate)
        /// The network, which has the right time.
        case network
    }

    /// The source of a new time; `nil` to leave it unchanged.
    public var source: Source?
    /// Standard time in minutes east of UTC; `nil` to leave it unchanged.
    public var offset: Int?
    /// Daylight saving time; `nil` to leave it unchanged.
    public var daylightSaving: PhoneTimeZone.DaylightSaving?

    /// A change; by default of nothing.
    public init(
        source: Source? = nil, offset: Int? = nil,
        daylightSaving: PhoneTimeZone.DaylightSaving? = nil
    ) { (self.source, self.offset, self.daylightSaving) = (source, offset, daylightSaving) }

    /// The reasons that are reported to accessories.
    public var reasons: ClockAdjustment {
        var reasons: ClockAdjustment = []
        switch source {
        case .user: reasons.insert(.manual)
        case .network: reasons.insert(.reference)
        case nil: break
        }
        if offset != nil { reasons.insert(.timeZone) }
        if daylightSaving != nil { reasons.insert(.daylightSaving) }
        return reasons
    }
}

/// The clock of a phone, as an offset to that of the machine.
struct PhoneClock: Equatable, Sendable {
    private(set) var zone: PhoneTimeZone
    private(set) var adjustment: ClockAdjustment = []
    /// How far it is ahead of the machine's clock, in seconds.
    private var lead = 0
    /// The part of it that is not due to the zone: the error of a time set by the user.
    private var error = 0
    private var isSetByUser = false
    /// The machine's time at the last adjustment; `nil` if it has always had the network's time.
    private var updatedAt: Int?

    init(zone: PhoneTimeZone) { self.zone = zone }

    /// The local time of the phone when that of the machine is `machine`.
    func date(at machine: NotificationDate) -> NotificationDate { .utc(machine.seconds + lead) }

    /// Applies a change. An impossible offset changes nothing.
    mutating func apply(_ change: ClockChange, at machine: NotificationDate) {
        let before = zone.seconds
        if let offset = change.offset,
            let moved = PhoneTimeZone(offset: offset, daylightSaving: zone.daylightSaving)
        {
            // From an unknown zone, the phone does not move: it only learns where it is.
            let isMove = zone.offset != nil
            zone = moved
            if isMove { lead += zone.seconds - before }
        }
        if let saving = change.daylightSaving {
            let before = zone.seconds
            zone.daylightSaving = saving
            lead += zone.seconds - before
        }
        switch change.source {
        case .user(let date):
            let wanted = date.seconds - machine.seconds
            error += wanted - lead
            lead = wanted
            updated(at: machine, byUser: true)
        case .network:
            lead -= error
            error = 0
            updated(at: machine, byUser: false)
        case nil: break
        }
        adjustment = change.reasons
    }

    private mutating func updated(at machine: NotificationDate, byUser: Bool) {
        isSetByUser = byUser
        updatedAt = machine.seconds
    }

    // MARK: Values

    /// The value of *Current Time*: year, month, day, hours, minutes, seconds, day of the week from Monday as
    /// 1, 1/256 seconds, and the reason of the last adjustment.
    func currentTime(at machine: NotificationDate) -> [UInt8] {
        let date = date(at: machine)
        return [
            UInt8(truncatingIfNeeded: date.year), UInt8(truncatingIfNeeded: date.year >> 8),
            UInt8(clamping: date.month), UInt8(clamping: date.day), UInt8(clamping: date.hour),
            UInt8(clamping: date.minute), UInt8(clamping: date.second), date.dayOfWeek, 0,
            adjustment.rawValue,
        ]
    }

    /// The value of *Reference Time Information*: the source (4 for manual, 6 for a cellular network), the
    /// accuracy (unknown), and the days and hours since the last adjustment, 255 for 255 days or more.
    func referenceTime(at machine: NotificationDate) -> [UInt8] {
        let hours = max(0, machine.seconds - (updatedAt ?? machine.seconds)) / 3600
        let isLong = hours / 24 >= 255
        return [
            isSetByUser ? 4 : 6, 0xFF, isLong ? 255 : UInt8(hours / 24),
            isLong ? 255 : UInt8(hours % 24),
        ]
    }
}

extension NotificationDate {
    /// 1 for Monday to 7 for Sunday, by Sakamoto's method; 0, for unknown, if the date is invalid.
    fileprivate var dayOfWeek: UInt8 {
        guard (1...12).contains(month), (1...9999).contains(year) else { return 0 }
        let offsets = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
        let year = month < 3 ? year - 1 : year
        let fromSunday = (year + year / 4 - year / 100 + year / 400 + offsets[month - 1] + day) % 7
        return UInt8(fromSunday == 0 ? 7 : fromSunday)
    }
}
