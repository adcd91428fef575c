internal import BluetoothLE

/// Which centrals are subscribed to which values, in the order in which they came, and for which of them
/// values wait until there is room: what the answer of
/// ``PeripheralManager/updateValue(_:for:onSubscribedCentrals:)`` depends on. Each is the one object that
/// stands for it while it is connected, whatever pairing reveals of it.
struct SubscriptionBook: Sendable {
    /// What a change of a configuration descriptor means.
    enum Change: Hashable, Sendable {
        case subscribed
        case unsubscribed
    }

    private struct Entry: Sendable {
        let central: Central
        let attribute: AttributeHandle
        var configuration: ClientCharacteristicConfiguration
    }

    private var entries: [Entry] = []
    /// Those that have not confirmed an indication, and of which value.
    private var unconfirmed: [Central: AttributeHandle] = [:]
    /// Those that a value did not go to, for lack of room.
    private var blocked: Set<Central> = []

    /// Those that are subscribed to a value, the first one first.
    func subscribers(to attribute: AttributeHandle) -> [Central] {
        entries.filter { $0.attribute == attribute }.map(\.central)
    }

    /// What a central configured for a value.
    func configuration(
        of central: Central, for attribute: AttributeHandle
    ) -> ClientCharacteristicConfiguration {
        entries.first { $0.central == central && $0.attribute == attribute }?.configuration ?? []
    }

    /// A central has configured a value so; `nil` where it was subscribed before and is still, or was not and
    /// is not.
    mutating func configured(
        _ attribute: AttributeHandle, by central: Central,
        as configuration: ClientCharacteristicConfiguration
    ) -> Change? {
        let index = entries.firstIndex { $0.central == central && $0.attribute == attribute }
        guard let index else {
            guard !configuration.isEmpty else { return nil }
            entries.append(
                Entry(central: central, attribute: attribute, configuration: configuration))
            return .subscribed
        }
        guard configuration.isEmpty else {
            entries[index].configuration = configuration
            return nil
        }
        entries.remove(at: index)
        return .unsubscribed
    }

    /// A central is gone; returns what it was subscribed to.
    mutating func ended(_ central: Central) -> [AttributeHandle] {
        unconfirmed[central] = nil
        blocked.remove(central)
        let attributes = entries.filter { $0.central == central }.map(\.attribute)
        entries.removeAll { $0.central == central }
        return attributes
    }

    /// A value is gone; returns the centrals that were subscribed to it.
    mutating func removed(_ attribute: AttributeHandle) -> [Central] {
        let centrals = subscribers(to: attribute)
        entries.removeAll { $0.attribute == attribute }
        return centrals
    }

    // MARK: Room

    /// A value was indicated to a central.
    mutating func indicated(_ attribute: AttributeHandle, to central: Central) {
        unconfirmed[central] = attribute
    }

    /// Whether a central has an indication to confirm.
    func owesConfirmation(_ central: Central) -> Bool { unconfirmed[central] != nil }

    /// A value was not sent because these centrals have no room for it.
    mutating func noteBlocked(_ centrals: [Central]) { blocked.formUnion(centrals) }

    /// A central confirmed an indication; whether a value waits for that.
    mutating func confirmed(by central: Central) -> Bool {
        unconfirmed.removeValue(forKey: central) != nil && blocked.remove(central) != nil
    }

    /// A value is gone, and will not be confirmed any more; whether another one waits for that.
    mutating func settled(_ attribute: AttributeHandle) -> Bool {
        var isAwaited = false
        for (central, value) in unconfirmed where value == attribute {
            unconfirmed[central] = nil
            if blocked.remove(central) != nil { isAwaited = true }
        }
        return isAwaited
    }

    /// There is room on the link to a central; whether a value waits for that.
    mutating func hasRoom(_ central: Central) -> Bool { blocked.remove(central) != nil }
}
