internal import ANCS
internal import BluetoothLE
internal import LinuxIO

// Events of the system and of the manager.
extension HostPort: SystemClient {
    static let topics: SystemTopics = [.controller, .link, .security, .value]

    func receive(_ event: SystemEvent) {
        switch event {
        case .controller(let event): received(event)
        case .link(let peer, .up(let description)):
            if let description { connected(peer, description) }
        case .link(let peer, .down(let reason)): disconnected(peer, reason)
        case .link(let peer, .changed(let description)):
            with(peer) { parametersChanged(to: description, isKept: $0.parameters.isKept, of: $0) }
        case .link(let peer, .parameters(let description, let outcome)):
            with(peer) { parametersChanged(to: description, isKept: outcome == .kept, of: $0) }
        case .link(let peer, .servicesChanged(let range)):
            with(peer) {
                $0.machine.servicesChanged(in: range)
                $0.clock.servicesChanged(in: range)
                $0.companion?.servicesChanged(in: range)
            }
        case .security(let peer, let event): received(event, of: peer)
        case .value(let peer, let event): received(event, of: peer)
        // An accessory does not scan, has no dynamic attributes, and advertises through its manager. Its
        // links keep their keys when pairing reveals their peers.
        case .link(_, .mtuChanged), .link(_, .hasRoom), .link(_, .connected),
            .link(_, .connectFailed), .link(_, .serviceChangedSubscribed),
            .link(_, .serviceChangedConfirmed), .link(_, .unsubscribed),
            .link(_, .parametersRequested), .peer, .scan, .server, .advertising:
            break
        }
    }

    private func received(_ event: SystemEvent.ControllerEvent) {
        if let event = event.forPrograms { outlet.send(.device(event)) }
        switch event {
        case .stateChanged(.poweredOn, _): startAdvertising()
        case .pairingWindow(let isOpen): pairingWindowChanged(isOpen)
        case .failed(let error): outlet.send(.failed(error))
        // After a failure, which was reported before, the port is closed already; otherwise the owner of the
        // adapter has stopped it.
        case .closed: outlet.send(.failed(.controller(.stopped)))
        case .listening, .stateChanged, .warning, .resumed: break
        }
    }

    /// Most values are those of ANCS, which no machine of the link but the session waits for.
    private func received(_ event: ATTBearer.ValueEvent, of peer: PeerKey) {
        guard let link = link(to: peer) else { return }
        if let report = link.machine.report(of: event) {
            return outlet.pass(.service(link.provider, .link(report)))
        }
        link.clock.receive(event)
        link.companion?.receive(event)
        drain(link)
    }

    private func received(_ event: SystemEvent.SecurityEvent, of peer: PeerKey) {
        switch event {
        case .changed(let security):
            if security.isEncrypted { follow(peer) }
            with(peer) { link in
                protectionChanged(LinkProtection(security), of: link)
                link.machine.securityChanged(security)
                guard system.isProven(peer) else { return }
                places.proven(link.provider, isKnownPhone: isKnownPhone(peer))
                updatePlaces()
            }
        case .ask(let question, let request):
            with(peer) { report(.pairing(system.request(request, asking: question)), of: $0) }
        case .paired(let isBonded, let replacesBond):
            with(peer) { paired($0, isBonded: isBonded, replacesBond: replacesBond) }
        // Users are informed of the protection, not of the keys; and a question ends with an answer or a failure.
        case .bondRestored, .withdrawn: break
        case .failed(let failure): with(peer) { securityFailed(failure, of: $0) }
        case .keyTrouble(let failure, let news):
            with(peer) { link in
                if failure == .rePairingRefused { refused(link) }
                if let news { report(.keyTrouble(news), of: link) }
            }
        }
    }

    private func report(_ event: PeerEvent, of link: Link) {
        outlet.send(.peer(link.provider, event))
    }

    private func report(_ event: PhoneServiceEvent, of link: Link) {
        outlet.send(.service(link.provider, event))
    }

    // MARK: Being found

