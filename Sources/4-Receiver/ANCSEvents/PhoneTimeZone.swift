package import ANCS
internal import Glibc

/// The time zone of a phone. Current Time Service 1.1, 3.2; GATT Specification Supplement, *Time Zone* and
/// *DST Offset*.
public struct PhoneTimeZone: Equatable, Sendable {
    /// How far daylight saving time is ahead of standard time.
    public enum DaylightSaving: UInt8, Equatable, Sendable, CaseIterable {
        /// Standard time.
        case standard = 0
        /// Half an hour.
        case halfHour = 2
        /// An hour.
        case hour = 4
        /// Two hours.
        case twoHours = 8
    }

    /// The possible offsets in minutes: from 12 hours west to 14 hours east.
    public static let offsets = -720...840

    /// Standard time in minutes east of UTC, a multiple of 15; `nil` if the phone does not know.
    public private(set) var offset: Int?
    /// The offset of daylight saving time; `nil` if the phone does not know.
    public var daylightSaving: DaylightSaving?

    /// An unknown time zone.
    public init() {}

    /// A time zone; `nil` if the offset is not a multiple of 15 minutes in ``offsets``.
    public init?(offset: Int, daylightSaving: DaylightSaving? = .standard) {
        guard Self.offsets.contains(offset), offset.isMultiple(of: 15) else { return nil }
        self.offset = offset
        self.daylightSaving = daylightSaving
    }

    /// Coordinated Universal Time.
    package static var utc: PhoneTimeZone {
        var zone = PhoneTimeZone()
        (zone.offset, zone.daylightSaving) = (0, .standard)
        return zone
    }

    /// The zone of this machine, if it can be expressed.
    public static var machine: PhoneTimeZone {
        var (seconds, local) = (time(nil), tm())
        localtime_r(&seconds, &local)
        let saving: DaylightSaving = local.tm_isdst > 0 ? .hour : .standard
        let offset = local.tm_gmtoff / 60 - (saving == .hour ? 60 : 0)
        return PhoneTimeZone(offset: offset, daylightSaving: saving) ?? PhoneTimeZone()
    }

    /// How far local time is ahead of UTC in seconds; 0 if unknown.
    package var seconds: Int { (offset ?? 0) * 60 + Int(daylightSaving?.rawValue ?? 0) * 15 * 60 }

    /// How far local time is ahead of UTC; `nil` if the phone does not know its zone, or whether it has
    /// daylight saving time.
    package var utcOffset: UTCOffset? {
        guard offset != nil, daylightSaving != nil else { return nil }
        return UTCOffset(minutes: seconds / 60)
    }

    // MARK: Local Time Information

    // What means that the phone does not know.
    private static let unknownOffset: UInt8 = 0x80
    private static let unknownSaving: UInt8 = 0xFF

    /// The zone in a value of *Local Time Information*; a field that is unknown, reserved or absent is
    /// unknown.
    package init(localTimeInformation value: [UInt8]) {
        guard value.count >= 2 else { return }
        let minutes = Int(Int8(bitPattern: value[0])) * 15
        if Self.offsets.contains(minutes) { offset = minutes }
        daylightSaving = DaylightSaving(rawValue: value[1])
    }

    /// The value of *Local Time Information*: the offset in quarters of an hour, and that of daylight saving
    /// time.
    package var localTimeInformation: [UInt8] {
        [
            offset.map { UInt8(bitPattern: Int8(clamping: $0 / 15)) } ?? Self.unknownOffset,
            daylightSaving?.rawValue ?? Self.unknownSaving,
        ]
    }
}
