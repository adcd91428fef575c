internal import ANCS
internal import ANCSKit
internal import Glibc
internal import LinuxIO

/// `ancs phone` without a scenario: somebody plays the phone's user, at a terminal or by a pipe.
actor PhonePrompt {
    /// The loop's thread, where the phone lives: no event waits for another thread.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        provider.loop.asUnownedSerialExecutor()
    }

    let provider: NotificationProvider
    private let stateDirectory: String?
    private(set) lazy var apps = makeApps()
    private let report: PhoneReport
    private let console: any Console
    /// What pairing asks the user.
    private var questions = PairingQuestions<AccessoryID>()

    /// The whole run, until `quit`, a signal or a failure ends it.
    static func run(
        _ configuration: ProviderConfiguration, at bluetooth: Bluetooth,
        stateDirectory: String?, isJSON: Bool, isVerbose: Bool
    ) async throws(DeviceError) -> ExitStatus {
        let provider = try NotificationProvider(configuration, at: bluetooth)
        let report = PhoneReport(
            isJSON: isJSON, isVerbose: isVerbose,
            isColored: !isJSON && StandardStreams.isColored, name: configuration.name)
        // Continuations resume where the task prefers to run: on the loop, not by way of a pool.
        return try await withTaskExecutorPreference(provider.loop) { () throws(DeviceError) in
            try await PhonePrompt(provider, report, stateDirectory).run()
        }
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
        defer { loop.shutdown() }
        let requests: EndRequests
        do throws(IOError) {
            requests = try EndRequests(on: loop, others: console.signals, take: console.take) {
                [provider] in Task { await provider.stop() }
            }
        } catch { throw .transport(error) }
        defer { requests.cancel() }
        console.open { [unowned self] line in
            assumeIsolated { prompt in prompt.completions(of: line) }
        }
        defer { console.close() }
        await installApps()
        do throws(BoundApps.Fault) { try await apps.launch() } catch {
            await complain(error.message)
        }
        let input = Task(executorPreference: loop) { await self.followInput() }
        defer { input.cancel() }
        await provider.start()
        for try await event in provider.events { await handle(event) }
        return .success
    }

    /// What an iPhone has, so that accessories find names.
    private func installApps() async {
        for (identifier, name, _) in Self.apps {
            guard let app = try? AppIdentifier(identifier) else { continue }
            try? await provider.install(app, displayName: name)
        }
    }

    private static let apps = [
        ("com.apple.mobilephone", "Phone", CategoryID.missedCall),
        ("com.apple.MobileSMS", "Messages", .social), ("com.apple.mobilemail", "Mail", .email),
        ("com.apple.mobilecal", "Calendar", .schedule),
        ("com.apple.reminders", "Reminders", .schedule), ("com.apple.news", "News", .news),
        ("com.apple.Health", "Health", .healthAndFitness), ("com.apple.Maps", "Maps", .location),
    ]

    private func makeApps() -> BoundApps {
        BoundApps(at: provider.adapter, directory: stateDirectory) { [weak self] event in
            await self?.handle(event)
        }
    }

    // MARK: What happens

    private func handle(_ event: BoundApps.Event) async { await show(report.report(of: event)) }

    private func handle(_ event: ProviderEvent) async {
        var next: [PairingQuestions<AccessoryID>.Asked] = []
        switch event {
        case .pairing(let id, let request): return await show(questions.ask(request, of: id))
        case .paired(let id, _), .securityFailed(let id, _), .disconnected(let id, _):
            next = questions.withdraw(id)
        default: break
        }
        await show(lines(of: event))
        await show(next)
    }

    private func show(_ questions: [PairingQuestions<AccessoryID>.Asked]) async {
        for asked in questions {
            await show(lines(of: .pairing(asked.peer, asked.request)))
        }
    }

    /// The phone lives on the same loop: it is asked on the spot, and for what is shown only.
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

    private func show(_ lines: [String]) async { await show(PhoneReport.Lines(output: lines)) }

    private func complain(_ text: String) async { await show(report.report(fault: text)) }

    // MARK: What the user types

    private func followInput() async {
        for await line in console.lines { await obey(line) }
        // At a terminal the end of input is a farewell; a pipe may just have nothing more to say.
        if console.endsWithInput { await provider.stop() }
    }

    private func obey(_ line: String) async {
        if let next = questions.answer(line.filter { !$0.isWhitespace }) {
            return await show(next)
        }
        do throws(PromptCommand.Fault) {
            guard let command = try PromptCommand(parsing: line) else { return }
            do throws(StoreError) { try await carryOut(command) } catch {
                await complain(error.text)
            }
        } catch { await complain(error.message) }
    }

    private func carryOut(_ command: PromptCommand) async throws(StoreError) {
        switch command {
        case .post(let app, let change): try await post(app, change)
        case .modify(let number, let change):
            guard let id = await id(of: number) else { return }
            try await provider.modify(id) { change.apply(to: &$0) }
        case .remove(let numbers):
            for number in numbers {
                if let id = await id(of: number) { try await provider.remove(id) }
            }
        case .removeAll: for id in await provider.notifications { try await provider.remove(id) }
        case .call(let caller, let line):
            try await provider.ring(IncomingCall(caller: caller, line: line))
        case .answer(let number):
            if let id = await ringing(number) { try await provider.answer(id) }
        case .decline(let number):
            if let id = await ringing(number) { try await provider.decline(id) }
        case .stopRinging(let number):
            if let id = await ringing(number) { try await provider.stopRinging(id) }
        case .hangUp(let number):
            let calls = await provider.activeCalls
            if let id = await call(number, among: calls) { try await provider.hangUp(id) }
        case .install(let app, let name): try await provider.install(app, displayName: name)
        case .uninstall(let name):
            if let app = await app(named: name) { try await provider.uninstall(app) }
        case .notifications, .apps, .accessories, .bindings, .help: await list(command)
        case .bind, .unbind, .restart: await carryOutAtApps(command)
        case .consent, .pair, .disconnect, .forget: await carryOutAtAccessories(command)
        case .service(let isOn, let announcing):
            await provider.setANCSPublished(isOn, announcing: announcing)
        case .quit: await provider.stop()
        }
    }

    private func list(_ command: PromptCommand) async {
        switch command {
        case .apps:
            var apps: [(identifier: AppIdentifier, name: String)] = []
            for app in await provider.apps {
                apps.append((app, await provider.displayName(of: app) ?? ""))
            }
            apps.sort { $0.identifier.description < $1.identifier.description }
            await show(report.lines(ofApps: apps))
        case .accessories: await show(report.lines(of: await provider.accessories))
        case .bindings: await show(report.lines(of: await apps.entries))
        case .notifications:
            var list: [(id: NotificationID, notification: ProviderNotification)] = []
            for id in await provider.notifications {
                if let notification = await provider.notification(id) {
                    list.append((id, notification))
                }
            }
            await show(report.lines(of: list))
        default: await show(report.help)
        }
    }

    private func carryOutAtAccessories(_ command: PromptCommand) async {
        switch command {
        case .consent(let isOn, let name):
            for id in await accessories(name) { await provider.setConsent(isOn, for: id) }
        case .pair(let name): for id in await accessories(name) { await provider.pair(id) }
        case .disconnect(let name):
            for id in await accessories(name) { await provider.disconnect(id) }
        case .forget(let name): for id in await accessories(name) { await provider.forget(id) }
        default: break
        }
    }

    private func carryOutAtApps(_ command: PromptCommand) async {
        do throws(BoundApps.Fault) {
            switch command {
            case .bind(let service, let app): try await apps.bind(service, by: app)
            case .unbind(let app): try await apps.unbind(app)
            case .restart:
                await provider.restart()
                try await apps.relaunch()
            default: break
            }
        } catch { await complain(error.message) }
    }

    // MARK: Who and what is meant

    private func post(_ name: String, _ change: NotificationChange) async throws(StoreError) {
        guard let app = await app(named: name) else { return }
        var notification = ProviderNotification(
            appIdentifier: app, date: .now, negativeActionLabel: "Clear")
        let known = Self.apps.first { $0.0 == app.description }
        if let category = known?.2 { notification.categoryID = category }
        change.apply(to: &notification)
        try await provider.post(notification)
    }

    /// An app by its display name, or by an identifier, which need not be installed (S23).
    private func app(named name: String) async -> AppIdentifier? {
        for app in await provider.apps {
            let displayName = await provider.displayName(of: app)
            if displayName?.lowercased() == name.lowercased() { return app }
        }
        if name.contains("."), let app = try? AppIdentifier(name) { return app }
        await complain("there is no app '\(name)'; 'apps' lists them")
        return nil
    }

    private func id(of number: UInt64) async -> NotificationID? {
        if let id = await provider.notifications.first(where: { $0.rawValue == number }) {
            return id
        }
        await complain("there is no notification \(number)")
        return nil
    }

    private func ringing(_ number: UInt64?) async -> NotificationID? {
        await call(number, among: await provider.ringingCalls)
    }

    /// The call that is meant: the newest where none is named.
    private func call(_ number: UInt64?, among calls: [NotificationID]) async -> NotificationID? {
        let id = number == nil ? calls.last : calls.first { $0.rawValue == number }
        if id == nil { await complain("there is no such call") }
        return id
    }

    /// The accessories that a number, a name or an address means; without one, the connected ones.
    private func accessories(_ name: String?) async -> [AccessoryID] {
        let all = await provider.accessories
        let meant = all.filter { accessory in
            guard let name else { return accessory.isConnected }
            let description = accessory.description
            return name == String(accessory.id.rawValue) || name == description.name
                || [description.address, description.identity].contains(name.uppercased())
        }
        if meant.isEmpty {
            await complain(
                name.map { "there is no accessory '\($0)'; 'accessories' lists them" }
                    ?? "no accessory is connected; name one of those that 'accessories' lists")
        }
        return meant.map(\.id)
    }
}

extension StoreError {
    /// What is wrong, for a person.
    var text: String {
        switch self {
        case .tooManyNotifications(let limit): "there are \(limit) notifications already"
        case .tooManyApps(let limit): "there are \(limit) apps already"
        case .textTooLong(let octets, let limit):
            "a text of \(octets) octets is too long: \(limit) at most"
        case .unknownNotification(let id): "there is no notification \(id.rawValue)"
        case .unknownApp(let app): "\(app) is not installed"
        }
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
