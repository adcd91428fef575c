internal import BluetoothLE
// The connection parameters of links.
extension HostProviderPort {
    /// An accessory requests parameters, by either protocol.
    func parametersRequested(_ parameters: ConnectionParameters, of link: Link) {
        let request = decisions.decide(
            parameters, of: link.accessory,
            isHID: advertisements.offers(.humanInterfaceDevice, link.peer))
        reportParameters(.parametersRequested(request), of: link)
        if request.answer == .accept { link.overwrites = request.fault == .overwrite }
        let interval = system.link(to: link.peer)?.interval.duration ?? .zero
        let delay = request.answer == .accept ? interval * decisions.takeDelay() : .zero
        // Parameters that are out of range were refused already.
        system.answerParameters(request.answer, of: link.peer, after: delay)
    }

    func parametersChanged(_ description: LinkDescription, of link: Link) {
        let parameters = LinkParameters(description)
        guard exchange(&link.parameters, with: parameters) != parameters else { return }
        reportParameters(.parametersUpdated(parameters), of: link)
        if exchange(&link.overwrites, with: false) {
            system.updateParameters(.initial, of: link.peer)
        }
    }

    private func reportParameters(_ event: ProviderEvent.LinkEvent, of link: Link) {
        guard link.parameterReports > 0 else { return }
        link.parameterReports -= 1
        outlet.send(.linkEvent(link.accessory, event))
    }

    func discoverServices(of accessory: AccessoryID) {
        guard let peer = links[accessory]?.peer else { return }
        system.findServices(of: peer, isWatching: true) { [weak self] services in
            // A link that has ended says nothing about the services.
            guard let self, !services.isEmpty || system.link(to: peer) != nil else { return }
            outlet.send(.linkEvent(accessory, .servicesFound(services)))
        }
    }

    /// Reports whether an accessory that has bonded shares its identity resolving key with another one.
    func compareIdentityKey(of link: Link) {
        let (others, same) = system.comparedIdentityKey(of: link.peer)
        guard others > 0 else { return }
        let known = same.flatMap { system.peers[$0] }
        let name = known.map { $0.name ?? $0.identity?.text ?? $0.address.text }
        outlet.send(.linkEvent(link.accessory, .identityKeyCompared(sharedWith: name)))
    }

    /// Reports that an accessory meets the phone at another address than last.
    func reportAddress(of link: Link) {
        guard let address = system.link(to: link.peer)?.localAddress else { return }
        let last = ownAddresses.updateValue(address, forKey: link.accessory)
        if let last, last != address {
            outlet.send(.linkEvent(link.accessory, .phoneAddressChanged))
        }
    }
}

extension BluetoothUUID {
    /// The Human Interface Device service. Assigned Numbers, 3.4.2.
    fileprivate static let humanInterfaceDevice = BluetoothUUID(0x1812 as UInt16)
}
