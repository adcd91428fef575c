internal import BluetoothLE
internal import LinuxIO
/// The calls that wait for a peripheral to connect.
package struct ConnectionAttempt {
    /// Called at the end, with `nil` if the peripheral is connected.
    package typealias Completion = @Sendable (BluetoothError?) -> Void

    /// In the order of the calls.
    var waiters: [(id: UInt64, completion: Completion)] = []

    func end(with error: BluetoothError?) { for waiter in waiters { waiter.completion(error) } }
}

extension CentralManager {
    /// Connects a peripheral for this manager: at once if the system has a link to it, otherwise as soon as
    /// it is discovered. Returns when it is connected. (`connect(_:options:)`)
    ///
    /// Without a timeout the call waits as long as necessary, even for days and through resets of the
    /// controller, as in Core Bluetooth; ``cancelPeripheralConnection(_:)`` or the cancellation of the task
    /// ends it (`BluetoothError.Code.operationCancelled`). With a timeout it can also fail with
    /// `BluetoothError.Code.connectionTimeout`, with `BluetoothError.Code.connectionLimitReached` if
    /// there was never room for another link, or with `BluetoothError.Code.connectionFailed` if the
    /// controller refused. A call for a peripheral that is already connecting joins the earlier call, and
    /// shares its timeout.
    public func connect(
        _ peripheral: Peripheral, timeout: Duration? = nil
    ) async throws(BluetoothError) {
        let waiter = makeWaiter()
        let error: BluetoothError? = await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                // The task was cancelled before the call.
                if Task.isCancelled {
                    return waiting.resume(returning: BluetoothError(.operationCancelled))
                }
                beginConnecting(peripheral, timeout: timeout, waiter: waiter) { error in
                    waiting.resume(returning: error)
                }
            }
        } onCancel: {
            loop.execute { self.assumeOnLoop { $0.giveUpConnecting(peripheral, waiter: waiter) } }
        }
        if let error { throw error }
    }

    /// Like ``connect(_:timeout:)``, with a completion handler.
    package func beginConnecting(
        _ peripheral: Peripheral, timeout: Duration?, waiter: UInt64,
        then completion: @escaping ConnectionAttempt.Completion
    ) {
        do throws(BluetoothError) {
            try check(peripheral)
            guard state == .poweredOn else { throw notPoweredOn }
        } catch { return completion(error) }
        switch peripheral.assumeOnLoop({ $0.state }) {
        case .connected: completion(nil)
        case .connecting: attempts[peripheral]?.waiters.append((waiter, completion))
        case .disconnected:
            peripherals.hold(peripheral)
            peripheral.assumeOnLoop { $0.state = .connecting }
            attempts[peripheral] = ConnectionAttempt(waiters: [(waiter, completion)])
            system.connect(peripheral.peer, by: client, timeout: timeout)
        }
    }

    /// Removes a waiting call; the last one cancels the request.
    private func giveUpConnecting(_ peripheral: Peripheral, waiter: UInt64) {
        guard let waiters = attempts[peripheral]?.waiters,
            let index = waiters.firstIndex(where: { $0.id == waiter })
        else { return }
        attempts[peripheral]?.waiters.remove(at: index)
        waiters[index].completion(BluetoothError(.operationCancelled))
        if waiters.count == 1 { endAttempt(peripheral, BluetoothError(.operationCancelled)) }
    }

    /// Disconnects a peripheral for this manager, or cancels connecting to it. This manager's operations and
    /// subscriptions end with `BluetoothError.Code.operationCancelled`, those of others continue. The link
    /// is ended when nothing else uses it and the system has no reason of its own, such as ANCS, to keep it; at
    /// bluetoothd, only a link that this program made. (`cancelPeripheralConnection(_:)`)
    public func cancelPeripheralConnection(_ peripheral: Peripheral) {
        guard peripherals[peripheral.peer] === peripheral else { return }
        switch peripheral.assumeOnLoop({ $0.state }) {
        case .disconnected: break
        case .connecting: endAttempt(peripheral, BluetoothError(.operationCancelled))
        case .connected:
            let cancelled = BluetoothError(.operationCancelled, "the connection was cancelled")
            system.release(peripheral.peer, by: client)
            peripherals.release(peripheral)
            peripheral.assumeOnLoop { $0.disconnected(cancelled) }
            report(.disconnected(peripheral, nil))
        }
    }

    /// The adapter has stopped.
    func endEverything() {
        let error = notPoweredOn
        let waiting = attempts.keys.sorted(byNumber: \.peer.rawValue)
        for peripheral in waiting { endAttempt(peripheral, error) }
        for peripheral in peripherals.held {
            peripherals.release(peripheral)
            peripheral.assumeOnLoop { $0.disconnected(error) }
            report(.disconnected(peripheral, error))
        }
    }

    private func endAttempt(_ peripheral: Peripheral, _ error: BluetoothError) {
        guard let attempt = attempts.removeValue(forKey: peripheral) else { return }
        system.release(peripheral.peer, by: client)
        peripheral.assumeOnLoop { $0.state = .disconnected }
        peripherals.release(peripheral)
        attempt.end(with: error)
    }

    // MARK: Events of the system

    func connected(_ peer: PeerKey) {
        guard let peripheral = peripherals[peer],
            let attempt = attempts.removeValue(forKey: peripheral)
        else { return }
        if peripheral.assumeOnLoop({ $0.state }) != .connected {
            peripherals.hold(peripheral)
            peripheral.assumeOnLoop { $0.connected() }
            report(.connected(peripheral))
        }
        attempt.end(with: nil)
    }

    func connectFailed(_ peer: PeerKey, _ failure: ConnectFailure) {
        guard let peripheral = peripherals[peer] else { return }
        endAttempt(peripheral, BluetoothError(failure))
    }

    func linkDown(_ peer: PeerKey, _ reason: DisconnectReason) {
        guard let peripheral = peripherals[connected: peer] else { return }
        let error = BluetoothError(
            linkEndedFor: reason, after: peripheral.assumeOnLoop { $0.securityFailure })
        peripherals.release(peripheral)
        peripheral.assumeOnLoop { $0.disconnected(error) }
        report(.disconnected(peripheral, error))
    }
}