    func startAdvertising() {
        guard isLettingIn else { return }
        let error = manager.assumeOnLoop { manager -> BluetoothError? in
            var options = options
            options.maximumCentrals = maximumCentrals
            options.leadingService = leadingService
            do throws(BluetoothError) {
                var advertisement = advertisement
                advertisement.localName = localName
                try manager.startAdvertising(advertisement, options: options)
                return nil
            } catch { return error }
        }
        if let error { outlet.send(.failed(.advertisement("cannot advertise: \(error.message)"))) }
    }

    func received(_ event: PeripheralManagerEvent) {
        switch event {
        case .didStartAdvertising: report(onAir: true)
        case .advertisingInterrupted(nil): report(onAir: false)
        case .advertisingInterrupted(let reason?):
            let warning = DeviceWarning(
                .advertising, "the controller does not advertise: \(reason.message); trying again")
            outlet.send(.device(.warning(warning)))
        case .didStopAdvertising:
            outlet.send(.failed(.advertisement("this controller cannot advertise")))
        case .stateUpdated, .didSubscribe, .didUnsubscribe, .isReadyToUpdateSubscribers,
            .didReceiveRead, .didReceiveWrite, .missed:
            break
        }
    }

    func report(onAir isOnAir: Bool) {
        outlet.send(.device(.advertising(isOnAir)))
        updatePlaces()
    }

    // MARK: Links

    /// Pairing encrypts a link, and then again with the key that it made, which users need not know.
    private func protectionChanged(_ protection: LinkProtection, of link: Link) {
        guard exchange(&link.protection, with: protection) != protection else { return }
        report(.secured(protection), of: link)
    }

    /// Phones connect to accessories; links that this device established are for other users of the adapter.
    private func connected(_ peer: PeerKey, _ description: LinkDescription) {
        guard description.role == .peripheral else { return }
        lastProvider += 1
        let provider = PhoneID(rawValue: lastProvider)
        let isBonded = description.peerIdentity != nil
        let link = Link(
            peer: peer, provider: provider, parameters: LinkParameters(description),
            machine: ProviderLink(
                isBonded: isBonded, mayPair: system.mayPair(peer),
                cached: system.remoteDatabase(of: peer), at: loop.now))
        link.timer = LoopTimer(on: loop) { [weak self] in
            self?.with(provider) { link in
                guard let now = self?.loop.now else { return }
                link.machine.handleTimeout(at: now)
            }
        }
        links.append(link)
        places.connected(provider, isKnownPhone: isKnownPhone(peer), at: loop.now)
        report(.connected(system.describe(description)), of: link)
        if !isBonded, !system.mayPair(peer) { reportRefusal(of: link) }
        drain(link)
        updatePlaces()
        if let linkParameters { system.askForParameters(linkParameters, of: peer) }
    }

    /// The parameters are those of the phone although it was asked for others only as long as they are not those
    /// that were asked for.
    private func parametersChanged(to description: LinkDescription, isKept: Bool, of link: Link) {
        let isMet = linkParameters?.isMet(by: description) ?? true
        let parameters = LinkParameters(description, isKept: isKept && !isMet)
        guard parameters != link.parameters, link.parameterReports < Link.maximumParameterReports
        else { return }
        link.parameters = parameters
        link.parameterReports += 1
        report(.linkParameters(parameters), of: link)
    }

    /// A Central without ANCS, whose link other users of the adapter keep, may offer ANCS now.
    private func follow(_ peer: PeerKey) {
        guard isLettingIn, !links.contains(where: { $0.peer == peer }),
            let description = system.link(to: peer)
        else { return }
        connected(peer, description)
    }

    private func isKnownPhone(_ peer: PeerKey) -> Bool { system.peers[peer]?.offersANCS ?? false }

    private func disconnected(_ peer: PeerKey, _ reason: DisconnectReason) {
        guard let index = links.firstIndex(where: { $0.peer == peer }) else {
            return updatePlaces()
        }
        let link = links.remove(at: index)
        link.machine.ended()
        link.timer?.deadline = nil
        places.disconnected(link.provider)
        report(.disconnected(link.endReason ?? reason), of: link)
        updatePlaces()
    }

