/// The state of an adapter, like `CBManagerState` in Core Bluetooth.
public enum ManagerState: Equatable, Sendable {
    /// The adapter has not started, or its controller is being set up for the first time.
    case unknown
    /// The controller failed and is being set up again; all links have ended.
    case resetting
    /// The controller cannot be used: it does not support LE, or fails repeatedly.
    case unsupported
    /// The program is not allowed to use the controller. Never reported: on Linux, `DeviceError` says so at
    /// the start. The case exists for programs written for Core Bluetooth.
    case unauthorized
    /// The adapter was stopped, or its transport has ended.
    case poweredOff
    /// The controller is ready.
    case poweredOn
}

extension ManagerState: CustomStringConvertible {
    /// The name of the case.
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
