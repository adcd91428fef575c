public import BluetoothLE

/// What happens at a ``CentralManager`` and at its peripherals, in the order in which it happens: the
/// calls of `CBCentralManagerDelegate` and `CBPeripheralDelegate` that answer no call of the app's.
/// Those that do are what the call returns.
public enum CentralManagerEvent: Hashable, Sendable {
    /// The adapter can do more, or less; the present state is told first of all.
    /// (`centralManagerDidUpdateState(_:)`) Where it is not ``ManagerState/poweredOn``, scans and links
    /// have ended.
    case stateUpdated(ManagerState)
    /// A scan heard somebody. The strength of the signal is in dBm, or `nil` where the controller does
    /// not know it. (`centralManager(_:didDiscover:advertisementData:rssi:)`)
    case discovered(Peripheral, AdvertisementData, rssi: Int?)
    /// The controller does not scan any more, though the app did not stop it.
    case scanningStopped(BluetoothError)
    /// The peripheral is connected for this manager. (`centralManager(_:didConnect:)`)
    case connected(Peripheral)
    /// It is not any more; the error is `nil` where this manager cancelled the connection. What is known
    /// of its services is void. (`centralManager(_:didDisconnectPeripheral:error:)`)
    case disconnected(Peripheral, BluetoothError?)
    /// The peripheral notified or indicated a value. (`peripheral(_:didUpdateValueFor:error:)`)
    case valueUpdated(Peripheral, Characteristic, [UInt8])
    /// The peripheral has not these services any more, or has others in their place: what was to be had
    /// of them has to be discovered again. (`peripheral(_:didModifyServices:)`)
    case servicesModified(Peripheral, invalidated: [Service])
    /// There is room again for values that are written without response.
    /// (`peripheralIsReady(toSendWriteWithoutResponse:)`)
    case isReadyToSendWriteWithoutResponse(Peripheral)
    /// The peripheral has another name. (`peripheralDidUpdateName(_:)`)
    case nameUpdated(Peripheral)
    /// Pairing revealed that a peripheral, known by this identifier so far, is one that the system knew
    /// by another: ``Peripheral/identifier`` is that one from now on. Core Bluetooth has no such case.
    case identified(Peripheral, formerly: PeerIdentifier)
    /// The reader of events was so slow that this many events were dropped.
    case missed(Int)
}

/// How to scan, as the options of `scanForPeripherals(withServices:options:)`.
public struct ScanOptions: Hashable, Sendable {
    /// Whether a peripheral is told of each time it is heard.
    /// (`CBCentralManagerScanOptionAllowDuplicatesKey`)
    public var allowsDuplicates: Bool
    /// Only peripherals that want one of these services of a Central; empty for all.
    /// (`CBCentralManagerScanOptionSolicitedServiceUUIDsKey`)
    public var solicitedServices: [BluetoothUUID]
    /// Whether a peripheral is told of again when it says something else, which Core Bluetooth does not.
    var tellsChanges = false

    /// Options; Core Bluetooth's unless said otherwise.
    public init(allowsDuplicates: Bool = false, solicitedServices: [BluetoothUUID] = []) {
        self.allowsDuplicates = allowsDuplicates
        self.solicitedServices = solicitedServices
    }
}

/// Whether a peripheral is connected for its manager: `CBPeripheralState`.
public enum PeripheralState: Hashable, Sendable {
    /// It is not, though it may be for others.
    case disconnected
    /// It is waited for.
    case connecting
    /// It is.
    case connected
}
