internal import BluetoothLE

// Links: which clients use them, and how long they last.
extension BluetoothSystem {
    /// Makes a client a user of the link to a peer; `connected` or `connectFailed` follows. If there is a
    /// link, established by either side, the client joins it at once. Requests of several clients share the
    /// attempt, each with its own timeout. One without a timeout waits without limit, through resets of the
    /// controller and while the peer is out of range or changes its private address. A second request of a
    /// client replaces its first.
    mutating func connect(
        _ peer: PeerKey, by client: ClientID, timeout: Duration?, at now: MonotonicInstant
    ) {
        let peer = peers.canonical(peer)
        put(.withdraw(client, .connection(peer)))
        guard let known = peers[peer] else {
            return report(client, .link(peer, .connectFailed(.unknownPeer)))
        }
        let link = link(of: peer)
        if let link, !host.isEnding(link.handle) {
            link.users.insert(client)
            return report(client, .link(peer, .connected))
        }
        // A link that is about to end is of no use, and the peer is heard again once it has.
        let heardAt = link == nil ? known.heardAt : nil
        let heard = heardAt.map { ConnectionQueue.Sighting(address: known.address, at: $0) }
        updateQueue(at: now) { queue in
            queue.connect(to: peer, by: client, timeout: timeout, heard: heard, at: now)
        }
        noteNeed(of: peer)
    }

    /// Ends a client's use of a peer: its connect request, its use of the link, its subscriptions and its
    /// pending requests, without further events. The link is ended if this device established it and nothing
    /// else uses it.
    mutating func release(_ peer: PeerKey, by client: ClientID, at now: MonotonicInstant) {
        let peer = peers.canonical(peer)
        put(.withdraw(client, .connection(peer)))
        updateQueue(at: now) { queue in queue.cancel(peer, by: client, at: now) }
        if let link = link(of: peer) {
            leave(link, client, at: now)
        } else {
            noteNeed(of: peer)
        }
    }

    /// Ends a client's use of every peer.
    mutating func releaseAll(by client: ClientID, at now: MonotonicInstant) {
        updateQueue(at: now) { queue in queue.cancelAll(by: client, at: now) }
        for link in reportedLinks { leave(link, client, at: now) }
    }

    private mutating func leave(_ link: SystemLink, _ client: ClientID, at now: MonotonicInstant) {
        // First the link: a peer keeps the subscriptions of a bonded Central for the next link, unless they
        // are cancelled while this one ends.
        if link.users.remove(client) != nil { endIfUnwanted(link, at: now) }
        updateRequests(of: link, at: now) { $0.release(client) }
    }

    /// Sets whether the system has a reason of its own to keep the link to a peer.
    mutating func setReason(
        _ reason: SystemReason, _ isGiven: Bool, for peer: PeerKey, at now: MonotonicInstant
    ) {
        guard let link = link(of: peer) else { return }
        if isGiven {
            link.reasons.insert(reason)
        } else if link.reasons.remove(reason) != nil {
            endIfUnwanted(link, at: now)
        }
    }

    /// Ends the link to a peer, whatever uses it.
    mutating func disconnect(_ peer: PeerKey, at now: MonotonicInstant) {
        guard let link = link(of: peer) else { return }
        disconnect(link.handle, at: now)
    }

    /// Requests the end of a link; does nothing if it has already ended.
    mutating func disconnect(_ handle: ConnectionHandle, at now: MonotonicInstant) {
        try? host.disconnect(handle, at: now)
    }

    private mutating func endIfUnwanted(_ link: SystemLink, at now: MonotonicInstant) {
        if !link.isWanted { disconnect(link.handle, at: now) }
    }

    // MARK: What is known

    /// The link to a peer, by any of its keys.
    func link(of peer: PeerKey) -> SystemLink? {
        let peer = peers.canonical(peer)
        return links.first { $0.peer == peer && !$0.isRefused }
    }

    /// The links that clients know of: one for each peer.
    var reportedLinks: [SystemLink] { links.filter { !$0.isRefused } }

    /// The state of the link to a peer; `nil` if there is none.
    func link(to peer: PeerKey) -> LinkDescription? { link(of: peer)?.description }

    /// The connected peers, in order of their handles.
    var connectedPeers: [PeerKey] { reportedLinks.map(\.peer) }

    /// How many of them established the link.
    var centralCount: Int { links.count { !$0.isOurs && !$0.isRefused } }

    /// Whether the limit of links is reached.
    var isFull: Bool { links.count >= configuration.maximumConnections }

    /// A peer that has a link or is being connected to is kept in the registry.
    private mutating func noteNeed(of peer: PeerKey) {
        peers.setNeeded(peer, queue.isWanted(peer) || link(of: peer) != nil)
    }

    // MARK: The queue

    /// Calls the connection queue, and carries out its outputs.
    mutating func updateQueue(at now: MonotonicInstant, _ body: (inout ConnectionQueue) -> Void) {
        body(&queue)
        settleQueue(at: now)
    }

