internal import ANCSKit
internal import BluetoothLE
internal import Glibc
internal import LinuxIO
internal import Octets

/// A peripheral on air: advertises, serves what is published, and does what its user types.
actor AdvertisingRun {
    /// The loop's thread, where the adapter lives: no event waits for another thread.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        adapter.loop.asUnownedSerialExecutor()
    }

    private let options: AdvertiseOptions
    private let adapter: BluetoothAdapter
    private let manager: PeripheralManager
    private let report: AdvertiseReport
    private var table: PublishedTable
    /// What the user was shown as on air last.
    private var shown: AdvertisementPlan
    private var isPublished = false
    /// The central whose pairing asks the user, and what.
    private var question: (central: PeerIdentifier, question: PairingQuestion)?
    /// How links are protected, as far as the user was told.
    private var protections: [PeerIdentifier: LinkProtection] = [:]
    /// Changed values for which a subscriber had no room.
    private var unsent: [PublishedValues.Key] = []
    /// When the run is over, and who sees to that where nothing is on air.
    private var endsAt: MonotonicInstant?
    private var deadline: Task<Void, Never>?
    private var failure: ExitStatus?

    init(
        _ options: AdvertiseOptions, at adapter: BluetoothAdapter, _ report: AdvertiseReport,
        shown: AdvertisementPlan
    ) {
        self.options = options
        self.adapter = adapter
        self.report = report
        self.shown = shown
        manager = PeripheralManager(adapter)
        table = PublishedTable(options.publication)
    }

    /// Until a signal, the time limit or a failure ends it.
    func run() async -> ExitStatus {
        let loop = adapter.loop
        let signals: SignalSource
        do throws(IOError) {
            signals = try SignalSource([SIGINT, SIGTERM], on: loop) { [adapter] _ in
                Task { await adapter.stop() }
            }
        } catch { return ExitStatus.report(.transport(error)) }
        defer {
            signals.cancel()
            loop.shutdown()
        }
        let tasks = [
            Task { await self.followManager() },
            Task { await self.followInput(InputLines(on: loop)) },
        ]
        defer {
            for task in tasks + [deadline].compactMap(\.self) { task.cancel() }
        }
        await manager.setInBackground(options.wanted.isInBackground)
        await adapter.start()
        do throws(DeviceError) {
            while let event = try await adapter.nextEvent() { await handle(event) }
        } catch { return ExitStatus.report(error) }
        return failure ?? .success
    }

    private func show(_ lines: AdvertiseReport.Lines) async {
        for line in lines.diagnostics { StandardStreams.writeError(line) }
        for line in lines.output { await StandardStreams.deliver(line) }
    }

    // MARK: The adapter

    private func handle(_ event: AdapterEvent) async {
        switch event {
        case .pairing(_, .display), .paired, .securityFailed: question = nil
        case .disconnected(let central, _):
            question = nil
            protections[central] = nil
        case .secured(let central, let protection):
            guard protections.updateValue(protection, forKey: central) != protection else { return }
        case .pairing(let central, let asked): question = (central, asked)
        default: break
        }
        await show(report.report(of: event))
    }

    // MARK: The manager

    private func followManager() async {
        while let event = await manager.nextEvent() { await handle(event) }
    }

    private func handle(_ event: PeripheralManagerEvent) async {
        switch event {
        case .stateUpdated(.poweredOn): await begin()
        case .stateUpdated, .missed: break
        case .didStartAdvertising: await showAir()
        // Where the end follows, that is what is told.
        case .advertisingInterrupted(let error):
            if await manager.isAdvertising {
                await show(report.reportOffAir("interrupted", error?.message))
            }
        case .didStopAdvertising(let end): await advertisingEnded(end)
        case .didSubscribe(let central, let characteristic):
            await tellSubscription("subscribed", central, characteristic)
        case .didUnsubscribe(let central, let characteristic):
            await tellSubscription("unsubscribed", central, characteristic)
        case .isReadyToUpdateSubscribers: await sendAgain()
        case .didReceiveRead(let request): await answer(read: request)
        case .didReceiveWrite(let requests): await answer(write: requests)
        }
    }

    /// Publishes at first, and advertises whenever the controller is there, or there again.
    private func begin() async {
        do throws(BluetoothError) {
            if !isPublished {
                for service in table.services { try await manager.add(service) }
                isPublished = true
            }
            try await startAdvertising()
        } catch {
            failure = .failure
            await show(report.report(problem: error.message))
            await adapter.stop()
        }
    }

    private func startAdvertising() async throws(BluetoothError) {
        let wanted = options.wanted
        if endsAt == nil { endsAt = options.timeLimit.map { adapter.loop.now + $0 } }
        try await manager.startAdvertising(
            AdvertisementData(
                localName: wanted.localName, serviceUUIDs: wanted.services,
                solicitedServiceUUIDs: wanted.solicitedServices, appearance: wanted.appearance),
            options: AdvertisingOptions(
                stopsOnConnection: options.stopsOnConnection,
                timeLimit: endsAt.map { $0 - adapter.loop.now }))
        deadline?.cancel()
    }

    /// The time limit is one of the run as well.
    private func endInTime() {
        guard let endsAt else { return }
        deadline = Task {
            do { try await adapter.loop.sleep(for: endsAt - adapter.loop.now) } catch { return }
            await adapter.stop()
        }
    }

    private func showAir() async {
        guard let plan = await manager.advertisingState.plan else { return }
        await show(report.reportOnAir(plan, isNew: plan != shown))
        shown = plan
    }

    private func advertisingEnded(_ end: AdvertisingEnd) async {
        switch end {
        case .connected:
            endInTime()
            await show(report.reportOffAir("connected", nil))
        case .timeLimit:
            await show(report.reportOffAir("timeLimit", nil))
            await adapter.stop()
        case .impossible:
            failure = .failure
            await show(report.report(problem: "the controller cannot advertise"))
            await adapter.stop()
        }
    }

    private func tellSubscription(
        _ event: String, _ central: Central, _ characteristic: MutableCharacteristic
    ) async {
        guard let key = table.key(of: characteristic) else { return }
        await show(report.report(event, by: central.identifier, key))
    }

    // MARK: Requests

    private func answer(read request: ATTRequest) async {
        guard let key = table.key(of: request.characteristic), let value = table.values[key] else {
            return await manager.respond(to: request, withResult: .unlikelyError)
        }
        request.value = value
        await manager.respond(to: request, withResult: .success)
        await show(report.report("read", by: request.central.identifier, key, value))
    }

    private func answer(write requests: [ATTRequest]) async {
        guard let first = requests.first else { return }
        let central = first.central.identifier
        do throws(PublishedValues.Refusal) {
            let keys = try table.write(requests)
            await manager.respond(to: first, withResult: .success)
            for key in keys {
                await show(report.report("written", by: central, key, table.values[key]))
            }
        } catch {
            await manager.respond(to: requests[error.index], withResult: error.code)
            await show(
                report.report(
                    refusalOf: table.key(of: requests[error.index].characteristic), by: central,
                    error.code))
        }
    }

    // MARK: What the user types

    private func followInput(_ input: InputLines) async {
        for await line in input.lines { await obey(line) }
    }

    private func obey(_ line: String) async {
        // What is asked is answered in a word; `passkey` and `confirm` say the same.
        if let asked = question, let given = PairingAnswer(line, to: asked.question) {
            return await answer(given)
        }
        do throws(AdvertiseInput.Misunderstanding) {
            if let command = try AdvertiseInput.parse(line) { await obey(command) }
        } catch { await show(report.report(problem: error.message)) }
    }

    private func obey(_ command: AdvertiseInput) async {
        switch command {
        case .update(let name, let value): await update(name, to: value)
        case .passkey(let passkey): await answer(.passkey(passkey))
        case .confirm(let isConfirmed): await answer(.confirm(isConfirmed))
        case .background(let isInBackground):
            await manager.setInBackground(isInBackground)
            if await manager.isAdvertising { await showAir() }
        case .start:
            do throws(BluetoothError) { try await startAdvertising() } catch {
                await show(report.report(problem: error.message))
            }
        case .stop:
            guard await manager.isAdvertising else { return }
            await manager.stopAdvertising()
            endInTime()
            await show(report.reportOffAir("stopped", nil))
        }
    }

    private func answer(_ answer: PairingAnswer) async {
        guard let asked = question, answer.fits(asked.question) else {
            return await show(report.report(problem: "nobody asks for that"))
        }
        question = nil
        await adapter.answerPairing(answer, of: asked.central)
    }

    private func update(_ name: String, to value: [UInt8]) async {
        let keys = table.values.keys(named: name)
        guard let key = keys.first, keys.count == 1 else {
            let problem =
                keys.isEmpty
                ? "no characteristic \(name) is published"
                : "several services have it: " + keys.map(\.text).joined(separator: ", ")
            return await show(report.report(problem: problem))
        }
        guard table.set(value, of: key) else {
            return await show(report.report(problem: "\(key.text) is static: it never changes"))
        }
        await send(key)
    }

    /// Tells subscribers what a value is now; where one has no room, later.
    private func send(_ key: PublishedValues.Key) async {
        guard let characteristic = table.characteristic(key), let value = table.values[key] else {
            return
        }
        let isSent = await manager.updateValue(value, for: characteristic)
        if !isSent, !unsent.contains(key) { unsent.append(key) }
        await show(
            report.report(
                update: key, value, subscribers: characteristic.subscribedCentrals.count,
                isSent: isSent))
    }

    private func sendAgain() async {
        let keys = unsent
        unsent = []
        for key in keys { await send(key) }
    }
}

extension PairingAnswer {
    /// Whether this is what a question asks for.
    fileprivate func fits(_ question: PairingQuestion) -> Bool {
        switch (self, question) {
        case (.cancel, _), (.passkey, .enterPasskey), (.confirm, .compare), (.confirm, .confirm):
            true
        case (.passkey, _), (.confirm, _): false
        }
    }
}