    /// The consumer no longer uses the link; other users of the adapter may keep it.
    private func release(_ link: Link, because reason: DisconnectReason?) {
        link.endReason = link.endReason ?? reason
        places.leaving(link.provider)
        guard !ownsAdapter else { return system.disconnect(link.peer) }
        system.release(link.peer, by: client)
        disconnected(link.peer, .notNeeded)
    }

    /// Carries out the outputs of a link's machine.
    func drain(_ link: Link) {
        while let output = link.machine.pollOutput() { handle(output, of: link) }
        drainClock(of: link)
        drainCompanion(of: link)
        link.timer?.deadline = link.machine.nextDeadline
    }

    private func handle(_ output: ProviderLink.Output, of link: Link) {
        switch output {
        case .requestSecurity: requestSecurity(of: link)
        case .start(let procedure, let purpose): start(procedure, purpose, of: link)
        case .keep(let database): system.keep(database, of: link.peer)
        case .available(let hasControlPoint, let hasDataSource):
            link.isWaiting = false
            places.serviceFound(link.provider)
            system.offersANCS(link.peer)
            report(
                .available(hasControlPoint: hasControlPoint, hasDataSource: hasDataSource),
                of: link)
            updatePlaces()
        case .waiting:
            places.serviceLacks(link.provider)
            if !exchange(&link.isWaiting, with: true) { report(.waiting, of: link) }
            updatePlaces()
        case .tooManyServices:
            guard !exchange(&link.hasExcess, with: true) else { break }
            outlet.send(.device(.warning(.tooManyServices)))
        case .unavailable:
            places.serviceLost(link.provider, at: loop.now)
            report(.unavailable, of: link)
            updatePlaces()
        case .report(let event): report(.link(event), of: link)
        case .named(let octets):
            let name = UTF8Text.repaired(octets)
            report(.named(name), of: link)
            system.named(link.peer, name)
        case .disconnect(.notSecured):
            let missing: DisconnectReason =
                link.hasFailedToPair
                ? .pairingFailed : system.mayPair(link.peer) ? .notPaired : .notEncrypted
            release(link, because: link.isRefused ? .mayNotPair : missing)
        case .disconnect(.notAnswered): release(link, because: .unresponsive)
        case .disconnect(.closed): release(link, because: nil)
        case .disconnect(.left): release(link, because: .left)
        }
    }

    // MARK: Pairing

    private func pairingWindowChanged(_ isOpen: Bool) {
        for link in links where isOpen {
            link.machine.pairingAllowed(at: loop.now)
            link.isRefused = false
            drain(link)
        }
        updatePlaces()
    }

    private func paired(_ link: Link, isBonded: Bool, replacesBond: Bool) {
        places.paired(link.provider, isBonded: system.isProven(link.peer), at: loop.now)
        // ANCS on this link belongs to the peer that has the keys now.
        if places.isPhone(link.provider, at: loop.now) { system.offersANCS(link.peer) }
        let event = system.paired(link.peer, isBonded: isBonded, replacesBond: replacesBond)
        if let event { report(event, of: link) }
        updatePlaces()
    }

    private func securityFailed(_ failure: SecurityFailure, of link: Link) {
        switch failure {
        case .notPairable, .rePairingRefused:
            link.machine.pairingRefused(at: loop.now)
            reportRefusal(of: link)
        case .notAuthenticated:
            // It keeps no place that the user's phone may need.
            link.machine.pairingRefused(at: loop.now)
            report(.securityFailed(failure), of: link)
        // The host ends the link, and the reason of its end says why.
        case .tooManyRequests: link.endReason = .askedTooOften
        case .refused, .refusedByPeer, .cancelled, .timedOut, .notAnswered:
            link.hasFailedToPair = true
            report(.securityFailed(failure), of: link)
        case .encryptionTimedOut, .encryptionFailed, .peerLostBond, .keysDiffer, .bondMissing,
            .otherBondRequested,
            .weakerThanBond, .bondTooWeak, .identityNotItsOwn:
            report(.securityFailed(failure), of: link)
        }
    }

