internal import BluetoothLE
internal import Octets

// Attributes of peers.
extension BluetoothSystem {
    /// Has a procedure done at the server of a peer. `completion` is called once, on the loop: with what
    /// came of it, or `.closed` where there is no link, it ends, or the client releases the peer. What the
    /// caller got wrong is told as the error that the peer would answer. Procedures are done one after the
    /// other, whoever wants them; ATT_MTU is exchanged once on a link. `pairs` makes the system protect a
    /// link whose peer says that it has to be, and try once more.
    func start(
        _ procedure: GATTProcedure, on peer: PeerIdentifier, by client: ClientID,
        pairs: Bool = true,
        completion: @escaping @Sendable (Result<GATTResult, GATTFailure>) -> Void
    ) {
        guard let link = linksOfPeers[peer] else { return completion(.failure(.closed)) }
        let procedure = SystemLink.Procedure(
            client: client, procedure: procedure, pairs: pairs, completion: completion)
        if procedure.procedure == .exchangeMTU {
            exchangeMTU(procedure, on: link)
        } else {
            start(procedure, on: link)
        }
    }

    /// Writes a value of at most ATT_MTU - 3 octets, which the peer does not answer; why that cannot be.
    @discardableResult
    func writeWithoutResponse(
        _ value: [UInt8], to attribute: AttributeHandle, of peer: PeerIdentifier
    ) -> HostUsageError? {
        guard let handle = linksOfPeers[peer]?.handle else { return .unknownConnection }
        return driver.attempt { host, now throws(HostUsageError) in
            try host.writeWithoutResponse(value, to: attribute, on: handle, at: now)
        }
    }

    /// Sets what a client wants to be told of a characteristic of a peer by its Client Characteristic
    /// Configuration descriptor, which is written only where that is not what the peer was told for others,
    /// or `anew`: a server may have forgotten what it was told, or begin something at every subscription.
    func subscribe(
        _ wish: ClientCharacteristicConfiguration, at descriptor: AttributeHandle,
        of peer: PeerIdentifier, by client: ClientID, pairs: Bool = true, anew: Bool = false,
        completion: @escaping @Sendable (Result<GATTResult, GATTFailure>) -> Void
    ) {
        guard let link = linksOfPeers[peer] else { return completion(.failure(.closed)) }
        var subscription = link.subscriptions[descriptor] ?? PeerSubscription()
        let before = subscription.wishes[client] ?? []
        subscription.wishes[client] = wish.isEmpty ? nil : wish
        let mustWrite = anew || subscription.wanted != subscription.written
        guard mustWrite || subscription.writesUnderWay > 0 else {
            link.subscriptions[descriptor] = subscription
            return completion(.success(.done))
        }
        subscription.waiters.append(
            PeerSubscription.Waiter(client: client, before: before, completion: completion))
        link.subscriptions[descriptor] = subscription
        if mustWrite { write(descriptor, on: link, pairs: pairs) }
    }

    private func write(_ descriptor: AttributeHandle, on link: SystemLink, pairs: Bool) {
        guard let value = link.subscriptions[descriptor]?.wanted else { return }
        link.subscriptions[descriptor]?.written = value
        link.subscriptions[descriptor]?.writesUnderWay += 1
        let procedure = SystemLink.Procedure(
            client: nil, procedure: .writeValue(descriptor, value.octets), pairs: pairs
        ) { [unowned self, unowned link] result in
            written(value, to: descriptor, on: link, result)
        }
        start(procedure, on: link)
    }

    private func written(
        _ value: ClientCharacteristicConfiguration, to descriptor: AttributeHandle,
        on link: SystemLink, _ result: Result<GATTResult, GATTFailure>
    ) {
        guard var subscription = link.subscriptions[descriptor] else { return }
        subscription.writesUnderWay -= 1
        if case .success = result { subscription.confirmed = value }
        let waiters = subscription.writesUnderWay == 0 ? subscription.waiters : []
        if subscription.writesUnderWay == 0 {
            subscription.waiters = []
            if case .failure = result {
                subscription.written = subscription.confirmed
                for waiter in waiters.reversed() {
                    let before = waiter.before
                    subscription.wishes[waiter.client] = before.isEmpty ? nil : before
                }
            }
        }
        link.subscriptions[descriptor] = subscription
        for waiter in waiters { waiter.completion(result) }
    }

    /// A client wants to be told of nothing any more.
    func unsubscribe(_ client: ClientID, on link: SystemLink) {
        for descriptor in link.subscriptions.keys.sorted() {
            let waiters = link.subscriptions[descriptor]?.waiters.filter { $0.client == client }
            link.subscriptions[descriptor]?.waiters.removeAll { $0.client == client }
            for waiter in waiters ?? [] { waiter.completion(.failure(.closed)) }
            guard link.subscriptions[descriptor]?.wishes.removeValue(forKey: client) != nil,
                let subscription = link.subscriptions[descriptor],
                subscription.wanted != subscription.written
            else { continue }
            write(descriptor, on: link, pairs: false)
        }
    }

    /// The services of a bonded peer as they were last discovered, or `nil`.
    func remoteDatabase(of peer: PeerIdentifier) -> RemoteDatabase? {
        linksOfPeers[peer].flatMap { link in
            driver.query { $0.remoteDatabase(of: link.handle) }
        }
    }

