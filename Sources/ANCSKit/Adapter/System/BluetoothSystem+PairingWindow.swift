internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// When Centrals may pair that connect to this device: what the configuration says, and for how long its
/// owner wants it otherwise.
struct PairingWindowState: Hashable, Sendable {
    /// What holds unless it was opened for a while.
    private var rule: PairingWindow
    private var openUntil: MonotonicInstant?
    /// What was reported last; a window that is always open is no news.
    private var reported: Bool?

    init(_ rule: PairingWindow) {
        self.rule = rule
        reported = rule == .open ? true : nil
    }

    var nextDeadline: MonotonicInstant? { openUntil }

    func isOpen(hasPhone: Bool) -> Bool {
        if openUntil != nil { return true }
        return switch rule {
        case .open: true
        case .untilPhoneIsBonded: !hasPhone
        case .closed: false
        }
    }

    mutating func open(until end: MonotonicInstant?) {
        if let end { openUntil = end } else { rule = .open }
    }

    mutating func close() {
        openUntil = nil
        rule = .closed
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        if let openUntil, openUntil <= now { self.openUntil = nil }
    }

    /// Whether it is to be reported.
    mutating func shouldReport(_ isOpen: Bool) -> Bool {
        exchange(&reported, with: isOpen) != isOpen
    }
}

// Who may pair, and which of the bonded peers are phones.
extension BluetoothSystem {
    var isPairingWindowOpen: Bool {
        pairingWindow.isOpen(hasPhone: !peers.bondedPhones.isEmpty)
    }

    mutating func openPairingWindow(for duration: Duration?, at now: MonotonicInstant) {
        pairingWindow.open(until: duration.map { now + $0 })
        updatePairingWindow(at: now)
        settle(at: now)
    }

    mutating func closePairingWindow(at now: MonotonicInstant) {
        pairingWindow.close()
        updatePairingWindow(at: now)
        settle(at: now)
    }

    /// Something changed that the window depends on, or time has passed.
    mutating func updatePairingWindow(at now: MonotonicInstant) {
        pairingWindow.handleTimeout(at: now)
        let isOpen = isPairingWindowOpen
        if host.configuration.isPairable != isOpen { host.setPairable(isOpen) }
        guard state == .poweredOn, pairingWindow.shouldReport(isOpen) else { return }
        tell(.controller(.pairingWindow(isOpen: isOpen)))
    }

    /// Whether pairing may begin on a link with a peer that has no bond.
    func mayPair(_ link: SystemLink) -> Bool {
        configuration.pairing != .never && (link.isOurs || isPairingWindowOpen)
    }

    /// Whether pairing may begin with a connected peer that has no bond.
    func mayPair(_ peer: PeerKey) -> Bool {
        guard let link = link(of: peer) else { return false }
        return mayPair(link)
    }

    /// Whether a connected peer has proven by its keys who it is.
    func isProven(_ peer: PeerKey) -> Bool {
        guard let handle = link(of: peer)?.handle else { return false }
        return host.isProven(on: handle)
    }

    /// A connected peer offers ANCS. Only where its keys prove who it is does that say something about the
    /// next time.
    mutating func offersANCS(_ peer: PeerKey, at now: MonotonicInstant) {
        guard isProven(peer) else { return }
        peers.setOffersANCS(true, of: peer)
        storeIfChanged()
        updatePairingWindow(at: now)
        settle(at: now)
    }
}
