internal import ANCSReceiver
internal import BlueZ
internal import BluetoothLE

// bluetoothd and its adapter.
extension BlueZSystem {
    mutating func isUnavailable(because failure: BluetoothdFailure) {
        change(to: Self.state(without: failure), failure)
    }

    mutating func failed(because failure: BluetoothdFailure) {
        state = Self.state(without: failure)
        // Whoever runs the adapter is told why, once.
        report(.controller(.stateChanged(state, nil)))
        report(.controller(.failed(.controller(.bluetoothd(failure)))))
    }

    private static func state(without failure: BluetoothdFailure) -> ManagerState {
        failure == .denied ? .unauthorized : .resetting
    }

    /// All objects, in an order in which each comes after what it belongs to.
    mutating func took(_ objects: BusValue?, at now: MonotonicInstant) {
        desk.daemon.hasServed = true
        let found = objects?.managedObjects ?? []
        for change in found where change.interface == AdapterObject.interface {
            _ = adapters.apply(change, atMost: Self.maximumAdapters)
        }
        chooseAdapter()
        for change in found where change.interface != AdapterObject.interface {
            changed(change, at: now)
        }
        updateState(at: now)
    }

    /// bluetoothd has ended, and with it all links and registrations.
    mutating func daemonEnded(at now: MonotonicInstant) {
        adapters = [:]
        adapter = nil
        loseStack(withObjects: true, at: now)
        desk.agent.lost()
        change(to: .resetting, .ended)
        updateSocketPolicy(at: now)
    }

    private mutating func loseStack(withObjects: Bool, at now: MonotonicInstant) {
        scans.lost()
        book.terms.isPowered = false
        for id in book.peers.keys.sorted(byNumber: \.rawValue) {
            update(id, at: now) { $0.stackGone(withObjects: withObjects, at: now) }
        }
        if withObjects { for id in book.allVanished() { forget(id) } }
    }

    private mutating func change(to state: ManagerState, _ failure: BluetoothdFailure? = nil) {
        let before = (exchange(&self.state, with: state), exchange(&self.failure, with: failure))
        guard before != (state, failure) else { return }
        report(.controller(.stateChanged(state, failure.map { .bluetoothd($0) })))
    }

    // MARK: The adapter

    static var maximumAdapters: Int { 64 }

    /// Adapters have changed.
    mutating func adaptersChanged(at now: MonotonicInstant) {
        let before = adapter
        if let adapter, adapters[adapter] == nil { self.adapter = nil }
        chooseAdapter()
        guard adapter != before else { return updateState(at: now) }
        if let before {
            loseStack(withObjects: true, at: now)
            change(to: .resetting, .adapterLost(adapter: String(before.lastElement)))
        }
        // The devices of another adapter have not been looked at.
        if adapter == nil { updateState(at: now) } else { look() }
    }

    /// Keeps the adapter, unless it is off and another one is on.
    private mutating func chooseAdapter() {
        if let adapter, adapters[adapter]?.isPowered == true { return }
        let candidates = adapters.filter { wanted.means($0, $1) }
        let powered = candidates.filter(\.value.isPowered)
        if adapter != nil, powered.isEmpty { return }
        adapter = (powered.isEmpty ? candidates : powered).keys.min { $0.text < $1.text }
    }

    /// Reports what has become of the adapter, and begins or ends what needs it.
    mutating func updateState(at now: MonotonicInstant) {
        guard desk.daemon.state == .present else { return }
        let isOn = adapter.flatMap { adapters[$0]?.isPowered }
        switch isOn {
        case true? where state != .poweredOn:
            updateSocketPolicy(at: now)
            scans.mayNameServices = circumstances.comparesServices
            change(to: .poweredOn)
            book.terms.isPowered = true
            desk.agent.register()
            for id in book.peers.keys.sorted(byNumber: \.rawValue) {
                update(id, at: now) { $0.stackCame(at: now) }
            }
        case true?: break
        case false?:
            if state == .poweredOn { loseStack(withObjects: false, at: now) }
            let name = adapter.map { String($0.lastElement) }
            change(to: .poweredOff, name.map { .off(adapter: $0, isBlocked: false) })
        case nil: change(to: .unsupported, .noAdapter(wanted.description))
        }
    }