    // Not inlined, here and in the other arbiters: they call each other, and would multiply.
    @inline(never) private mutating func settleQueue(at now: MonotonicInstant) {
        while let output = queue.pollOutput() { carryOut(output, at: now) }
    }

    private mutating func carryOut(_ output: ConnectionQueue.Output, at now: MonotonicInstant) {
        switch output {
        case .initiate(_, let address, let timeout): initiate(address, timeout, at: now)
        case .cancelInitiating: host.cancelConnecting(at: now)
        case .startListening: updateScans(at: now) { scans in scans.setListening(true) }
        case .stopListening: updateScans(at: now) { scans in scans.setListening(false) }
        case .failed(let peer, let client, let failure):
            noteNeed(of: peer)
            report(client, .link(peer, .connectFailed(failure)))
        }
    }

    private mutating func initiate(
        _ address: DeviceAddress, _ timeout: Duration, at now: MonotonicInstant
    ) {
        do throws(HostUsageError) {
            try host.connect(to: address, timeout: timeout, at: now)
        } catch {
            updateQueue(at: now) { queue in
                queue.attemptFailed(.refused(.connectionRejectedLimitedResources), at: now)
            }
        }
    }

    // MARK: Reports of the host

    mutating func linkMade(
        _ handle: ConnectionHandle, _ description: LinkDescription, at now: MonotonicInstant
    ) {
        var peer = peers.connected(description.peerAddress, identity: description.peerIdentity)
        if isContested(peer, by: description) { peer = peers.claimed(description.peerAddress) }
        let link = SystemLink(handle: handle, peer: peer, description: description)
        link.isRefused = self.link(of: peer) != nil
        let next = links.firstIndex { $0.handle.rawValue > handle.rawValue }
        links.insert(link, at: next ?? links.count)
        if link.isRefused { return refuse(link, at: now) }
        peers.setNeeded(peer, true)
        storeIfChanged()
        let asCentral = link.isOurs
        let hasRoom = !isFull
        var clients: [ClientID] = []
        updateQueue(at: now) { queue in
            clients = queue.linkMade(to: peer, asCentral: asCentral, at: now)
            queue.roomChanged(hasRoom, at: now)
        }
        link.users.formUnion(clients)
        linksChanged(isIncoming: !asCentral, at: now)
        report(.link(peer, .up(description)))
        for client in clients { report(client, .link(peer, .connected)) }
        begin(link, at: now)
    }

    /// Prepares every new link.
    private mutating func begin(_ link: SystemLink, at now: MonotonicInstant) {
        guard link.isWanted else { return disconnect(link.handle, at: now) }
        guard link.isOurs else { return }
        updateRequests(of: link, at: now) { $0.exchangeMTU() }
        if link.description.peerIdentity != nil {
            protect(link, replacingBond: pairsAgain.remove(link.peer) != nil, at: now)
        }
    }

    /// Whether two Centrals claim to be the same bonded peer, and the first one has not proven it. Then
    /// neither can block the other: the second one counts as an unknown device until its keys prove its
    /// identity, which ends the link of the first.
    private func isContested(_ peer: PeerKey, by description: LinkDescription) -> Bool {
        guard let older = link(of: peer), !older.isOurs, description.role != .central else {
            return false
        }
        return isBonded(peer) && !isProven(peer)
    }

    /// A peer has one link, the older one, because an address proves nothing.
    private mutating func refuse(_ link: SystemLink, at now: MonotonicInstant) {
        let hasRoom = !isFull
        updateQueue(at: now) { queue in
            if link.isOurs { _ = queue.linkMade(to: link.peer, asCentral: true, at: now) }
            queue.roomChanged(hasRoom, at: now)
        }
        disconnect(link.handle, at: now)
    }

    mutating func linkEnded(
        _ handle: ConnectionHandle, _ reason: HCIStatus, at now: MonotonicInstant
    ) {
        guard let index = links.firstIndex(where: { $0.handle == handle }) else { return }
        let link = links.remove(at: index)
        pairingRequests.withdraw(on: handle)
        if !link.isRefused {
            noteEnd(of: link, at: now)
            updateRequests(of: link, at: now) { $0.ended() }
            scans.forget(link.peer)
            report(.link(link.peer, .down(.link(reason))))
            noteNeed(of: link.peer)
        }
        let hasRoom = !isFull
        updateQueue(at: now) { queue in queue.roomChanged(hasRoom, at: now) }
        if !link.isOurs, reason == .connectionTimeout { air.linkLost(at: now) }
        linksChanged(at: now)
    }

    /// Ends a link that is replaced by another one, and reports its end at once.
    mutating func replace(_ link: SystemLink, at now: MonotonicInstant) {
        link.isRefused = true
        updateRequests(of: link, at: now) { $0.ended() }
        report(.link(link.peer, .down(.link(.connectionTerminatedByLocalHost))))
        disconnect(link.handle, at: now)
    }
}
