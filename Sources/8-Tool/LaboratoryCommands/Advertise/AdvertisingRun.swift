internal import BluetoothLE
internal import DeviceCommandKit

/// Advertises, serves the published values, and carries out the commands that the user types.
actor AdvertisingRun: LoopActor {
    /// The thread of the event loop, on which the adapter runs too: events need no change of thread.
    nonisolated var loop: EventLoop { adapter.loop }

    private let options: AdvertiseOptions
    private let adapter: BluetoothAdapter
    private let manager: PeripheralManager
    private let report: AdvertiseReport
    private let watch: CentralWatch
    private var table: PublishedTable
    /// The plan that the user was last shown as being on air.
    private var shown: AdvertisementPlan
    private var isPublished = false
    /// Whether the user wants to advertise. After a reset, the controller does not advertise until it is
    /// started again.
    private var isWanted = true
    /// Changed values that could not be sent yet because a subscriber's queue was full.
    private var unsent: [PublishedValues.Key] = []
    /// When the run ends, and the timer that ends it if nothing is on air.
    private var endsAt: MonotonicInstant?
    private var deadline: Task<Void, Never>?

    init(
        _ options: AdvertiseOptions, at adapter: BluetoothAdapter, _ report: AdvertiseReport,
        shown: AdvertisementPlan, _ watch: CentralWatch
    ) {
        (self.options, self.adapter, self.report, self.shown) = (options, adapter, report, shown)
        self.watch = watch
        manager = PeripheralManager(adapter)
        table = PublishedTable(options.publication)
    }

    /// Runs until the task is cancelled, the time limit passes or nothing can be advertised.
    func run() async {
        let input = Task(executorPreference: adapter.loop) { [adapter] in
            for await line in InputLines(on: adapter.loop).lines { await self.obey(line) }
        }
        defer {
            input.cancel()
            deadline?.cancel()
        }
        await manager.setInBackground(options.wanted.isInBackground)
        for await event in manager.events { await handle(event) }
    }

    // MARK: The manager

    private func handle(_ event: PeripheralManagerEvent) async {
        switch event {
        case .stateUpdated(.poweredOn): await begin()
        case .stateUpdated: break
        case .missed(let count): await report.reportMissed(count).show()
        case .didStartAdvertising: await showAir()
        case .advertisingInterrupted(let error):
            await report.reportOffAir(.interrupted, error?.message).show()
        case .didStopAdvertising(let end): await advertisingEnded(end)
        case .didSubscribe(let central, let characteristic):
            await reportSubscription(.subscribed, central, characteristic)
        case .didUnsubscribe(let central, let characteristic):
            await reportSubscription(.unsubscribed, central, characteristic)
        case .isReadyToUpdateSubscribers: await sendAgain()
        case .didReceiveRead(let request): await answer(read: request)
        case .didReceiveWrite(let requests): await answer(write: requests)
        }
    }

    /// Publishes the services once, and starts advertising whenever the controller becomes available.
    private func begin() async {
        do throws(BluetoothError) {
            if !isPublished {
                for service in table.services { try await manager.add(service) }
                isPublished = true
            }
            if isWanted { try await startAdvertising() }
        } catch { await fail(error.message) }
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
        isWanted = true
        deadline?.cancel()
    }

    /// Stops advertising at the time limit, and ends the run.
    private func endInTime() {
        isWanted = false
        guard let endsAt else { return }
        deadline = Task(executorPreference: adapter.loop) { [adapter] in
            do { try await adapter.loop.sleep(for: endsAt - adapter.loop.now) } catch { return }
            await adapter.stop()
        }
    }

    private func fail(_ problem: String) async {
        await watch.fail()
        await report.report(problem: problem).show()
        await adapter.stop()
    }

    private func showAir() async {
        guard let plan = await manager.advertisingState.plan else { return }
        await report.reportOnAir(plan, isNew: plan != shown).show()
        shown = plan
    }

    private func advertisingEnded(_ end: AdvertisingEnd) async {
        switch end {
        case .connected:
            endInTime()
            await report.reportOffAir(.connected, nil).show()
        case .timeLimit:
            await report.reportOffAir(.timeLimit, nil).show()
            await adapter.stop()
        case .impossible: await fail("the controller cannot advertise")
        }
    }

    private func reportSubscription(
        _ access: AdvertiseReport.Access, _ central: Central,
        _ characteristic: MutableCharacteristic
    ) async {
        guard let key = table.key(of: characteristic) else { return }
        await report.report(access, by: central.identifier, key).show()
    }

    // MARK: Requests

    private func answer(read request: ATTRequest) async {
        guard let key = table.key(of: request.characteristic), let value = table.values[key] else {
            return await manager.respond(to: request, withResult: .unlikelyError)
        }
        request.value = value
        await manager.respond(to: request, withResult: .success)
        await report.report(.read, by: request.central.identifier, key, value).show()
    }

    private func answer(write requests: [ATTRequest]) async {
        guard let first = requests.first else { return }
        let central = first.central.identifier
        do throws(PublishedValues.Refusal) {
            let keys = try table.write(requests)
            await manager.respond(to: first, withResult: .success)
            for key in keys {
                await report.report(.written, by: central, key, table.values[key]).show()
            }
        } catch {
            await manager.respond(to: requests[error.index], withResult: error.code)
            await report.report(
                refusalOf: table.key(of: requests[error.index].characteristic), by: central,
                error.code
            ).show()
        }
    }

    // MARK: What the user types

    private func obey(_ line: String) async {
        // A bare word answers an open question; `passkey` and `confirm` do the same.
        if await watch.answer(line) { return }
        do throws(PromptFault) {
            if let command = try AdvertiseInput.parse(line) { await obey(command) }
        } catch { await report.report(problem: error.message).show() }
    }

    private func obey(_ command: AdvertiseInput) async {
        switch command {
        case .update(let name, let value): await update(name, to: value)
        case .answer(let word):
            if await !watch.answer(word) {
                await report.report(problem: "pairing is not waiting for this answer").show()
            }
        case .background(let isInBackground):
            await manager.setInBackground(isInBackground)
            if await manager.isAdvertising { await showAir() }
        case .start:
            do throws(BluetoothError) { try await startAdvertising() } catch {
                await report.report(problem: error.message).show()
            }
        case .stop:
            guard await manager.isAdvertising else { return }
            await manager.stopAdvertising()
            endInTime()
            await report.reportOffAir(.stopped, nil).show()
        }
    }

    private func update(_ name: String, to value: [UInt8]) async {
        let keys = table.values.keys(named: name)
        guard let key = keys.first, keys.count == 1 else {
            let problem =
                keys.isEmpty
                ? "no characteristic \(name) is published"
                : "several services have this characteristic: "
                    + keys.map(\.text).joined(separator: ", ")
            return await report.report(problem: problem).show()
        }
        guard table.set(value, of: key) else {
            return await report.report(problem: "\(key.text) is static and cannot be changed")
                .show()
        }
        await send(key)
    }

    /// Sends the new value to subscribers, now or as soon as there is room in their queues.
    private func send(_ key: PublishedValues.Key) async {
        guard let characteristic = table.characteristic(key), let value = table.values[key] else {
            return
        }
        let isSent = await manager.updateValue(value, for: characteristic)
        if !isSent, !unsent.contains(key) { unsent.append(key) }
        await report.report(
            update: key, value, subscribers: characteristic.subscribedCentrals.count, isSent: isSent
        ).show()
    }

    private func sendAgain() async {
        let keys = unsent
        unsent = []
        for key in keys { await send(key) }
    }
}
