internal import BluetoothLE

// Events of the system.
extension HostProviderPort: SystemClient {
    static let topics: SystemTopics = [.controller, .scan, .link, .peer, .security, .server]

    func receive(_ event: SystemEvent) {
        switch event {
        case .controller(let event): received(event)
        case .link(let peer, let event): received(event, of: peer)
        case .peer(_, .identified(let merger)): merged(merger.other)
        case .peer(let peer, .changed): if let accessory = names[peer] { reportKnown(accessory) }
        case .security(let peer, let event): withLink(peer) { received(event, of: $0) }
        case .server(let peer, let event): withLink(peer) { received(event, of: $0) }
        case .scan(let event): received(event)
        // It does not advertise, and its accessories send it no values.
        case .value, .advertising: break
        }
    }

    private func received(_ event: SystemEvent.ControllerEvent) {
        switch event {
        case .listening, .warning: reportDevice(event)
        case .stateChanged(let state, let failure):
            reportDevice(event)
            stateChanged(state, failure)
        case .failed(let error): outlet.send(.failed(error))
        // Links that were lost during a suspension time out; the pairing window is for Centrals; the reason
        // for the end of the system was reported before.
        case .resumed, .pairingWindow, .closed: break
        }
    }

    private func reportDevice(_ event: SystemEvent.ControllerEvent) {
        if let event = event.forPrograms { outlet.send(.device(event)) }
    }

    func report(_ event: PeerEvent, of link: Link) { outlet.send(.peer(link.accessory, event)) }

    func report(_ event: ProviderEvent.SessionEvent, of link: Link) {
        outlet.send(.session(link.accessory, event))
    }

    private func received(_ event: SystemEvent.LinkEvent, of peer: PeerKey) {
        switch event {
        case .up: linkUp(peer)
        case .down(let reason): linkDown(peer, reason)
        case .mtuChanged(let mtu):
            withLink(peer) { outlet.send(.link($0.accessory, .mtuChanged(mtu))) }
        case .hasRoom: withLink(peer) { outlet.send(.hasRoom($0.accessory)) }
        case .serviceChangedSubscribed(let isSubscribed):
            withLink(peer) { report(.serviceChangedSubscription(isSubscribed), of: $0) }
        case .serviceChangedConfirmed: withLink(peer) { report(.serviceChangedConfirmed, of: $0) }
        case .changed(let description): withLink(peer) { parametersChanged(description, of: $0) }
        case .parametersRequested(let parameters):
            withLink(peer) { parametersRequested(parameters, of: $0) }
        case .parameters, .servicesChanged, .unsubscribed, .connected, .connectFailed: break
        }
    }

    private func received(_ event: SystemEvent.SecurityEvent, of link: Link) {
        switch event {
        case .changed(let security): securityChanged(security, of: link)
        case .ask(let question, let request):
            report(.pairing(system.request(request, asking: question)), of: link)
        case .paired(let isBonded, let replacesBond):
            let event = system.paired(link.peer, isBonded: isBonded, replacesBond: replacesBond)
            if let event { report(event, of: link) }
            if isBonded { compareIdentityKey(of: link) }
        case .bondRestored: report(.bondRestored, of: link)
        case .failed(let failure), .keyTrouble(let failure, news: .some):
            securityFailed(failure, of: link)
        // A question ends with an answer or a failure.
        case .keyTrouble(_, news: nil), .withdrawn: break
        }
    }

    private func withLink(_ peer: PeerKey, _ body: (Link) -> Void) {
        if let link = names[peer].flatMap({ links[$0] }) { body(link) }
    }

    private func stateChanged(_ state: ManagerState, _ failure: ControllerFailure?) {
        if state != .poweredOn {
            isScanning = false
            reportScanning(false)
        }
        switch state {
        case .poweredOn: find { finder, now in finder.start(at: now) }
        case .resetting: find { finder, _ in finder.stop() }
        // A failure is reported by its own event; otherwise the owner of the adapter has stopped it.
        case .poweredOff where !ownsAdapter && failure == nil:
            outlet.send(.failed(.controller(.stopped)))
        case .unknown, .unsupported, .unauthorized, .poweredOff: break
        }
    }

    // MARK: Links

    func linkUp(_ peer: PeerKey) {
        let accessory = know(peer)
        if connecting?.peer == peer { connecting = nil }
        let link = Link(accessory: accessory, peer: peer)
        links[accessory] = link
        if let known = system.peers[peer] { report(.connected(system.describe(known)), of: link) }
        reportAddress(of: link)
        if pairing == .onConnection { pair(accessory) }
        find { finder, now in finder.connected(peer, at: now) }
    }

    private func linkDown(_ peer: PeerKey, _ reason: DisconnectReason) {
        guard let accessory = names[peer], let link = links.removeValue(forKey: accessory) else {
            return
        }
        report(.disconnected(reason), of: link)
        find { finder, now in
            finder.disconnected(peer, wasUseful: link.wasUseful, at: now)
        }
    }

    /// An accessory turned out to be one that has a link.
    private func merged(_ peer: PeerKey) {
        if let forgotten = names.forget(peer) { forget(known: forgotten) }
        find { finder, _ in finder.merged(peer) }
    }

    // MARK: Security

    /// Pairing encrypts a link, and then again with the key that it made, which users need not know.
    private func securityChanged(_ security: LinkSecurity, of link: Link) {
        if security.isEncrypted { link.wasUseful = true }
        let protection = LinkProtection(security)
        guard exchange(&link.protection, with: protection) != protection else { return }
        report(.secured(protection), of: link)
    }

    private func securityFailed(_ failure: SecurityFailure, of link: Link) {
        switch failure {
        case .peerLostBond, .keysDiffer, .bondTooWeak, .encryptionFailed:
            // The system ends the link, or pairs again.
            if system.configuration.controller.pairing.lostKeys == .refuse {
                link.wasUseful = false
            }
        case .rePairingRefused: link.wasUseful = false
        case .refused, .refusedByPeer, .cancelled, .timedOut, .notAnswered, .encryptionTimedOut,
            .bondMissing, .otherBondRequested, .weakerThanBond, .notAuthenticated, .notPairable,
            .identityNotItsOwn,
            .tooManyRequests:
            break
        }
        report(.securityFailed(failure), of: link)
    }
}
