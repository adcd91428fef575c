internal import BluetoothLE

// What the system tells its clients, as far as it concerns a Central.
extension CentralManager: SystemClient {
    nonisolated func receive(_ event: SystemEvent) {
        assumeIsolated { $0.received(event) }
    }

    private func received(_ event: SystemEvent) {
        switch event {
        case .stateChanged(let state, _): stateChanged(state)
        case .discovered(let identifier, let discovery): discovered(identifier, discovery)
        case .scanningFailed(let failure): scanningFailed(failure)
        case .connected(let identifier): connected(identifier)
        case .connectFailed(let identifier, let failure): connectFailed(identifier, failure)
        case .linkDown(let identifier, let reason): linkDown(identifier, reason)
        case .identified(let identifier, let other): identified(identifier, as: other)
        case .peerChanged(let identifier): peerChanged(identifier)
        case .value(let identifier, let handle, let value, _):
            received(value, of: handle, from: identifier)
        case .securityChanged, .securityFailed, .hasRoom: receivedOfLink(event)
        default: break
        }
    }

    /// What concerns a peripheral that is connected for this manager.
    private func receivedOfLink(_ event: SystemEvent) {
        switch event {
        case .securityChanged(let identifier, _):
            peripherals[connected: identifier]?.assumeIsolated { $0.securityFailure = nil }
        case .securityFailed(let identifier, let failure):
            peripherals[connected: identifier]?.assumeIsolated { $0.securityFailure = failure }
        case .hasRoom(let identifier):
            guard let peripheral = peripherals[connected: identifier] else { return }
            peripheral.assumeIsolated { $0.hasRoom() }
            tell(.isReadyToSendWriteWithoutResponse(peripheral))
        default: break
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
        if let attempt = attempts.removeValue(forKey: identifier) {
            attempts[other, default: ConnectionAttempt()].waiters += attempt.waiters
        }
        if let peripheral = peripherals.move(identifier, to: other) {
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
