internal import ANCSMedia
internal import EventLines
package import ANCSReceiver
package import LinuxIO

/// The daemon: receives the notifications of phones, keeps them as records, and reports them to the sinks.
///
/// Everything runs on one loop. If the consumer fails in a way that may pass, such as a missing adapter, the
/// daemon waits and creates another one.
package actor NotificationService: LoopActor {
    /// The daemon's dependencies.
    package struct Environment: Sendable {
        /// Creates a consumer for a configuration; `selection` decides what it fetches.
        package var makeConsumer:
            @Sendable (ServiceConfiguration, @escaping FetchSelection) throws(DeviceError)
                -> NotificationConsumer
        /// Reads the configuration again.
        package var readConfiguration: @Sendable () throws(ServiceError) -> ServiceConfiguration
        /// Stores the muted apps.
        package var saveMutes: @Sendable (MuteList) -> Void
        /// What stands in the way of pairing on this machine, for a device with this name; a sentence each.
        package var obstacles: @Sendable (_ name: String) async -> [String]
        /// The charge of the battery of a phone, by its address, as far as bluetoothd knows it.
        package var battery: @Sendable (_ address: String) async -> Int?
        /// The current time in UTC.
        package var time: @Sendable () -> CaptureTime
        /// Writes a message to standard error or the journal.
        package var log: @Sendable (String) -> Void

        package init(
            makeConsumer:
                @escaping @Sendable (ServiceConfiguration, @escaping FetchSelection)
                throws(DeviceError) -> NotificationConsumer,
            readConfiguration: @escaping @Sendable () throws(ServiceError) -> ServiceConfiguration,
            saveMutes: @escaping @Sendable (MuteList) -> Void = { _ in },
            obstacles: @escaping @Sendable (_ name: String) async -> [String] = { _ in [] },
            battery: @escaping @Sendable (_ address: String) async -> Int? = { _ in nil },
            time: @escaping @Sendable () -> CaptureTime = { .now },
            log: @escaping @Sendable (String) -> Void
        ) {
            (self.makeConsumer, self.readConfiguration) = (makeConsumer, readConfiguration)
            (self.saveMutes, self.obstacles, self.battery) = (saveMutes, obstacles, battery)
            (self.time, self.log) = (time, log)
        }
    }

    /// See ``ConsumerConfiguration/selection``.
    package typealias FetchSelection =
        @Sendable (ReceivedNotification, ConsumerConfiguration.Selection)
        -> ConsumerConfiguration.Selection

    /// Why the daemon ended on its own.
    package enum Failure: Error, Equatable, Sendable {
        /// This user is not allowed to use the adapter.
        case permission(DeviceError)
        /// The configuration of the adapter is invalid.
        case configuration(DeviceError)
    }

    package nonisolated let loop: EventLoop
    nonisolated let environment: Environment
    private(set) var configuration: ServiceConfiguration
    var keeper: RecordKeeper
    var rules: Rules
    /// The recent records at the time of each record's header, for rules about bursts.
    private var recent = BoundedDictionary<RecordID, RecentRecords>(limit: 1024)
    private(set) var sinks: [any Sink] = []
    private var timer: LoopTimer?
    private(set) var consumer: NotificationConsumer?
    private var lastSession: UInt64 = 0
    private(set) var state = ServiceState.starting
    private(set) var isWindowOpen = false
    /// Why the last configuration was not taken, as far as it was not.
    var rejections: [SinkStatus] = []
    private(set) var tally = AppTally()
    /// The pending pairing requests, and their phones.
    var asked: [PhoneID: AskedQuestion] = [:]
    var reading = ReadingTime()
    /// What was logged of phones that are not received from, so that it is once.
    private var loggedUnserved: Set<String> = []
    /// The dialogue of pairing, until its last step.
    var dialogue: PairingDialogue?
    /// The steps of the current dialogue, or of the last one, each a JSON object. A dialogue has a limited number.
    var steps: [(number: Int, line: String)] = []
    /// How many steps there were since the daemon started.
    var stepCount = 0
    /// The pause before the next attempt to find an adapter.
    private var pause: Task<Void, Never>?
    private var isStopping = false

    /// A daemon that has not started.
    package init(
        _ configuration: ServiceConfiguration, mutes: MuteList = MuteList(), on loop: EventLoop,
        _ environment: Environment
    ) {
        (self.configuration, self.loop, self.environment) = (configuration, loop, environment)
        let bluetooth = configuration.bluetooth
        keeper = RecordKeeper(name: bluetooth.name, keepsBonds: bluetooth.isAtBluetoothd)
        rules = Rules(RuleSet(configuration.rules), mutes: mutes)
    }

    // MARK: Life

    /// Runs until ``stop()`` is called; throws a failure that waiting cannot resolve.
    package func run(
        sinks makeSinks: @Sendable (any ServiceManagement) -> [any Sink]
    ) async throws(Failure) {
        sinks = makeSinks(self)
        timer = LoopTimer(on: loop) { [weak self] in
            self?.assumeOnLoop { service in
                service.keeper.handleTimeout(at: service.loop.now)
                service.dialogue?.handleTimeout(at: service.loop.now)
                service.drain()
                service.drainDialogue()
            }
        }
        for sink in sinks { sink.open() }
        report(.state(state))
        defer { timer?.deadline = nil }
        var growing = GrowingPause(first: .seconds(1), longest: .seconds(15))
        while !isStopping {
            do throws(DeviceError) {
                try await follow(try environment.makeConsumer(configuration, selection))
                growing.reset()
                // Another consumer starts with pairing closed. At the end of the daemon, its clients see that.
                if !isStopping { dialogue?.close() }
                drainDialogue()
            } catch {
                dialogue?.adapterGone(error.message)
                drainDialogue()
                if let failure = Failure(error) { throw failure }
                enter(.waitingForAdapter, error.message)
                growing.begin(at: loop.now)
                if let end = growing.end { await wait(for: end - loop.now) }
            }
        }
    }

    /// Handles all events of a consumer, until it ends.
    private func follow(_ consumer: NotificationConsumer) async throws(DeviceError) {
        self.consumer = consumer
        defer {
            self.consumer = nil
            for provider in asked.keys { withdrawQuestion(of: provider) }
        }
        know(consumer)
        // Ends at once if the configuration does not ask for it.
        let media = Task(executorPreference: loop) {
            for await media in consumer.media { await self.receive(media) }
        }
        defer { media.cancel() }
        await consumer.start()
        for try await event in consumer.events { handle(event) }
    }

    /// Lists the bonded phones. On our own host they are known before the adapter is ready, so that
    /// `status` and `forget` have them while it starts, or does not.
    private func know(_ consumer: NotificationConsumer) {
        let last = lastSession
        let bonded = consumer.assumeOnLoop { consumer in
            // Records of the consumer before it may still be here: a session has its number once.
            consumer.lastSession = max(consumer.lastSession, last)
            return consumer.bondedProviders
        }
        keeper.know(bonded)
        drain()
    }

    private func receive(_ media: PhoneMedia) {
        keeper.receive(media)
        drain()
    }

    private func wait(for duration: Duration) async {
        let pause = Task(executorPreference: loop) { [loop] in
            do throws(CancellationError) { try await loop.sleep(for: duration) } catch { return }
        }
        self.pause = pause
        await pause.value
    }

    /// Stops: ends subscriptions, removes all records, and closes the sinks. Returns when this is done, after
    /// at most two seconds.
    package func stop() async {
        guard !isStopping else { return }
        isStopping = true
        enter(.stopping, "stopping")
        keeper.end()
        drain()
        pause?.cancel()
        let sinks = sinks
        async let consumerEnd: Void? = consumer?.stop()
        await withCheckedContinuation { continuation in
            let countdown = Countdown(sinks.count, on: loop, within: .milliseconds(1800)) {
                continuation.resume()
            }
            for sink in sinks { sink.close { countdown.count() } }
        }
        _ = await consumerEnd
        self.sinks = []
    }

    /// Applies another configuration. A change of `[bluetooth]`, or of what phones are asked for, restarts the sessions.
    package func reconfigure(_ configuration: ServiceConfiguration) async {
        let isAdapterNew =
            configuration.bluetooth != self.configuration.bluetooth
            || configuration.asksForMedia != self.configuration.asksForMedia
        self.configuration = configuration
        rules.reconfigure(RuleSet(configuration.rules))
        for sink in sinks { sink.reconfigure(configuration) }
        guard isAdapterNew else { return }
        await consumer?.stop()
        pause?.cancel()
    }

    // MARK: What happens

    private nonisolated var selection: FetchSelection {
        { [weak self] notification, known in
            self?.assumeOnLoop { $0.select(notification, known) } ?? .everything
        }
    }

    private func select(
        _ notification: ReceivedNotification, _ known: ConsumerConfiguration.Selection
    ) -> ConsumerConfiguration.Selection {
        let selection = keeper.select(notification, known: known, at: now, judge: judge)
        // The sinks must not call the consumer that is asking.
        if keeper.hasOutput { loop.execute { [weak self] in self?.assumeOnLoop { $0.drain() } } }
        return selection
    }

    private func handle(_ event: ConsumerEvent) {
        switch event {
        case .device(.advertising(true)):
            enter(.onAir, "phones can find '\(configuration.bluetooth.name)'")
        case .device(.advertising(false)): enter(.running, "running")
        case .device(.resetting(let failure)): enter(.waitingForAdapter, failure.message)
        case .device(.ready):
            enter(.running, "running")
            if let consumer { know(consumer) }
        case .device(.warning(let warning)): environment.log(warning.message)
        case .device(.pairingWindow(let isOpen)):
            isWindowOpen = isOpen
            report(.pairingWindow(isOpen: isOpen))
        case .peer(let provider, .pairingWithdrawn): withdrawQuestion(of: provider)
        case .peer(let provider, .paired), .peer(let provider, .securityFailed),
            .peer(let provider, .disconnected):
            if asked[provider]?.request.isAboutBond == false { withdrawQuestion(of: provider) }
        case .peer(let provider, .unserved(let reason)): logUnserved(provider, reason)
        case .session(_, .started(let session)): lastSession = session.number
        case .device, .peer, .session, .notification: break
        }
        keeper.receive(event, at: now, judge: judge)
        drain()
        converse(event)
        // After the step that announces it.
        if case .peer(let provider, .pairing(let request)) = event { ask(request, of: provider) }
    }

    private func logUnserved(_ provider: PhoneID, _ reason: Unserved) {
        let phone = keeper.phone(provider)
        guard loggedUnserved.count < 256,
            loggedUnserved.insert("\(phone.digest) \(reason.rawValue)").inserted
        else { return }
        let name = phone.name.map { "'\($0)'" } ?? "the phone \(phone.digest)"
        environment.log("nothing is received from \(name): \(PairingAdvice.unserved(reason))")
    }

    private var now: RecordKeeper.Moment { .init(instant: loop.now, time: environment.time()) }

    private func judge(_ record: Record, _ known: ConsumerConfiguration.Selection) -> Evaluation {
        if recent[record.id] == nil {
            recent.set(rules.receiveRecord(from: record.phone, at: loop.now), for: record.id)
        }
        let time = environment.time()
        let subject = RuleSubject(
            record, known, at: LocalTime(at: time), recent[record.id] ?? RecentRecords())
        let evaluation = rules.evaluate(subject, at: time)
        while let output = rules.pollOutput() { environment.log(output.message) }
        return evaluation
    }

    func drain() {
        while let output = keeper.pollOutput() {
            switch output {
            case .event(let event): report(event)
            case .perform(let action, let id):
                perform(action, on: id) { [environment] result in
                    guard case .failure(let error) = result else { return }
                    environment.log("a rule's action was not performed: \(error.message)")
                }
            case .ask(let id, let session, let uid): ask(session, for: uid, of: id)
            case .log(let message): environment.log(message)
            }
        }
        updateTimer()
    }

    /// Asks a phone whether it still has the notification of a call.
    private func ask(_ session: SessionID, for uid: NotificationUID, of id: RecordID) {
        guard let consumer else { return }
        Task(executorPreference: loop) {
            do throws(RequestError) {
                _ = try await consumer.attributes(of: uid, [.appIdentifier], in: session)
                await self.receive(.there, of: id, in: session)
            } catch { await self.receive(RecordKeeper.Proof(error), of: id, in: session) }
        }
    }

    private func receive(_ proof: RecordKeeper.Proof, of id: RecordID, in session: SessionID) {
        keeper.receive(proof, of: id, in: session, at: loop.now)
        drain()
    }

    func updateTimer() { timer?.deadline = .earliest(keeper.nextDeadline, dialogue?.nextDeadline) }

    func report(_ event: ServiceEvent) {
        if case .added(let record) = event { tally.count(record) }
        for sink in sinks { sink.receive(event) }
    }

    private func enter(_ phase: ServiceState.Phase, _ message: String) {
        let state = ServiceState(phase, message)
        guard state != self.state, self.state.phase != .stopping else { return }
        // The same obstacle is reported once.
        if phase == .waitingForAdapter { environment.log("waiting: \(message)") }
        self.state = state
        report(.state(state))
    }
}

