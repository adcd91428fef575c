internal import ANCSKit
internal import ANCSService
internal import DBus
internal import LinuxIO

/// `ancs pair`: lets a phone pair with the daemon, and asks the user the questions of pairing.
actor PairCommand {
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        client.loop.asUnownedSerialExecutor()
    }

    private let client: ServiceClient
    private let duration: Int
    /// The open questions of pairing.
    private var questions = PairingQuestions<ObjectPath, PairingQuestion>()
    /// The phones that have paired since the command began, and what to say of each when it is ready.
    private var paired: [ObjectPath: String] = [:]
    /// Whether it was said that a device was refused because it has no digits.
    private var hasSaidRefusal = false
    /// The names of the phones that were paired and receiving when the command began.
    private var receiving: [String] = []
    private var end: CheckedContinuation<Result<String, ServiceClient.Failure>, Never>?
    private var outcome: Result<String, ServiceClient.Failure>?

    private init(_ client: ServiceClient, _ duration: Int) {
        self.client = client
        self.duration = duration
    }

    static func run(
        _ arguments: CommandSyntax.Arguments, on loop: EventLoop
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        let duration = try arguments.integer("--seconds", in: 1...3600) ?? 120
        return try await ServiceCommands.run(arguments, on: loop) {
            client throws(ServiceClient.Failure) in
            try await PairCommand(client, duration).run()
        }
    }

    private func run() async throws(ServiceClient.Failure) {
        let states = await client.signals(
            "org.freedesktop.DBus.Properties", "PropertiesChanged")
        let questions = await client.signals(BusNames.phone, "PairingAsks")
        let ends = await client.signals(BusNames.phone, "PairingEnded")
        // The window does not outlive the command.
        let interrupts = try interrupts()
        defer { interrupts.cancel() }
        receiving = try await client.objects(of: BusNames.phone).compactMap { phone in
            guard phone.properties["State"]?.string == PhoneStatus.State.subscribed.rawValue
            else { return nil }
            return phone.properties["Name"]?.string ?? "a phone"
        }
        _ = try await client.call("OpenPairingWindow", [.uint32(UInt32(duration))])
        let name = try await client.properties()["Name"]?.string ?? "ancs"
        say(
            "pairing is open for \(duration) seconds: choose '\(name)' in Settings > Bluetooth on the phone"
        )
        say(PairingAdvice.otherApp(for: name))
        let advice = Task { await self.sayObstacles(ownName: name) }
        defer { advice.cancel() }
        let loop = client.loop
        let tasks = [
            Task(executorPreference: loop) { await self.follow(states) },
            Task(executorPreference: loop) { await self.ask(questions) },
            Task(executorPreference: loop) { await self.followEnds(ends) },
            Task(executorPreference: loop) { await self.answer(InputLines(on: loop)) },
            Task(executorPreference: loop) { await self.watchTime() },
        ]
        let result = await withCheckedContinuation { continuation in
            if let outcome { continuation.resume(returning: outcome) } else { end = continuation }
        }
        for task in tasks { task.cancel() }
        _ = try? await client.call("ClosePairingWindow")
        say(try result.get())
    }

    /// What only the desktop knows, and what a phone cannot say.
    private func sayObstacles(ownName: String) async {
        let obstacles = await FactsReader.obstaclesToPairing(ownName: ownName)
        guard outcome == nil else { return }
        for obstacle in obstacles { say(obstacle) }
    }

    private func interrupts() throws(ServiceClient.Failure) -> EndRequests {
        do throws(IOError) {
            return try EndRequests(on: client.loop) {
                self.assumeIsolated {
                    $0.finish(.failure(.init(status: .failure, message: "interrupted")))
                }
            }
        } catch { throw .init(status: .failure, message: error.message) }
    }

    private func finish(_ result: Result<String, ServiceClient.Failure>) {
        guard outcome == nil else { return }
        outcome = result
        end?.resume(returning: result)
        end = nil
    }

    private func watchTime() async {
        do throws(CancellationError) {
            try await client.loop.sleep(for: .seconds(duration))
        } catch { return }
        finish(.failure(.init(status: .failure, message: noPhone)))
    }

    private var noPhone: String {
        guard !receiving.isEmpty else { return "no phone has paired" }
        return "no other phone has paired; already receiving from "
            + receiving.joined(separator: ", ")
    }

    /// A device has paired, or was refused.
    private func followEnds(_ signals: AsyncStream<BusSignal?>) async {
        for await case let signal? in signals {
            switch signal.arguments.first?.string.flatMap({ PairingEnd(rawValue: $0) }) {
            case .paired: await hasPaired(signal.path, "paired")
            case .replaced:
                let name = await properties(of: signal.path)["Name"]?.string ?? ""
                let phone = name.isEmpty ? "the phone" : "'\(name)'"
                await hasPaired(
                    signal.path,
                    "paired: the keys of \(phone), which was paired before, are replaced")
            case .notAuthenticated where !exchange(&hasSaidRefusal, with: true):
                say(SecurityFailure.notAuthenticated.message(unless: PairingEnd.remedy))
            case .notAuthenticated, nil: break
            }
        }
    }

    private func hasPaired(_ phone: ObjectPath, _ text: String) async {
        paired[phone] = text
        // Its state may have changed before this was heard.
        finish(phone, await properties(of: phone))
    }

    private func properties(of phone: ObjectPath) async -> [String: BusValue] {
        let values = try? await client.call(
            "GetAll", [.string(BusNames.phone)], of: "org.freedesktop.DBus.Properties", at: phone)
        return values?.first?.properties ?? [:]
    }

    /// Ends the command if a phone that has paired needs nothing more. A phone that was paired before may come
    /// meanwhile; that is not what the user waits for.
    private func finish(_ phone: ObjectPath, _ properties: [String: BusValue]) {
        guard let text = paired[phone] else { return }
        switch properties["State"]?.string.flatMap({ PhoneStatus.State(rawValue: $0) }) {
        case .subscribed: finish(.success(text + ": receiving its notifications"))
        case .waitingForService, .unauthorized:
            let advice = properties["Advice"]?.string ?? ""
            finish(.success(text + "; " + TerminalText.visible(advice)))
        case .away, .connected, .pairing, .silent, nil: break
        }
    }

    /// Follows the states of the phones.
    private func follow(_ signals: AsyncStream<BusSignal?>) async {
        for await signal in signals {
            guard let signal else {
                return finish(.failure(.init(status: .failure, message: "'ancs serve' has ended")))
            }
            guard signal.arguments.count == 3, signal.arguments[0].string == BusNames.phone,
                let properties = signal.arguments[1].properties
            else { continue }
            finish(signal.path, properties)
        }
    }

    private func ask(_ signals: AsyncStream<BusSignal?>) async {
        for await case let signal? in signals {
            let phone = signal.path
            guard signal.arguments.first?.string != "" else {
                show(questions.withdraw(phone, at: client.loop.now))
                continue
            }
            let answer = try? await client.call("PairingQuestion", of: BusNames.phone, at: phone)
            guard let answer, answer.count == 2, let kind = answer[0].string,
                let question = PairingQuestion(kind: kind, digits: answer[1].string ?? "")
            else { continue }
            if case .display = question {
                show(questions.withdraw(phone, at: client.loop.now))
                say(question.message)
            } else {
                show(questions.ask(question, of: phone, at: client.loop.now))
            }
        }
    }

    private func show(_ changes: [PairingQuestions<ObjectPath, PairingQuestion>.Change]) {
        for change in changes {
            switch change {
            case .show(let asked): say(asked.question.message)
            case .withdrawn(let asked): say(asked.question.withdrawal)
            }
        }
    }

    private func answer(_ input: InputLines) async {
        for await line in input.lines {
            let outcome = questions.take(at: client.loop.now) { $0.call(answering: line) != nil }
            switch outcome {
            case .notAnAnswer:
                guard let shown = questions.shown else { continue }
                say("not understood. " + shown.question.message)
            case .tooSoon: say(pairingAnswerTooSoon)
            case .answer(let asked, let changes):
                guard let call = asked.question.call(answering: line) else { continue }
                do throws(ServiceClient.Failure) {
                    _ = try await client.call(
                        call.member, [call.argument], of: BusNames.phone, at: asked.peer)
                } catch { say(error.message) }
                show(changes)
            }
        }
    }

    private func say(_ text: String) { StandardStreams.writeLine(TerminalText.visible(text)) }
}

