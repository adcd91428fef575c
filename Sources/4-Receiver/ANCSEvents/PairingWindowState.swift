package import Octets

/// When Centrals that connect to this device may pair: the rule of the configuration, and temporary changes
/// by the owner.
package struct PairingWindowState: Equatable, Sendable {
    /// The rule that applies unless the window was opened for a time.
    private var rule: PairingWindow
    private var openUntil: MonotonicInstant?
    /// The last report; a window that is always open is never reported.
    private var reported: Bool?

    package init(_ rule: PairingWindow) {
        self.rule = rule
        reported = rule == .open ? true : nil
    }

    package var nextDeadline: MonotonicInstant? { openUntil }

    /// Whether the owner opened it for a time, because a new device is to be paired.
    package var isOpenForATime: Bool { openUntil != nil }

    package func isOpen(hasPhone: Bool) -> Bool {
        if openUntil != nil { return true }
        return switch rule {
        case .open: true
        case .untilPhoneIsBonded: !hasPhone
        case .closed: false
        }
    }

    package mutating func open(until end: MonotonicInstant?) {
        if let end { openUntil = end } else { rule = .open }
    }

    package mutating func close() {
        openUntil = nil
        rule = .closed
    }

    package mutating func handleTimeout(at now: MonotonicInstant) {
        if let openUntil, openUntil <= now { self.openUntil = nil }
    }

    /// Whether it was open when that was reported last.
    package var wasOpen: Bool { reported == true }

    /// Whether a change has to be reported.
    package mutating func shouldReport(_ isOpen: Bool) -> Bool {
        exchange(&reported, with: isOpen) != isOpen
    }
}
