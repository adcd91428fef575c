internal import BluetoothLE

// Which peers may pair, and which bonded peers are phones.
extension BluetoothSystem {
    var isPairingWindowOpen: Bool { pairingWindow.isOpen(hasPhone: !peers.bondedPhones.isEmpty) }

    mutating func openPairingWindow(for duration: Duration?, at now: MonotonicInstant) {
        pairingWindow.open(until: duration.map { now + $0 })
        updatePairingWindow(at: now)
    }

    mutating func closePairingWindow(at now: MonotonicInstant) {
        pairingWindow.close()
        updatePairingWindow(at: now)
    }

    /// Something that the window depends on has changed, or time has passed.
    mutating func updatePairingWindow(at now: MonotonicInstant) {
        pairingWindow.handleTimeout(at: now)
        let isOpen = isPairingWindowOpen
        if host.configuration.isPairable != isOpen { host.setPairable(isOpen) }
        updateAdvertisingPace(at: now)
        guard state == .poweredOn, pairingWindow.shouldReport(isOpen) else { return }
        report(.controller(.pairingWindow(isOpen: isOpen)))
    }

    /// Whether pairing may start on the link with a peer without a bond.
    func mayPair(_ link: SystemLink) -> Bool {
        configuration.controller.pairing.policy != .never && (link.isOurs || isPairingWindowOpen)
    }

    /// Whether pairing may start with a connected peer without a bond.
    func mayPair(_ peer: PeerKey) -> Bool {
        guard let link = link(of: peer) else { return false }
        return mayPair(link)
    }

    /// Whether a connected peer has proven its identity with its keys.
    func isProven(_ peer: PeerKey) -> Bool {
        guard let handle = link(of: peer)?.handle else { return false }
        return host.isProven(on: handle)
    }

    /// A connected peer offers ANCS. That is stored only if its keys have proven its identity.
    mutating func offersANCS(_ peer: PeerKey, at now: MonotonicInstant) {
        guard isProven(peer) else { return }
        peers.setOffersANCS(true, of: peer)
        storeIfChanged()
        updatePairingWindow(at: now)
    }
}
