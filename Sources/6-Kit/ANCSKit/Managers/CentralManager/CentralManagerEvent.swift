/// An event of a ``CentralManager`` or of its peripherals, in order: the methods of
/// `CBCentralManagerDelegate` and `CBPeripheralDelegate` that do not answer a call. The others are the
/// results of calls.
public enum CentralManagerEvent: Equatable, Sendable {
    /// The state of the adapter changed; the current state is the first event. In any state but
    /// `ManagerState.poweredOn`, scans and links have ended. (`centralManagerDidUpdateState(_:)`)
    case stateUpdated(ManagerState)
    /// A scan discovered a peripheral. The signal strength is in dBm, or `nil` if the controller does not
    /// report it. (`centralManager(_:didDiscover:advertisementData:rssi:)`)
    case discovered(Peripheral, AdvertisementData, rssi: Int?)
    /// Scanning ended without a call of the app.
    case scanningStopped(BluetoothError)
    /// The peripheral is connected for this manager. (`centralManager(_:didConnect:)`)
    case connected(Peripheral)
    /// The peripheral is disconnected for this manager; the error is `nil` if this manager cancelled the
    /// connection. Its services are no longer valid. (`centralManager(_:didDisconnectPeripheral:error:)`)
    case disconnected(Peripheral, BluetoothError?)
    /// The peripheral notified or indicated a value. (`peripheral(_:didUpdateValueFor:error:)`)
    case valueUpdated(Peripheral, Characteristic, [UInt8])
    /// Notifications of the value have ended without a call of the app, although the peripheral is connected: at
    /// bluetoothd, which did not renew them. (`peripheral(_:didUpdateNotificationStateFor:error:)`)
    case notificationsEnded(Peripheral, Characteristic)
    /// The peripheral no longer has these services, or has changed them: they have to be discovered again.
    /// (`peripheral(_:didModifyServices:)`)
    case servicesModified(Peripheral, invalidated: [Service])
    /// There is room again for writes without response. (`peripheralIsReady(toSendWriteWithoutResponse:)`)
    case isReadyToSendWriteWithoutResponse(Peripheral)
    /// The name of the peripheral changed. (`peripheralDidUpdateName(_:)`)
    case nameUpdated(Peripheral)
    /// Pairing revealed that the system knew a peripheral by another identifier, which is now its
    /// ``Peripheral/identifier``; this is the former one. Not in Core Bluetooth.
    case identified(Peripheral, formerly: PeerIdentifier)
    /// The reader was so slow that this many events were dropped.
    case missed(Int)
}

/// Options for scanning: those of `scanForPeripherals(withServices:options:)`.
public struct ScanOptions: Equatable, Sendable {
    /// Whether a peripheral is reported every time it is received.
    /// (`CBCentralManagerScanOptionAllowDuplicatesKey`)
    public var allowsDuplicates: Bool
    /// Only peripherals that solicit one of these services; empty for all.
    /// (`CBCentralManagerScanOptionSolicitedServiceUUIDsKey`)
    public var solicitedServices: [BluetoothUUID]
    /// Whether a peripheral is reported again when its data change, which Core Bluetooth does not do.
    var reportsChanges = false
    /// Whether a bonded peripheral is reported whatever it advertises.
    var includesBonded = false

    /// Options; the defaults are those of Core Bluetooth.
    public init(allowsDuplicates: Bool = false, solicitedServices: [BluetoothUUID] = []) {
        self.allowsDuplicates = allowsDuplicates
        self.solicitedServices = solicitedServices
    }
}

/// Whether a peripheral is connected for its manager, like `CBPeripheralState`.
public enum PeripheralState: Equatable, Sendable {
    /// Not connected, though other clients may use a link.
    case disconnected
    /// A call waits for it to connect.
    case connecting
    /// Connected.
    case connected
}
