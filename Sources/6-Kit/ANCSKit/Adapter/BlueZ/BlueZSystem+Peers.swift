internal import BlueZ

// The objects of devices, and the machines of their peers.
extension BlueZSystem {
    /// Something has become of an adapter, of a device or of an attribute of one.
    mutating func changed(_ change: ObjectChange, at now: MonotonicInstant) {
        switch change.interface {
        case AttributeObject.characteristic, AttributeObject.service, AttributeObject.descriptor:
            guard let place = AttributePath(change.path), let id = book.id(at: place.device) else {
                return
            }
            if case .removed = change.news, case .characteristic = place.kind {
                desk.sockets.removed(change.path)
            }
            update(id, at: now) { $0.attributeChanged(place, change, at: now) }
        case DeviceObject.interface: deviceChanged(change, at: now)
        case AdapterObject.interface:
            if adapters.apply(change, atMost: Self.maximumAdapters) { adaptersChanged(at: now) }
        case _: break
        }
    }

    private mutating func deviceChanged(_ change: ObjectChange, at now: MonotonicInstant) {
        let (path, known) = (change.path, book.id(at: change.path))
        switch change.news {
        case .added(let properties):
            guard let adapter, path.isBelow(adapter) else { return }
            let object = DeviceObject(properties)
            updateSocketPolicy(at: now)
            guard let address = object.deviceAddress, let id = book.appeared(at: path, address)
            else { return }
            changed(id, to: object, isHeard: object.advertising.rssi != nil, at: now)
        case .changed(let properties, let invalidated):
            guard let known, var object = book.peers[known]?.object else { return }
            object.apply(properties, invalidated: invalidated)
            let isHeard =
                object.advertising.rssi != nil
                && properties.keys.contains(where: DeviceObject.heard.contains)
            changed(known, to: object, isHeard: isHeard, at: now)
        case .removed:
            desk.sockets.removed(path)
            guard let known else { return }
            update(known, at: now) { $0.objectRemoved(at: now) }
            for forgotten in book.vanished(known, at: path) { forget(forgotten) }
        case .linkEnds(let reason): if let known { book.update(known) { $0.reason = reason } }
        }
    }

    private mutating func changed(
        _ id: PeerKey, to object: DeviceObject, isHeard: Bool, at now: MonotonicInstant
    ) {
        guard let before = book.peers[id]?.object else { return }
        if let address = object.deviceAddress, address != book.peers[id]?.address {
            identify(id, as: address, at: now)
        }
        update(id, at: now) { $0.changed(object, at: now) }
        if before.name != object.name || before.isPaired != object.isPaired
            || before.address != object.address
        {
            report(.peer(id, .changed))
        }
        if object.isPaired { remember(id) }
        if isHeard { heard(id) }
    }

    /// Pairing has revealed that a peer is one that was known by its identity. That one's link has ended, and its
    /// requests to connect are for this one.
    private mutating func identify(
        _ id: PeerKey, as address: DeviceAddress, at now: MonotonicInstant
    ) {
        let former = book.peers[id]?.identifier
        guard let other = book.id(address) ?? book.recall(address), other != id else {
            return book.identified(id, as: address)
        }
        let wants = book.peers[other]?.wants ?? [:]
        let clients = wants.keys.sorted(byNumber: \.rawValue)
        update(other, at: now) { peer in
            peer.objectRemoved(at: now)
            for client in clients { peer.release(client, at: now) }
        }
        book.identified(id, as: address)
        forget(other)
        if let former {
            let merger = PeerMerger(other: other, formerIdentifier: former)
            report(.peer(id, .identified(merger)))
        }
        for client in clients {
            update(id, at: now) { $0.connect(client, until: wants[client] ?? nil, at: now) }
        }
    }

    /// Nothing refers to a peer any more.
    mutating func forget(_ id: PeerKey) {
        active[id] = nil
        scans.forget(id)
    }

