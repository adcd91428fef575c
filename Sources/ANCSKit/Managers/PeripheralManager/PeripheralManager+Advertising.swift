internal import BluetoothLE
internal import LinuxIO
internal import Octets

// Being found.
extension PeripheralManager {
    /// Puts what an app offers on air, until it does not want that any more; see ``AdvertisingOptions`` for
    /// what ends it by itself. `didStartAdvertising` follows. (`startAdvertising(_:)`)
    ///
    /// The data may hold a local name and service UUIDs, as in Core Bluetooth, and as our extension solicited
    /// service UUIDs and an appearance. Anything else throws ``BluetoothError/Code/invalidParameters`` with a
    /// message that names the key. What has no room is shortened or goes to the overflow area, see
    /// `AdvertisementPlan`; throws ``BluetoothError/Code/outOfSpace`` where the extensions do not fit,
    /// ``BluetoothError/Code/alreadyAdvertising`` where this manager advertises, and
    /// ``BluetoothError/Code/notPoweredOn``.
    public func startAdvertising(
        _ data: AdvertisementData, options: AdvertisingOptions = AdvertisingOptions()
    ) throws(BluetoothError) {
        if let key = data.keys.first(where: { !$0.mayBeAdvertised }) {
            throw BluetoothError(.invalidParameters, "\(key.rawValue) cannot be advertised")
        }
        guard system.state == .poweredOn else { throw BluetoothError(.notPoweredOn) }
        guard wish == nil else { throw BluetoothError(.alreadyAdvertising) }
        let wish = AirTime.Wish(
            wanted: AdvertisementPlan.Wanted(
                localName: data.localName, services: data.serviceUUIDs,
                solicitedServices: data.solicitedServiceUUIDs, appearance: data.appearance,
                isInBackground: isAppInBackground, space: options.space),
            stopsOnConnection: options.stopsOnConnection,
            maximumCentrals: options.maximumCentrals,
            endsAt: options.timeLimit.map { adapter.loop.now + $0 },
            intervalMinimum: options.intervalMinimum, intervalMaximum: options.intervalMaximum)
        do throws(AdvertisementPlan.PlanningError) {
            try system.advertise(wish, by: client)
        } catch { throw BluetoothError(.outOfSpace, error.message) }
        self.wish = wish
    }

    /// Takes it off air at once, be it on air or about to be. (`stopAdvertising()`)
    public func stopAdvertising() {
        guard exchange(&wish, with: nil) != nil else { return }
        system.stopAdvertising(by: client)
    }

    /// Whether this manager wants to be found, and is as far as there is room for who finds it.
    /// (`isAdvertising`)
    public var isAdvertising: Bool { wish != nil }

    /// What is on air, octet by octet, for all managers of the adapter together, and where everything has
    /// its place.
    public var advertisingState: AdvertisingState { system.advertisingState }

    /// Whether nobody looks at the app, which an app in Linux has to say itself: then no local name is on air,
    /// and the service UUIDs are in the overflow area. What is on air changes at once.
    public var isInBackground: Bool { isAppInBackground }

    /// Says whether somebody looks at the app: ``isInBackground``.
    public func setInBackground(_ isInBackground: Bool) {
        isAppInBackground = isInBackground
        changeWish { $0.wanted.isInBackground = isInBackground }
    }

    /// Changes for how many centrals at once it is to be found.
    func setMaximumCentrals(_ maximum: Int) { changeWish { $0.maximumCentrals = maximum } }

    /// Changes what is on air, or when; it takes no more room, so that what fitted fits.
    private func changeWish(_ change: (inout AirTime.Wish) -> Void) {
        guard var changed = wish else { return }
        change(&changed)
        guard changed != wish else { return }
        wish = changed
        try? system.advertise(changed, by: client)
    }

    func advertisingChanged(_ event: SystemEvent.AdvertisingEvent) {
        guard wish != nil else { return }
        switch event {
        case .changed(isOnAir: true): tell(.didStartAdvertising)
        case .changed(isOnAir: false): tell(.advertisingInterrupted(nil))
        case .failed(let failure): tell(.advertisingInterrupted(BluetoothError(failure)))
        case .ended(let end):
            wish = nil
            tell(.didStopAdvertising(end))
        // Perhaps for another client.
        case .onAir: break
        }
    }
}

extension AdvertisementDataKey {
    /// Whether an app may put it on air; the rest is the system's.
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
            "solicited services and appearance are too long for an advertisement, by "
                + (excess == 1 ? "1 octet" : "\(excess) octets")
        }
    }
}