extension NotificationService.Failure {
    /// The failure for an error that waiting cannot resolve; `nil` for other errors.
    fileprivate init?(_ error: DeviceError) {
        switch error {
        case .transport(let io) where io.code == .permissionDenied: self = .permission(error)
        case .storage(.io(let io)) where io.code == .permissionDenied || io.code == .notPrivate:
            self = .permission(error)
        case .controller(.bluetoothd(.denied)): self = .permission(error)
        case .transport(let io) where io.responsibility == .usage: self = .configuration(error)
        case .advertisement, .configuration, .storage: self = .configuration(error)
        case .transport, .controller: return nil
        }
    }
}

/// Calls a closure after a number of events, or at the deadline. On the loop's thread only.
private final class Countdown: @unchecked Sendable {
    // Unchecked: confined to the loop's thread.

    private var rest: Int
    private var done: (@Sendable () -> Void)?
    private var timer: LoopTimer?

    init(
        _ count: Int, on loop: EventLoop, within limit: Duration,
        done: @escaping @Sendable () -> Void
    ) {
        rest = count
        self.done = done
        guard count > 0 else {
            finish()
            return
        }
        // The timer keeps it alive until then.
        let timer = LoopTimer(on: loop) { self.finish() }
        timer.deadline = loop.now + limit
        self.timer = timer
    }

    func count() {
        rest -= 1
        if rest == 0 { finish() }
    }

    private func finish() {
        timer?.deadline = nil
        timer = nil
        exchange(&done, with: nil)?()
    }
}
