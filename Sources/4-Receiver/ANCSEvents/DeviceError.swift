public import LinuxIO

/// Why a `BluetoothAdapter`, a `NotificationConsumer` or a `NotificationProvider` could not be created,
/// or why it ended.
public enum DeviceError: Error, Equatable, Sendable {
    /// The transport could not be opened, or failed.
    case transport(IOError)
    /// The controller cannot be used.
    case controller(ControllerFailure)
    /// The bonds cannot be read or written.
    case storage(StoreFailure)
    /// The name does not fit into an advertisement.
    case advertisement(String)
    /// The configuration is impossible.
    case configuration(String)

    /// What happened, for people.
    public var message: String {
        switch self {
        case .transport(let error): error.message
        case .controller(let failure): failure.message
        case .advertisement(let text), .configuration(let text): text
        case .storage(let failure): failure.message
        }
    }
}
