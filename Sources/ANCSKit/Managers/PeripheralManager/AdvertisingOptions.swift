public import BluetoothLE

/// How ``PeripheralManager/startAdvertising(_:options:)`` keeps an advertisement on air. Core Bluetooth
/// has no such options; without any, an app advertises no longer than it takes somebody to connect.
public struct AdvertisingOptions: Hashable, Sendable {
    /// Whether the end has come when somebody connects. Otherwise it is put back on air at once, as far
    /// as the controller can beside a link.
    public var stopsOnConnection: Bool
    /// How long it is wanted, from the call on; `nil` for as long as the app does not stop it.
    public var timeLimit: Duration?
    /// While so many centrals are connected it is off air, and comes back when one has left; `nil` for as
    /// many as the adapter takes. Counts only where a connection does not stop it.
    public var maximumCentrals: Int?
    /// How much of the air may be used.
    public var space: AdvertisementPlan.Space
    /// The shortest interval that will do.
    public var intervalMinimum: AdvertisingInterval
    /// The longest interval that will do.
    public var intervalMaximum: AdvertisingInterval

    /// Options; those of Core Bluetooth's space and of a device that a user waits for (20 ms to 30 ms),
    /// unless said otherwise.
    public init(
        stopsOnConnection: Bool = true, timeLimit: Duration? = nil, maximumCentrals: Int? = nil,
        space: AdvertisementPlan.Space = .coreBluetooth,
        intervalMinimum: AdvertisingInterval = .milliseconds(20),
        intervalMaximum: AdvertisingInterval = .milliseconds(30)
    ) {
        self.stopsOnConnection = stopsOnConnection
        self.timeLimit = timeLimit
        self.maximumCentrals = maximumCentrals
        self.space = space
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
    }
}
