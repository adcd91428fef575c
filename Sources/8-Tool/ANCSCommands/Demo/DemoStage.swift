internal import AccessoryConformance
internal import DBus
internal import EventLines
internal import HCITransports
internal import OpenSSLSecurity
internal import VirtualBluetooth
internal import VirtualTransports

/// Runs a phone that plays a scenario and an accessory, each with a controller, on one radio and one loop.
actor DemoStage: ScenarioAudience, LoopActor {
    /// The settings of a run.
    struct Settings: Sendable {
        var clock = LoopClock.virtual
        var phoneName = "iPhone"
        var accessoryName = "Desk"
        /// With a desktop: the bus of the notification server.
        var bus = BusConnection.Bus.session
        var phoneCapture: BtsnoopWriter?
        var accessoryCapture: BtsnoopWriter?
    }

    /// How long the simulated user takes to press a button.
    private static let reactionTime = Duration.milliseconds(1500)
    /// How long one side's text is held back, so that it can be shown next to the other's.
    private static let patience = Duration.seconds(2)

    /// The thread of the event loop, on which both devices run.
    nonisolated let loop: EventLoop
    private let settings: Settings
    private var view: any DemoView
    private let write: @Sendable (String) -> Void
    private var runner: ScenarioRunner?
    private var consumer: NotificationConsumer?
    private var accessoryFailure: DeviceError?
    private var flushTimer: LoopTimer?
    private var userTask: Task<Void, Never>?
    private var isInterrupted = false
    private var hasEnded = false

    /// The UIDs that the accessory uses for the notifications.
    private var uids: [NotificationID: NotificationUID] = [:]
    /// The notifications that the phone shows.
    private var posted: [NotificationID: PostedNotification] = [:]
    /// The notifications that the accessory shows.
    private var shown: [NotificationUID: ReceivedNotification] = [:]

    /// Creates a stage with a loop of its own. `write` is called with each line.
    init(
        _ settings: Settings, view: any DemoView, on loop: EventLoop,
        write: @escaping @Sendable (String) -> Void
    ) { (self.loop, self.settings, self.view, self.write) = (loop, settings, view, write) }

    // MARK: The run

    /// Plays the whole scenario. Returns `nil` if it was interrupted before it began. Throws the error that ended
    /// one of the devices, if any did.
    func run(_ scenario: Scenario) async throws(PhoneFailure) -> ScenarioResult? {
        let radio = RadioLoop(
            configuration: RadioConfiguration(seed: 1), toolbox: OpenSSLToolbox(), on: loop)
        defer { radio.close() }
        let phonePlace = HCIConfiguration(
            .virtual(radio.addController()), capture: settings.phoneCapture)
        let runner: ScenarioRunner
        let consumer: NotificationConsumer
        do throws(DeviceError) {
            runner = try ScenarioRunner(
                scenario, phone: ProviderConfiguration(name: settings.phoneName),
                at: .hci(phonePlace), audience: self)
            let accessoryPlace = HCIConfiguration(
                .virtual(radio.addController()), capture: settings.accessoryCapture)
            consumer = try NotificationConsumer(
                name: settings.accessoryName, at: .hci(accessoryPlace))
        } catch { throw .device(error) }
        self.consumer = consumer
        self.runner = runner
        guard !isInterrupted else { return nil }
        flushTimer = LoopTimer(on: loop) { [weak self] in self?.assumeOnLoop { $0.flush() } }
        defer {
            flushTimer?.deadline = nil
            userTask?.cancel()
        }
        await consumer.start()
        async let accessory: Void = follow(consumer)
        let result = await outcome(of: runner)
        await consumer.stop()
        await accessory
        if let accessoryFailure { throw .device(accessoryFailure) }
        return try result.get()
    }

    private func outcome(of runner: ScenarioRunner) async -> Result<ScenarioResult, PhoneFailure> {
        do throws(PhoneFailure) { return .success(try await runner.run()) } catch {
            return .failure(error)
        }
    }

    /// Shows as much as fits into a window whose size has changed, after `erase`, which empties the screen.
    func redraw(columns: Int, rows: Int, after erase: String) {
        report { view, _ in
            let lines = view.redrawn(toWidth: columns)
            guard let first = lines.suffix(max(1, rows - 1)).first else { return [] }
            return [erase + first] + lines.suffix(max(1, rows - 1)).dropFirst()
        }
    }

    /// Ends the run before the scenario's last step.
    func interrupt() async {
        isInterrupted = true
        await runner?.interrupt()
    }

    // MARK: The phone

    func runBegan(_ scenario: Scenario, at start: MonotonicInstant) async {
        report { view, _ in view.began(scenario) }
    }

    func happened(_ event: BoundApps.Event) {}

    func happened(_ event: ProviderEvent, at provider: NotificationProvider) async {
        var content: PostedNotification?
        switch event {
        case .notification(let change, let id):
            content = await provider.posted(id) ?? posted[id]
            posted[id] = change == .removed ? nil : content
        case .session(_, .announced(let id, let source)): uids[id] = source.notificationUID
        case .device, .peer, .link, .session: break
        }
        let line = event.line(for: Reporter(side: .phone, name: settings.phoneName), content)
        report { view, now in view.phone(event, line, at: now) }
    }

    func stepBegan(_ step: ScenarioStep, _ notifications: [String: NotificationID]) async {
        report { view, _ in view.stepBegan(step) }
        guard let awaited = step.verb.awaited?.action else { return }
        let notification = awaited.notification.flatMap { notifications[$0] }
        userTask = Task(executorPreference: loop) { [self] in
            await press(awaited.action, on: notification)
        }
    }

    func couldNotStart(_ scenario: Scenario, because cause: String) async {}

    func stepWaits(_ step: ScenarioStep) async {}

    func stepEnded(_ result: StepResult) async {
        report { view, now in view.stepEnded(result, at: now) }
    }

    func runEnded(_ result: ScenarioResult) async {
        report { view, now in view.ended(result, at: now) }
        hasEnded = true
    }

    // MARK: The accessory

    private func follow(_ consumer: NotificationConsumer) async {
        do throws(DeviceError) {
            for try await event in consumer.events { happened(event) }
        } catch {
            accessoryFailure = error
            await interrupt()
        }
    }

    private func happened(_ event: ConsumerEvent) {
        var known: ReceivedNotification?
        switch event {
        case .session(_, .started): shown = [:]
        case .notification(let notification):
            known = shown[notification.uid]
            shown[notification.uid] = notification.event == .removed ? nil : notification
        case .device, .peer, .session: break
        }
        let line = event.line(
            for: Reporter(side: .accessory, name: settings.accessoryName), shown: known)
        report { view, now in view.accessory(event, line, at: now) }
    }

    /// Presses the button on the accessory that the scenario expects.
    private func press(_ wanted: ActionID?, on notification: NotificationID?) async {
        do throws(CancellationError) { try await loop.sleep(for: Self.reactionTime) } catch {
            return
        }
        let newest = uids.keys.filter { id in uids[id].flatMap { shown[$0] } != nil }.max()
        guard let consumer, let notification = notification ?? newest,
            let uid = uids[notification], let received = shown[uid]
        else { return }
        let action = wanted ?? .negative
        let id: NotificationAttributeID =
            action == .positive ? .positiveActionLabel : .negativeActionLabel
        let label = received[id]?.text ?? action.description
        let line = Line(
            "pressed",
            [
                "uid": .integer(Int(uid.rawValue)), "action": .string(action.description),
                "label": .string(label),
            ]
        ).viewed(.press("\(action == .positive ? "✓" : "✗") \(label)"))
        report { view, now in view.show(line, of: .accessory, at: now) }
        // The phone's column shows what came of it.
        try? await consumer.perform(action, on: received)
    }

    // MARK: The view

    private func report(_ body: (inout any DemoView, MonotonicInstant) -> [String]) {
        guard !hasEnded else { return }
        for line in body(&view, loop.now) { write(line) }
        flushTimer?.deadline = view.isWaiting ? loop.now + Self.patience : nil
    }

    private func flush() { report { view, _ in view.flush() } }
}
