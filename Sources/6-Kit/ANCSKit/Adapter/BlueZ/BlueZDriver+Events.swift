internal import ANCSReceiver
internal import BlueZ
internal import BlueZCentral
internal import BluetoothLE
// What bluetoothd does, in the words of clients.
extension BlueZDriver {
    func received(_ event: BlueZSystem.Event) {
        switch event {
        case .stateChanged(let state, let failure):
            desk.send(.controller(.stateChanged(state, failure.map { .bluetoothd($0.withSwitch) })))
        case .failed(let failure):
            // Whoever runs the adapter is told why, once.
            desk.send(.controller(.stateChanged(query { $0.state }, nil)))
            desk.send(.controller(.failed(.controller(.bluetoothd(failure.withSwitch)))))
        case .discovered(let client, let peer, let discovery):
            desk.send(.scan(.discovered(peer, discovery)), to: client)
        case .scanFailed(let client, let error):
            desk.send(
                .scan(.failed(BluetoothError(.unknown, "bluetoothd does not scan: \(error.text)"))),
                to: client)
        case .connected(let client, let peer): desk.send(.link(peer, .connected), to: client)
        case .connectFailed(let client, let peer, let isKnown):
            let failure = isKnown ? ConnectFailure.timedOut(nil) : .unknownPeer
            desk.send(.link(peer, .connectFailed(failure)), to: client)
        case .linkUp(let peer): desk.send(.link(peer, .up(nil)))
        case .disconnected(let peer, let reason): desk.send(.link(peer, .down(reason)))
        case .mtuChanged(let peer, let mtu): desk.send(.link(peer, .mtuChanged(mtu)))
        case .hasRoom(let peer): desk.send(.link(peer, .hasRoom))
        case .servicesChanged(let peer, let range):
            desk.send(.link(peer, .servicesChanged(range)))
        case .unsubscribed(let peer, let handle):
            desk.send(.link(peer, .unsubscribed(handle)))
        case .value(let peer, let handle, let value):
            desk.send(.value(peer, .notification(handle, value)))
        case .changed(let peer): desk.send(.peer(peer, .changed))
        case .identified(let peer, as: let other, formerly: let former):
            identified(other, as: peer)
            let merger = PeerMerger(other: other, formerIdentifier: former)
            desk.send(.peer(peer, .identified(merger)))
        case .ask(let peer, let question):
            desk.send(
                .security(
                    peer,
                    .ask(SecurityManager.Question(question.kind), request: question.id)))
        case .withdrawn(let peer): desk.send(.security(peer, .withdrawn))
        case .paired(let peer):
            desk.send(
                .security(peer, .paired(isBonded: true, replacesBond: false)))
        case .pairingFailed(let peer, let failure):
            desk.send(.security(peer, .failed(failure)))
        case .agentRefused(let error): warn(.pairing, error.agentRefusal)
        case .socketsEndDaemon(let isEnforcing):
            warn(.privacy, SocketAdvice.broadcasts(isEnforcing: isEnforcing))
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
