internal import ANCSReceiver
internal import BlueZ
internal import BlueZCentral
internal import BluetoothLE
internal import DBus
internal import Octets

// What bluetoothd does, in the words of clients.
extension BlueZDriver {
    func received(_ event: BlueZSystem.Event) {
        switch event {
        case .stateChanged(let state):
            desk.send(.controller(.stateChanged(ManagerState(state), failure(of: state))))
        case .failed(let failure):
            // Whoever runs the adapter is told why, once.
            desk.send(.controller(.stateChanged(ManagerState(query { $0.state }), nil)))
            desk.send(.controller(.failed(.controller(described(failure)))))
        case .discovered(let client, let peer, let discovery):
            desk.send(.scan(.discovered(PeerKey(peer), discovery)), to: ClientID(client))
        case .scanFailed(let client, let error):
            desk.send(
                .scan(.failed(BluetoothError(.unknown, "bluetoothd does not scan: \(error.text)"))),
                to: ClientID(client))
        case .connected(let client, let peer):
            desk.send(.link(PeerKey(peer), .connected), to: ClientID(client))
        case .connectFailed(let client, let peer, let failure):
            desk.send(
                .link(PeerKey(peer), .connectFailed(ConnectFailure(failure))), to: ClientID(client))
        case .linkUp(let peer): desk.send(.link(PeerKey(peer), .up(nil)))
        case .disconnected(let peer, let ending):
            desk.send(.link(PeerKey(peer), .down(DisconnectReason(ending))))
        case .mtuChanged(let peer, let mtu): desk.send(.link(PeerKey(peer), .mtuChanged(mtu)))
        case .hasRoom(let peer): desk.send(.link(PeerKey(peer), .hasRoom))
        case .servicesChanged(let peer, let range):
            desk.send(.link(PeerKey(peer), .servicesChanged(range)))
        case .unsubscribed(let peer, let handle):
            desk.send(.link(PeerKey(peer), .unsubscribed(handle)))
        case .value(let peer, let handle, let value):
            desk.send(.value(PeerKey(peer), .notification(handle, value)))
        case .changed(let peer): desk.send(.peer(PeerKey(peer), .changed))
        case .identified(let peer, as: let other, formerly: let former):
            identified(PeerKey(other), as: PeerKey(peer))
            let merger = PeerMerger(
                other: PeerKey(other), formerIdentifier: PeerIdentifier(rawValue: former))
            desk.send(.peer(PeerKey(peer), .identified(merger)))
        case .ask(let peer, let question):
            desk.send(
                .security(
                    PeerKey(peer),
                    .ask(SecurityManager.Question(question.kind), request: question.id)))
        case .withdrawn(let peer): desk.send(.security(PeerKey(peer), .withdrawn))
        case .paired(let peer):
            desk.send(
                .security(PeerKey(peer), .paired(isBonded: true, replacesBond: false)))
        case .pairingFailed(let peer, let failure):
            desk.send(.security(PeerKey(peer), .failed(failure)))
        case .agentRefused(let error): warn(.pairing, error.agentRefusal)
        case .socketsEndDaemon(let isEnforcing):
            warn(.privacy, SocketAdvice.broadcasts(isEnforcing: isEnforcing))
        }
    }

    /// Why the state is not that Bluetooth can be used, if there is a reason.
    private func failure(of state: BlueZSystem.State) -> ControllerFailure? {
        let failure: BlueZEvent.Failure? =
            switch state {
            case .unknown, .poweredOn: nil
            case .resetting(let failure): failure
            case .unsupported: .noAdapter
            case .unauthorized: .denied
            case .poweredOff: query { $0.adapterName }.map { .off(adapter: $0) }
            }
        return failure.map(described)
    }

    private func described(_ failure: BlueZEvent.Failure) -> ControllerFailure {
        .bluetoothd(BluetoothdFailure(failure, adapter: place.adapter))
    }
}

extension PeerKey {
    init(_ peer: BlueZSystem.PeerID) { self.init(rawValue: peer.rawValue) }
}

extension ClientID {
    init(_ client: BlueZSystem.ClientID) { self.init(rawValue: client.rawValue) }
}

extension ManagerState {
    init(_ state: BlueZSystem.State) {
        self =
            switch state {
            case .unknown: .unknown
            case .resetting: .resetting
            case .unsupported: .unsupported
            case .unauthorized: .unauthorized
            case .poweredOff: .poweredOff
            case .poweredOn: .poweredOn
            }
    }
}

extension ConnectFailure {
    fileprivate init(_ failure: BlueZSystem.ConnectFailure) {
        self =
            switch failure {
            case .timedOut: .timedOut(nil)
            case .unknownPeer: .unknownPeer
            }
    }
}

extension DisconnectReason {
    fileprivate init(_ ending: BlueZSystem.Ending) {
        self =
            switch ending {
            case .unknown: .linkEnded
            case .remote: .link(.remoteUserTerminatedConnection)
            case .timeout: .link(.connectionTimeout)
            case .authentication: .link(.authenticationFailure)
            case .otherProgram: .otherProgram
            case .released: .link(.connectionTerminatedByLocalHost)
            case .hung: .bluetoothdHung
            case .suspended: .suspended
            case .stackGone: .bluetoothGone
            case .removed: .removed
            }
    }
}

extension PeerRequestFailure {
    init(_ failure: BlueZSystem.RequestFailure) {
        self =
            switch failure {
            case .gatt(let failure): .gatt(failure)
            case .notSupported: .notSupported
            case .takenByAnotherProgram: .takenByAnotherProgram
            case .keptByBluetoothd: .keptByBluetoothd
            case .tooManyRequests: .tooManyRequests
            }
    }
}

extension SecurityManager.Question {
    fileprivate init(_ kind: PhoneEvent.Question.Kind) {
        self =
            switch kind {
            case .compare(let number): .compare(number)
            case .enterPasskey: .enterPasskey
            case .displayPasskey(let number): .displayPasskey(number)
            // An accessory asks it, not a Central.
            case .bond: .confirmPairing
            }
    }
}
