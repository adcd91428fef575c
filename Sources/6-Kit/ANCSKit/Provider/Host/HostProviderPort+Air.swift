internal import BluetoothLE
internal import LinuxIO

// Scanning, and the choice of accessories to connect to.
extension HostProviderPort {
    /// Handles an event of the scan for accessories.
    func received(_ event: SystemEvent.ScanEvent) {
        switch event {
        case .discovered(let peer, let discovery): discovered(peer, discovery)
        case .passedOver(let discovery): passedOverAdvertisers.heard(discovery)
        case .failed(let error):
            isScanning = false
            guard system.state == .poweredOn else { return reportScanning(false) }
            outlet.send(.device(.warning(DeviceWarning(.scanning, error.message))))
            find { finder, now in finder.scanningFailed(at: now) }
        // What counts is what this port wants: a scan may pause while the controller connects.
        case .changed: break
        }
    }

    private func discovered(_ peer: PeerKey, _ discovery: Discovery) {
        guard let sighting = sighting(of: peer, discovery) else { return }
        let now = loop.now
        let isWanted = finder.isWanted(sighting)
        if isWanted {
            passedOverAdvertisers.remove(discovery.address)
        } else {
            passedOverAdvertisers.heard(discovery)
        }
        let isSilent = !isWanted && examinesLinks && finder.isWantedOnceConnectable(sighting)
        // A name that is only in the scan response tells afterwards whose data were heard before it.
        if isWanted || examinesLinks { advertisements.heard(peer, discovery, at: now) }
        // An accessory is on air for long enough to be measured, or is connected to without that.
        if examinesLinks, isWanted || isSilent, !advertisements.isMeasured(peer, at: now) { return }
        if isSilent { return reportSilent(peer) }
        find { finder, now in finder.heard(sighting, at: now) }
    }

    /// An accessory that is looked for accepts no connection: its advertising is all there is to examine.
    private func reportSilent(_ peer: PeerKey) {
        guard let known = system.peers[peer],
            let news = advertisements.takeNews(of: peer, isMeasured: true)
        else { return }
        let accessory = know(peer)
        outlet.send(.peer(accessory, .discovered(system.describe(known))))
        outlet.send(.linkEvent(accessory, .advertised(news)))
    }

    private func sighting(of peer: PeerKey, _ discovery: Discovery) -> AccessoryFinder.Sighting? {
        guard let known = system.peers[peer] else { return nil }
        let data = discovery.advertisement
        return AccessoryFinder.Sighting(
            peer: peer, addresses: [known.address.text] + (known.identity.map { [$0.text] } ?? []),
            // A bonded accessory may come back with no data at all.
            isBonded: known.isBonded, name: data.localName ?? (known.isBonded ? known.name : nil),
            isConnectable: discovery.isConnectable == true,
            solicitsANCS: data.solicitedServices.contains(.ancs),
            isComplete: data.localName != nil)
    }

    private func setScanning(_ isWanted: Bool) {
        // Without a controller there is no scan; the finder starts again when there is one.
        guard isWanted, system.state == .poweredOn else {
            if exchange(&isScanning, with: false) {
                advertisements.paused()
                system.stopScanning(by: client)
            }
            return
        }
        isScanning = true
        // An advertiser whose data change may become an accessory.
        var request = ScanRequest()
        if !finder.acceptsAll { request.solicitedServices = [.ancs] }
        request.includesBonded = true
        request.reportsOthers = true
        request.allowsDuplicates = examinesLinks
        // Pauses would hide events of an advertiser that is measured.
        request.isContinuous = examinesLinks && links.isEmpty
        system.scan(request, by: client)
    }

    /// Calls the finder, and carries out its outputs.
    func find(_ body: (inout AccessoryFinder, MonotonicInstant) -> Void) {
        body(&finder, loop.now)
        while let output = finder.pollOutput() { carryOut(output) }
        reportScanning(isScanning)
        finderTimer?.deadline = finder.nextDeadline
    }

    func reportScanning(_ isScanning: Bool) {
        guard exchange(&isScanningReported, with: isScanning) != isScanning else { return }
        outlet.send(.device(.scanning(isScanning)))
    }

    private func carryOut(_ output: AccessoryFinder.Output) {
        switch output {
        case .startScanning: setScanning(true)
        case .stopScanning: setScanning(false)
        case .cancelConnecting:
            if let peripheral = exchange(&connecting, with: nil) {
                central?.assumeOnLoop { $0.cancelPeripheralConnection(peripheral) }
            }
        case .discovered(let sighting):
            let accessory = know(sighting.peer)
            guard let known = system.peers[sighting.peer] else { return }
            outlet.send(.peer(accessory, .discovered(system.describe(known))))
        case .connect(let sighting): connect(to: sighting.peer)
        }
    }

    private func connect(to peer: PeerKey) {
        let accessory = know(peer)
        if var news = advertisements.takeNews(of: peer, isMeasured: examinesLinks) {
            news.isOfBonded = system.isBonded(peer)
            outlet.send(.linkEvent(accessory, .advertised(news)))
        }
        guard let central, let peripheral = central.assumeOnLoop({ $0.peripheral(peer) }) else {
            return find { finder, now in finder.connectingFailed(at: now) }
        }
        connecting = peripheral
        central.assumeOnLoop { manager in
            manager.beginConnecting(
                peripheral, timeout: .seconds(5), waiter: manager.makeWaiter()
            ) { [weak self] error in self?.connectingEnded(peripheral, error) }
        }
    }

    private func connectingEnded(_ peripheral: Peripheral, _ error: BluetoothError?) {
        // After the finder has cancelled, or has a new link, the result does not matter.
        guard connecting === peripheral else { return }
        connecting = nil
        guard let error else {
            // There was a link, established for another client.
            return find { finder, now in finder.connected(peripheral.peer, at: now) }
        }
        outlet.send(.peer(know(peripheral.peer), .connectingFailed(error)))
        find { finder, now in finder.connectingFailed(at: now) }
    }

    /// Ends this phone's use of the link to a peer.
    func release(_ peer: PeerKey) {
        central?.assumeOnLoop { manager in
            if let peripheral = manager.peripheral(peer) {
                manager.cancelPeripheralConnection(peripheral)
            }
        }
    }

    /// Remembers an accessory, and reports its identity.
    @discardableResult func know(_ peer: PeerKey) -> AccessoryID {
        let accessory = names.accessory(for: peer)
        reportKnown(accessory)
        let forgotten = names.prune { accessory, peer in
            links[accessory] != nil || system.isBonded(peer)
        }
        if let forgotten { forget(known: forgotten) }
        return accessory
    }

    /// An accessory is no longer remembered.
    func forget(known accessory: AccessoryID) {
        ownAddresses[accessory] = nil
        outlet.send(.forgotten(accessory))
    }

    func reportKnown(_ accessory: AccessoryID) {
        guard let peer = names[accessory].flatMap({ system.peers[$0] }) else { return }
        outlet.send(.known(accessory, system.describe(peer), isBonded: peer.isBonded))
    }
}
