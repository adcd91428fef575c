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
    /// The phone whose question is shown. Only one is shown at a time, so that an answer cannot go to a
    /// stranger's phone.
    private var asked: (phone: ObjectPath, question: PairingQuestion)?
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
        let loop = client.loop
        let tasks = [
            Task(executorPreference: loop) { await self.follow(states) },
            Task(executorPreference: loop) { await self.ask(questions) },
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

    /// Reports the progress of pairing, step by step.
    private func follow(_ signals: AsyncStream<BusSignal?>) async {
        for await signal in signals {
            guard let signal else {
                return finish(.failure(.init(status: .failure, message: "'ancs serve' has ended")))
            }
            guard signal.arguments.count == 3, signal.arguments[0].string == BusNames.phone,
                let properties = signal.arguments[1].properties
            else { continue }
            switch properties["State"]?.string.flatMap({ PhoneStatus.State(rawValue: $0) }) {
            case .subscribed: return finish(.success("paired: receiving its notifications"))
            case .waitingForService, .unauthorized:
                let advice = properties["Advice"]?.string ?? ""
                return finish(.success("paired; " + TerminalText.visible(advice)))
            case .away, .connected, .pairing, .silent, nil: break
            }
        }
    }

    private func ask(_ signals: AsyncStream<BusSignal?>) async {
        for await case let signal? in signals {
            let phone = signal.path
            guard asked == nil || asked?.phone == phone else { continue }
            asked = nil
            guard signal.arguments.first?.string != "" else { continue }
            let answer = try? await client.call("PairingQuestion", of: BusNames.phone, at: phone)
            guard let answer, answer.count == 2, let kind = answer[0].string,
                let question = PairingQuestion(kind: kind, digits: answer[1].string ?? "")
            else { continue }
            asked = (phone, question)
            say(question.message)
        }
    }

    private func answer(_ input: InputLines) async {
        for await line in input.lines {
            guard let asked else { continue }
            guard let call = asked.question.call(answering: line) else {
                say("not understood. " + asked.question.message)
                continue
            }
            self.asked = nil
            do throws(ServiceClient.Failure) {
                _ = try await client.call(
                    call.member, [call.argument], of: BusNames.phone, at: asked.phone)
            } catch { say(error.message) }
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
