package import ANCSEvents
package import DBus

// bluetoothd, its adapters, and our registrations there.
extension BlueZAccessory {
    package mutating func took(_ objects: BusValue?, at now: MonotonicInstant) {
        tree = ObjectTree(managedObjects: objects)
        noteListedBonds(at: now)
        chooseAdapter(at: now)
    }

    /// The adapter and its interfaces appear one after the other when bluetoothd starts, and disappear like
    /// that when it ends, so what is missing is not reported before it has been missing for some time. Each
    /// step forward gets that time once, so that an adapter that comes and goes does not prolong the start.
    private mutating func miss(_ failure: BluetoothdFailure, at now: MonotonicInstant) {
        let step = Self.step(missing: failure)
        if awaited.map({ $0 < step }) ?? true {
            awaited = step
            startsUntil = now + DaemonLife.patience
        } else if startsUntil == nil {
            isUnavailable(because: failure)
        }
    }

    /// What has to appear when bluetoothd starts, in this order: an adapter, its power, its advertising manager.
    private static func step(missing failure: BluetoothdFailure) -> Int {
        switch failure {
        case .off: 1
        case .cannotAdvertise: 2
        case .noAdapter, .adapterLost, .notRunning, .ended, .denied, .noAnswer, .unreadable,
            .refused:
            0
        }
    }

    /// Reports that Bluetooth is not available, unless that was already reported.
    package mutating func isUnavailable(because failure: BluetoothdFailure) {
        guard desk.daemon.hasServed || failure == .unreadable,
            exchange(&reportedFailure, with: failure) != failure
        else { return }
        report(.resetting(failure))
    }

    package mutating func failed(because failure: BluetoothdFailure) {
        desk.daemon.fail()
        adapter = nil
        startsUntil = nil
        report(.failed(failure))
    }

    /// bluetoothd has ended, and with it all our registrations.
    package mutating func daemonEnded(at now: MonotonicInstant) {
        hasReportedBar = false
        tree = ObjectTree()
        acquaintances = [:]
        bonds.daemonEnded()
        loseStack(at: now)
        desk.agent.lost()
        drainAgent()
        (startsUntil, awaited) = (nil, nil)
        isUnavailable(because: .ended)
    }

    var isReady: Bool { adapter != nil }

    private mutating func loseStack(at now: MonotonicInstant) {
        adapter = nil
        isDrawingPhonesAway = false
        readsSELinuxAt = nil
        for (id, purpose) in desk.pending {
            if case .own(.advertisement) = purpose { desk.pending[id] = nil }
        }
        for index in phones.indices { phones[index].link.end(.bluetoothGone) }
        drainPhones(at: now)
        advertisement.lost()
        drainAdvertisement()
    }

    // MARK: The adapter

    mutating func adapterChanged(at now: MonotonicInstant) {
        // Otherwise, all adapters are about to be reported.
        guard desk.daemon.state == .present else { return }
        if let adapter {
            guard !canBeUsed(adapter) else { return }
            let failure = failure(of: [adapter])
            loseStack(at: now)
            if case .off = failure {
                awaited = Self.step(missing: failure)
                isUnavailable(because: failure)
            } else {
                // The reason is uncertain: perhaps bluetoothd is ending.
                isUnavailable(because: .adapterLost(adapter: String(adapter.lastElement)))
            }
        }
        chooseAdapter(at: now)
    }

    private mutating func chooseAdapter(at now: MonotonicInstant) {
        let usable = candidates.filter { canBeUsed($0) }
        guard let adapter = usable.min(by: { $0.text < $1.text }) else {
            return miss(failure(of: candidates), at: now)
        }
        self.adapter = adapter
        desk.daemon.hasServed = true
        startsUntil = nil
        awaited = nil
        reportedFailure = nil
        report(.ready(adapter: String(adapter.lastElement)))
        desk.agent.register()
        for device in tree.devices.keys.sorted(byText: { $0.text }) {
            deviceChanged(device, at: now)
        }
    }

    /// What was asked for has not appeared.
    mutating func patienceEnded() {
        startsUntil = nil
        let failure = failure(of: candidates)
        if desk.daemon.hasServed {
            isUnavailable(because: failure)
        } else {
            failed(because: failure)
        }
    }

