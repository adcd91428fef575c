internal import BluetoothLE
internal import LinuxIO

// Requests to the device. If the device requires a better protected link, the system pairs and tries again
// before the request ends.
extension Peripheral {
    typealias Answer = RequestCompletion

    // Inlined, because a task with a preference for the loop is queued again at each call within the actor.

    /// Runs a procedure about a range of handles.
    @inline(__always) func perform(
        _ procedure: GATTProcedure, about range: AttributeHandleRange
    ) async throws(BluetoothError) -> GATTResult {
        try await perform(about: range) { [system, client, peer] answer in
            system.start(procedure, on: peer, by: client, completion: answer)
        }
    }

    /// Like ``perform(_:about:)``, for other kinds of requests.
    @inline(__always) func perform(
        about range: AttributeHandleRange, _ ask: (@escaping Answer) -> Void
    ) async throws(BluetoothError) -> GATTResult {
        guard state == .connected else { throw BluetoothError(.notConnected) }
        let link = self.link
        let result = await withCheckedContinuation { completion in
            let id = operations.add(range, completion)
            ask { [weak self] result in self?.assumeOnLoop { $0.answered(id, result) } }
        }
        let value = try result.get()
        // The link may have ended since the answer arrived.
        if link != self.link { throw BluetoothError(.notConnected) }
        return value
    }

    private func answered(
        _ id: PeripheralOperations.ID, _ result: Result<GATTResult, PeerRequestFailure>
    ) {
        // The end of the link or of the adapter is reported next, with its reason. At bluetoothd there may still be a
        // link, which could not be ended, or is one of BR/EDR.
        if case .failure(.gatt(.closed)) = result,
            system.state != .poweredOn || system.mtu(of: peer) == nil
        {
            return
        }
        operations.end(id, with: result.mapError(error))
    }

    private func error(_ failure: PeerRequestFailure) -> BluetoothError {
        if case .gatt(.errorResponse(let code, _)) = failure, code.asksForProtection,
            let securityFailure
        {
            return BluetoothError(securityFailure, after: code)
        }
        return BluetoothError(failure)
    }
}

extension BluetoothError {
    init(_ failure: PeerRequestFailure) {
        switch failure {
        case .gatt(let failure): self.init(failure)
        case .notSent(let reason): self.init(.unknown, "the value was not sent: \(reason)")
        case .notSupported:
            self.init(.operationNotSupported, "bluetoothd has no method for this request")
        case .takenByAnotherProgram:
            self.init(
                .takenByAnotherProgram,
                "another program of this machine has the characteristic for itself")
        case .keptByBluetoothd:
            self.init(
                .connectionTimeout,
                "bluetoothd keeps the characteristic for an earlier request, which it never answered: restart "
                    + "bluetoothd (\"sudo systemctl restart bluetooth\")")
        case .tooManyRequests: self.init(.outOfSpace, "too many requests wait for answers")
        }
    }

    init(_ failure: GATTFailure) {
        switch failure {
        case .errorResponse(let code, _): self.init(.attribute(code))
        case .malformedResponse:
            self.init(.unknown, "the peripheral's response does not match the request")
        case .tooManyResults:
            self.init(.unknown, "the peripheral has found more attributes than any device has")
        case .valueMismatch:
            self.init(.unknown, "the peripheral echoed another value than the one that was sent")
        case .transactionTimedOut: self.init(.connectionTimeout)
        case .closed: self.init(.notConnected)
        }
    }

    /// The link could not be protected after the peer refused a request with `code`.
    init(_ failure: SecurityFailure, after code: ATTErrorCode) {
        switch failure {
        case .peerLostBond, .keysDiffer: self.init(.peerRemovedPairingInformation, failure.message)
        case .timedOut, .notAnswered, .encryptionTimedOut, .encryptionFailed:
            self.init(.encryptionTimedOut, failure.message)
        case .refused, .refusedByPeer, .cancelled, .bondMissing, .otherBondRequested,
            .weakerThanBond, .notAuthenticated, .bondTooWeak, .notPairable, .rePairingRefused,
            .identityNotItsOwn,
            .tooManyRequests:
            self.init(.attribute(code), failure.message)
        }
    }
}
