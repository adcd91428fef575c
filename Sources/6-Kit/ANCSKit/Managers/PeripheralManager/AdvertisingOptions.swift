public import BluetoothLE

/// Options of ``PeripheralManager/startAdvertising(_:options:)``; not in Core Bluetooth. By default an app
/// advertises until a central connects. How often it does is the same for all: `AdvertisingSchedule`.
public struct AdvertisingOptions: Equatable, Sendable {
    /// Whether a connection stops advertising. Otherwise it is restarted at once, if the controller can
    /// advertise beside a link.
    public var stopsOnConnection: Bool
    /// The time after which advertising stops; `nil` for no limit.
    public var timeLimit: Duration?
    /// Advertising pauses while this many centrals are connected; `nil` for as many as the adapter accepts.
    /// Only without ``stopsOnConnection``.
    public var maximumCentrals: Int?
    /// How much of the advertising PDUs may be used.
    public var space: AdvertisementPlan.Space
    /// A service that is in the advertisement in any case, with the name: for `ConsumerConfiguration.Face`.
    var leadingService: BluetoothUUID?

    /// Options; by default with Core Bluetooth's use of the PDUs.
    public init(
        stopsOnConnection: Bool = true, timeLimit: Duration? = nil, maximumCentrals: Int? = nil,
        space: AdvertisementPlan.Space = .coreBluetooth
    ) {
        (self.stopsOnConnection, self.timeLimit) = (stopsOnConnection, timeLimit)
        (self.maximumCentrals, self.space) = (maximumCentrals, space)
    }
}
