public import ANCS

// The phone's battery and clock, which accessories can read besides ANCS.
extension NotificationProvider {
    /// The charge of the battery in percent.
    public var batteryLevel: Int { port.values.batteryLevel }

    /// Sets the charge of the battery; subscribed accessories are notified of a change.
    ///
    /// - Parameter level: The charge in percent; clamped to 0...100.
    public func setBatteryLevel(_ level: Int) {
        let level = min(max(level, 0), 100)
        guard level != port.values.batteryLevel else { return }
        port.values.batteryLevel = level
        port.notify(.batteryLevel)
    }

    /// The local time of the phone's clock.
    public var localTime: NotificationDate { port.values.clock.date(at: configuration.localTime()) }

    /// The phone's time zone.
    public var timeZone: PhoneTimeZone { port.values.clock.zone }

    /// Adjusts the clock, and notifies subscribed accessories of the time and the reasons. A change of the
    /// zone or of daylight saving time changes the local time; the network's time corrects what the user set
    /// wrong.
    public func adjustClock(_ change: ClockChange) {
        port.values.clock.apply(change, at: configuration.localTime())
        port.notify(.currentTime)
    }
}
