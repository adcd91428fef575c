internal import ANCS
internal import BluetoothLE
internal import LinuxIO
internal import Octets

// Scanning, and the choice of accessories to connect to.
extension HostProviderPort {
    /// Handles an event of the manager that looks for accessories.
    func received(_ event: CentralManagerEvent) {
        switch event {
        case .discovered(let peripheral, let data, _):
            guard let sighting = sighting(of: peripheral.peer, data) else { return }
            find { finder, now in finder.heard(sighting, at: now) }
        case .scanningStopped(let error):
            guard system.state == .poweredOn else { return reportScanning(false) }
            deliver?(.device(.warning(DeviceWarning(.scanning, error.message))))
            find { finder, now in finder.scanningFailed(at: now) }
            reportScanning(false)
        // Links belong to the system, whoever established them; the phone requests nothing of its accessories.
        case .stateUpdated, .connected, .disconnected, .valueUpdated, .servicesModified,
            .isReadyToSendWriteWithoutResponse, .nameUpdated, .identified, .missed:
            break
        }
    }

    private func sighting(
        of peer: PeerKey, _ data: AdvertisementData
    ) -> AccessoryFinder.Sighting? {
        guard let known = system.peers[peer] else { return nil }
        return AccessoryFinder.Sighting(
            peer: peer, addresses: [known.address.text] + (known.identity.map { [$0.text] } ?? []),
            isBonded: known.isBonded, name: data.localName,
            isConnectable: data.isConnectable == true,
            solicitsANCS: data.solicitedServiceUUIDs.contains(.ancs),
            isComplete: data.localName != nil)
    }

    /// Calls the finder, and carries out its outputs.
    func find(_ body: (inout AccessoryFinder, MonotonicInstant) -> Void) {
        body(&finder, loop.now)
        while let output = finder.pollOutput() { carryOut(output) }
        reportScanning(central?.assumeIsolated { $0.isScanning } ?? false)
        finderTimer?.deadline = finder.nextDeadline
    }

    private func reportScanning(_ isScanning: Bool) {
        guard exchange(&isScanningReported, with: isScanning) != isScanning else { return }
        deliver?(.device(.scanning(isScanning)))
    }

    private func carryOut(_ output: AccessoryFinder.Output) {
        switch output {
        case .startScanning:
            // Without a controller there is no scan; the finder starts again when there is one.
            central?.assumeIsolated { manager in
                try? manager.scanForPeripherals(withServices: nil, options: .forAccessories)
            }
        case .stopScanning: central?.assumeIsolated { $0.stopScan() }
        case .cancelConnecting:
            if let peripheral = exchange(&connecting, with: nil) {
                central?.assumeIsolated { $0.cancelPeripheralConnection(peripheral) }
            }
        case .discovered(let sighting):
            let accessory = know(sighting.peer)
            guard let known = system.peers[sighting.peer] else { return }
            deliver?(.peer(accessory, .discovered(system.describe(known))))
        case .connect(let sighting): connect(to: sighting.peer)
        }
    }

    private func connect(to peer: PeerKey) {
        know(peer)
        guard let central, let peripheral = central.assumeIsolated({ $0.peripheral(peer) }) else {
            return find { finder, now in finder.connectingFailed(at: now) }
        }
        connecting = peripheral
        central.assumeIsolated { manager in
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
        deliver?(.peer(know(peripheral.peer), .connectingFailed(error)))
        find { finder, now in finder.connectingFailed(at: now) }
    }

    /// Ends this phone's use of the link to a peer.
    func release(_ peer: PeerKey) {
        central?.assumeIsolated { manager in
            if let peripheral = manager.peripheral(peer) {
                manager.cancelPeripheralConnection(peripheral)
            }
        }
    }

    /// Remembers an accessory, and reports its identity.
    @discardableResult
    func know(_ peer: PeerKey) -> AccessoryID {
        let accessory = names.accessory(for: peer)
        reportKnown(accessory)
        let forgotten = names.prune { accessory, peer in
            links[accessory] != nil || system.isBonded(peer)
        }
        if let forgotten { deliver?(.forgotten(forgotten)) }
        return accessory
    }

    func reportKnown(_ accessory: AccessoryID) {
        guard let peer = names[accessory].flatMap({ system.peers[$0] }) else { return }
        deliver?(.known(accessory, system.describe(peer), isBonded: peer.isBonded))
    }
}

extension ScanOptions {
    /// Devices that solicit ANCS, or are bonded: no others are remembered. An advertiser whose data change may
    /// become an accessory.
    fileprivate static var forAccessories: ScanOptions {
        var options = ScanOptions(solicitedServices: [.ancs])
        options.includesBonded = true
        options.reportsChanges = true
        return options
    }
}
