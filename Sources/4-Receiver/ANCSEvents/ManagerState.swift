/// The state of an adapter, like `CBManagerState` in Core Bluetooth.
public enum ManagerState: Equatable, Sendable {
    /// The adapter has not started, or its controller is being set up for the first time.
    case unknown
    /// The controller failed and is being set up again, or bluetoothd has ended; all links have ended.
    case resetting
    /// The controller cannot be used: it does not support LE, or fails repeatedly. bluetoothd has no such adapter; one
    /// that is plugged in is used.
    case unsupported
    /// The program is not allowed to use bluetoothd. With a controller of its own, never reported: `DeviceError` says
    /// so at the start.
    case unauthorized
    /// The adapter was stopped, or its transport has ended, and it never starts again; or it is one of bluetoothd
    /// that is switched off, and may be switched on.
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