    /// Keeps the services of a peer with its bond, or forgets them; a stranger's are not kept.
    func keep(_ database: RemoteDatabase?, of peer: PeerIdentifier) {
        guard let handle = linksOfPeers[peer]?.handle else { return }
        driver.input { host, _ in host.keep(database, of: handle) }
    }
}

// How procedures are done.
extension BluetoothSystem {
    /// Agrees on ATT_MTU, once for whoever wants it.
    func exchangeMTU(_ wanted: SystemLink.Procedure? = nil, on link: SystemLink) {
        switch link.mtuExchange {
        case .done:
            let mtu = driver.query { $0.mtu(of: link.handle) }
            wanted?.completion(.success(.mtu(mtu ?? ATTBearer.defaultMTU)))
        case .underWay: if let wanted { link.awaitingMTU.append(wanted) }
        case .notWanted:
            if let wanted { link.awaitingMTU.append(wanted) }
            link.mtuExchange = .underWay
            let exchange = SystemLink.Procedure(
                client: nil, procedure: .exchangeMTU, pairs: false
            ) { [unowned link] result in
                link.mtuExchange = .done
                let waiting = link.awaitingMTU
                link.awaitingMTU = []
                for procedure in waiting { procedure.completion(result) }
            }
            start(exchange, on: link)
        }
    }

    private func start(_ procedure: SystemLink.Procedure, on link: SystemLink) {
        guard link.waiting.isEmpty else { return link.waiting.append(procedure) }
        submit(procedure, on: link)
    }

    private func submit(_ procedure: SystemLink.Procedure, on link: SystemLink) {
        // It is noted before the host is drained, so that no end comes before it.
        let error = driver.attempt { host, now throws(HostUsageError) in
            let id = try host.start(procedure.procedure, on: link.handle, at: now)
            link.procedures[id] = procedure
        }
        switch error {
        case nil: break
        case .bearer(.queueFull): link.waiting.append(procedure)
        case .bearer(.valueTooLong):
            procedure.completion(
                .failure(.errorResponse(.invalidAttributeValueLength, AttributeHandle(0))))
        case .bearer(.invalidArgument):
            procedure.completion(.failure(.errorResponse(.invalidHandle, AttributeHandle(0))))
        case .some: procedure.completion(.failure(.closed))
        }
    }

    /// A procedure ended; there is room for another one.
    func completed(
        _ id: ProcedureID, _ result: Result<GATTResult, GATTFailure>, on link: SystemLink
    ) {
        guard let procedure = link.procedures.removeValue(forKey: id) else { return }
        if !link.waiting.isEmpty { submit(link.waiting.removeFirst(), on: link) }
        if case .failure(let failure) = result, procedure.pairs, protect(procedure, failure, link) {
            return
        }
        procedure.completion(result)
    }

    /// Has a link protected for a procedure that failed for the lack of it; whether that may help.
    private func protect(
        _ procedure: SystemLink.Procedure, _ failure: GATTFailure, _ link: SystemLink
    ) -> Bool {
        guard case .errorResponse(let code, _) = failure, code.asksForProtection,
            mayBeProtected(link)
        else { return false }
        switch protect(link, anew: link.security.isEncrypted) {
        case nil, .security(.busy): break
        case .some: return false
        }
        var procedure = procedure
        procedure.pairs = false
        link.unprotected.append((procedure, failure))
        return true
    }

    /// The link is protected now: what failed for the lack of it is tried once more.
    func retryUnprotected(on link: SystemLink) {
        let unprotected = link.unprotected
        link.unprotected = []
        for (procedure, _) in unprotected { start(procedure, on: link) }
    }

    /// The link cannot be protected.
    func failUnprotected(on link: SystemLink) {
        let unprotected = link.unprotected
        link.unprotected = []
        for (procedure, failure) in unprotected { procedure.completion(.failure(failure)) }
    }

    /// A client waits for nothing any more. What the bearer has begun goes on for nobody.
    func dropProcedures(of client: ClientID, on link: SystemLink) {
        var dropped: [SystemLink.Procedure] = []
        for id in link.procedures.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let procedure = link.procedures[id], procedure.client == client else { continue }
            link.procedures[id] = SystemLink.Procedure(
                client: nil, procedure: procedure.procedure, pairs: false
            ) { _ in }
            dropped.append(procedure)
        }
        dropped += link.waiting.filter { $0.client == client }
        link.waiting.removeAll { $0.client == client }
        dropped += link.awaitingMTU.filter { $0.client == client }
        link.awaitingMTU.removeAll { $0.client == client }
        dropped += link.unprotected.map(\.procedure).filter { $0.client == client }
        link.unprotected.removeAll { $0.procedure.client == client }
        for procedure in dropped { procedure.completion(.failure(.closed)) }
        endRSSI(of: link, .failure(.closed), for: client)
    }

    /// The link is gone. What the bearer worked on has been told by the host, unless another link took the
    /// place of this one.
    func endProcedures(on link: SystemLink) {
        let waiting = link.waiting
        link.waiting = []
        let underWay = link.procedures.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
        link.procedures = [:]
        failUnprotected(on: link)
        for procedure in underWay + waiting { procedure.completion(.failure(.closed)) }
        endRSSI(of: link, .failure(.closed))
        link.subscriptions = [:]
    }
}
