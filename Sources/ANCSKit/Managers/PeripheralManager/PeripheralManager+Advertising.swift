internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// What an app wants to be found by.
struct AdvertisingWish: Hashable, Sendable {
    var data: AdvertisementData
    var options: AdvertisingOptions
    var endsAt: MonotonicInstant?
    /// Whether it is on air, as far as the app was told.
    var isOnAir = false
}

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
        let wish = AdvertisingWish(
            data: data, options: options, endsAt: options.timeLimit.map { adapter.loop.now + $0 })
        self.wish = wish
        do throws(AdvertisementPlan.PlanningError) {
            try system.advertise(self.wish(wish), by: client)
        } catch {
            self.wish = nil
            throw BluetoothError(.outOfSpace, error.message)
        }
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
        guard exchange(&isAppInBackground, with: isInBackground) != isInBackground, let wish else {
            return
        }
        // The extensions are the same, so that what fitted fits.
        try? system.advertise(self.wish(wish), by: client)
    }

    /// Changes for how many centrals at once it is to be found.
    func setMaximumCentrals(_ maximum: Int) {
        guard wish?.options.maximumCentrals != maximum else { return }
        wish?.options.maximumCentrals = maximum
        guard let wish else { return }
        // What is on air is the same, so that what fitted fits.
        try? system.advertise(self.wish(wish), by: client)
    }

    private func wish(_ wish: AdvertisingWish) -> AirTime.Wish {
        AirTime.Wish(
            wanted: AdvertisementPlan.Wanted(
                localName: wish.data.localName, services: wish.data.serviceUUIDs,
                solicitedServices: wish.data.solicitedServiceUUIDs,
                appearance: wish.data.appearance, isInBackground: isAppInBackground,
                space: wish.options.space),
            stopsOnConnection: wish.options.stopsOnConnection,
            maximumCentrals: wish.options.maximumCentrals, endsAt: wish.endsAt,
            intervalMinimum: wish.options.intervalMinimum,
            intervalMaximum: wish.options.intervalMaximum)
    }

    func advertisingChanged(_ event: SystemEvent.AdvertisingEvent) {
        guard let wish else { return }
        switch event {
        case .changed(isOnAir: true):
            self.wish?.isOnAir = true
            tell(.didStartAdvertising)
        case .changed(isOnAir: false):
            self.wish?.isOnAir = false
            if wish.isOnAir { tell(.advertisingInterrupted(nil)) }
        case .failed(let failure):
            tell(.advertisingInterrupted(BluetoothError(failure)))
        case .ended(let end):
            self.wish = nil
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
