internal import BluetoothLE

// How strong the device is heard.
extension Peripheral {
    /// Asks the controller how strong it hears the device now, in dBm. (`readRSSI()`, `didReadRSSI`)
    ///
    /// `operationNotSupported` where the controller cannot say it. Calls that come before the controller
    /// has answered get the same answer.
    public func readRSSI() async throws(BluetoothError) -> Int {
        let result = await withCheckedContinuation { waiting in
            beginReadingRSSI { result in waiting.resume(returning: result) }
        }
        return try result.get()
    }

    /// As ``readRSSI()``, for callers that cannot wait.
    func beginReadingRSSI(
        then completion: @escaping @Sendable (Result<Int, BluetoothError>) -> Void
    ) {
        guard state == .connected else {
            return completion(.failure(BluetoothError(.notConnected)))
        }
        rssiWaiters.append(completion)
        guard rssiWaiters.count == 1 else { return }
        system.readRSSI(of: peer, by: client) { [weak self] result in
            self?.assumeIsolated { $0.answered(result) }
        }
    }

    private func answered(_ result: Result<Int8, RSSIFailure>) {
        switch result {
        case .success(let rssi): endRSSI(with: .success(Int(rssi)))
        case .failure(.unknown):
            endRSSI(
                with: .failure(
                    BluetoothError(
                        .operationNotSupported,
                        "the controller does not say how strong the peripheral is heard")))
        // Why there is no link any more is told next.
        case .failure(.closed): break
        }
    }

    func endRSSI(with result: Result<Int, BluetoothError>) {
        for complete in exchange(&rssiWaiters, with: []) { complete(result) }
    }
}
