public import ANCS

// The phone's battery and clock, which accessories read beside ANCS.
extension NotificationProvider {
    /// The charge of the battery in percent.
    public var batteryLevel: Int { port.values.batteryLevel }

    /// Sets the charge of the battery; those who subscribed are told where it is another one.
    ///
    /// - Parameter level: In percent; what is beyond 0 to 100 is taken for the nearest of them.
    public func setBatteryLevel(_ level: Int) {
        let level = min(max(level, 0), 100)
        guard level != port.values.batteryLevel else { return }
        port.values.batteryLevel = level
        port.notify(.batteryLevel)
    }

    /// The local time that the phone's clock shows.
    public var localTime: NotificationDate {
        port.values.clock.date(at: configuration.localTime())
    }

    /// What the phone knows of its time zone.
    public var timeZone: PhoneTimeZone { port.values.clock.zone }

    /// Adjusts the clock, and tells those who subscribed the time and the reasons. In another zone, and when
    /// daylight saving time begins or ends, the clock shows another time; the network's time mends what the user
    /// set wrong.
    public func adjustClock(_ change: ClockChange) {
        port.values.clock.apply(change, at: configuration.localTime())
        port.notify(.currentTime)
    }
}
