internal import ANCS
internal import ANCSKit
internal import ANCSService
internal import Glibc
internal import LinuxIO

/// `ancs phone` without a scenario: a user or a program operates the phone, at a terminal or through a pipe.
actor PhonePrompt {
    /// The thread of the event loop, on which the phone runs too: events need no change of thread.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        provider.loop.asUnownedSerialExecutor()
    }

    let provider: NotificationProvider
    private let stateDirectory: String?
    private(set) lazy var apps = makeApps()
    private lazy var phone = makePhone()
    private let report: PhoneReport
    private let console: any Console
    /// The open questions of pairing.
    private var questions = PairingQuestions<AccessoryID, PairingRequest>()

    /// Runs until `quit`, a signal or a failure.
    static func run(
        _ configuration: ProviderConfiguration, at bluetooth: Bluetooth,
        stateDirectory: String?, isJSON: Bool, isVerbose: Bool, on loop: EventLoop
    ) async throws(DeviceError) -> ExitStatus {
        let provider = try NotificationProvider(configuration, at: bluetooth, on: loop)
        let report = PhoneReport(
            isJSON: isJSON, isVerbose: isVerbose,
            isColored: !isJSON && StandardStreams.isColored, name: configuration.name)
        return try await PhonePrompt(provider, report, stateDirectory).run()
    }

    private init(
        _ provider: NotificationProvider, _ report: PhoneReport, _ stateDirectory: String?
    ) {
        self.provider = provider
        self.stateDirectory = stateDirectory
        self.report = report
        console =
            TerminalConsole.isPossible && !report.isJSON
            ? TerminalConsole(on: provider.loop, prompt: "\(report.name)> ")
            : PlainConsole(on: provider.loop)
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
            assumeIsolated { prompt in prompt.completions(of: line) }
        }
        defer { console.close() }
        await phone.installApps()
        do throws(BoundApps.Fault) { try await apps.launch() } catch {
            await phone.complain(PromptFault(message: error.message))
        }
        let input = Task(executorPreference: loop) { await self.followInput() }
        defer { input.cancel() }
        await provider.start()
        for try await event in provider.events { await handle(event) }
        return .success
    }

    private func makePhone() -> PromptPhone {
        PromptPhone(provider: provider, apps: apps, report: report) { [weak self] lines in
            await self?.show(lines)
        }
    }

    private func makeApps() -> BoundApps {
        BoundApps(at: provider.adapter, directory: stateDirectory) { [weak self] event in
            await self?.handle(event)
        }
    }

    // MARK: What happens

    private func handle(_ event: BoundApps.Event) async { await show(report.report(of: event)) }

    private func handle(_ event: ProviderEvent) async {
        var next: [PairingQuestions<AccessoryID, PairingRequest>.Change] = []
        let now = provider.loop.now
        switch event {
        case .pairing(let id, let request):
            return await show(questions.receive(request, of: id, at: now))
        case .paired(let id, _), .securityFailed(let id, _), .disconnected(let id, _):
            next = questions.withdraw(id, at: now)
        default: break
        }
        await show(lines(of: event))
        await show(next)
    }

    private func show(_ changes: [PairingQuestions<AccessoryID, PairingRequest>.Change]) async {
        for change in changes {
            switch change {
            case .show(let asked): await show(lines(of: .pairing(asked.peer, asked.question)))
            case .withdrawn(let asked):
                await phone.complain(PromptFault(message: asked.question.withdrawal))
            }
        }
    }

    /// The phone runs on the same loop, so it can be read synchronously, and only for what is shown.
    private func lines(of event: ProviderEvent) -> PhoneReport.Lines {
        provider.assumeIsolated { [report] provider in
            report.report(
                of: event, notification: { provider.notification($0) },
                name: { provider.name(of: $0) })
        }
    }

    private func show(_ lines: PhoneReport.Lines) async {
        for line in lines.diagnostics { console.writeError(line) }
        for line in lines.output { await console.write(line) }
    }

    // MARK: What the user types

    private func followInput() async {
        for await line in console.lines { await obey(line) }
        // At a terminal, the end of input ends the run; a pipe may merely have no more commands.
        if console.endsWithInput { await provider.stop() }
    }

    private func obey(_ line: String) async {
        switch questions.answer(line.filter { !$0.isWhitespace }, at: provider.loop.now) {
        case .answer(_, let changes): return await show(changes)
        case .tooSoon: return await phone.complain(PromptFault(message: pairingAnswerTooSoon))
        case .notAnAnswer: break
        }
        do throws(PromptFault) {
            try await PromptCommands.parse(line)?.carryOut(on: phone)
        } catch { await phone.complain(error) }
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
