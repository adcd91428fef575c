internal import BluetoothLE
internal import LinuxIO

// Events of the system, as far as they concern a Central.
extension CentralManager: SystemClient {
    static let topics: SystemTopics = [.controller, .scan, .link, .peer, .security, .value]

    nonisolated func receive(_ event: SystemEvent) { assumeOnLoop { $0.received(event) } }

    private func received(_ event: SystemEvent) {
        switch event {
        case .controller(.stateChanged(let state, let failure)):
            stateReason = state.reason(for: failure, after: stateReason)
            stateChanged(state)
        case .controller(.failed(let error)): stateReason = error.message
        case .controller(.closed): closed()
        case .scan(.discovered(let peer, let discovery)): discovered(peer, discovery)
        case .scan(.failed(let failure)): scanningFailed(failure)
        case .link(let peer, let event): received(event, of: peer)
        case .peer(let peer, .identified(let merger)): identified(peer, merger)
        case .peer(let peer, .changed): peerChanged(peer)
        case .security(let peer, .changed):
            peripherals[connected: peer]?.assumeOnLoop { $0.securityFailure = nil }
        case .security(let peer, .failed(let failure)):
            peripherals[connected: peer]?.assumeOnLoop { $0.securityFailure = failure }
        case .value(let peer, .notification(let handle, let value)),
            .value(let peer, .indication(let handle, let value)):
            received(value, of: handle, from: peer)
        // These are for the adapter's owner, and for peripheral managers.
        case .controller(.listening), .controller(.warning),
            .controller(.resumed), .controller(.pairingWindow), .scan(.changed), .scan(.passedOver),
            .security(_, .ask), .security(_, .paired), .security(_, .bondRestored),
            .security(_, .keyTrouble), .security(_, .withdrawn), .server, .advertising:
            break
        }
    }

    private func received(_ event: SystemEvent.LinkEvent, of peer: PeerKey) {
        switch event {
        case .connected: connected(peer)
        case .connectFailed(let failure): connectFailed(peer, failure)
        case .down(let reason):
            linkDown(peer, reason)
            report(peer, isUp: false)
        case .hasRoom:
            guard let peripheral = peripherals[connected: peer] else { return }
            peripheral.assumeOnLoop { $0.hasRoom() }
            report(.isReadyToSendWriteWithoutResponse(peripheral))
        case .servicesChanged(let range):
            guard let peripheral = peripherals[connected: peer] else { return }
            let invalidated = peripheral.assumeOnLoop { $0.servicesChanged(in: range) }
            report(.servicesModified(peripheral, invalidated: invalidated))
        case .unsubscribed(let handle):
            guard let peripheral = peripherals[connected: peer] else { return }
            let characteristic = peripheral.assumeOnLoop { $0.unsubscribed(handle) }
            if let characteristic { report(.notificationsEnded(peripheral, characteristic)) }
        case .up: report(peer, isUp: true)
        // Other links are not used here.
        case .changed, .parameters, .parametersRequested, .mtuChanged,
            .serviceChangedSubscribed, .serviceChangedConfirmed:
            break
        }
    }

    private func report(_ peer: PeerKey, isUp: Bool) {
        guard let onLink, let peripheral = peripheral(peer) else { return }
        onLink(peripheral, isUp)
    }

    private func received(_ value: [UInt8], of handle: AttributeHandle, from peer: PeerKey) {
        guard let peripheral = peripherals[connected: peer] else { return }
        let characteristic = peripheral.assumeOnLoop { $0.received(value, of: handle) }
        if let characteristic { report(.valueUpdated(peripheral, characteristic, value)) }
    }

    private func stateChanged(_ state: ManagerState) {
        if state != .poweredOn { scan = nil }
        report(.stateUpdated(state))
    }

    /// The adapter has stopped, and never starts again.
    private func closed() {
        endEverything()
        finishEvents()
    }

    /// Two peers turned out to be one: only one object remains.
    private func identified(_ peer: PeerKey, _ merger: PeerMerger) {
        let known = peripherals[merger.other]
        peripherals.merge(merger.other, into: peer)
        guard let peripheral = peripherals[peer], let identifier = system.identifier(of: peer)
        else { return }
        peripheral.identified(as: peer, called: identifier)
        guard peripheral !== known else { return }
        // It replaces the object that was being connected.
        if let known, let attempt = attempts.removeValue(forKey: known) {
            attempts[peripheral, default: ConnectionAttempt()].waiters += attempt.waiters
        }
        report(.identified(peripheral, formerly: merger.formerIdentifier))
    }

    private func peerChanged(_ peer: PeerKey) {
        guard let peripheral = peripherals[peer] else { return }
        if peripheral.assumeOnLoop({ $0.updateName() }) { report(.nameUpdated(peripheral)) }
    }
}
