internal import BluetoothLE

// The phones' clocks.
extension HostPort {
    func readClock(of provider: PhoneID) { with(provider) { $0.clock.read() } }

    /// Carries out the outputs of a link's reader.
    func drainClock(of link: Link) {
        while let output = link.clock.pollOutput() {
            switch output {
            case .start(let procedure, let purpose): start(procedure, purpose, of: link)
            case .value(let characteristic, let value):
                deliver?(.service(link.provider, .clockValue(characteristic, value)))
            case .ended: deliver?(.service(link.provider, .clockRead))
            }
        }
    }

    private func start(
        _ procedure: GATTProcedure, _ purpose: ClockReader.Purpose, of link: Link
    ) {
        let provider = link.provider
        let completion: @Sendable (Result<GATTResult, GATTFailure>) -> Void = { [weak self] in
            self?.completed(purpose, $0, of: provider)
        }
        // All clients share a configuration descriptor.
        if purpose == .subscription, case .writeValue(let descriptor, _) = procedure {
            system.subscribe(
                .notification, at: descriptor, of: link.peer, by: client, pairs: false,
                completion: completion)
        } else {
            system.start(
                procedure, on: link.peer, by: client, pairs: false, completion: completion)
        }
    }

    private func completed(
        _ purpose: ClockReader.Purpose, _ result: Result<GATTResult, GATTFailure>,
        of provider: PhoneID
    ) {
        with(provider) { link in
            guard !link.machine.endsBearer(result) else { return }
            link.clock.completed(purpose, result)
        }
    }
}
