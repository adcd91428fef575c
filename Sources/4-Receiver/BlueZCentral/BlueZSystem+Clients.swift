package import ANCSEvents
package import BluetoothTypes
internal import BlueZ
package import DBus
internal import LinuxIO
package import Octets

// What clients want.
extension BlueZSystem {
    // MARK: Scans

    /// Scans for a client until ``stopScanning(by:at:)``. A second call replaces the first, and reports every device
    /// again. Devices that another program's discovery hears at present are reported at once.
    package mutating func scan(
        _ request: ScanRequest, by client: ClientID, at now: MonotonicInstant
    ) {
        guard state == .poweredOn else { return }
        scans.scan(request, by: client)
        for id in book.peers.keys.sorted(byNumber: \.rawValue) { heard(id, reportsTo: client) }
        settle(at: now)
    }

    /// Stops the scan of a client.
    package mutating func stopScanning(by client: ClientID, at now: MonotonicInstant) {
        scans.stopScanning(by: client)
        settle(at: now)
    }

    // MARK: Links

    /// Changes a peer, and what all peers share.
    private mutating func change(
        _ peer: PeerKey, at now: MonotonicInstant, _ body: (inout RemotePeer) -> Void
    ) {
        update(peer, at: now, body)
        settle(at: now)
    }

    /// Requests the link to a peer for a client, and waits for it without a limit or until a timeout. The request
    /// remains when Bluetooth is switched off, and when bluetoothd ends. If there is a link, the client uses that, no
    /// matter which program made it.
    package mutating func connect(
        _ peer: PeerKey, by client: ClientID, timeout: Duration? = nil, at now: MonotonicInstant
    ) {
        guard book.peers[peer] != nil else {
            return report(.connectFailed(client, peer, isKnown: false))
        }
        change(peer, at: now) { $0.connect(client, until: timeout.map { now + $0 }, at: now) }
    }

    /// Ends the use of a link by a client, or its request. The link itself is ended only if this system made it, no
    /// client uses it any more, and nothing is seen of another program that does.
    package mutating func release(_ peer: PeerKey, by client: ClientID, at now: MonotonicInstant) {
        change(peer, at: now) { $0.release(client, at: now) }
    }

    /// Removes a client, and ends its scan, requests, subscriptions and use of links.
    package mutating func dismiss(_ client: ClientID, at now: MonotonicInstant) {
        scans.stopScanning(by: client)
        for id in active.sorted(byNumber: \.rawValue) {
            update(id, at: now) { peer in
                peer.endRequests(of: client)
                peer.release(client, at: now)
            }
        }
        settle(at: now)
    }

    /// Ends the link to a peer, whichever clients use it, if this system made it and nothing is seen of another program
    /// that uses it.
    package mutating func disconnect(_ peer: PeerKey, at now: MonotonicInstant) {
        change(peer, at: now) { $0.endOwnLink(at: now) }
    }

    /// Ends all scans, and all requests to connect: an attempt to connect would go on without this program. Links
    /// remain.
    package mutating func end(at now: MonotonicInstant) {
        scans.stopAll()
        for id in active.sorted(byNumber: \.rawValue) {
            update(id, at: now) { peer in peer.giveUpConnecting(at: now) }
        }
        settle(at: now)
    }

    /// Undoes what would outlive the connection to the bus, which is closed next: an attempt to connect, and that the
    /// adapter can be paired with. Links remain.
    package mutating func close(at now: MonotonicInstant) {
        end(at: now)
        for id in pairing.sorted(byNumber: \.rawValue) where book.peers[id]?.path != nil {
            if let path = book.peers[id]?.path {
                call(.device(path, "CancelPairing"), for: .nothing, within: .seconds(10))
            }
        }
        pairing = []
        restorePairable()
    }

    /// The call that makes bluetoothd end the link to a peer and remove its bond, which is that of all programs; `nil`
    /// if bluetoothd does not know it.
    package func removal(of peer: PeerKey) -> BusCall? {
        guard let adapter, let path = book.peers[peer]?.path else { return nil }
        return .removal(of: path, at: adapter)
    }

    /// Pairs with a connected peer: ``Event/paired(_:)`` or ``Event/pairingFailed(_:_:)`` follows, unless the link
    /// ends.
    package mutating func pair(_ peer: PeerKey, at now: MonotonicInstant) {
        change(peer, at: now) { $0.pairForClient(at: now) }
    }

