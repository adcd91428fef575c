public import BluetoothLE

/// What is on air on behalf of an adapter, octet by octet.
public enum AdvertisingState: Hashable, Sendable {
    /// Nobody wants to advertise.
    case off
    /// It is wanted, but not on air: there is no room for another link, or the controller is not ready or
    /// refuses.
    case waiting
    /// The controller is being told.
    case starting(AdvertisementPlan)
    /// It is on air. The plan is one for all managers of the adapter.
    case onAir(AdvertisementPlan)

    /// What is on air, or about to be.
    public var plan: AdvertisementPlan? {
        switch self {
        case .off, .waiting: nil
        case .starting(let plan), .onAir(let plan): plan
        }
    }
}

/// Why an advertisement ended that the app did not stop.
public enum AdvertisingEnd: Hashable, Sendable {
    /// Somebody connected.
    case connected
    /// Its time is over.
    case timeLimit
    /// The adapter cannot advertise, for example because the controller does not have the address
    /// that this device was given.
    case impossible
}
