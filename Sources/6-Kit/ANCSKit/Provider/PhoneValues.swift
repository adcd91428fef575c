internal import ANCS

/// A value of a phone besides ANCS, which accessories can read; they can subscribe to some.
public enum PhoneAttribute: String, Equatable, Sendable, CaseIterable {
    /// *Battery Level*, 0x2A19: notified when it changes.
    case batteryLevel
    /// *Current Time*, 0x2A2B: notified when the clock is adjusted.
    case currentTime
    /// *Local Time Information*, 0x2A0F: the time zone.
    case localTimeInformation
    /// *Reference Time Information*, 0x2A14: the source of the clock, and when it was set.
    case referenceTimeInformation
}

/// The values of the phone's other services: its battery and its clock.
struct PhoneValues: Equatable, Sendable {
    /// The charge in percent.
    var batteryLevel = 100
    var clock: PhoneClock

    init(zone: PhoneTimeZone) { clock = PhoneClock(zone: zone) }

    /// A value when the local time of the machine is `machine`.
    func value(of attribute: PhoneAttribute, at machine: NotificationDate) -> [UInt8] {
        switch attribute {
        case .batteryLevel: [UInt8(clamping: batteryLevel)]
        case .currentTime: clock.currentTime(at: machine)
        case .localTimeInformation: clock.zone.localTimeInformation
        case .referenceTimeInformation: clock.referenceTime(at: machine)
        }
    }
}
