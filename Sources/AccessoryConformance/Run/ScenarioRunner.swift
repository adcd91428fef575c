internal import ANCS
package import ANCSKit
internal import LinuxIO
internal import Octets

/// Runs a scenario on a phone, and reports its progress to an audience.
package actor ScenarioRunner {
    /// The thread of the event loop, on which the phone runs too.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    private nonisolated let loop: EventLoop
    private let provider: NotificationProvider
    private let scenario: Scenario
    private let audience: any ScenarioAudience
    private let stateDirectory: String?
    private let behavior: ProviderBehavior
    private lazy var phone = OperatedPhone(provider, makeApps(), behavior: behavior)
    private var run: ScenarioRun
    private var timer: LoopTimer?
    private var isDraining = false
    private var hasStarted = false
    /// The error that ended the phone.
    private var failure: DeviceError?
    private var result: ScenarioResult?

    /// Creates a run on a phone that has not been started, whose configuration has adopted the scenario.
    package init(
        _ scenario: Scenario, _ provider: NotificationProvider, behavior: ProviderBehavior,
        audience: any ScenarioAudience, stateDirectory: String? = nil,
        words: @escaping EventWords
    ) {
        self.scenario = scenario
        self.provider = provider
        self.audience = audience
        self.behavior = behavior
        self.stateDirectory = stateDirectory
        loop = provider.loop
        run = ScenarioRun(scenario, at: provider.loop.now, words: words)
    }

    /// Starts the phone, goes through the steps, and stops it.
    package func run() async throws(DeviceError) -> ScenarioEnding {
        timer = LoopTimer(on: loop) { [self, loop] in
            Task(executorPreference: loop) { await self.timeOut() }
        }
        defer { timer?.deadline = nil }
        await audience.runBegan(scenario)
        do throws(PhoneObstacle) { try await prepare() } catch {
            await audience.couldNotStart(scenario, because: error.reason)
            return .refused(error)
        }
        await provider.start()
        await drain()
        do throws(DeviceError) {
            for try await event in provider.events { await handle(event) }
        } catch {
            if hasStarted {
                // The results up to the failure are reported nevertheless.
                failure = error
                run.interrupt(.phoneFailed, at: loop.now)
                await drain()
            } else if result == nil {
                await audience.couldNotStart(scenario, because: error.message)
            }
            throw error
        }
        return result.map { .finished($0) } ?? .phoneEnded
    }

    /// Ends the run before its last step.
    package func interrupt() async {
        run.interrupt(.interrupted, at: loop.now)
        await drain()
    }

    // MARK: Inputs

    private func handle(_ event: ProviderEvent) async {
        let now = loop.now
        await audience.happened(event, at: provider)
        if case .peer(_, .pairing(let request)) = event { answer(request) }
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
        if let peripheral = state.accessory {
            accessory = await provider.accessory(of: peripheral)
        }
        run.receive(ScenarioBinding(state, accessory), of: event.app, at: loop.now)
        await drain()
    }

    private func timeOut() async {
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
            } catch {
                run.failed(error.reason, at: loop.now)
            }
        case .stepBegan(let step): await audience.stepBegan(step, phone.names)
        case .stepWaits(let step): await audience.stepWaits(step)
        case .stepEnded(let result): await audience.stepEnded(result)
        case .ended(var result):
            result.cause = failure?.message
            self.result = result
            await audience.runEnded(result)
            await phone.apps.end()
            await provider.stop()
        }
    }

    // MARK: The phone

    /// Installs the apps and posts the notifications that exist before an accessory connects.
    private func prepare() async throws(PhoneObstacle) {
        try await phone.install(scenario.installedApps)
        for notification in scenario.notifications {
            phone.names[notification.name] = try await phone.attempt { provider in
                try await provider.post(notification.content.notification())
            }
        }
        try await phone.attempt { [apps = phone.apps] _ in try await apps.launch() }
    }
}

/// How a run ended.
package enum ScenarioEnding: Sendable {
    case finished(ScenarioResult)
    /// The phone could not be set up for the scenario.
    case refused(PhoneObstacle)
    /// The phone was stopped from outside.
    case phoneEnded
}

extension ProviderConfiguration {
    /// Applies the scenario's settings of the phone.
    package mutating func adopt(_ scenario: Scenario) {
        scenario.mtu.map { maximumMTU = $0 }
        scenario.hasConsent.map { grantsConsent = $0 }
        scenario.pairing.map { pairing = $0 }
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
