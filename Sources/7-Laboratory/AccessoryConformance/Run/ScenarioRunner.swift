public import ANCSKit
public import LinuxIO

/// Plays a scenario on a phone of its own, and reports what came of it.
///
///     let runner = try ScenarioRunner(scenario, at: .hci("hci-socket:0"))
///     async let result = runner.run()
///     for await event in runner.events {
///         if case .stepBegan(let step) = event { print(step.title) }
///     }
///     print(try await result)
///
/// ``Scenario/run(phone:at:on:)`` does the same for those who want the result alone. Everything runs on the loop
/// of the phone: in virtual time if its controller is on a test bench.
public actor ScenarioRunner {
    /// The thread of the event loop, on which the phone runs too.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The progress of the run, until it ends. There may be several readers; each event goes to one of them. As
    /// many events as the phone's `maximumPendingEvents` are kept for a slow reader; further ones are counted and
    /// dropped.
    public nonisolated var events: EventSequence<ScenarioEvent, Never> {
        progress.channel.events(of: self)
    }

    private nonisolated let loop: EventLoop
    private nonisolated let progress: ScenarioEvents
    private let provider: NotificationProvider
    private let scenario: Scenario
    private let audience: any ScenarioAudience
    private let stateDirectory: String?
    private let behavior: ProviderBehavior
    private lazy var phone = OperatedPhone(provider, makeApps(), behavior: behavior)
    private var run: ScenarioRun
    private var timer: LoopTimer?
    private var isDraining = false
    private var hasBegun = false
    private var hasStarted = false
    /// Why the run ended early: the error that ended the phone, or what the caller said.
    private var cause: String?
    /// What came of it; `nil` before its end.
    package private(set) var result: ScenarioResult?
    /// Waits for the result.
    private var waiter: CheckedContinuation<ScenarioResult, Never>?

    /// A run that has not begun.
    ///
    /// - Parameters:
    ///   - scenario: The scenario.
    ///   - phone: The identity and behavior of the phone. What the scenario says of it comes first: its ATT_MTU,
    ///     consent, pairing, behavior, and the accessories that it connects to.
    ///   - bluetooth: The controller of the phone.
    ///   - loop: An event loop to share; `nil` for a new one, or that of a virtual controller.
    /// - Throws: `DeviceError` if the controller's name is invalid, the bonds cannot be read, or the
    ///   configuration is impossible.
    public init(
        _ scenario: Scenario, phone: ProviderConfiguration = ProviderConfiguration(),
        at bluetooth: Bluetooth, on loop: EventLoop? = nil
    ) throws(DeviceError) {
        try self.init(scenario, phone: phone, at: bluetooth, on: loop, audience: nil)
    }

    /// The same, whose progress an audience is told, which the run waits for. Bindings of apps are kept in a
    /// directory. `witness` watches the controller of the accessory, where that is at hand.
    package init(
        _ scenario: Scenario, phone: ProviderConfiguration, at bluetooth: Bluetooth,
        on loop: EventLoop? = nil, audience: (any ScenarioAudience)?,
        stateDirectory: String? = nil, witness: AnswerWitness? = nil
    ) throws(DeviceError) {
        var configuration = phone
        configuration.adopt(scenario)
        // What is graded depends on whether the phone pairs by itself.
        var scenario = scenario
        scenario.pairing = configuration.pairing
        let watch = AnswerWitness(.phone)
        let provider = try NotificationProvider(
            configuration,
            at: witness == nil ? bluetooth.tapped { watch.see($0, $1, at: $2) } : bluetooth,
            on: loop)
        let progress = ScenarioEvents(limit: configuration.maximumPendingEvents)
        self.provider = provider
        self.loop = provider.loop
        self.scenario = scenario
        self.progress = progress
        self.audience = audience ?? progress
        behavior = configuration.behavior
        self.stateDirectory = stateDirectory
        run = ScenarioRun(scenario, at: provider.loop.now, witness: witness ?? watch)
    }

    /// Starts the phone, goes through the steps, and stops it. A runner runs once.
    ///
    /// A task that is cancelled interrupts its run.
    ///
    /// - Returns: What came of it. A step that failed or a requirement that was broken is no error; see
    ///   ``ScenarioResult/isSuccess``.
    /// - Throws: ``PhoneFailure`` if the phone could not start, did not accept the scenario, or failed; in the last
    ///   case ``events`` end with the result so far.
    public func run() async throws(PhoneFailure) -> ScenarioResult {
        precondition(!hasBegun, "a scenario runner runs once")
        hasBegun = true
        if let result { return result }
        timer = LoopTimer(on: loop) { [self, loop] in
            Task(executorPreference: loop) { await self.timeOut() }
        }
        // The timer holds this object.
        defer {
            timer?.deadline = nil
            timer = nil
        }
        await audience.runBegan(scenario, at: run.began)
        do throws(PhoneObstacle) { try await prepare() } catch {
            await audience.couldNotStart(scenario, because: error.reason)
            throw .refused(reason: error.reason)
        }
        await provider.start()
        await drain()
        do throws(DeviceError) {
            for try await event in provider.events { await handle(event) }
        } catch {
            if hasStarted {
                // The results up to the failure are reported nevertheless.
                cause = error.message
                run.interrupt(.phoneFailed, at: loop.now)
                await drain()
                _ = await ending()
            } else if result == nil {
                await audience.couldNotStart(scenario, because: error.message)
            }
            throw .device(error)
        }
        if result == nil {
            // The task was cancelled, or the phone was stopped from outside.
            run.interrupt(.interrupted, at: loop.now)
            await drain()
        }
        return await ending()
    }

    /// The result; waits for what is going on.
    private func ending() async -> ScenarioResult {
        await withCheckedContinuation { continuation in
            if let result { continuation.resume(returning: result) } else { waiter = continuation }
        }
    }

    /// Ends the run before its last step.
    public func interrupt() async { await interrupt(.interrupted) }

    /// Ends the run for a reason.
    package func interrupt(
        _ interruption: ScenarioResult.Interruption, because cause: String? = nil
    ) async {
        self.cause = self.cause ?? cause
        run.interrupt(interruption, at: loop.now)
        await drain()
    }

    // MARK: Inputs

    /// What the only accessory advertises, as its own controller knows, and whose advertising is not judged by what the
    /// phone hears then; `nil` for nothing so far.
    package func accessoryAdvertises(_ advertisement: ReceivedAdvertisement?) {
        run.accessoryAdvertises(advertisement)
    }

    private func handle(_ event: ProviderEvent) async {
        let now = loop.now
        await audience.happened(event, at: provider)
        if case .peer(_, .pairing(let request)) = event { answer(request) }
        phone.follow(event)
        run.names.merge(phone.names) { _, new in new }
        run.receive(event, at: now)
        if event == .device(.ready), !hasStarted {
            hasStarted = true
            run.start(phone.names, at: now)
        }
        await drain()
    }

    /// The simulated user accepts everything, but cannot enter digits.
    private func answer(_ request: PairingRequest) {
        switch request {
        case .consent(let consent): consent.allow()
        case .compare(let comparison): comparison.confirm()
        case .enter(let entry): entry.cancel()
        case .display: break
        }
    }

    private func makeApps() -> BoundApps {
        BoundApps(at: provider.adapter, directory: stateDirectory) { [weak self] event in
            await self?.handle(event)
        }
    }

    private func handle(_ event: BoundApps.Event) async {
        await audience.happened(event)
        guard case .stateChanged(let state) = event.event else { return }
        var accessory: AccessoryID?
        if let peripheral = state.accessory { accessory = await provider.accessory(of: peripheral) }
        run.receive(ScenarioBinding(state, accessory), of: event.app, at: loop.now)
        await drain()
    }

    private func timeOut() async {
        run.passedOver = await provider.passedOver
        run.handleTimeout(at: loop.now)
        await drain()
    }

    // MARK: Outputs

    /// Performs the outputs of the run until there are no more. If a call is already in progress, it handles
    /// the outputs of further inputs too.
    private func drain() async {
        guard !isDraining else { return }
        isDraining = true
        while let output = run.pollOutput() { await carryOut(output) }
        isDraining = false
        timer?.deadline = run.nextDeadline
    }

    private func carryOut(_ output: ScenarioRun.Output) async {
        switch output {
        case .perform(let deed, let accessory):
            do throws(PhoneObstacle) {
                var posted: [String: NotificationID] = [:]
                let id = try await deed.perform(on: phone, at: accessory)
                if let name = deed.posted { posted[name] = id }
                phone.names.merge(posted) { _, new in new }
                run.performed(posted, at: loop.now)
            } catch { run.failed(error.reason, at: loop.now) }
        case .stepBegan(let step): await audience.stepBegan(step, phone.names)
        case .stepWaits(let step): await audience.stepWaits(step)
        case .stepEnded(let result): await audience.stepEnded(result)
        case .ended(var result):
            result.cause = cause
            self.result = result
            await audience.runEnded(result)
            await phone.apps.end()
            await provider.stop()
            exchange(&waiter, with: nil)?.resume(returning: result)
        }
    }

    // MARK: The phone

    /// Installs the apps and posts the notifications that exist before an accessory connects.
    private func prepare() async throws(PhoneObstacle) {
        try await phone.install(scenario.installedApps)
        if let quirks = scenario.behavior.mediaQuirks { await provider.setMediaQuirks(quirks) }
        for notification in scenario.notifications {
            phone.names[notification.name] = try await phone.attempt { provider in
                try await provider.post(notification.content.notification())
            }
        }
        try await phone.attempt { [apps = phone.apps] _ in try await apps.launch() }
    }
}

