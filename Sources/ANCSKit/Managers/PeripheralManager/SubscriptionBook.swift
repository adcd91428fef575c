internal import BluetoothLE

/// Which peers are subscribed to which values, in the order in which they came, and for whom values wait
/// until there is room: what the answer of ``PeripheralManager/updateValue(_:for:onSubscribedCentrals:)``
/// depends on.
struct SubscriptionBook: Sendable {
    /// What a change of a configuration descriptor means.
    enum Change: Hashable, Sendable {
        case subscribed
        case unsubscribed
    }

    private struct Entry: Sendable {
        var peer: PeerIdentifier
        let attribute: AttributeHandle
        var configuration: ClientCharacteristicConfiguration
    }

    private var entries: [Entry] = []
    /// Who has not confirmed an indication, and of which value.
    private var unconfirmed: [PeerIdentifier: AttributeHandle] = [:]
    /// Whom a value did not go to for want of room, so that somebody waits.
    private var blocked: Set<PeerIdentifier> = []

    /// Those who are subscribed to a value, the first one first.
    func subscribers(to attribute: AttributeHandle) -> [PeerIdentifier] {
        entries.filter { $0.attribute == attribute }.map(\.peer)
    }

    /// What a peer configured for a value.
    func configuration(
        of peer: PeerIdentifier, for attribute: AttributeHandle
    ) -> ClientCharacteristicConfiguration {
        entries.first { $0.peer == peer && $0.attribute == attribute }?.configuration ?? []
    }

    /// A peer has configured a value so; `nil` where it was subscribed before and is still, or was not and
    /// is not.
    mutating func configured(
        _ attribute: AttributeHandle, by peer: PeerIdentifier,
        as configuration: ClientCharacteristicConfiguration
    ) -> Change? {
        let index = entries.firstIndex { $0.peer == peer && $0.attribute == attribute }
        guard let index else {
            guard !configuration.isEmpty else { return nil }
            entries.append(
                Entry(peer: peer, attribute: attribute, configuration: configuration))
            return .subscribed
        }
        guard configuration.isEmpty else {
            entries[index].configuration = configuration
            return nil
        }
        entries.remove(at: index)
        return .unsubscribed
    }

    /// A peer is gone; says what it was subscribed to.
    mutating func ended(_ peer: PeerIdentifier) -> [AttributeHandle] {
        unconfirmed[peer] = nil
        blocked.remove(peer)
        let attributes = entries.filter { $0.peer == peer }.map(\.attribute)
        entries.removeAll { $0.peer == peer }
        return attributes
    }

    /// A value is gone; says who was subscribed to it.
    mutating func removed(_ attribute: AttributeHandle) -> [PeerIdentifier] {
        let peers = subscribers(to: attribute)
        entries.removeAll { $0.attribute == attribute }
        return peers
    }

    /// A peer has another name.
    mutating func renamed(_ peer: PeerIdentifier, as other: PeerIdentifier) {
        for index in entries.indices where entries[index].peer == peer {
            entries[index].peer = other
        }
        if let attribute = unconfirmed.removeValue(forKey: peer) { unconfirmed[other] = attribute }
        if blocked.remove(peer) != nil { blocked.insert(other) }
    }

    // MARK: Room

    /// A value was indicated to a peer.
    mutating func indicated(_ attribute: AttributeHandle, to peer: PeerIdentifier) {
        unconfirmed[peer] = attribute
    }

    /// Whether a peer has an indication to confirm.
    func owesConfirmation(_ peer: PeerIdentifier) -> Bool { unconfirmed[peer] != nil }

    /// A value was not sent because these peers have no room for it.
    mutating func noteBlocked(_ peers: [PeerIdentifier]) { blocked.formUnion(peers) }

    /// A peer confirmed an indication; whether somebody waits for that.
    mutating func confirmed(by peer: PeerIdentifier) -> Bool {
        unconfirmed.removeValue(forKey: peer) != nil && blocked.remove(peer) != nil
    }

    /// Nobody will tell that a value was confirmed, since it is gone; whether somebody waits for that.
    mutating func settled(_ attribute: AttributeHandle) -> Bool {
        var isAwaited = false
        for (peer, value) in unconfirmed where value == attribute {
            unconfirmed[peer] = nil
            if blocked.remove(peer) != nil { isAwaited = true }
        }
        return isAwaited
    }

    /// There is room on the link to a peer; whether somebody waits for that.
    mutating func hasRoom(_ peer: PeerIdentifier) -> Bool { blocked.remove(peer) != nil }
}
