/// Whether a peripheral is connected for its manager.
@frozen public enum CBPeripheralState: Int, Sendable {
    /// Not connected.
    case disconnected = 0
    /// The manager waits until it is connected.
    case connecting = 1
    /// Connected.
    case connected = 2
    /// The manager has cancelled the connection, and waits for its end.
    case disconnecting = 3
}
