internal import ANCS
internal import ANCSKit
internal import Glibc
internal import JSONText
internal import LinuxIO
internal import Octets

/// Runs a scenario on a phone of its own, and reports how it went.
actor ScenarioRunner {
    /// What the command line says about a run.
    struct Settings: Sendable {
        var configuration: ProviderConfiguration
        var isJSON = false
        var isVerbose = false
        /// Where the report in JUnit's form goes.
        var reportPath: String?
    }

    /// The loop's thread, where the phone lives.
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private nonisolated let loop: EventLoop
    private let provider: NotificationProvider
    private let scenario: Scenario
    private let settings: Settings
    private let report: ScenarioReport
    private var run: ScenarioRun
    private var behavior: ProviderBehavior
    private var names: [String: NotificationID] = [:]
    private var timer: LoopTimer?
    private var isDraining = false
    private var hasStarted = false
    private var result: ScenarioResult?

    /// A whole run; throws where the phone cannot be started, or dies.
    static func run(_ scenario: Scenario, _ settings: Settings) async throws(DeviceError)
        -> ExitStatus
    {
        var settings = settings
        settings.configuration.adopt(scenario)
        let provider = try NotificationProvider(settings.configuration)
        return try await withTaskExecutorPreference(provider.loop) { () throws(DeviceError) in
            try await ScenarioRunner(scenario, settings, provider).run()
        }
    }

    private init(_ scenario: Scenario, _ settings: Settings, _ provider: NotificationProvider) {
        self.scenario = scenario
        self.settings = settings
        self.provider = provider
        loop = provider.loop
        behavior = settings.configuration.behavior
        report = ScenarioReport(
            isJSON: settings.isJSON, isColored: !settings.isJSON && StandardStreams.isColored)
        run = ScenarioRun(scenario, at: provider.loop.now)
    }

    private func run() async throws(DeviceError) -> ExitStatus {
        let signals: SignalSource
        do throws(IOError) {
            signals = try SignalSource([SIGINT, SIGTERM], on: loop) { [self] _ in
                Task { await interrupt() }
            }
        } catch { throw .transport(error) }
        defer {
            signals.cancel()
            loop.shutdown()
        }
        timer = LoopTimer(on: loop) { [self] in Task { await timeOut() } }
        defer { timer?.deadline = nil }
        for line in report.opening(of: scenario) { await StandardStreams.deliver(line) }
        do throws(ScenarioObstacle) { try await prepare() } catch {
            StandardStreams.writeError("ancs: \(TerminalText.visible(error.reason))")
            return .usage
        }
        await provider.start()
        await drain()
        while let event = try await provider.nextEvent() { await handle(event) }
        return result?.isSuccess == true ? .success : .failure
    }

    // MARK: Inputs

    private func handle(_ event: ProviderEvent) async {
        let now = loop.now
        if settings.isVerbose {
            StandardStreams.writeError("ancs: \(TerminalText.visible(event.words))")
        }
        if case .listening(let place) = event, !settings.isVerbose, !settings.isJSON {
            StandardStreams.writeError(
                "ancs: waiting for a controller at \(TerminalText.visible(place))")
        }
        // What the notifications say is in the scenario.
        if settings.isJSON { await StandardStreams.deliver(event.json { _ in nil }.text) }
        if case .pairing(let accessory, let question) = event {
            await answer(question, of: accessory)
        }
        run.receive(event, at: now)
        if case .ready = event, !hasStarted {
            hasStarted = true
            run.start(names, at: now)
        }
        await drain()
    }

    /// The user of a scripted phone agrees to everything, but reads no digits.
    private func answer(_ question: PairingQuestion, of accessory: AccessoryID) async {
        switch question {
        case .confirm, .compare: await provider.answerPairing(.confirm(true), of: accessory)
        case .enterPasskey: await provider.answerPairing(.cancel, of: accessory)
        case .display: StandardStreams.writeError("ancs: \(question.text(peer: "accessory"))")
        }
    }

    private func timeOut() async {
        run.handleTimeout(at: loop.now)
        await drain()
    }

    private func interrupt() async {
        run.interrupt(.interrupted, at: loop.now)
        await drain()
    }

    // MARK: Outputs

    /// Does what the run wants until it wants nothing more. What comes in meanwhile is dealt with by the
    /// call that is at work already.
    private func drain() async {
        guard !isDraining else { return }
        isDraining = true
        while let output = run.pollOutput() { await carryOut(output) }
        isDraining = false
        timer?.deadline = run.nextDeadline
    }

    private func carryOut(_ output: ScenarioRun.Output) async {
        switch output {
        case .perform(let action, let accessory):
            do throws(ScenarioObstacle) {
                let posted = try await perform(action, at: accessory)
                names.merge(posted) { _, new in new }
                run.performed(posted, at: loop.now)
            } catch {
                run.failed(error.reason, at: loop.now)
            }
        case .stepEnded(let result):
            for line in report.lines(of: result) { await StandardStreams.deliver(line) }
        case .ended(let result):
            self.result = result
            for line in report.closing(of: result) { await StandardStreams.deliver(line) }
            writeReport(result)
            await provider.stop()
        }
    }

    private func writeReport(_ result: ScenarioResult) {
        guard let path = settings.reportPath else { return }
        do throws(IOError) {
            try TextFile.write(JUnitReport.xml(of: result), to: path)
        } catch {
            StandardStreams.writeError("ancs: \(TerminalText.visible(error.message))")
            self.result = nil
        }
    }

    // MARK: The phone

    /// Apps and notifications that are there before anybody comes.
    private func prepare() async throws(ScenarioObstacle) {
        for (identifier, name) in scenario.installedApps {
            try await attempt { provider in
                try await provider.install(try AppIdentifier(identifier), displayName: name)
            }
        }
        for notification in scenario.notifications {
            names[notification.name] = try await post(notification)
        }
    }

    private func post(_ notification: NamedNotification) async throws(ScenarioObstacle)
        -> NotificationID
    {
        try await attempt { provider in
            try await provider.post(notification.content.notification())
        }
    }

    /// Does what a step says; returns the names of what it posted.
    private func perform(
        _ action: ScenarioStep.Action, at accessory: AccessoryID?
    ) async throws(ScenarioObstacle) -> [String: NotificationID] {
        switch action {
        case .post(let notification): return [notification.name: try await post(notification)]
        case .modify(let name, let content):
            let id = try id(of: name)
            try await attempt { provider in
                try await provider.modify(id) { content.apply(to: &$0) }
            }
        case .remove(let name):
            let id = try id(of: name)
            try await attempt { provider in try await provider.remove(id) }
        case .ring(let call):
            return [call.name: try await attempt { try await $0.ring(call.content.call) }]
        case .answer(let name):
            let id = try id(of: name)
            return [name + ".active": try await attempt { try await $0.answer(id) }]
        case .decline(let name):
            let id = try id(of: name)
            return [name + ".missed": try await attempt { try await $0.decline(id) }]
        case .stopRinging(let name):
            let id = try id(of: name)
            return [name + ".missed": try await attempt { try await $0.stopRinging(id) }]
        case .set(let change):
            change.apply(to: &behavior)
            await provider.setBehavior(behavior)
        case .publish(let isAnnounced):
            await provider.setANCSPublished(true, announcing: isAnnounced)
        case .unpublish(let isAnnounced):
            await provider.setANCSPublished(false, announcing: isAnnounced)
        case .inject, .consent, .disconnect, .forgetBond:
            if let accessory { await perform(action, of: accessory) }
        case .wait, .expect, .pause: break
        }
        return [:]
    }

    private func perform(_ action: ScenarioStep.Action, of accessory: AccessoryID) async {
        switch action {
        case .inject(.answer(let fault)): await provider.inject(fault, at: accessory)
        case .inject(.droppedSubscriptions):
            for characteristic in [ProviderSession.Characteristic.notificationSource, .dataSource] {
                await provider.loseSubscription(to: characteristic, of: accessory)
            }
        case .consent(let isGiven): await provider.setConsent(isGiven, for: accessory)
        case .disconnect: await provider.disconnect(accessory)
        case .forgetBond: await provider.forget(accessory)
        default: break
        }
    }

    private func id(of name: String) throws(ScenarioObstacle) -> NotificationID {
        guard let id = names[name] else {
            throw ScenarioObstacle(reason: "the phone never showed \"\(name)\"")
        }
        return id
    }

    private func attempt<Result: Sendable>(
        _ deed: (NotificationProvider) async throws -> Result
    ) async throws(ScenarioObstacle) -> Result {
        do { return try await deed(provider) } catch let error as StoreError {
            throw ScenarioObstacle(reason: error.text)
        } catch {
            throw ScenarioObstacle(reason: "\(error)")
        }
    }
}

/// Why the phone cannot do what a step says.
struct ScenarioObstacle: Error {
    var reason: String
}

extension ProviderConfiguration {
    /// Takes over what a scenario says about the phone.
    mutating func adopt(_ scenario: Scenario) {
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
        // One that is known by nothing but its arrival may be anybody.
        if wanted.count == scenario.accessories.count { allowedAccessories = wanted }
    }
}