extension Scenario {
    /// Plays the scenario on a phone of its own, and stops the phone afterwards.
    ///
    ///     let result = try await Scenario(named: "conformance").run(
    ///         phone: bench.phoneConfiguration, at: bench.phoneController.bluetooth())
    ///     #expect(result.isSuccess, "\(result)")
    ///
    /// - Parameters:
    ///   - phone: The identity and behavior of the phone, as far as the scenario does not say them.
    ///   - bluetooth: The controller of the phone.
    ///   - loop: An event loop to share; `nil` for a new one, or that of a virtual controller.
    /// - Returns: What came of it.
    /// - Throws: ``PhoneFailure`` if the phone could not start, did not accept the scenario, or failed.
    public func run(
        phone: ProviderConfiguration = ProviderConfiguration(), at bluetooth: Bluetooth,
        on loop: EventLoop? = nil
    ) async throws(PhoneFailure) -> ScenarioResult {
        let runner: ScenarioRunner
        do throws(DeviceError) {
            runner = try ScenarioRunner(self, phone: phone, at: bluetooth, on: loop)
        } catch { throw .device(error) }
        return try await runner.run()
    }
}

extension ProviderConfiguration {
    /// Applies the scenario's settings of the phone.
    mutating func adopt(_ scenario: Scenario) {
        scenario.mtu.map { maximumMTU = $0 }
        scenario.hasConsent.map { grantsConsent = $0 }
        scenario.pairing.map { pairing = $0 }
        if scenario.usesMedia { offersMedia = true }
        scenario.behavior.apply(to: &behavior)
        let wanted = scenario.accessories.compactMap { accessory -> String? in
            switch accessory.identification {
            case .orderOfArrival: nil
            case .advertisedName(let text), .address(let text): text
            }
        }
        // An accessory recognized only by the order of arrival may have any address.
        if wanted.count == scenario.accessories.count { allowedAccessories = wanted }
        // Without names, the phone connects to those that ask for ANCS, and to no others.
        guard scenario.grading == .link, !allowedAccessories.isEmpty else { return }
        examinesLinks = true
        maximumAccessories = allowedAccessories.count
    }
}
