internal import Octets

/// When phones may pair.
struct Window: Equatable, Sendable {
    private enum State: Equatable, Sendable {
        /// The rule of the configuration.
        case configured
        case open(until: MonotonicInstant?)
        case closed
    }

    private let configured: BlueZAccessory.PairingWindow
    private var state = State.configured
    private var reported: Bool?

    package init(_ configured: BlueZAccessory.PairingWindow) {
        self.configured = configured
        // A window that is always open is never reported.
        if configured == .open { reported = true }
    }

    func isOpen(with hasPairedPhone: Bool) -> Bool {
        switch (state, configured) {
        case (.open, _), (.configured, .open): true
        case (.configured, .untilPhoneIsPaired): !hasPairedPhone
        case (.closed, _), (.configured, .closed): false
        }
    }

    package mutating func open(until instant: MonotonicInstant?) { state = .open(until: instant) }

    package mutating func close() { state = .closed }

    package var nextDeadline: MonotonicInstant? {
        if case .open(let instant) = state { instant } else { nil }
    }

    package mutating func handleTimeout(at now: MonotonicInstant) {
        guard case .open(let instant?) = state, instant <= now else { return }
        state = .configured
    }

    /// Whether it was open when it was last looked at.
    var wasOpen: Bool { reported == true }

    /// Whether it is open; `nil` if that has not changed since the last call.
    package mutating func changed(with hasPairedPhone: Bool) -> Bool? {
        let isOpen = isOpen(with: hasPairedPhone)
        guard exchange(&reported, with: isOpen) != isOpen else { return nil }
        return isOpen
    }
}