    /// The adapters that are meant.
    private var candidates: [ObjectPath] {
        Array(tree.adapters.filter { configuration.adapter.means($0, $1) }.keys)
    }

    private func canBeUsed(_ adapter: ObjectPath) -> Bool {
        tree.adapters[adapter]?.isPowered == true && tree.advertisingManagers[adapter] != nil
    }

    private func failure(of adapters: [ObjectPath]) -> BluetoothdFailure {
        let present = adapters.filter { tree.adapters[$0] != nil }.sorted(byText: { $0.text })
        guard let first = present.first else {
            return .noAdapter(configuration.adapter.description)
        }
        guard let powered = present.first(where: { tree.adapters[$0]?.isPowered == true }) else {
            return .off(adapter: String(first.lastElement), isBlocked: false)
        }
        return .cannotAdvertise(adapter: String(powered.lastElement))
    }

    // MARK: Advertising

    /// The machine was suspended and has resumed.
    mutating func resumed() {
        guard isReady else { return }
        report(.device(.resumed))
        advertisement.renew()
    }

    mutating func updateAdvertising() {
        guard isReady else { return }
        let served = phones.count { $0.link.isServed }
        // A value of a phone in service must not cost a search through all devices.
        let paired = pairedPhoneCount ?? countPairedPhones()
        pairedPhoneCount = paired
        // Every paired phone has a place, and one that may pair gets another. Before any is known there is one:
        // a phone that may not pair is then told so.
        let places = max(1, paired + (window.isOpen(hasPhone: hasPairedPhone) ? 1 : 0))
        advertisement.want(
            isLettingIn && served < min(configuration.maximumPhones, places),
            window.wasOpen ? .fast : .slow)
    }

    mutating func advertisementCalled(
        _ call: BusMethodCall, _ invocation: InvocationID, at now: MonotonicInstant
    ) {
        let properties = advertisement.properties(
            name: configuration.name, showsNameAlways: configuration.showsNameAlways)
        var result = BusResult.success([])
        switch (call.interface, call.member) {
        case (ObjectTree.propertiesInterface, "GetAll"): result = .success([properties])
        case (ObjectTree.propertiesInterface, "Get"):
            let name = call.arguments.dropFirst().first?.string ?? ""
            result =
                properties.dictionary?[.string(name)].map { .success([$0]) }
                ?? .failure(BusError(BusError.unknownProperty, name))
        case (Advertisement.interface, "Release"): advertisement.released(at: now)
        case _: result = .failure(BusError(BusError.unknownMethod, call.member))
        }
        output(.answer(invocation, result))
    }

    mutating func drainAdvertisement() {
        while let output = advertisement.pollOutput() {
            switch output {
            case .onAir(let isOnAir): report(.device(.advertising(isOnAir)))
            case .refused(let error): report(.advertisingRefused(error))
            case .call(let call): callForAdvertisement(call)
            }
        }
    }

    private mutating func callForAdvertisement(_ call: Advertisement.Call) {
        guard let adapter else { return }
        let interface = AdvertisingManagerObject.interface
        let path = BusValue.objectPath(Advertisement.path)
        let bus: BusCall =
            switch call {
            case .register:
                .blueZ(adapter, interface, "RegisterAdvertisement", [path, .options()])
            case .unregister: .blueZ(adapter, interface, "UnregisterAdvertisement", [path])
            case .count: .get("ActiveInstances", of: interface, at: adapter)
            }
        // Some controllers take long to start advertising.
        self.call(bus, for: .own(.advertisement(call)), within: .seconds(30))
    }

    // MARK: The agent

    package mutating func said(_ event: PairingAgent.Event) {
        switch event {
        case .ask(let device, let question): report(.ask(question), ofPhoneAt: device)
        case .withdrawn(let device): report(.peer(.pairingWithdrawn), ofPhoneAt: device)
        case .refusedJustWorks(let device):
            guard let index = index(at: device), phones[index].link.justWorksRefused()
            else { return }
            report(.peer(.securityFailed(.notAuthenticated)), of: phones[index].id)
        case .refused(let error): report(.agentRefused(error))
        }
    }
}
