internal import LinuxIO

// Signal strength.
extension Peripheral {
    /// Reads the current strength of the device's signal, in dBm. (`readRSSI()`, `didReadRSSI`)
    ///
    /// Throws `operationNotSupported` if the controller cannot measure it, and at bluetoothd, which only tells the
    /// strength of advertising. Calls made before the controller has answered get the same answer.
    public func readRSSI() async throws(BluetoothError) -> Int {
        let result = await withCheckedContinuation { waiting in
            beginReadingRSSI { result in waiting.resume(returning: result) }
        }
        return try result.get()
    }

    /// Like ``readRSSI()``, with a completion handler.
    func beginReadingRSSI(
        then completion: @escaping @Sendable (Result<Int, BluetoothError>) -> Void
    ) {
        guard state == .connected else {
            return completion(.failure(BluetoothError(.notConnected)))
        }
        rssiWaiters.append(completion)
        guard rssiWaiters.count == 1 else { return }
        system.readRSSI(of: peer, by: client) { [weak self] result in
            self?.assumeOnLoop { $0.answered(result) }
        }
    }

    private func answered(_ result: Result<Int8, RSSIFailure>) {
        switch result {
        case .success(let rssi): endRSSI(with: .success(Int(rssi)))
        case .failure(.unknown):
            endRSSI(
                with: .failure(.unsupported("the controller does not report the signal strength")))
        case .failure(.notSupported):
            endRSSI(
                with: .failure(
                    .unsupported("bluetoothd does not report the signal strength of a link")))
        // The next event says why the link ended.
        case .failure(.closed): break
        }
    }

    func endRSSI(with result: Result<Int, BluetoothError>) {
        for complete in exchange(&rssiWaiters, with: []) { complete(result) }
    }
}

extension BluetoothError {
    static func unsupported(_ message: String) -> BluetoothError {
        BluetoothError(.operationNotSupported, message)
    }
}
