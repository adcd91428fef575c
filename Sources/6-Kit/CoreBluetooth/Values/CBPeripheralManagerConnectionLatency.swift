/// How soon a central is to be answered; no effect on Linux.
@frozen public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
    /// Soon.
    case low = 0
    /// Between the others.
    case medium = 1
    /// Rarely, which saves energy.
    case high = 2
}
