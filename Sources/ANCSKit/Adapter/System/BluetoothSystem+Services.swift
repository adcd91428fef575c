internal import BluetoothLE

/// What is known of the services of a peer, for all clients: asked for once on a link.
struct PeerServices {
    /// The primary services, once they are known.
    var uuids: [BluetoothUUID]?
    /// They have changed since they were asked for.
    var isOutdated = false
    /// Who waits for them.
    var waiters: [@Sendable ([BluetoothUUID]) -> Void] = []
    /// Whether Service Changed was looked for.
    var isFollowed = false
    /// The value handle of Service Changed, once it is known.
    var serviceChanged: AttributeHandle?
}

extension ClientID {
    /// The system itself, which asks for the services of peers on behalf of all clients, and whose wishes
    /// nobody takes back. Clients are counted from 1.
    static let system = ClientID(rawValue: 0)
}

// Which services peers have, and when they have others.
extension BluetoothSystem {
    /// Finds the connected peers that have one of these services. Those that do not say are left out.
    func findConnected(
        withServices wanted: [BluetoothUUID],
        then completion: @escaping @Sendable ([PeerIdentifier]) -> Void
    ) {
        let peers = connectedPeers
        guard !wanted.isEmpty, !peers.isEmpty else { return completion([]) }
        let search = ConnectedSearch(peers, completion)
        for peer in peers {
            findServices(of: peer) { uuids in
                search.answered(by: peer, matches: uuids.contains(where: wanted.contains))
            }
        }
    }

    /// Finds the primary services of a connected peer; none where it does not answer.
    func findServices(
        of peer: PeerIdentifier, then completion: @escaping @Sendable ([BluetoothUUID]) -> Void
    ) {
        guard let link = linksOfPeers[peer] else { return completion([]) }
        if let uuids = link.services.uuids { return completion(uuids) }
        link.services.waiters.append(completion)
        guard link.services.waiters.count == 1 else { return }
        followServices(of: peer)
        askForServices(on: link)
    }

    private func askForServices(on link: SystemLink) {
        link.services.isOutdated = false
        start(.discoverPrimaryServices, on: link.peer, by: .system) {
            [unowned self, unowned link] result in
            if case .success(.services(let services)) = result {
                // They changed while they were asked for.
                if link.services.isOutdated { return askForServices(on: link) }
                link.services.uuids = services.map(\.uuid)
            }
            let waiters = exchange(&link.services.waiters, with: [])
            for waiter in waiters { waiter(link.services.uuids ?? []) }
        }
    }

    /// Has a peer indicate when its services change, where it can. Core Vol 3, Part G, 7.1.
    func followServices(of peer: PeerIdentifier) {
        guard let link = linksOfPeers[peer], !exchange(&link.services.isFollowed, with: true) else {
            return
        }
        start(.discoverPrimaryServicesByUUID(.genericAttribute), on: peer, by: .system) {
            [unowned self, unowned link] result in
            guard case .success(.services(let services)) = result, let first = services.first else {
                return
            }
            findServiceChanged(in: first.range, on: link)
        }
    }

    private func findServiceChanged(in range: AttributeHandleRange, on link: SystemLink) {
        start(.discoverCharacteristics(range), on: link.peer, by: .system) {
            [unowned self, unowned link] result in
            guard case .success(.characteristics(let all)) = result,
                let index = all.firstIndex(where: { $0.uuid == .serviceChanged })
            else { return }
            let value = all[index].value
            link.services.serviceChanged = value
            let next = index + 1 < all.count ? all[index + 1].declaration : nil
            let last = next.map { AttributeHandle($0.rawValue - 1) } ?? range.last
            guard value < last else { return }
            let descriptors = AttributeHandleRange(AttributeHandle(value.rawValue + 1), last)
            subscribeToServiceChanged(in: descriptors, on: link)
        }
    }

    private func subscribeToServiceChanged(
        in range: AttributeHandleRange, on link: SystemLink
    ) {
        start(.discoverDescriptors(range), on: link.peer, by: .system) {
            [unowned self, unowned link] result in
            guard case .success(.descriptors(let all)) = result,
                let descriptor = all.first(where: { $0.type == .clientCharacteristicConfiguration })
            else { return }
            // A peer that does not let a stranger subscribe is not worth pairing with for that.
            subscribe(
                .indication, at: descriptor.handle, of: link.peer, by: .system, pairs: false
            ) { _ in }
        }
    }

    /// The range in which the services of a peer are not what they were, where a value says so.
    func changedServices(
        _ value: [UInt8], of attribute: AttributeHandle, at peer: PeerIdentifier
    ) -> AttributeHandleRange? {
        guard let link = linksOfPeers[peer], link.services.serviceChanged == attribute else {
            return nil
        }
        link.services.uuids = nil
        link.services.isOutdated = true
        return RemoteDatabase.affectedRange(ofServiceChanged: value.span) ?? .all
    }
}

/// Waits for the services of several peers. Confined to the loop.
private final class ConnectedSearch: @unchecked Sendable {
    // Unchecked: see the type's comment.

    private let peers: [PeerIdentifier]
    private let completion: @Sendable ([PeerIdentifier]) -> Void
    private var answers: [PeerIdentifier: Bool] = [:]

    init(
        _ peers: [PeerIdentifier], _ completion: @escaping @Sendable ([PeerIdentifier]) -> Void
    ) {
        self.peers = peers
        self.completion = completion
    }

    func answered(by peer: PeerIdentifier, matches: Bool) {
        answers[peer] = matches
        if answers.count == peers.count { completion(peers.filter { answers[$0] == true }) }
    }
}
