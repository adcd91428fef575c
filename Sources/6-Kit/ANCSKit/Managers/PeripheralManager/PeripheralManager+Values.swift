internal import BluetoothLE
// Values of subscribed centrals.
extension PeripheralManager {
    /// Sends a value to the centrals that have subscribed to it, or to some of them, by notification or
    /// indication; each receives at most ``Central/maximumUpdateValueLength`` octets of it. Returns `false`
    /// if the call has to be repeated; `true` also if there are no subscribers or the characteristic is not
    /// published. (`updateValue(_:for:onSubscribedCentrals:)`)
    ///
    /// If one of the centrals has no room, the value is sent to none of them and the result is `false`:
    /// repeat the call after `isReadyToUpdateSubscribers`. This way no central receives a value twice or out
    /// of order. There is room for an indication once the previous one is confirmed (Core Vol 3, Part F,
    /// 3.3.2); a central that enabled both receives notifications.
    public func updateValue(
        _ value: [UInt8], for characteristic: MutableCharacteristic,
        onSubscribedCentrals centrals: [Central]? = nil
    ) -> Bool {
        guard let attribute = characteristics.first(where: { $0.value === characteristic })?.key
        else { return true }
        let receivers = book.subscribers(to: attribute).filter { centrals?.contains($0) ?? true }
        let full = receivers.filter { !hasRoom($0, for: attribute) }
        guard full.isEmpty else {
            book.noteBlocked(full)
            return false
        }
        for central in receivers { send(value, of: attribute, to: central) }
        return true
    }

    private func isNotified(_ attribute: AttributeHandle, of central: Central) -> Bool {
        book.configuration(of: central, for: attribute).contains(.notification)
    }

    private func hasRoom(_ central: Central, for attribute: AttributeHandle) -> Bool {
        let isHeld = !isNotified(attribute, of: central) && book.owesConfirmation(central)
        return !isHeld && system?.hasRoom(to: central.peer) == true
    }

    private func send(_ value: [UInt8], of attribute: AttributeHandle, to central: Central) {
        let part = Array(value.prefix(central.maximumUpdateValueLength))
        let peer = central.peer
        // A central that has unsubscribed, disconnected, or lost its protection receives nothing.
        if isNotified(attribute, of: central) {
            system?.notify(part, of: attribute, to: peer)
        } else if let system, system.indicate(part, of: attribute, to: peer) == nil {
            book.indicated(attribute, to: central)
        }
    }

    // MARK: Subscriptions

    func configured(
        _ attribute: AttributeHandle, by peer: PeerKey,
        as configuration: ClientCharacteristicConfiguration
    ) {
        guard let central = central(peer) else { return }
        switch book.configured(attribute, by: central, as: configuration) {
        case .subscribed:
            guard let characteristic = characteristics[attribute] else { return }
            noteSubscribers(of: attribute)
            report(.didSubscribe(central, to: characteristic))
        case .unsubscribed: reportUnsubscribed(central, from: attribute)
        case nil: break
        }
    }

    /// A bonded central has returned, and its configuration applies again. Core Vol 3, Part G, 3.3.3.3.
    func subscriptionsRestored(of peer: PeerKey) {
        guard let configuration = system?.clientConfiguration(of: peer) else { return }
        for place in published.flatMap(\.handles.characteristics) {
            guard let descriptor = place.configuration else { continue }
            configured(place.value, by: peer, as: configuration[descriptor])
        }
    }

    func reportUnsubscribed(_ central: Central, from attribute: AttributeHandle) {
        guard let characteristic = characteristics[attribute] else { return }
        noteSubscribers(of: attribute)
        report(.didUnsubscribe(central, from: characteristic))
    }

    private func noteSubscribers(of attribute: AttributeHandle) {
        characteristics[attribute]?.setSubscribedCentrals(book.subscribers(to: attribute))
    }
}
