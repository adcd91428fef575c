internal import BluetoothLE

// Pairing, encryption and bonds.
extension BluetoothSystem {
    /// Protects a link for the system's own reasons, within the pairing policy. `replacingBond` pairs even if there is a
    /// bond. Returns the error if that cannot start now.
    @discardableResult mutating func protect(
        _ link: SystemLink, replacingBond: Bool = false, at now: MonotonicInstant
    ) -> HostUsageError? {
        do throws(HostUsageError) {
            try host.pair(link.handle, replacingBond: replacingBond, asConfigured: true, at: now)
            return nil
        } catch { return error }
    }

    /// Whether a link can get more protection, from the bond or by pairing.
    func mayBeProtected(_ link: SystemLink) -> Bool {
        mayPair(link) || isBonded(link.peer) && !link.security.isEncrypted
    }

    /// Passes the user's answer to a request of pairing, if it is still pending.
    mutating func answer(
        _ request: UInt64, with answer: PairingReply.Answer, at now: MonotonicInstant
    ) {
        guard let handle = pairingRequests.take(request) else { return }
        switch answer {
        case .confirm(let isConfirmed): try? host.confirmPairing(handle, isConfirmed, at: now)
        case .passkey(let passkey): try? host.enterPasskey(handle, passkey, at: now)
        case .cancel: try? host.cancelPairing(handle, at: now)
        }
    }

    /// Whether a peer is bonded.
    func isBonded(_ peer: PeerKey) -> Bool { peers[peer]?.isBonded ?? false }

    /// The bonded peers, in the order of the last use of their bonds, the most recent one last.
    /// The other bonded peers, and which of them has the identity resolving key of this one too.
    func comparedIdentityKey(of peer: PeerKey) -> (others: Int, same: PeerKey?) {
        let own = host.bonds.first { $0.bond.identityAddress == peers[peer]?.identity }
        let others = host.bonds.filter { $0.bond.identityAddress != own?.bond.identityAddress }
        let key = own?.bond.identityResolvingKey ?? 0
        let same = others.first { key != 0 && $0.bond.identityResolvingKey == key }
        return (
            others.count, same.flatMap { peers.peer(withIdentity: $0.bond.identityAddress)?.key }
        )
    }

