internal import ANCSProvider
internal import LinuxIO

// Links to accessories, and their sessions.
extension NotificationProvider {
    // MARK: Links

    func connected(_ id: AccessoryID, _ description: PeerDescription) {
        guard let peer = peers[id] else { return }
        let link = PeerLink(
            session: ProviderSession(behavior: behavior, isConsented: peer.hasConsent))
        link.media.quirks = media.quirks
        link.timer = LoopTimer(on: loop) { [weak self] in
            self?.assumeOnLoop { provider in
                let now = provider.loop.now
                provider.withLink(of: id) { $0.session.handleTimeout(at: now) }
            }
        }
        peer.link = link
        report(.peer(id, .connected(description)))
        if life.isStopping || restarting != nil { port.disconnect(id) }
    }

    func linkEnded(_ peer: Peer, _ reason: DisconnectReason) {
        guard let link = exchange(&peer.link, with: nil) else { return }
        link.timer?.deadline = nil
        link.session.disconnected()
        while let output = link.session.pollOutput(from: store, hasRoom: false) {
            handle(output, of: peer, link)
        }
        report(.peer(peer.id, .disconnected(reason)))
    }

    func receive(_ report: ProviderSession.LinkReport, of id: AccessoryID) {
        let now = loop.now
        withLink(of: id) { link in
            self.report(report, of: id, link)
            link.session.receive(report, store: store, at: now)
            if case .mtuChanged(let mtu) = report {
                link.media.receive(.mtuChanged(mtu), from: media.state)
            }
        }
    }

    private func report(
        _ linkReport: ProviderSession.LinkReport, of id: AccessoryID, _ link: PeerLink
    ) {
        switch linkReport {
        case .mtuChanged(let mtu):
            link.mtu = mtu
            report(.peer(id, .mtuChanged(mtu)))
        case .subscribed(let characteristic):
            guard link.setSubscribed(true, to: characteristic) else { return }
            report(.session(id, .subscriptionChanged(characteristic, true)))
        case .unsubscribed(let characteristic):
            guard link.setSubscribed(false, to: characteristic) else { return }
            report(.session(id, .subscriptionChanged(characteristic, false)))
        case .controlPointWritten: break
        }
    }

    // MARK: Sessions

    /// Calls the session of an accessory, and carries out its outputs.
    func withLink(of id: AccessoryID, _ body: (PeerLink) -> Void) {
        guard let peer = peers[id], let link = peer.link else { return }
        body(link)
        drain(peer)
    }

    private func drain(_ peer: Peer) {
        guard let link = peer.link, !link.isDraining else { return }
        link.isDraining = true
        var hasRoom = port.hasRoom(for: peer.id)
        while peer.link === link,
            let output = link.session.pollOutput(from: store, hasRoom: hasRoom)
        {
            handle(output, of: peer, link)
            // Only what is sent takes room.
            if case .link = output { hasRoom = port.hasRoom(for: peer.id) }
        }
        drainMedia(peer, link)
        link.isDraining = false
        guard peer.link === link else { return }
        link.timer?.deadline = .earliest(
            link.session.nextDeadline, link.media.hasValues ? loop.now + Self.mediaPause : nil)
    }

    private func handle(_ output: ProviderSession.Output, of peer: Peer, _ link: PeerLink) {
        switch output {
        case .link(let request):
            if case .notify(.notificationSource, let value) = request {
                announce(value, to: peer, link)
            }
            port.request(request, of: peer.id)
        case .perform(let request): perform(request, of: peer, link)
        case .started:
            link.announced = [:]
            report(.session(peer.id, .started))
        case .ended: report(.session(peer.id, .ended))
        case .commandReceived(let command): report(.session(peer.id, .command(command)))
        case .answered(let command, let outcome):
            report(.session(peer.id, .answered(command, outcome)))
        case .dropLink: port.disconnect(peer.id)
        }
    }

    private func announce(_ value: [UInt8], to peer: Peer, _ link: PeerLink) {
        guard let source = try? NotificationSourceValue(decoding: value.span) else { return }
        let uid = source.notificationUID
        if let id = link.session.notificationID(of: uid) { link.announced[uid] = id }
        guard let id = link.announced[uid] else { return }
        // The session has already forgotten its UID when the removal is announced.
        if source.eventID == .removed { link.announced[uid] = nil }
        report(.session(peer.id, .announced(id, source)))
    }

    private func perform(
        _ request: ProviderSession.ActionRequest, of peer: Peer, _ link: PeerLink
    ) {
        let id = request.notificationID
        guard let action = actions[id]?[request.actionID] else {
            let isPerformed = performByItself(request.actionID, on: id)
            return finished(request, isPerformed, of: peer, link)
        }
        Task {
            // On the loop, so that virtual time does not pass meanwhile.
            let isPerformed = await withTaskExecutorPreference(loop) {
                await action.perform(self, id)
            }
            finished(request, isPerformed, of: peer, link)
        }
    }

    private func finished(
        _ request: ProviderSession.ActionRequest, _ isPerformed: Bool, of peer: Peer,
        _ link: PeerLink
    ) {
        report(.session(peer.id, .action(request, performed: isPerformed)))
        // The session that requested it may be over, and the accessory in another one.
        guard peer.link === link else { return }
        withLink(of: peer.id) { $0.session.actionFinished(request, performed: isPerformed) }
    }

    /// Reports a change of the store to every session.
    func changed(_ change: StoreChange) {
        switch change {
        case .added(let id): report(.notification(.added, id))
        case .modified(let id): report(.notification(.modified, id))
        case .removed(let id, _):
            actions[id] = nil
            calls[id] = nil
            report(.notification(.removed, id))
        }
        let peers = linkedPeers
        for peer in peers { peer.link?.session.storeChanged(change) }
        for peer in peers { drain(peer) }
    }
}
