internal import BluetoothLE

// Requests of clients to the servers of peers.
extension BluetoothSystem {
    /// Runs a procedure at the server of a peer; one `completed` follows, with the result, or with `.closed`
    /// if there is no link, it ends, or the client releases the peer. Procedures run in order; ATT_MTU is
    /// exchanged once per link. With `pairs`, the system protects the link if the peer requires it, and tries
    /// once more.
    mutating func start(
        _ procedure: GATTProcedure, on peer: PeerKey, for request: ClientRequest, pairs: Bool,
        at now: MonotonicInstant
    ) {
        guard let link = link(of: peer) else {
            return put(.completed(request.id, .failure(.closed)))
        }
        updateRequests(of: link, at: now) { $0.start(procedure, for: request, pairs: pairs) }
    }

    /// Sets the subscription of a client to a characteristic of a peer, by its Client Characteristic
    /// Configuration descriptor. The descriptor is written only if the subscriptions of all clients together
    /// have changed, or with `isForced`: a server may have lost them, or may start something at every
    /// subscription.
    mutating func subscribe(
        _ configuration: ClientCharacteristicConfiguration, at descriptor: AttributeHandle,
        of peer: PeerKey, for request: ClientRequest, pairs: Bool, isForced: Bool,
        at now: MonotonicInstant
    ) {
        guard let link = link(of: peer) else {
            return put(.completed(request.id, .failure(.closed)))
        }
        updateRequests(of: link, at: now) { requests in
            requests.subscribe(
                configuration, at: descriptor, by: request.client, for: request.id, pairs: pairs,
                isForced: isForced)
        }
    }

    /// Discovers the primary services of a connected peer; the result is empty if it does not answer. With
    /// `isWatching`, nothing is subscribed to, and no refusal is a reason to pair.
    mutating func findServices(
        of peer: PeerKey, for request: ClientRequest.ID, isWatching: Bool = false,
        at now: MonotonicInstant
    ) {
        guard let link = link(of: peer) else { return put(.servicesFound(request, [])) }
        updateRequests(of: link, at: now) { requests in
            requests.findServices(for: request, isWatching: isWatching)
        }
    }

    /// Subscribes to the peer's Service Changed, if it has that. Core Vol 3, Part G, 7.1.
    mutating func followServices(of peer: PeerKey, at now: MonotonicInstant) {
        updateRequests(of: link(of: peer), at: now) { $0.followServices() }
    }

    /// Reads the strength of a peer's signal; one `rssiRead` follows.
    mutating func readRSSI(of peer: PeerKey, for request: ClientRequest, at now: MonotonicInstant) {
        guard let link = link(of: peer) else {
            return put(.rssiRead(request.id, .failure(.closed)))
        }
        updateRequests(of: link, at: now) { $0.readRSSI(for: request) }
    }

    // MARK: What follows

    /// Calls the requests of a link, and carries out their outputs.
    mutating func updateRequests(
        of link: SystemLink?, at now: MonotonicInstant, _ body: (inout PeerRequests) -> Void
    ) {
        guard let link else { return }
        update(&link.requests, of: link, at: now, body)
    }

    /// One access to the requests for all that follows, because Swift checks each access.
    private mutating func update(
        _ requests: inout PeerRequests, of link: SystemLink, at now: MonotonicInstant,
        _ body: (inout PeerRequests) -> Void
    ) {
        body(&requests)
        settle(&requests, of: link, at: now)
    }

    @inline(never) private mutating func settle(
        _ requests: inout PeerRequests, of link: SystemLink, at now: MonotonicInstant
    ) {
        start(&requests, on: link, at: now)
        while let output = requests.pollOutput() {
            carryOut(output, of: link, &requests, at: now)
            start(&requests, on: link, at: now)
        }
    }

    /// Nothing is started on a link that is being ended; the end completes what waits.
    private mutating func start(
        _ requests: inout PeerRequests, on link: SystemLink, at now: MonotonicInstant
    ) {
        while let procedure = requests.nextProcedure, !host.isEnding(link.handle) {
            do throws(HostUsageError) {
                let id = try host.start(procedure, on: link.handle, at: now)
                requests.started(as: id)
            } catch { requests.notStarted(because: error) }
        }
    }

    private mutating func carryOut(
        _ output: PeerRequests.Output, of link: SystemLink, _ requests: inout PeerRequests,
        at now: MonotonicInstant
    ) {
        switch output {
        case .protect:
            if mayBeProtected(link),
                begins(protect(link, replacingBond: link.security.isEncrypted, at: now))
            {
                requests.protectionBegan()
            } else {
                requests.protectionImpossible()
            }
        case .readRSSI:
            do throws(HostUsageError) {
                try host.readRSSI(of: link.handle, at: now)
            } catch { requests.rssiNotRead(because: error) }
        case .completed(let request, let result): put(.completed(request, result))
        case .rssiRead(let request, let result): put(.rssiRead(request, result))
        case .servicesFound(let request, let uuids): put(.servicesFound(request, uuids))
        }
    }

    /// Whether the protection of a link has started, now or before.
    private func begins(_ error: HostUsageError?) -> Bool {
        error == nil || error == .security(.busy)
    }
}
