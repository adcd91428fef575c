internal import BluetoothLE
internal import LinuxIO
internal import Octets

// Links: who wants them, and until when they stand.
extension BluetoothSystem {
    /// Makes a client a user of the link to a peer. Where there is a link, made by whoever in whichever
    /// role, it joins at once and is told `connected` before this returns. Else it waits: `connected` or
    /// `connectFailed` follows. Requests of several clients share the attempt, each with its own timeout;
    /// one without waits for ever, through resets of the controller and while the peer is out of range or
    /// changes its private address. A second request of a client takes the place of its first.
    func connect(_ peer: PeerIdentifier, by client: ClientID, timeout: Duration?) {
        guard let known = peers[peer] else {
            tell(client, .link(peer, .connectFailed(.unknownPeer)))
            return
        }
        if let link = linksOfPeers[peer] {
            link.users.insert(client)
            tell(client, .link(peer, .connected))
            return
        }
        let heard = known.heardAt.map {
            ConnectionQueue.Sighting(address: known.address, at: $0)
        }
        updateQueue { queue, now in
            queue.connect(to: peer, by: client, timeout: timeout, heard: heard, at: now)
        }
        peers.setNeeded(peer, queue.isWanted(peer) || linksOfPeers[peer] != nil)
    }

    /// Ends a client's part of a peer: its connect request, its use of the link, what it subscribed to and
    /// what it waits for, of which it hears no more. The link falls if this device made it and nobody wants
    /// it any longer.
    func release(_ peer: PeerIdentifier, by client: ClientID) {
        updateQueue { queue, now in queue.cancel(peer, by: client, at: now) }
        guard let link = linksOfPeers[peer] else {
            return peers.setNeeded(peer, queue.isWanted(peer))
        }
        leave(link, client)
    }

    /// Ends a client's part of every peer.
    func releaseAll(by client: ClientID) {
        updateQueue { queue, now in queue.cancelAll(by: client, at: now) }
        for link in sortedLinks { leave(link, client) }
    }

    private func leave(_ link: SystemLink, _ client: ClientID) {
        dropProcedures(of: client, on: link)
        unsubscribe(client, on: link)
        guard link.users.remove(client) != nil else { return }
        endIfUnwanted(link)
    }

    /// Whether the system has a reason of its own to keep the link to a peer.
    func setReason(_ reason: SystemReason, _ isGiven: Bool, for peer: PeerIdentifier) {
        guard let link = linksOfPeers[peer] else { return }
        if isGiven {
            link.reasons.insert(reason)
        } else if link.reasons.remove(reason) != nil {
            endIfUnwanted(link)
        }
    }

    /// Ends the link to a peer, whoever wants it.
    func disconnect(_ peer: PeerIdentifier) {
        guard let link = linksOfPeers[peer] else { return }
        driver.disconnect(link.handle)
    }

    private func endIfUnwanted(_ link: SystemLink) {
        if !link.isWanted { driver.disconnect(link.handle) }
    }

    // MARK: What is known

    /// The link to a peer; `nil` where there is none.
    func link(to peer: PeerIdentifier) -> LinkDescription? { linksOfPeers[peer]?.description }

    /// The peers that are connected, in the order of their handles.
    var connectedPeers: [PeerIdentifier] { sortedLinks.map(\.peer) }

    var sortedLinks: [SystemLink] {
        linksOfPeers.values.sorted { $0.handle.rawValue < $1.handle.rawValue }
    }

    /// Whether a client is a user of the link to a peer.
    func isUser(_ client: ClientID, of peer: PeerIdentifier) -> Bool {
        linksOfPeers[peer]?.users.contains(client) ?? false
    }

    /// How the link to a peer is protected.
    func security(of peer: PeerIdentifier) -> LinkSecurity? {
        linksOfPeers[peer].flatMap { link in driver.query { $0.security(of: link.handle) } }
    }

    /// The effective ATT_MTU of the link to a peer, in octets.
    func mtu(of peer: PeerIdentifier) -> Int? {
        linksOfPeers[peer].flatMap { link in driver.query { $0.mtu(of: link.handle) } }
    }

    // MARK: Signal strength

    /// Asks the controller how strong a peer is heard. `completion` is called once, on the loop; calls that
    /// come before the controller's answer get the same one.
    func readRSSI(
        of peer: PeerIdentifier, by client: ClientID,
        completion: @escaping @Sendable (Result<Int8, SystemLink.RSSIFailure>) -> Void
    ) {
        guard let link = linksOfPeers[peer] else { return completion(.failure(.closed)) }
        // It is noted before the host is drained, so that no answer comes before it.
        link.awaitingRSSI.append(SystemLink.RSSIWaiter(client: client, completion: completion))
        let error = driver.attempt { host, now throws(HostUsageError) in
            try host.readRSSI(of: link.handle, at: now)
        }
        guard let error else { return }
        endRSSI(of: link, .failure(error == .notSupported ? .unknown : .closed))
    }