    /// bluetoothd asks about a pairing, which it may have begun for a request of ours: it asks the default agent, which
    /// is ours if no other program has one. One that began while the adapter was not pairable makes no bond, and is
    /// refused like those of strangers; the request goes without an answer then, and is paired for.
    mutating func joinPairing(asked call: BusMethodCall, at now: MonotonicInstant) {
        switch call.member {
        case "RequestAuthorization", "RequestConfirmation", "RequestPasskey", "DisplayPasskey":
            break
        case _: return
        }
        guard let adapter, adapters[adapter]?.isPairable == true,
            let device = call.arguments.first?.objectPath, let peer = book.id(at: device)
        else { return }
        update(peer, at: now) { $0.joinPairing() }
    }

    // MARK: Sockets

    mutating func updateSocketPolicy(at now: MonotonicInstant) {
        let circumstances = circumstances
        var policy = RemotePeer.SocketPolicy.never
        if desk.sockets.allowsSockets(under: circumstances, at: now) {
            policy = circumstances.answersRefusedSockets ? .bonded : .afterAnAnswer
        }
        book.terms.sockets = policy
        if policy != .never {
            hasReportedSockets = false
        } else if !exchange(&hasReportedSockets, with: true) {
            warn(.privacy, SocketAdvice.broadcasts(isEnforcing: desk.selinux.isEnforcing))
        }
    }

    // MARK: The shared machines

    mutating func drainScans() {
        while let output = scans.pollOutput() {
            switch output {
            case .failed(let client, let error):
                let message = "bluetoothd does not scan: \(error.text)"
                report(.scan(.failed(BluetoothError(.unknown, message))), to: client)
            case .call(let call):
                guard let adapter else { continue }
                self.call(
                    call.bus(at: adapter), for: .own(.discovery(call)),
                    within: DiscoveryBook.Call.limit)
            }
        }
    }

    mutating func said(_ event: PairingAgent.Event) {
        switch event {
        case .ask(let device, let question):
            guard let peer = book.id(at: device) else { return }
            report(.security(peer, .ask(question.kind, request: question.id)))
        case .withdrawn(let device):
            if let peer = book.id(at: device) { report(.security(peer, .withdrawn)) }
        // It does not require digits.
        case .refusedJustWorks: break
        case .refused(let error): warn(.pairing, error.agentRefusal)
        }
    }

    private mutating func warn(_ topic: DeviceWarning.Topic, _ message: String) {
        report(.controller(.warning(DeviceWarning(topic, message))))
    }
}

extension DaemonCircumstances {
    /// Whether a discovery may name services; not where the version is unknown. That of 5.87 ends with the first device
    /// that is heard, because it calls the text of a UUID as a function (is_filter_match in src/adapter.c).
    var comparesServices: Bool { version.map { $0 != 5 << 8 | 87 } ?? false }
}

extension DiscoveryBook.Call {
    func bus(at adapter: ObjectPath) -> BusCall {
        let (member, arguments): (String, [BusValue]) =
            switch self {
            case .setFilter(let filter): ("SetDiscoveryFilter", [filter.options])
            case .start: ("StartDiscovery", [])
            case .stop: ("StopDiscovery", [])
            }
        return .blueZ(adapter, AdapterObject.interface, member, arguments)
    }
}

extension DiscoveryBook.Filter {
    /// Low Energy only, without an inquiry of BR/EDR.
    fileprivate var options: BusValue {
        var options: [String: BusValue] = [
            "Transport": .string("le"), "DuplicateData": .bool(reportsDuplicates),
        ]
        if !services.isEmpty { options["UUIDs"] = .strings(services.map(\.text)) }
        return .options(options)
    }
}
