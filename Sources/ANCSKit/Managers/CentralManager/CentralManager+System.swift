internal import BluetoothLE

// What the system tells its clients, as far as it concerns a Central.
extension CentralManager: SystemClient {
    nonisolated func receive(_ event: SystemEvent) {
        assumeIsolated { $0.received(event) }
    }

    private func received(_ event: SystemEvent) {
        switch event {
        case .controller(.stateChanged(let state, _)): stateChanged(state)
        case .scan(.discovered(let identifier, let discovery)): discovered(identifier, discovery)
        case .scan(.failed(let failure)): scanningFailed(failure)
        case .link(let identifier, let event): received(event, of: identifier)
        case .peer(let identifier, .identified(let other)): identified(identifier, as: other)
        case .peer(let identifier, .changed): peerChanged(identifier)
        case .security(let identifier, .changed):
            peripherals[connected: identifier]?.assumeIsolated { $0.securityFailure = nil }
        case .security(let identifier, .failed(let failure)):
            peripherals[connected: identifier]?.assumeIsolated { $0.securityFailure = failure }
        case .value(let identifier, .notification(let handle, let value)),
            .value(let identifier, .indication(let handle, let value)):
            received(value, of: handle, from: identifier)
        // The adapter's user is asked and told, and managers of Peripherals have the rest.
        case .controller(.listening), .controller(.failed), .controller(.warning),
            .controller(.resumed), .controller(.pairingWindow), .controller(.closed),
            .scan(.changed),
            .security(_, .ask), .security(_, .paired), .security(_, .bondRestored), .server,
            .advertising:
            break
        }
    }

    private func received(_ event: SystemEvent.LinkEvent, of identifier: PeerIdentifier) {
        switch event {
        case .connected: connected(identifier)
        case .connectFailed(let failure): connectFailed(identifier, failure)
        case .down(let reason): linkDown(identifier, reason)
        case .hasRoom:
            guard let peripheral = peripherals[connected: identifier] else { return }
            peripheral.assumeIsolated { $0.hasRoom() }
            tell(.isReadyToSendWriteWithoutResponse(peripheral))
        // Links of others are none of its business.
        case .up, .changed, .mtuChanged, .serviceChangedSubscribed: break
        }
    }

    private func received(
        _ value: [UInt8], of handle: AttributeHandle, from identifier: PeerIdentifier
    ) {
        let changed = system.changedServices(value, of: handle, at: identifier)
        guard let peripheral = peripherals[connected: identifier] else { return }
        if let changed {
            let invalidated = peripheral.assumeIsolated { $0.servicesChanged(in: changed) }
            tell(.servicesModified(peripheral, invalidated: invalidated))
        } else {
            let characteristic = peripheral.assumeIsolated { $0.received(value, of: handle) }
            if let characteristic { tell(.valueUpdated(peripheral, characteristic, value)) }
        }
    }

    private func stateChanged(_ state: ManagerState) {
        if state != .poweredOn { scan = nil }
        tell(.stateUpdated(state))
        if state == .poweredOff || state == .unsupported { endEverything() }
        // An adapter that is off is not on again.
        if state == .poweredOff { finishEvents() }
    }

    private func identified(_ identifier: PeerIdentifier, as other: PeerIdentifier) {
        scan?.identified(identifier, as: other)
        let known = peripherals[other]
        if let peripheral = peripherals.move(identifier, to: other) {
            // It takes the place of the object that was waited for.
            if let known, let attempt = attempts.removeValue(forKey: known) {
                attempts[peripheral, default: ConnectionAttempt()].waiters += attempt.waiters
            }
            peripheral.assumeIsolated { $0.identified(as: other) }
            tell(.identified(peripheral, formerly: identifier))
        }
        // Who waited for the peer by its other identifier has it now.
        if system.isUser(client, of: other) { connected(other) }
    }

    private func peerChanged(_ identifier: PeerIdentifier) {
        guard let peripheral = peripherals[identifier] else { return }
        if peripheral.assumeIsolated({ $0.updateName() }) { tell(.nameUpdated(peripheral)) }
    }
}