    var bonds: [BondDescription] {
        host.bonds.compactMap { record in
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

    /// Removes the bond with a peer and ends its link. The peer keeps its identifier as long as its address
    /// identifies it: after the next change of a private address it is an unknown device.
    mutating func forget(_ peer: PeerKey, at now: MonotonicInstant) {
        let peer = peers.canonical(peer)
        pairsAgain.remove(peer)
        if let identity = peers[peer]?.identity {
            _ = host.removeBond(identity: identity, at: now)
            bondsChanged(at: now)
            report(.peer(peer, .changed))
        }
        disconnect(peer, at: now)
    }

    // MARK: Reports of the host

    mutating func securityEvent(
        _ event: HostOutput.SecurityEvent, of link: SystemLink, at now: MonotonicInstant
    ) {
        switch event {
        case .changed(let security): securityChanged(security, of: link, at: now)
        case .ask(let question):
            link.lastFailure = nil
            let request = pairingRequests.ask(on: link.handle)
            report(.security(link.peer, .ask(question, request: request)))
        case .paired(let isBonded, let replacesBond):
            pairingRequests.withdraw(on: link.handle)
            link.lastFailure = nil
            paired(link, at: now)
            keysWork(on: link, at: now)
            report(.security(link.peer, .paired(isBonded: isBonded, replacesBond: replacesBond)))
            updateRequests(of: link, at: now) { $0.protected() }
        case .failed(let failure):
            pairingRequests.withdraw(on: link.handle)
            securityFailed(failure, of: link, at: now)
        }
    }

    private mutating func securityChanged(
        _ security: LinkSecurity, of link: SystemLink, at now: MonotonicInstant
    ) {
        identify(link, at: now)
        let wasEncrypted = exchange(&link.security, with: security).isEncrypted
        report(.security(link.peer, .changed(security)))
        keysWork(on: link, at: now)
        // The end of a pairing is reported by its own event.
        guard security.isEncrypted, host.usesBondKey(on: link.handle) else { return }
        if !wasEncrypted { report(.security(link.peer, .bondRestored)) }
        updateRequests(of: link, at: now) { $0.protected() }
    }

    private mutating func securityFailed(
        _ failure: SecurityFailure, of link: SystemLink, at now: MonotonicInstant
    ) {
        reportFailure(failure, of: link, at: now)
        switch failure {
        case .encryptionFailed, .peerLostBond, .keysDiffer, .bondTooWeak:
            guard link.isOurs else { break }
            if isBonded(link.peer), mayPairAgain {
                // Requests that wait for protection keep waiting.
                if protect(link, replacingBond: true, at: now) == nil { return }
                pairsAgain.insert(link.peer)
            }
            // Whatever the reason, a peer that cannot encrypt is not treated as the bonded one.
            disconnect(link.handle, at: now)
        // There can be no more pairing on this link (Core Vol 3, Part H, 3.4), but on the next one.
        case .timedOut, .notAnswered, .encryptionTimedOut: disconnect(link.handle, at: now)
        // The host ends the link, and a Central may come back at once.
        case .identityNotItsOwn where !link.isOurs:
            keyTroubles.noteClaim(at: now)
            updateAdvertisingPace(at: now)
        // The host ends the link after the last two.
        case .refused, .refusedByPeer, .cancelled, .bondMissing, .otherBondRequested,
            .weakerThanBond, .notAuthenticated, .notPairable, .rePairingRefused, .identityNotItsOwn,
            .tooManyRequests:
            break
        }
        updateRequests(of: link, at: now) { $0.protectionFailed() }
    }

    /// A Central can fail again and again on one link: the same failure is reported once, unless the user was
    /// asked meanwhile.
    private mutating func reportFailure(
        _ failure: SecurityFailure, of link: SystemLink, at now: MonotonicInstant
    ) {
        if noteKeyTrouble(failure, of: link, at: now) { return }
        let isRepeated = exchange(&link.lastFailure, with: failure) == failure
        if !link.isOurs, isRepeated { return }
        report(.security(link.peer, .failed(failure)))
    }

    /// Whether a peer to which this device connected may pair again if it lacks the keys of its bond.
    private var mayPairAgain: Bool {
        configuration.controller.pairing.lostKeys == .pairAgain
            && configuration.controller.pairing.policy != .never
    }

    /// A peer was refused access to an attribute: protects the link, if the peer may pair.
    mutating func help(
        _ link: SystemLink, refusedFor code: ATTErrorCode, at now: MonotonicInstant
    ) {
        guard code.asksForProtection, mayBeProtected(link),
            link.isOurs || !exchange(&link.hasRequestedSecurity, with: true)
        else { return }
        protect(link, at: now)
    }

    // MARK: Bonds

    /// The host's bonds or records changed: updates the identities of peers, then stores everything.
    mutating func bondsChanged(at now: MonotonicInstant) {
        for link in reportedLinks { identify(link, at: now) }
        let identities = host.bonds.map(\.bond.identityAddress)
        peers.bondsChanged(to: identities)
        keyTroubles.bondsChanged(to: identities)
        put(.store)
        updatePairingWindow(at: now)
    }

    /// A peer with new keys has yet to show that it offers ANCS. If it did not bond, what is known of the
    /// peer that it claims to be remains valid.
    private mutating func paired(_ link: SystemLink, at now: MonotonicInstant) {
        guard isProven(link.peer) else { return }
        peers.setOffersANCS(false, of: link.peer)
        storeIfChanged()
        updatePairingWindow(at: now)
    }

    /// A peer may have proven its identity, by existing or by new keys.
    private mutating func identify(_ link: SystemLink, at now: MonotonicInstant) {
        guard host.isProven(on: link.handle), let description = host.description(of: link.handle),
            let identity = description.peerIdentity, peers[link.peer]?.identity != identity
        else { return }
        link.description = description
        let peer = link.peer
        guard let merger = peers.identify(peer, as: identity) else {
            return report(.peer(peer, .changed))
        }
        // The peer is the one that has the keys now; an older link with that identity is invalid.
        if let older = links.first(where: { $0.peer == merger.other && !$0.isRefused }) {
            replace(older, at: now)
        }
        pairsAgain.remove(merger.other)
        var waiting: [ClientID] = []
        updateQueue(at: now) { queue in
            waiting = queue.linkMade(to: merger.other, asCentral: false, at: now)
        }
        link.users.formUnion(waiting)
        report(.peer(peer, .identified(merger)))
        for client in waiting { report(client, .link(peer, .connected)) }
        report(.peer(peer, .changed))
    }
}