extension PairingQuestion {
    /// The question, for users.
    fileprivate var message: String {
        switch self {
        case .display(let digits): "type \(digits) on the phone"
        case .compare(let digits): "does the phone show \(digits)? yes or no:"
        case .enter: "type the six digits that the phone shows:"
        case .consent: "may the phone pair? yes or no:"
        }
    }

    /// That the question, which was shown, is not asked any more.
    fileprivate var withdrawal: String {
        switch self {
        case .display(let digits): "\(digits) is no longer valid"
        case .compare(let digits): "the question about \(digits) is withdrawn"
        case .enter: "the question for six digits is withdrawn"
        case .consent: "the question whether the phone may pair is withdrawn"
        }
    }

    /// The D-Bus call that passes on a typed answer; `nil` if the text is not an answer.
    fileprivate func call(answering line: String) -> (member: String, argument: BusValue)? {
        let word = line.lowercased().filter { !$0.isWhitespace }
        switch self {
        case .enter:
            return word.isEmpty ? nil : ("EnterPasskey", .string(word))
        case .compare, .consent, .display:
            if ["y", "yes"].contains(word) { return ("ConfirmPairing", .bool(true)) }
            return ["n", "no"].contains(word) ? ("ConfirmPairing", .bool(false)) : nil
        }
    }
}
