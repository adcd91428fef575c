/// Whether a program may use Bluetooth.
@frozen public enum CBManagerAuthorization: Int, Sendable {
    /// Nobody was asked yet; never on Linux.
    case notDetermined = 0
    /// Something else than the user forbids it; never on Linux.
    case restricted = 1
    /// bluetoothd refuses this user.
    case denied = 2
    /// It may.
    case allowedAlways = 3
}
