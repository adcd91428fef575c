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
                outlet.send(.service(link.provider, .clockValue(characteristic, value)))
            case .ended: outlet.send(.service(link.provider, .clockRead))
            }
        }
    }

    private func start(_ procedure: GATTProcedure, _ purpose: ClockReader.Purpose, of link: Link) {
        let provider = link.provider
        start(procedure, subscribing: purpose == .subscription ? .notification : nil, of: link) {
            [weak self] in self?.completed(purpose, $0, of: provider)
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
