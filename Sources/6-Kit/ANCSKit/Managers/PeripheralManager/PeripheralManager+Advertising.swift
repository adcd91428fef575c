internal import BluetoothLE
internal import LinuxIO

// Advertising.
extension PeripheralManager {
    /// Starts advertising, until ``stopAdvertising()`` or until the ``AdvertisingOptions`` end it.
    /// `didStartAdvertising` follows. (`startAdvertising(_:)`)
    ///
    /// The data may have a local name and service UUIDs, as in Core Bluetooth, and also solicited service
    /// UUIDs and an appearance. Anything else throws `BluetoothError.Code.invalidParameters` with a message
    /// that names the key. Data that do not fit are shortened or go to the overflow area: see
    /// `AdvertisementPlan`. Throws `BluetoothError.Code.outOfSpace` if solicited services and appearance do
    /// not fit, `BluetoothError.Code.alreadyAdvertising` if this manager is advertising,
    /// `BluetoothError.Code.notPoweredOn`, and at bluetoothd `BluetoothError.Code.operationNotSupported`.
    public func startAdvertising(
        _ data: AdvertisementData, options: AdvertisingOptions = AdvertisingOptions()
    ) throws(BluetoothError) {
        if let key = data.keys.first(where: { !$0.mayBeAdvertised }) {
            throw BluetoothError(.invalidParameters, "\(key.rawValue) cannot be advertised")
        }
        guard let system else { throw .noServer }
        guard system.state == .poweredOn else {
            throw BluetoothError(notPoweredOnBecause: stateReason)
        }
        guard request == nil else { throw BluetoothError(.alreadyAdvertising) }
        let request = AdvertisingArbiter.Request(
            wanted: AdvertisementPlan.Wanted(
                localName: data.localName, services: data.serviceUUIDs,
                solicitedServices: data.solicitedServiceUUIDs,
                leadingService: options.leadingService, appearance: data.appearance,
                isInBackground: isAppInBackground, space: options.space),
            stopsOnConnection: options.stopsOnConnection, maximumCentrals: options.maximumCentrals,
            endsAt: options.timeLimit.map { adapter.loop.now + $0 })
        do throws(AdvertisementPlan.PlanningError) {
            try system.advertise(request, by: client)
        } catch { throw BluetoothError(.outOfSpace, error.message) }
        self.request = request
    }

    /// Stops advertising at once. (`stopAdvertising()`)
    public func stopAdvertising() {
        guard exchange(&request, with: nil) != nil else { return }
        system?.stopAdvertising(by: client)
    }

    /// Whether this manager is advertising, or will be once there is room for another central.
    /// (`isAdvertising`)
    public var isAdvertising: Bool { request != nil }

    /// The advertisement of all managers of the adapter together, octet by octet, with the place of every
    /// item.
    public var advertisingState: AdvertisingState { system?.advertisingState ?? .off }

    /// Whether the app is in the background, which has to be set on Linux: then no local name is advertised,
    /// and the service UUIDs are in the overflow area. Changes apply at once.
    public var isInBackground: Bool { isAppInBackground }

    /// Sets ``isInBackground``.
    public func setInBackground(_ isInBackground: Bool) {
        isAppInBackground = isInBackground
        changeRequest { $0.wanted.isInBackground = isInBackground }
    }

    /// Changes for how many centrals to advertise, the name, and the service beside it.
    func change(maximumCentrals: Int, leadingService: BluetoothUUID?, localName: String?) {
        changeRequest { request in
            request.maximumCentrals = maximumCentrals
            request.wanted.leadingService = leadingService
            request.wanted.localName = localName
        }
    }

    /// Changes the request without needing more room.
    private func changeRequest(_ change: (inout AdvertisingArbiter.Request) -> Void) {
        guard var changed = request else { return }
        change(&changed)
        guard changed != request else { return }
        request = changed
        try? system?.advertise(changed, by: client)
    }

    func advertisingChanged(_ event: SystemEvent.AdvertisingEvent) {
        guard request != nil else { return }
        switch event {
        case .changed(isOnAir: true): report(.didStartAdvertising)
        case .changed(isOnAir: false): report(.advertisingInterrupted(nil))
        case .failed(let failure): report(.advertisingInterrupted(BluetoothError(failure)))
        case .ended(let end):
            request = nil
            report(.didStopAdvertising(end))
        // Advertising may have started for another client.
        case .onAir: break
        }
    }
}

extension AdvertisementDataKey {
    /// Whether an app may advertise it; other keys belong to the system.
    fileprivate var mayBeAdvertised: Bool {
        switch self {
        case .localName, .serviceUUIDs, .solicitedServiceUUIDs, .appearance: true
        case .overflowServiceUUIDs, .manufacturerData, .serviceData, .txPowerLevel, .isConnectable:
            false
        }
    }
}

extension AdvertisementPlan.PlanningError {
    fileprivate var message: String {
        switch self {
        case .extensionsTooLong(let excess):
            "solicited services and appearance are too long for an advertisement by "
                + (excess == 1 ? "1 octet" : "\(excess) octets")
        }
    }
}
