internal import BluetoothLE

/// The subscriptions of centrals, in order, and the centrals for which values have to wait for room, which
/// determines the result of ``PeripheralManager/updateValue(_:for:onSubscribedCentrals:)``. A central is
/// identified by its object, which stays the same while it is connected, whatever pairing reveals.
struct SubscriptionBook: Sendable {
    /// The meaning of a change of a configuration descriptor.
    enum Change: Equatable, Sendable {
        case subscribed
        case unsubscribed
    }

    private struct Entry: Sendable {
        let central: Central
        let attribute: AttributeHandle
        var configuration: ClientCharacteristicConfiguration
    }

    private var entries: [Entry] = []
    /// The centrals that have yet to confirm an indication, and of which value.
    private var unconfirmed: [Central: AttributeHandle] = [:]
    /// The centrals that did not receive a value for lack of room.
    private var blocked: Set<Central> = []

    /// The centrals that have subscribed to a value, in order.
    func subscribers(to attribute: AttributeHandle) -> [Central] {
        entries.filter { $0.attribute == attribute }.map(\.central)
    }

    /// A central's configuration of a value.
    func configuration(
        of central: Central, for attribute: AttributeHandle
    ) -> ClientCharacteristicConfiguration {
        entries.first { $0.central == central && $0.attribute == attribute }?.configuration ?? []
    }

    /// A central wrote the configuration of a value; `nil` if it is no change.
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

    /// A central has disconnected; returns the values that it was subscribed to.
    mutating func ended(_ central: Central) -> [AttributeHandle] {
        unconfirmed[central] = nil
        blocked.remove(central)
        let attributes = entries.filter { $0.central == central }.map(\.attribute)
        entries.removeAll { $0.central == central }
        return attributes
    }

    /// A value was removed; returns the centrals that were subscribed to it.
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

    /// Whether a central has yet to confirm an indication.
    func owesConfirmation(_ central: Central) -> Bool { unconfirmed[central] != nil }

    /// A value was not sent because these centrals have no room.
    mutating func noteBlocked(_ centrals: [Central]) { blocked.formUnion(centrals) }

    /// A central confirmed an indication; returns whether a value waits for that.
    mutating func confirmed(by central: Central) -> Bool {
        unconfirmed.removeValue(forKey: central) != nil && blocked.remove(central) != nil
    }

    /// A value was removed, and will not be confirmed; returns whether another value waits for that.
    mutating func settled(_ attribute: AttributeHandle) -> Bool {
        var isAwaited = false
        for (central, value) in unconfirmed where value == attribute {
            unconfirmed[central] = nil
            if blocked.remove(central) != nil { isAwaited = true }
        }
        return isAwaited
    }

    /// There is room on the link to a central; returns whether a value waits for that.
    mutating func hasRoom(_ central: Central) -> Bool { blocked.remove(central) != nil }
}
