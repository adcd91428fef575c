internal import ANCSEvents
internal import BluetoothTypes
internal import DBus
internal import LinuxIO
package import Octets

// bluetoothd, its adapters, and our registrations there.
extension BlueZAccessory {
    package mutating func look() {
        let call = call(
            .managedObjects(startsProgram: daemon.owner == nil), for: .look, within: .seconds(25))
        daemon.looks(by: call)
    }

    package mutating func looked(_ look: DaemonLife.Look?, at now: MonotonicInstant) {
        switch look {
        case .objects(let objects):
            tree = ObjectTree(managedObjects: objects)
            noteListedBonds(at: now)
            chooseAdapter(at: now)
        case .unavailable(let failure): reset(failure)
        case .failed(let failure): fail(failure)
        case .starting, nil: break
        }
    }

    /// The adapter and its interfaces appear one after the other when bluetoothd starts, and disappear like
    /// that when it ends, so what is missing is not reported before it has been missing for some time. Each
    /// step forward gets that time once, so that an adapter that comes and goes does not prolong the start.
    private mutating func miss(_ failure: BlueZEvent.Failure, at now: MonotonicInstant) {
        let step = Step(missing: failure)
        if awaited.map({ $0 < step }) ?? true {
            awaited = step
            startsUntil = now + DaemonLife.patience
        } else if startsUntil == nil {
            reset(failure)
        }
    }

    /// Reports that Bluetooth is not available, unless that was already reported.
    private mutating func reset(_ failure: BlueZEvent.Failure) {
        guard daemon.hasServed || failure == .unreadable,
            exchange(&reportedFailure, with: failure) != failure
        else { return }
        report(.resetting(failure))
    }

    mutating func fail(_ failure: BlueZEvent.Failure) {
        daemon.fail()
        adapter = nil
        startsUntil = nil
        report(.failed(failure))
    }

    /// bluetoothd has ended, and with it all our registrations.
    package mutating func daemonEnded(at now: MonotonicInstant) {
        if sockets.daemonEnded(at: now) { output(.remember(sockets.ends(at: now))) }
        hasReportedBar = false
        tree = ObjectTree()
        acquaintances = [:]
        bonds.daemonEnded()
        forgetCalls { _ in true }
        loseStack(at: now)
        agent.lost()
        drainAgent()
        (startsUntil, awaited) = (nil, nil)
        reset(.daemonEnded)
    }

    var isReady: Bool { adapter != nil }

    private mutating func loseStack(at now: MonotonicInstant) {
        adapter = nil
        isDrawingPhonesAway = false
        readsSELinuxAt = nil
        forgetCalls { if case .advertisement = $0 { true } else { false } }
        for index in phones.indices { phones[index].link.end(.bluetoothGone) }
        drainPhones(at: now)
        updateCompanions(at: now)
        advertisement.lost()
        drainAdvertisement()
    }

    // MARK: The adapter

    mutating func adapterChanged(at now: MonotonicInstant) {
        // Otherwise, all adapters are about to be reported.
        guard daemon.state == .present else { return }
        if let adapter {
            guard !canBeUsed(adapter) else { return }
            let failure = failure(of: [adapter])
            loseStack(at: now)
            if case .off = failure {
                awaited = .power
                reset(failure)
            } else {
                // The reason is uncertain: perhaps bluetoothd is ending.
                reset(.adapterLost(adapter: String(adapter.lastElement)))
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
        daemon.hasServed = true
        startsUntil = nil
        awaited = nil
        reportedFailure = nil
        report(.ready(adapter: String(adapter.lastElement)))
        agent.register()
        for device in tree.devices.keys.sorted(byText: { $0.text }) {
            deviceChanged(device, at: now)
        }
    }

    /// What was asked for has not appeared.
    mutating func patienceEnded() {
        startsUntil = nil
        let failure = failure(of: candidates)
        if daemon.hasServed { reset(failure) } else { fail(failure) }
    }

    /// The adapters that are meant.
    private var candidates: [ObjectPath] {
        Array(tree.adapters.filter { configuration.adapter.means($0, $1) }.keys)
    }

    private func canBeUsed(_ adapter: ObjectPath) -> Bool {
        tree.adapters[adapter]?.isPowered == true && tree.advertisingManagers[adapter] != nil
    }

    private func failure(of adapters: [ObjectPath]) -> BlueZEvent.Failure {
        let present = adapters.filter { tree.adapters[$0] != nil }.sorted(byText: { $0.text })
        guard let first = present.first else { return .noAdapter }
        guard let powered = present.first(where: { tree.adapters[$0]?.isPowered == true }) else {
            return .off(adapter: String(first.lastElement))
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
        let places = max(1, paired + (window.isOpen(with: hasPairedPhone) ? 1 : 0))
        advertisement.want(
            isLettingIn && served < min(configuration.maximumPhones, places),
            window.wasOpen ? .fast : .slow)
    }

    mutating func advertisementCalled(
        _ call: BusMethodCall, _ invocation: InvocationID, at now: MonotonicInstant
    ) {
        let properties = advertisement.properties(
            name: configuration.name, showsNameAlways: configuration.showsNameAlways)
        let result: Result<[BusValue], BusError>
        switch (call.interface, call.member) {
        case (ObjectTree.propertiesInterface, "GetAll"): result = .success([properties])
        case (ObjectTree.propertiesInterface, "Get"):
            let name = call.arguments.dropFirst().first?.string ?? ""
            if let value = properties.dictionary?[.string(name)] {
                result = .success([value])
            } else {
                result = .failure(BusError(BusError.unknownProperty, name))
            }
        case (Advertisement.interface, "Release"):
            advertisement.released(at: now)
            result = .success([])
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
        let bus =
            switch call {
            case .register:
                BusCall.blueZ(
                    adapter, interface, "RegisterAdvertisement",
                    [.objectPath(Advertisement.path), .options()])
            case .unregister:
                BusCall.blueZ(
                    adapter, interface, "UnregisterAdvertisement",
                    [.objectPath(Advertisement.path)])
            case .count: BusCall.get("ActiveInstances", of: interface, at: adapter)
            }
        // Some controllers take long to start advertising.
        self.call(bus, for: .advertisement(call), within: .seconds(30))
    }

    // MARK: The agent

    package mutating func drainAgent() {
        while let output = agent.pollOutput() {
            switch output {
            case .register:
                call(
                    PairingAgent.registration(with: configuration.capability.rawValue),
                    for: .registerAgent, within: .seconds(10))
            case .answer(let invocation, let result): self.output(.answer(invocation, result))
            case .ask(let device, let question):
                guard let phone = phones.first(where: { $0.path == device }) else { continue }
                report(.ask(question), of: phone.id)
            case .withdrawn(let device):
                guard let phone = phones.first(where: { $0.path == device }) else { continue }
                report(.peer(.pairingWithdrawn), of: phone.id)
            case .refusedJustWorks(let device):
                guard let index = phones.firstIndex(where: { $0.path == device }),
                    phones[index].link.justWorksRefused()
                else { continue }
                report(.peer(.securityFailed(.notAuthenticated)), of: phones[index].id)
            case .refused(let error): report(.agentRefused(error))
            }
        }
    }
}
