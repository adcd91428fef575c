internal import Octets

/// When phones may pair.
struct Window: Hashable, Sendable {
    private enum State: Hashable, Sendable {
        /// As it is configured.
        case configured
        case open(until: MonotonicInstant?)
        case closed
    }

    private let configured: BlueZAccessory.PairingWindow
    private var state = State.configured
    private var told: Bool?

    init(_ configured: BlueZAccessory.PairingWindow) {
        self.configured = configured
        // That it is open is not worth a word where it always is.
        if configured == .open { told = true }
    }

    func isOpen(with hasPairedPhone: Bool) -> Bool {
        switch (state, configured) {
        case (.open, _), (.configured, .open): true
        case (.configured, .untilPhoneIsPaired): !hasPairedPhone
        case (.closed, _), (.configured, .closed): false
        }
    }

    mutating func open(until instant: MonotonicInstant?) { state = .open(until: instant) }

    mutating func close() { state = .closed }

    var nextDeadline: MonotonicInstant? {
        if case .open(let instant) = state { instant } else { nil }
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        guard case .open(let instant?) = state, instant <= now else { return }
        state = .configured
    }

    /// Whether it is open, where that has changed since it was asked last.
    mutating func changed(with hasPairedPhone: Bool) -> Bool? {
        let isOpen = isOpen(with: hasPairedPhone)
        guard exchange(&told, with: isOpen) != isOpen else { return nil }
        return isOpen
    }
}
