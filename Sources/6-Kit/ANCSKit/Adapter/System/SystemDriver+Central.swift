internal import BluetoothLE

// A host of our own, as what is below the managers of a Central.
extension SystemDriver: CentralSystem {
    var hasLinksToEnd: Bool { !connectedPeers.isEmpty }

    func known(_ peer: PeerKey) -> KnownDevice? {
        query { $0.peers[peer] }.map { peer in
            KnownDevice(
                key: peer.key, identifier: peer.identifier, name: peer.name,
                address: peer.address, identity: peer.identity)
        }
    }

    func describe(_ peer: PeerKey, on link: LinkDescription?) -> PeerDescription? {
        link.map { describe($0) } ?? peers[peer].map { describe($0) }
    }

    func protectLink(to peer: PeerKey) { pair(peer) }

    func start(
        _ procedure: GATTProcedure, on peer: PeerKey, by client: ClientID,
        completion: @escaping RequestCompletion
    ) {
        start(procedure, on: peer, by: client, pairs: true) {
            completion($0.mapError { .gatt($0) })
        }
    }

    func writeWithoutResponse(
        _ value: [UInt8], to attribute: AttributeHandle, of peer: PeerKey, by client: ClientID,
        completion: @escaping RequestCompletion
    ) {
        let error = writeWithoutResponse(value, to: attribute, of: peer)
        completion(error.map { .failure(.notSent($0.message)) } ?? .success(.done))
    }

    func subscribe(
        _ isSubscribed: Bool, to characteristic: RemoteDatabase.Characteristic, of peer: PeerKey,
        by client: ClientID, completion: @escaping RequestCompletion
    ) {
        let descriptor = characteristic.descriptors.first {
            $0.type == .clientCharacteristicConfiguration
        }
        guard let descriptor else { return later { completion(.failure(.notSupported)) } }
        let configuration: ClientCharacteristicConfiguration =
            switch isSubscribed {
            case false: []
            case true where characteristic.properties.contains(.notify): .notification
            case true: .indication
            }
        subscribe(configuration, at: descriptor.handle, of: peer, by: client, pairs: true) {
            completion($0.mapError { .gatt($0) })
        }
    }

    func findServices(
        of peer: PeerKey, then completion: @escaping @Sendable ([BluetoothUUID]) -> Void
    ) { findServices(of: peer, isWatching: false, then: completion) }
}
