internal import BluetoothLE
internal import Octets

// Pairing, encryption and bonds.
extension BluetoothSystem {
    /// Protects the link to a peer: as Central encrypts with the bond or pairs, as Peripheral asks the
    /// Central to. The error says why that cannot begin now; that it is under way already
    /// (`.security(.busy)`) is none to most callers.
    @discardableResult
    func pair(_ peer: PeerIdentifier) -> HostUsageError? {
        guard let handle = linksOfPeers[peer]?.handle else { return .unknownConnection }
        return driver.attempt { host, now throws(HostUsageError) in
            try host.pair(handle, at: now)
        }
    }

    /// The same where no user wants it, but something needs it: as far as the policy allows. `anew` pairs
    /// even where there is a bond.
    @discardableResult
    func protect(_ link: SystemLink, anew: Bool = false) -> HostUsageError? {
        driver.attempt { host, now throws(HostUsageError) in
            try host.pair(link.handle, anew: anew, asConfigured: true, at: now)
        }
    }

    /// Whether a link may get more protection than it has: by the bond, or by pairing.
    func mayBeProtected(_ link: SystemLink) -> Bool {
        mayPair(link) || isBonded(link.peer) && !link.security.isEncrypted
    }

    /// Answers a question about pairing; one that was withdrawn meanwhile needs no answer.
    func answer(_ answer: PairingAnswer, of peer: PeerIdentifier) {
        guard let handle = linksOfPeers[peer]?.handle else { return }
        driver.answer(answer, on: handle)
    }

    /// Whether a peer is bonded.
    func isBonded(_ peer: PeerIdentifier) -> Bool { peers[peer]?.isBonded ?? false }

    /// The bonded peers, the one whose bond was used last at the end.
    var bonds: [BondDescription] {
        driver.query { $0.bonds }.compactMap { record in
            guard let peer = peers.peer(withIdentity: record.bond.identityAddress) else {
                return nil
            }
            return BondDescription(
                identifier: peer.identifier, name: peer.name,
                identity: record.bond.identityAddress.text,
                isAuthenticated: record.bond.isAuthenticated,
                usesSecureConnections: record.bond.usesSecureConnections)
        }
    }

    /// Removes the bond with a peer, and ends its link. The peer keeps its identifier as long as its
    /// address tells who it is: with a private address it is a stranger after the next change.
    func forget(_ peer: PeerIdentifier) {
        pairsAgain.remove(peer)
        if let identity = peers[peer]?.identity {
            driver.input { host, now in _ = host.removeBond(identity: identity, at: now) }
            bondsChanged()
            tell(.peer(peer, .changed))
        }
        disconnect(peer)
    }

    // MARK: What the host tells

    func securityEvent(_ event: HostOutput.SecurityEvent, of link: SystemLink) {
        switch event {
        case .changed(let security): securityChanged(security, of: link)
        case .ask(let question): tell(.security(link.peer, .ask(PairingQuestion(question))))
        case .paired(let isBonded):
            paired(link)
            tell(.security(link.peer, .paired(isBonded: isBonded)))
            retryUnprotected(on: link)
        case .failed(let failure): securityFailed(failure, of: link)
        }
    }

    private func securityChanged(_ security: LinkSecurity, of link: SystemLink) {
        identify(link)
        let wasEncrypted = exchange(&link.security, with: security).isEncrypted
        tell(.security(link.peer, .changed(security)))
        // The end of a pairing is told by itself.
        guard security.isEncrypted, driver.query({ $0.usesBondKey(on: link.handle) }) else {
            return
        }
        if !wasEncrypted { tell(.security(link.peer, .bondRestored)) }
        retryUnprotected(on: link)
    }

    private func securityFailed(_ failure: SecurityManager.Failure, of link: SystemLink) {
        tell(.security(link.peer, .failed(failure)))
        switch failure {
        case .encryptionFailed, .peerLostBond, .keysDiffer, .bondTooWeak:
            guard link.isOurs else { break }
            if isBonded(link.peer), mayPairAgain {
                // What waits for protection goes on waiting.
                if protect(link, anew: true) == nil { return }
                pairsAgain.insert(link.peer)
            }
            // Whatever the reason: a peer that cannot encrypt is not taken for the bonded one.
            driver.disconnect(link.handle)
        // Nobody can pair on this link any more (Core Vol 3, Part H, 3.4); on the next one they can.
        case .timedOut, .encryptionTimedOut: driver.disconnect(link.handle)
        case .refused, .refusedByPeer, .cancelled, .bondMissing, .weakerThanBond, .notPairable,
            .rePairingRefused:
            break
        }
        failUnprotected(on: link)
    }

    /// Whether a peer may pair again that this device connected to, though it does not have the keys of
    /// its bond.
    private var mayPairAgain: Bool {
        configuration.lostKeys == .pairAgain && configuration.pairing != .never
    }

    /// A peer was refused an attribute: it is helped to what it lacks, where it may pair.
    func accessDenied(
        _ attribute: AttributeHandle, _ code: ATTErrorCode, to link: SystemLink
    ) {
        tell(.server(link.peer, .accessDenied(attribute, code)))
        guard code.asksForProtection, mayBeProtected(link),
            link.isOurs || !exchange(&link.hasRequestedSecurity, with: true)
        else { return }
        protect(link)
    }

    // MARK: Bonds

    /// The host has other bonds, or other things in them: finds out who is who, then stores all at once.
    func bondsChanged() {
        for link in sortedLinks { identify(link) }
        peers.bondsChanged(to: driver.query { $0.bonds }.map(\.bond.identityAddress))
        save()
        updatePairingWindow()
    }

    /// A peer with new keys has yet to show that it offers ANCS. One that did not bond has none: what is
    /// known of the peer that it claims to be stays.
    private func paired(_ link: SystemLink) {
        guard isProven(link.peer) else { return }
        peers.setOffersANCS(false, of: link.peer)
        saveIfChanged()
        updatePairingWindow()
    }

    /// A peer may have shown who it is, by keys that were there or by new ones.
    private func identify(_ link: SystemLink) {
        guard driver.query({ $0.isProven(on: link.handle) }),
            let description = driver.query({ $0.description(of: link.handle) }),
            let identity = description.peerIdentity, peers[link.peer]?.identity != identity
        else { return }
        link.description = description
        let stranger = link.peer
        let known = peers.identify(stranger, as: identity)
        guard known != stranger else { return tell(.peer(stranger, .changed)) }
        // Who holds the keys now is the peer; an older link to it is void.
        if let older = linksOfPeers[known] { replace(older) }
        linksOfPeers[stranger] = nil
        linksOfPeers[known] = link
        link.peer = known
        var waiting: [ClientID] = []
        updateQueue { queue, now in
            queue.identified(stranger, as: known, at: now)
            waiting = queue.linkMade(to: known, asCentral: false, at: now)
        }
        link.users.formUnion(waiting)
        tell(.peer(stranger, .identified(as: known)))
        for client in waiting { tell(client, .link(known, .connected)) }
        tell(.peer(known, .changed))
    }

    /// Ends a link that another one takes the place of, and tells so at once.
    func replace(_ link: SystemLink) {
        link.isRefused = true
        linksOfPeers[link.peer] = nil
        endProcedures(on: link)
        tell(.link(link.peer, .down(.connectionTerminatedByLocalHost)))
        driver.disconnect(link.handle)
    }
}