    /// Tells everybody, or one client, who waits to be told how strong a peer is heard.
    func endRSSI(
        of link: SystemLink, _ result: Result<Int8, SystemLink.RSSIFailure>,
        for client: ClientID? = nil
    ) {
        let isMeant = { (waiter: SystemLink.RSSIWaiter) in
            client == nil || waiter.client == client
        }
        let waiters = link.awaitingRSSI.filter(isMeant)
        link.awaitingRSSI.removeAll(where: isMeant)
        for waiter in waiters { waiter.completion(result) }
    }

    // MARK: The queue

    /// Tells the connection queue something, and carries out what it then wants.
    func updateQueue(_ body: (inout ConnectionQueue, MonotonicInstant) -> Void) {
        body(&queue, loop.now)
        while let output = queue.pollOutput() { handle(output) }
        queueTimer?.deadline = queue.nextDeadline
    }

    private func handle(_ output: ConnectionQueue.Output) {
        switch output {
        case .initiate(let peer, let address, let timeout): initiate(peer, address, timeout)
        case .cancelInitiating: driver.input { host, now in host.cancelConnecting(at: now) }
        case .startListening: setListening(true)
        case .stopListening: setListening(false)
        case .failed(let peer, let client, let failure):
            peers.setNeeded(peer, queue.isWanted(peer) || linksOfPeers[peer] != nil)
            tell(client, .link(peer, .connectFailed(failure)))
        }
    }

    private func initiate(
        _ peer: PeerIdentifier, _ address: DeviceAddress, _ timeout: Duration
    ) {
        let error = driver.attempt { host, now throws(HostUsageError) in
            try host.connect(to: address, timeout: timeout, at: now)
        }
        guard error != nil else { return }
        updateQueue { queue, now in
            queue.attemptFailed(.refused(.connectionRejectedLimitedResources), at: now)
        }
    }

    // MARK: What the host tells

    func connectingFailed(_ address: DeviceAddress, _ failure: Initiator.Failure) {
        if let peer = peers.peer(withAddress: address) { forgetHeard(peer) }
        updateQueue { queue, now in queue.attemptFailed(failure, at: now) }
    }

    func linkMade(_ handle: ConnectionHandle, _ description: LinkDescription) {
        var peer = peers.connected(
            description.peerAddress, identity: description.peerIdentity)
        if isContested(peer, by: description) {
            peer = peers.claimed(description.peerAddress)
        }
        let link = SystemLink(handle: handle, peer: peer, description: description)
        links[handle] = link
        guard linksOfPeers[peer] == nil else { return refuse(link) }
        linksOfPeers[peer] = link
        peers.setNeeded(peer, true)
        saveIfChanged()
        let asCentral = link.isOurs
        var clients: [ClientID] = []
        updateQueue { queue, now in
            clients = queue.linkMade(to: peer, asCentral: asCentral, at: now)
            queue.roomChanged(hasRoom, at: now)
        }
        link.users.formUnion(clients)
        linksChanged(isIncoming: !asCentral)
        tell(.link(peer, .up(description)))
        for client in clients { tell(client, .link(peer, .connected)) }
        begin(link)
    }

    /// What the system does with every new link.
    private func begin(_ link: SystemLink) {
        guard links[link.handle] === link else { return }
        guard link.isWanted else { return driver.disconnect(link.handle) }
        guard link.isOurs else { return }
        exchangeMTU(on: link)
        if link.description.peerIdentity != nil {
            protect(link, anew: pairsAgain.remove(link.peer) != nil)
        }
    }

    /// Whether two Centrals claim to be the same bonded peer, and the one that was first has not proven it.
    /// Then neither keeps the other one out: the second one counts as a stranger until its keys prove who
    /// it is, which ends the link of the first.
    private func isContested(
        _ peer: PeerIdentifier, by description: LinkDescription
    ) -> Bool {
        guard let older = linksOfPeers[peer], !older.isOurs, description.role != .central else {
            return false
        }
        return isBonded(peer) && !isProven(peer)
    }

    /// A peer has one link: the older one, since an address proves nothing.
    private func refuse(_ link: SystemLink) {
        link.isRefused = true
        updateQueue { queue, now in
            if link.isOurs { _ = queue.linkMade(to: link.peer, asCentral: true, at: now) }
            queue.roomChanged(hasRoom, at: now)
        }
        driver.disconnect(link.handle)
    }

    private var hasRoom: Bool { !isFull }

    /// Whether there are as many links as there may be.
    var isFull: Bool { links.count >= configuration.maximumConnections }

    func linkEnded(_ handle: ConnectionHandle, _ reason: HCIStatus) {
        guard let link = links.removeValue(forKey: handle) else { return }
        if !link.isRefused {
            linksOfPeers[link.peer] = nil
            endProcedures(on: link)
            forgetHeard(link.peer)
            tell(.link(link.peer, .down(reason)))
            if linksOfPeers[link.peer] == nil {
                peers.setNeeded(link.peer, queue.isWanted(link.peer))
            }
        }
        updateQueue { queue, now in queue.roomChanged(hasRoom, at: now) }
        linksChanged()
    }
}
