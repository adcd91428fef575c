/// The state of the daemon.
package struct ServiceState: Equatable, Sendable {
    /// The phase of the daemon.
    package enum Phase: String, Equatable, Sendable {
        /// It waits for a usable Bluetooth adapter.
        case waitingForAdapter
        /// It has an adapter but does not advertise: not yet, or because no further phone is expected, or may
        /// be connected.
        case running
        /// Phones can find it.
        case onAir
        /// It is stopping.
        case stopping
    }

    package var phase: Phase
    /// What it does or waits for, in one line.
    package var message: String

    /// The state at the start.
    package static let starting = ServiceState(.waitingForAdapter, "starting")

    package init(_ phase: Phase, _ message: String) {
        self.phase = phase
        self.message = message
    }
}
