internal import BluetoothLE

// Asking the device something. Where it wants a better protected link for it, the system pairs and asks
// once more before it tells what came of it.
extension Peripheral {
    typealias Answer = @Sendable (Result<GATTResult, GATTFailure>) -> Void

    /// Has the device do something about a range of handles.
    func perform(
        _ procedure: GATTProcedure, about range: AttributeHandleRange
    ) async throws(BluetoothError) -> GATTResult {
        try await perform(about: range) { [system, client, peer] answer in
            system.start(procedure, on: peer, by: client, completion: answer)
        }
    }

    /// As ``perform(_:about:)``, with whatever asks the device.
    func perform(
        about range: AttributeHandleRange, _ ask: (@escaping Answer) -> Void
    ) async throws(BluetoothError) -> GATTResult {
        guard state == .connected else { throw BluetoothError(.notConnected) }
        let link = self.link
        let result = await withCheckedContinuation { completion in
            let id = operations.add(range, completion)
            ask { [weak self] result in self?.assumeIsolated { $0.answered(id, result) } }
        }
        let value = try result.get()
        // The link may have ended since the answer came.
        if link != self.link { throw BluetoothError(.notConnected) }
        return value
    }

    private func answered(
        _ id: PeripheralOperations.ID, _ result: Result<GATTResult, GATTFailure>
    ) {
        // Why there is no link any more is told next.
        if case .failure(.closed) = result { return }
        operations.end(id, with: result.mapError(error))
    }

    private func error(_ failure: GATTFailure) -> BluetoothError {
        if case .errorResponse(let code, _) = failure, code.asksForProtection,
            let securityFailure
        {
            return BluetoothError(securityFailure, after: code)
        }
        return BluetoothError(failure)
    }
}

extension BluetoothError {
    init(_ failure: GATTFailure) {
        switch failure {
        case .errorResponse(let code, _): self.init(.attribute(code))
        case .malformedResponse:
            self.init(.unknown, "the peripheral's response is not one to the request")
        case .valueMismatch:
            self.init(.unknown, "the peripheral did not take the value as it was sent")
        case .transactionTimedOut: self.init(.connectionTimeout)
        case .closed: self.init(.notConnected)
        }
    }

    /// The link could not be secured after the peer refused with `code` what needs it.
    init(_ failure: SecurityFailure, after code: ATTErrorCode) {
        switch failure {
        case .peerLostBond, .keysDiffer: self.init(.peerRemovedPairingInformation, failure.message)
        case .timedOut, .encryptionTimedOut, .encryptionFailed:
            self.init(.encryptionTimedOut, failure.message)
        case .refused, .refusedByPeer, .cancelled, .bondMissing, .weakerThanBond, .bondTooWeak,
            .notPairable, .rePairingRefused:
            self.init(.attribute(code), failure.message)
        }
    }
}
