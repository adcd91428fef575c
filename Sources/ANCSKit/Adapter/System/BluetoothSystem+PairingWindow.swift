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

    func openPairingWindow(for duration: Duration?) {
        pairingWindow.open(until: duration.map { loop.now + $0 })
        updatePairingWindow()
    }

    func closePairingWindow() {
        pairingWindow.close()
        updatePairingWindow()
    }

    /// Something changed that the window depends on, or time has passed.
    func updatePairingWindow() {
        pairingWindow.handleTimeout(at: loop.now)
        pairingTimer?.deadline = pairingWindow.nextDeadline
        let isOpen = isPairingWindowOpen
        if driver.query({ $0.configuration.isPairable }) != isOpen {
            driver.input { host, _ in host.setPairable(isOpen) }
        }
        guard state == .poweredOn, pairingWindow.shouldReport(isOpen) else { return }
        tell(.controller(.pairingWindow(isOpen: isOpen)))
    }

    /// Whether pairing may begin on a link with a peer that has no bond.
    func mayPair(_ link: SystemLink) -> Bool {
        configuration.pairing != .never && (link.isOurs || isPairingWindowOpen)
    }

    /// Whether pairing may begin with a connected peer that has no bond.
    func mayPair(_ peer: PeerIdentifier) -> Bool { linksOfPeers[peer].map(mayPair) ?? false }

    /// Whether a connected peer has proven by its keys who it is.
    func isProven(_ peer: PeerIdentifier) -> Bool {
        guard let handle = linksOfPeers[peer]?.handle else { return false }
        return driver.query { $0.isProven(on: handle) }
    }

    /// A connected peer offers ANCS. Only where its keys prove who it is does that say something about the
    /// next time.
    func offersANCS(_ peer: PeerIdentifier) {
        guard isProven(peer) else { return }
        peers.setOffersANCS(true, of: peer)
        saveIfChanged()
        updatePairingWindow()
    }
}
