public import BluetoothLE

/// What an adapter advertises, octet by octet.
public enum AdvertisingState: Equatable, Sendable {
    /// No manager advertises.
    case off
    /// Advertising is requested, but not on air: there is no room for another link, or the controller is not
    /// ready or refuses.
    case waiting
    /// The command has been sent to the controller.
    case starting(AdvertisementPlan)
    /// The adapter advertises. The plan combines the requests of all its managers.
    case onAir(AdvertisementPlan)

    /// The plan that is on air, or is being started; `nil` otherwise.
    public var plan: AdvertisementPlan? {
        switch self {
        case .off, .waiting: nil
        case .starting(let plan), .onAir(let plan): plan
        }
    }
}

/// Why advertising ended without a call of the app.
public enum AdvertisingEnd: Equatable, Sendable {
    /// A device connected.
    case connected
    /// Its time limit passed.
    case timeLimit
    /// The adapter cannot advertise, for example because the controller does not have the address configured
    /// for this device.
    case impossible
}
