internal import ANCS
internal import BluetoothLE

/// A value of a phone beside ANCS, which accessories read, and some of which they subscribe to.
public enum PhoneAttribute: String, Hashable, Sendable, CaseIterable {
    /// *Battery Level*, 0x2A19: notified when it changes.
    case batteryLevel
    /// *Current Time*, 0x2A2B: notified when the clock is adjusted.
    case currentTime
    /// *Local Time Information*, 0x2A0F: the time zone.
    case localTimeInformation
    /// *Reference Time Information*, 0x2A14: by what the clock was set, and when.
    case referenceTimeInformation
}

/// What the phone's other services tell: its battery and its clock.
struct PhoneValues: Hashable, Sendable {
    /// In percent.
    var batteryLevel = 100
    var clock: PhoneClock

    init(zone: PhoneTimeZone) { clock = PhoneClock(zone: zone) }

    /// A value, when the machine's clock shows `machine`.
    func value(of attribute: PhoneAttribute, at machine: NotificationDate) -> [UInt8] {
        switch attribute {
        case .batteryLevel: [UInt8(clamping: batteryLevel)]
        case .currentTime: clock.currentTime(at: machine)
        case .localTimeInformation: clock.zone.value
        case .referenceTimeInformation: clock.referenceTime(at: machine)
        }
    }
}
