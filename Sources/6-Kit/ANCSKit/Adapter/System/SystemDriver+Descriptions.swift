internal import BluetoothLE

// How programs read about peers.
extension SystemDriver {
    /// The peer of a link.
    func describe(_ link: LinkDescription) -> PeerDescription {
        let digest = storage.digest(of: link.peerIdentity ?? link.peerAddress)
        return PeerDescription(
            name: link.peerIdentity.flatMap { peers.peer(withIdentity: $0)?.name },
            address: link.peerAddress.text, hasResolvableAddress: link.peerAddress.isResolvable,
            identity: link.peerIdentity?.text, digest: digest, link: LinkParameters(link))
    }

    /// A peer, connected or not.
    func describe(_ peer: PeerRegistry.Peer) -> PeerDescription {
        let digest = storage.digest(of: peer.identity ?? peer.address)
        return PeerDescription(
            name: peer.name, address: peer.address.text,
            hasResolvableAddress: peer.address.isResolvable, identity: peer.identity?.text,
            digest: digest, link: link(to: peer.key).map { LinkParameters($0) })
    }

    /// A peer with this identity as one that is bonded.
    func bonded(as identity: DeviceAddress) -> BondedPeer {
        BondedPeer(
            digest: storage.digest(of: identity), name: peers.peer(withIdentity: identity)?.name)
    }

    /// That a peer has paired. Its link may have ended in the same step.
    func paired(_ peer: PeerKey, isBonded: Bool, replacesBond: Bool) -> PeerEvent? {
        peers[peer].map { known in
            .paired(
                describe(known), isBonded: isBonded,
                replacing: replacesBond ? known.identity.map { bonded(as: $0) } : nil)
        }
    }
}

extension DeviceAddress { fileprivate var isResolvable: Bool { randomKind == .resolvablePrivate } }
