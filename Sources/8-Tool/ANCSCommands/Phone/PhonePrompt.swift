internal import AccessoryConformance
internal import DeviceCommandKit
internal import Glibc

/// `ancs phone` without a scenario: a user or a program operates the phone, at a terminal or through a pipe.
actor PhonePrompt: LoopActor {
    /// The thread of the event loop, on which the phone runs too: events need no change of thread.
    nonisolated var loop: EventLoop { provider.loop }

    let provider: NotificationProvider
    private let stateDirectory: String?
    private(set) lazy var apps = makeApps()
    private lazy var phone = OperatedPhone(provider, apps, behavior: behavior)
    private let behavior: ProviderBehavior
    private let report: PhoneReport
    private let console: any Console
    /// What ends with the phone, while signals are still requests to end.
    private let atEnd: @Sendable () async -> Void
    /// The open questions of pairing.
    private var questions = PairingQuestions<AccessoryID, PairingRequest>()
    /// What accessories do, and the step that waits for it.
    private var run: ScenarioRun
    private var timer: LoopTimer?
    /// The lines that wait for the end of a step, and for those before them.
    private var typed = Queue<String>()
    private var isWorking = false
    /// The reader of the input, while no more lines fit.
    private var reader: CheckedContinuation<Void, Never>?

    /// How long nothing is found before the user learns what was heard instead.
    private static let searchTime = Duration.seconds(10)
    /// How many lines are read ahead.
    private static let maximumTyped = 1000
    /// How many accessories can be waited for at a time. More share the places of those that left.
    private static let maximumAccessories = 16

    /// The console of a phone: with line editing at a capable terminal, for people.
    static func console(name: String, isJSON: Bool, on loop: EventLoop) -> any Console {
        TerminalConsole.isPossible && !isJSON
            ? TerminalConsole(on: loop, prompt: "\(name)> ") : PlainConsole(on: loop)
    }

    /// Runs until `quit`, a signal or a failure, and then calls `atEnd`.
    static func run(
        _ configuration: ProviderConfiguration, at bluetooth: Bluetooth,
        stateDirectory: String?, isJSON: Bool, isVerbose: Bool, console: any Console,
        on loop: EventLoop, atEnd: @escaping @Sendable () async -> Void = {}
    ) async throws(DeviceError) -> ExitStatus {
        let provider = try NotificationProvider(configuration, at: bluetooth, on: loop)
        let report = PhoneReport(
            isJSON: isJSON, isVerbose: isVerbose,
            isColored: !isJSON && StandardStreams.isColored, name: configuration.name)
        return try await PhonePrompt(
            provider, report, stateDirectory, behavior: configuration.behavior, console, atEnd
        ).run()
    }

    private init(
        _ provider: NotificationProvider, _ report: PhoneReport, _ stateDirectory: String?,
        behavior: ProviderBehavior, _ console: any Console,
        _ atEnd: @escaping @Sendable () async -> Void
    ) {
        self.provider = provider
        self.behavior = behavior
        let accessories = (1...Self.maximumAccessories).map { number in
            Scenario.Accessory(name: "accessory \(number)")
        }
        run = ScenarioRun(
            Scenario(title: "", accessories: accessories, steps: []), at: provider.loop.now)
        (self.stateDirectory, self.report, self.console) = (stateDirectory, report, console)
        self.atEnd = atEnd
    }

    private func run() async throws(DeviceError) -> ExitStatus {
        let loop = provider.loop
        let requests: EndRequests
        do throws(IOError) {
            requests = try EndRequests(on: loop, others: console.signals, take: console.take) {
                [provider] in Task(executorPreference: loop) { await provider.stop() }
            }
        } catch { throw .transport(error) }
        defer { requests.cancel() }
        console.open { [unowned self] line in
            assumeOnLoop { prompt in prompt.completions(of: line) }
        }
        defer { console.close() }
        timer = LoopTimer(on: loop) { [self, loop] in
            Task(executorPreference: loop) { await self.timeOut() }
        }
        let search = LoopTimer(on: loop) { [self, loop] in
            Task(executorPreference: loop) { await self.sayWhatWasHeard() }
        }
        search.deadline = loop.now + Self.searchTime
        defer {
            timer?.deadline = nil
            search.deadline = nil
        }
        do throws(PhoneObstacle) {
            try await phone.install(UsualApps.names)
            try await phone.attempt { [apps] _ in try await apps.launch() }
        } catch { await complain(error.reason) }
        let input = Task(executorPreference: loop) { await self.followInput() }
        defer {
            input.cancel()
            reader?.resume()
        }
        await provider.start()
        do throws(DeviceError) {
            for try await event in provider.events {
                let (lines, changes) = follow(event)
                if !lines.isEmpty { await show(lines) }
                if !changes.isEmpty { await show(changes) }
                // Most events are about no step.
                if !run.isResting { await drain() }
            }
        } catch {
            await atEnd()
            throw error
        }
        await atEnd()
        return .success
    }

    private func makeApps() -> BoundApps {
        BoundApps(at: provider.adapter, directory: stateDirectory) { [weak self] event in
            await self?.handle(event)
        }
    }

    // MARK: What happens

    private func handle(_ event: BoundApps.Event) async {
        await show(report.report(of: event))
        guard case .stateChanged(let state) = event.event else { return }
        var accessory: AccessoryID?
        if let peripheral = state.accessory { accessory = await provider.accessory(of: peripheral) }
        run.receive(ScenarioBinding(state, accessory), of: event.app, at: provider.loop.now)
        await drain()
    }

    private typealias Change = PairingQuestions<AccessoryID, PairingRequest>.Change

    /// What is shown of an event. Synchronous: most bring nothing, and each call that may wait has its price.
    private func follow(_ event: ProviderEvent) -> (lines: Printed, changes: [Change]) {
        let now = provider.loop.now
        phone.follow(event)
        run.receive(event, at: now)
        switch event {
        case .peer(let id, .pairing(let request)):
            return (Printed(), questions.receive(request, of: id, at: now))
        case .peer(let id, .paired), .peer(let id, .securityFailed), .peer(let id, .disconnected):
            return (lines(of: event), questions.withdraw(id, at: now))
        case .device, .peer, .link, .session, .notification: return (lines(of: event), [])
        }
    }

    private func show(_ changes: [Change]) async {
        for change in changes { await show(lines(of: change)) }
    }

    private func lines(of change: Change) -> Printed {
        switch change {
        case .show(let asked): lines(of: .peer(asked.peer, .pairing(asked.question)))
        case .withdrawn(let asked): report.report(fault: asked.question.question.withdrawal)
        }
    }

    /// The phone runs on the same loop, so it can be read synchronously, and only for what is shown.
    private func lines(of event: ProviderEvent) -> Printed {
        report.report(of: event, posted(event)) { id in provider.assumeOnLoop { $0.name(of: id) } }
    }

    /// The notification that an event is about.
    private func posted(_ event: ProviderEvent) -> PostedNotification? {
        switch event {
        case .notification(_, let id): provider.assumeOnLoop { $0.posted(id) }
        case .device, .peer, .link, .session: nil
        }
    }

    private func show(_ lines: Printed) async {
        for line in lines.diagnostics { console.writeError(line) }
        for line in lines.output { await console.write(line) }
    }

    private func complain(_ message: String) async { await show(report.report(fault: message)) }

    // MARK: What the user types

    private func followInput() async {
        for await line in console.lines { await receive(line) }
        // At a terminal, the end of input ends the run; a pipe may merely have no more commands.
        if console.endsWithInput { await provider.stop() }
    }

    /// Answers a question at once. Anything else, but the end of the run, is in the order of the lines.
    private func receive(_ line: String) async {
        switch questions.answer(line.filter { !$0.isWhitespace }, at: provider.loop.now) {
        case .answer(_, let changes): return await show(changes)
        case .tooSoon: return await complain(pairingAnswerTooSoon)
        case .notAnAnswer: break
        }
        if PromptQuery.named(line.filter { !$0.isWhitespace })?.name == "quit" {
            return await obey(line)
        }
        typed.append(line)
        await work()
        await withCheckedContinuation { continuation in
            if typed.count >= Self.maximumTyped {
                reader = continuation
            } else {
                continuation.resume()
            }
        }
    }

    /// Obeys the lines in order, until one has to wait.
    private func work() async {
        guard !isWorking else { return }
        isWorking = true
        while !run.isBusy, let line = typed.popFirst() { await obey(line) }
        isWorking = false
        reader?.resume()
        reader = nil
    }

    private func obey(_ line: String) async {
        do throws(PromptFault) {
            switch try PromptCommands.parse(line, app: identifier(ofApp:)) {
            case nil: break
            case .query(let query): await show(await query.answer(phone, report))
            case .verb(let verb):
                do throws(PhoneObstacle) {
                    switch verb.verb.course {
                    case .wait: try await wait(verb)
                    case .perform(let deed): try await perform(deed, verb.accessory)
                    }
                } catch { throw PromptFault(message: error.reason) }
            }
        } catch { await complain(error.message) }
    }

    /// Carries out a deed, at each accessory that it is about.
    private func perform(_ deed: any PhoneDeed, _ accessory: String?) async throws(PhoneObstacle) {
        var targets: [AccessoryID?] = [nil]
        if deed.need != .phone { targets = try await phone.accessories(accessory) }
        run.follow(deed, at: provider.loop.now)
        for target in targets {
            let posted = try await deed.perform(on: phone, at: target)
            if let name = deed.posted, !name.isEmpty { phone.names[name] = posted }
        }
    }

    /// No accessory has connected: there may be one that the phone passes over.
    private func sayWhatWasHeard() async {
        guard run.timeline.states.allSatisfy({ $0.id == nil }) else { return }
        for message in await provider.passedOver { await complain("heard " + message) }
    }

    // MARK: What is waited for

    private func wait(_ typed: TypedVerb) async throws(PhoneObstacle) {
        var step = ScenarioStep(path: "prompt", deadline: typed.deadline, verb: typed.verb)
        if let name = typed.accessory {
            let ids = try await phone.accessories(name)
            step.accessory = run.timeline.states.firstIndex { state in
                ids.contains { $0 == state.id }
            }
            guard step.accessory != nil else {
                throw PhoneObstacle(reason: "\(name) has not connected yet")
            }
        }
        var names: [String: NotificationID] = [:]
        for id in await provider.notifications { names[id.rawValue.description] = id }
        names.merge(phone.names) { _, new in new }
        if case .wait(.expectation(let expectation)) = typed.verb.course,
            let name = expectation.notification, names[name] == nil
        {
            let meant = NearestWord.of(name, in: names.keys.sorted(byText: \.self))
            throw PhoneObstacle(
                reason: "no notification \(name)" + (meant.map { "; did you mean '\($0)'?" } ?? ""))
        }
        run.begin(step, names, at: provider.loop.now)
        await drain()
    }

    private func timeOut() async {
        run.passedOver = await provider.passedOver
        run.handleTimeout(at: provider.loop.now)
        await drain()
    }

    private func drain() async {
        var hasEnded = false
        while let output = run.pollOutput() {
            if case .ended = output { hasEnded = true }
            let lines = lines(of: output)
            if !lines.isEmpty { await show(Printed(output: lines)) }
        }
        timer?.deadline = run.isBusy ? run.nextDeadline : nil
        // Not here: events would have to wait for the lines, and be dropped.
        if hasEnded { Task(executorPreference: provider.loop) { await self.work() } }
    }

    private func lines(of output: ScenarioRun.Output) -> [String] {
        switch output {
        case .stepEnded(let result): steps.lines(of: result)
        case .stepWaits(let step): steps.lines(waitingFor: step)
        case .ended, .stepBegan, .perform: []
        }
    }

    private var steps: ScenarioReport {
        ScenarioReport(isJSON: report.isJSON, isColored: report.isColored)
    }
}

extension NotificationProvider {
    fileprivate func name(of id: AccessoryID) -> String {
        guard let description = accessory(id)?.description else {
            return "accessory \(id.rawValue)"
        }
        return description.name ?? description.identity ?? description.address
    }
}