    /// A bonded phone asked to pair again, and may not.
    private func refused(_ link: Link) {
        link.machine.pairingRefused(at: loop.now)
        link.isRefused = true
    }

    /// A phone that has to pair may not; reported once per link.
    private func reportRefusal(of link: Link) {
        guard !exchange(&link.isRefused, with: true) else { return }
        report(.pairingRefused, of: link)
    }

    // MARK: Places

    /// Ends the links that occupy a phone's place, and advertises for as many phones as there is room for.
    func updatePlaces() {
        let now = loop.now
        let present = links.filter { places.isPhone($0.provider, at: now) }
            .map { system.identifier(of: $0.peer) }
        let away = system.peers.bondedPhones.count { !present.contains($0) }
        places.update(phonesAway: away, mayPair: mayPair, isOnAir: isOnAir, isFull: system.isFull)
        if isLettingIn {
            let (maximum, leading, name) = (maximumCentrals, leadingService, localName)
            manager.assumeOnLoop {
                $0.change(maximumCentrals: maximum, leadingService: leading, localName: name)
            }
        }
        let overdue = places.overdue(at: now)
        for link in links where overdue.contains(link.provider) {
            release(link, because: .noService)
        }
        placesTimer?.deadline = places.nextDeadline(at: now)
    }

    /// Whether phones without a bond may pair.
    private var mayPair: Bool {
        system.isPairingWindowOpen && system.configuration.controller.pairing.policy != .never
    }

    /// What the advertisement shows beside the name.
    private var leadingService: BluetoothUUID? { mayPair ? face.leadingService : nil }

    /// The name in the advertisement; `nil` where only a phone that may pair is to read it.
    private var localName: String? { showsNameAlways || mayPair ? advertisement.localName : nil }

    /// For how many Centrals this device advertises. Those without ANCS, whose links other users of the
    /// adapter keep, occupy no place.
    private var maximumCentrals: Int {
        places.maximumCentrals(at: loop.now) + max(0, system.centralCount - links.count)
    }

    private func requestSecurity(of link: Link) {
        switch system.pair(link.peer) {
        case .security(.tooSoon(let instant)): link.machine.securityDelayed(until: instant)
        // The Central started on its own, or the link is about to end.
        case nil, .some: break
        }
    }

    private func completed(
        _ purpose: ProviderLink.Purpose, _ result: Result<GATTResult, GATTFailure>,
        of provider: PhoneID
    ) { with(provider) { $0.machine.completed(purpose, result, at: loop.now) } }

    private func start(_ procedure: GATTProcedure, _ purpose: ProviderLink.Purpose, of link: Link) {
        let provider = link.provider
        start(procedure, subscribing: purpose.subscription, isForced: true, of: link) {
            [weak self] in self?.completed(purpose, $0, of: provider)
        }
    }

    /// Runs a procedure at the server of a phone; what subscribes is counted with the subscriptions of all clients.
    func start(
        _ procedure: GATTProcedure, subscribing: ClientCharacteristicConfiguration?,
        isForced: Bool = false, of link: Link,
        completion: @escaping @Sendable (Result<GATTResult, GATTFailure>) -> Void
    ) {
        if let subscribing, case .writeValue(let descriptor, _) = procedure {
            system.subscribe(
                subscribing, at: descriptor, of: link.peer, by: client, pairs: false,
                isForced: isForced, completion: completion)
        } else {
            system.start(procedure, on: link.peer, by: client, pairs: false, completion: completion)
        }
    }
}

extension ProviderLink.Purpose {
    /// The value to write to the configuration descriptor; `nil` for other purposes.
    fileprivate var subscription: ClientCharacteristicConfiguration? {
        switch self {
        case .request(.subscribe): .notification
        case .request(.unsubscribe), .leave: []
        case .request(.readSubscription), .request(.writeControlPoint), .exchangeMTU,
            .discoverGenericAttribute, .readDatabaseHash, .discoverANCS, .readName:
            nil
        }
    }
}