    /// Passes on the user's answer to a question; ignored if the question is no longer pending.
    package mutating func answer(
        _ question: UInt64, _ answer: PairingReply.Answer, at now: MonotonicInstant
    ) {
        if let device = desk.agent.answer(question, answer), book.id(at: device) != nil {
            call(.device(device, "CancelPairing"), for: .nothing, within: .seconds(10))
        }
        settle(at: now)
    }

    // MARK: Attributes

    /// Runs a procedure at the server of a peer; ``Output/completed(_:_:)`` follows. What the peer refuses for want of
    /// security is tried again after pairing.
    package mutating func start(
        _ procedure: GATTProcedure, on peer: PeerKey, for request: RequestID, by client: ClientID,
        at now: MonotonicInstant
    ) {
        guard admit(request, about: peer) else { return }
        change(peer, at: now) { $0.start(procedure, request, by: client, at: now) }
    }

    /// Writes a value of at most ATT_MTU - 3 octets with a Write Command; ``Output/completed(_:_:)`` follows when
    /// bluetoothd has taken it. If there is no room, ``Event/hasRoom(_:)`` follows.
    package mutating func writeWithoutResponse(
        _ value: [UInt8], to attribute: AttributeHandle, of peer: PeerKey, for request: RequestID,
        by client: ClientID, at now: MonotonicInstant
    ) {
        guard admit(request, about: peer) else { return }
        change(peer, at: now) {
            $0.writeWithoutResponse(value, to: attribute, request, by: client, at: now)
        }
    }

    /// Subscribes a client that uses the link to a characteristic, by its value handle, or unsubscribes it;
    /// ``Output/completed(_:_:)`` follows. bluetoothd chooses between notifications and indications.
    package mutating func subscribe(
        _ isSubscribed: Bool, to value: AttributeHandle, of peer: PeerKey, for request: RequestID,
        by client: ClientID, at now: MonotonicInstant
    ) {
        guard admit(request, about: peer) else { return }
        change(peer, at: now) {
            $0.subscribe(isSubscribed, to: value, request, by: client, at: now)
        }
    }

    private mutating func admit(_ request: RequestID, about peer: PeerKey) -> Bool {
        guard admit(request) else { return false }
        guard book.peers[peer] != nil else {
            complete(request, .failure(.gatt(.closed)))
            return false
        }
        return true
    }

    // MARK: What is known

    /// A peer; `nil` if it is not known any more.
    package func describe(_ peer: PeerKey) -> KnownDevice? {
        book.peers[peer].map { peer in
            KnownDevice(
                key: peer.id, identifier: peer.identifier, name: peer.object.name,
                address: peer.address, identity: peer.object.isPaired ? peer.address : nil)
        }
    }

    /// The peer with an identifier, of this run or an earlier one; `nil` if it is not known.
    package mutating func peer(_ identifier: PeerIdentifier, at now: MonotonicInstant) -> PeerKey? {
        book.id(identifier)
            ?? book.recall(
                identifier, isPowered: state == .poweredOn, sockets: socketPolicy(at: now))
    }

    /// The peers with links that have one of these services; any program may have made the links.
    package func connectedPeers(withServices services: [BluetoothUUID]) -> [PeerKey] {
        active.filter { id in
            guard let peer = book.peers[id], peer.isLinked else { return false }
            return peer.object.services.contains(where: services.contains)
        }.sorted(byNumber: \.rawValue)
    }

    /// How many peers are known in this run.
    package var peerCount: Int { book.peers.count }

    /// The name of the adapter in use, such as `hci0`; `nil` without one.
    package var adapterName: String? { adapter.map { String($0.lastElement) } }

    /// The peers with links, in the order in which they were first seen; any program may have made the links.
    package var connectedPeers: [PeerKey] {
        active.filter { book.peers[$0]?.isLinked == true }.sorted(byNumber: \.rawValue)
    }

    /// Whether links that clients have released are ended at present.
    package var isEndingLinks: Bool { active.contains { book.peers[$0]?.isEnding == true } }

    /// The peers that bluetoothd has bonds with, in the order in which they were first seen.
    package var bondedPeers: [PeerKey] {
        book.peers.values.filter(\.object.isPaired).map(\.id).sorted(byNumber: \.rawValue)
    }

    /// The ATT_MTU of a link in octets; `nil` without a link.
    package func mtu(of peer: PeerKey) -> Int? {
        book.peers[peer].flatMap { $0.isLinked ? $0.mtu : nil }
    }

    /// Whether a write without a response would be taken.
    package func hasRoom(to peer: PeerKey) -> Bool {
        book.peers[peer].map { $0.isUp && $0.hasRoom } ?? false
    }
}
