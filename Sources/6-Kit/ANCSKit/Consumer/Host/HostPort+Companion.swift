internal import BluetoothLE

// The service that is used beside ANCS.
extension HostPort {
    func request(_ request: CompanionRequest, of provider: PhoneID) {
        with(provider) { link in
            if case .find(let uuid) = request {
                link.companion = CompanionLink(uuid, stored: link.machine.stored(uuid))
            } else {
                link.companion?.request(request)
            }
        }
    }

    /// Carries out the outputs of a link's service.
    func drainCompanion(of link: Link) {
        while let output = link.companion?.pollOutput() {
            switch output {
            case .start(let procedure, let purpose): start(procedure, purpose, of: link)
            case .keep(let service): keep(service, of: link)
            case .report(let event): outlet.send(.companion(link.provider, event))
            }
        }
    }

    /// Stores what was found, beside ANCS.
    private func keep(_ service: RemoteDatabase.Service, of link: Link) {
        link.machine.keep(service)
        drain(link)
    }

    private func start(
        _ procedure: GATTProcedure, _ purpose: CompanionLink.Purpose, of link: Link
    ) {
        let provider = link.provider
        var configuration: ClientCharacteristicConfiguration?
        if case .request(.subscribe, _) = purpose { configuration = .notification }
        start(procedure, subscribing: configuration, isForced: true, of: link) {
            [weak self] result in self?.completed(purpose, result, of: provider)
        }
    }

    private func completed(
        _ purpose: CompanionLink.Purpose, _ result: Result<GATTResult, GATTFailure>,
        of provider: PhoneID
    ) {
        with(provider) { link in
            guard !link.machine.endsBearer(result) else { return }
            link.companion?.completed(
                purpose, result, mtu: system.mtu(of: link.peer) ?? ATT.defaultMTU)
        }
    }
}