extension BluetoothError {
    /// A link ended, perhaps because it could not be protected.
    init(linkEndedFor reason: DisconnectReason, after failure: SecurityFailure?) {
        let status: HCIStatus? = if case .link(let status) = reason { status } else { nil }
        // The text is that of the status, unless there is none.
        let message = status == nil ? "the peripheral is disconnected: \(reason.message)" : nil
        switch (status, failure) {
        case (_, .peerLostBond?), (_, .keysDiffer?):
            self.init(.peerRemovedPairingInformation, reason: status, failure?.message)
        case (.connectionTimeout?, _): self.init(.connectionTimeout, reason: status)
        default: self.init(.peripheralDisconnected, reason: status, message)
        }
    }

    /// Connecting failed. Only one of these codes is about the peer; the others are about our own controller.
    /// Core Vol 1, Part F, 2.9, 2.13 and 2.62.
    private init(connectingFailed status: HCIStatus) {
        switch status {
        case .connectionFailedToBeEstablished, .connectionTimeout:
            self.init(.connectionTimeout, reason: status)
        case .connectionLimitExceeded, .connectionRejectedLimitedResources:
            self.init(.connectionLimitReached, reason: status)
        default: self.init(.connectionFailed, reason: status)
        }
    }

    init(_ failure: ConnectFailure) {
        switch failure {
        case .timedOut(let last):
            switch last {
            case .refused(let status): self.init(connectingFailed: status)
            case .unanswered: self.init(.connectionFailed, "the controller did not answer")
            case .timedOut, .cancelled, .controllerLost, nil: self.init(.connectionTimeout)
            }
        case .tooManyConnections: self.init(.connectionLimitReached)
        case .cancelled: self.init(.operationCancelled)
        case .unknownPeer: self.init(.unknownDevice)
        case .closed: self.init(.notPoweredOn)
        }
    }
}
