/// What the adapter can do at the moment: what `CBManagerState` is in Core Bluetooth.
public enum ManagerState: Hashable, Sendable {
    /// The adapter has not been started, or its controller is being set up for the first time.
    case unknown
    /// The controller failed and is being set up again; all links have ended.
    case resetting
    /// The controller cannot be used: it is no LE controller, or fails again and again.
    case unsupported
    /// This program may not use the controller. Nothing in Linux says so after the start, where a
    /// ``DeviceError`` does; the case is there for those who come from Core Bluetooth.
    case unauthorized
    /// The adapter was stopped, or its transport is gone.
    case poweredOff
    /// The controller is set up.
    case poweredOn
}

extension ManagerState: CustomStringConvertible {
    /// The name of the state, as it is written here.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .resetting: "resetting"
        case .unsupported: "unsupported"
        case .unauthorized: "unauthorized"
        case .poweredOff: "poweredOff"
        case .poweredOn: "poweredOn"
        }
    }
}