    /// Keeps the identifier of a peer beyond this run, if its address can be that of its identity.
    private mutating func remember(_ id: PeerKey) {
        guard let peer = book.peers[id], !peer.isRemembered, peer.address.canBeIdentity else {
            return
        }
        book.update(id) { $0.isRemembered = true }
        let entry = BlueZPeerStore.Entry(address: peer.address, identifier: peer.identifier)
        output(.report(.remember(entry)))
    }

    /// A device was heard. It is reported to the clients whose filters it passes, or to one of them.
    mutating func heard(_ id: PeerKey, reportsTo only: ClientID? = nil) {
        guard scans.isScanning, let peer = book.peers[id], peer.object.advertising.rssi != nil
        else { return }
        let discovery = peer.object.discovery(at: peer.address)
        for client in scans.heard(id, discovery, for: only) {
            report(.scan(.discovered(id, discovery)), to: client)
        }
    }

    // MARK: The machine of a peer

    /// Changes a peer, and carries out what follows; `false` if it is not known.
    @discardableResult
    mutating func update(
        _ id: PeerKey, at now: MonotonicInstant, _ body: (inout RemotePeer) -> Void
    ) -> Bool {
        guard book.update(id, body) != nil else { return false }
        settle(id, at: now)
        return true
    }

    /// Carries out what a change of a peer leads to. Not inlined: otherwise it is compiled again for each change.
    @inline(never) private mutating func settle(_ id: PeerKey, at now: MonotonicInstant) {
        while let output = book.update(id, { $0.pollOutput() }) ?? nil {
            carryOut(output, of: id, at: now)
        }
        noteState(of: id)
    }

    /// Keeps what is asked of all peers at once.
    private mutating func noteState(of id: PeerKey) {
        let change = book.update(id) { peer in
            let standing = peer.standing
            return (from: exchange(&peer.noted, with: standing), to: standing)
        }
        guard let change, change.from != change.to else { return }
        active[id] = change.to
        if change.from?.isPairing == true, change.to?.isPairing != true,
            let path = book.peers[id]?.path
        {
            // A question is withdrawn.
            _ = desk.agent.ended(path)
        }
    }

    private mutating func carryOut(
        _ output: RemotePeer.Output, of id: PeerKey, at now: MonotonicInstant
    ) {
        switch output {
        case .call(let call): make(call, for: id, at: now)
        case .open(let socket, let descriptor):
            socketPeers[socket] = id
            self.output(.open(socket, descriptor))
        case .close(let socket):
            socketPeers[socket] = nil
            self.output(.close(socket))
        case .completed(let request, let result): complete(request, result)
        case .event(let event, let client):
            if case .link(_, .connected) = event { remember(id) }
            if case .link(_, .down) = event, let path = book.peers[id]?.path {
                releaseSockets(of: path)
            }
            report(event, to: client)
        }
    }

    mutating func make(_ call: RemotePeer.Call, for id: PeerKey, at now: MonotonicInstant) {
        guard let (link, path) = book.update(id, { ($0.linkNumber, $0.path) }) else { return }
        if call == .pair { makePairable() }
        let reply = self.call(
            call.bus(for: path), about: call.ofSubscription?.call,
            for: .peer(id, call, link: link), within: call.limit)
        guard let reply else { return }
        book.update(id) { peer in
            if case .success = reply, let (attribute, _) = call.ofSubscription {
                peer.unstopped.insert(attribute.handle)
            }
            peer.replied(to: call, on: link, reply, socket: .none, at: now)
        }
    }
}

extension SocketID {
    /// No socket: identifiers start from 1.
    fileprivate static let none = SocketID(rawValue: 0)
}

extension RemotePeer.Call {
    /// The call; `nil` if bluetoothd has no object of the peer.
    fileprivate func bus(for device: ObjectPath?) -> BusCall? {
        guard let device else { return nil }
        switch self {
        case .connect: return .device(device, "Connect")
        case .disconnect: return .device(device, "Disconnect")
        case .pair: return .device(device, "Pair")
        case .request(_, let request): return request.bus
        case .readMTU(let characteristic):
            return .get("MTU", of: AttributeObject.characteristic, at: characteristic)
        case .subscription(let attribute, let call): return call.bus(attribute.path, attribute.path)
        }
    }
}
