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

/// What older programs ask instead of ``CBManagerAuthorization``. Not marked as deprecated: what answers with it is.
@frozen public enum CBPeripheralManagerAuthorizationStatus: Int, Sendable {
    /// As ``CBManagerAuthorization/notDetermined``.
    case notDetermined = 0
    /// As ``CBManagerAuthorization/restricted``.
    case restricted = 1
    /// As ``CBManagerAuthorization/denied``.
    case denied = 2
    /// As ``CBManagerAuthorization/allowedAlways``.
    case authorized = 3
}
