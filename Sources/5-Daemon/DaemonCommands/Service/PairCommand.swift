internal import ANCSService
package import CommandKit
internal import DBus
internal import EventLines

/// `ancs pair`: opens pairing, shows the daemon's dialogue, and asks the user the questions of pairing.
///
/// The daemon conducts the dialogue, so that several commands and a desktop's applet can show the same one. Its
/// signals contain no text, so that the steps are read from it; the last one ends the command.
package actor PairCommand: LoopActor {
    package nonisolated var loop: EventLoop { client.loop }

    private let client: ServiceClient
    private let duration: Int
    private let isJSON: Bool
    /// The open questions of pairing.
    private var questions = PairingQuestions<ObjectPath, PairingQuestion>()
    /// The number of the last step that was shown.
    private var shown = 0
    private var end: CheckedContinuation<Result<Void, ServiceClient.Failure>, Never>?
    private var outcome: Result<Void, ServiceClient.Failure>?

    private init(_ client: ServiceClient, _ duration: Int, isJSON: Bool) {
        (self.client, self.duration, self.isJSON) = (client, duration, isJSON)
    }

    package static func run(
        _ arguments: CommandSyntax.Arguments, on loop: EventLoop
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        let duration = try arguments.value("--seconds", .integer(in: 1...3600)) ?? 120
        let isJSON = arguments.has("--json")
        return try await ServiceCommands.run(arguments, on: loop) {
            client throws(ServiceClient.Failure) in
            try await PairCommand(client, duration, isJSON: isJSON).run()
        }
    }

    private func run() async throws(ServiceClient.Failure) {
        let steps = await client.signals(BusNames.manager, "PairingStep")
        let questions = await client.signals(BusNames.phone, "PairingAsks")
        let interrupts = try interrupts()
        defer { interrupts.cancel() }
        _ = try await client.call("OpenPairingWindow", [.uint32(UInt32(duration))])
        let loop = client.loop
        let tasks = [
            Task(executorPreference: loop) { await self.follow(steps) },
            Task(executorPreference: loop) { await self.ask(questions) },
            Task(executorPreference: loop) { await self.answer(InputLines(on: loop)) },
        ]
        let result = await withCheckedContinuation { continuation in
            if let outcome { continuation.resume(returning: outcome) } else { end = continuation }
        }
        for task in tasks { task.cancel() }
        try result.get()
    }

    /// Pairing does not outlive a command that is interrupted.
    private func interrupts() throws(ServiceClient.Failure) -> EndRequests {
        do throws(IOError) {
            return try EndRequests(on: client.loop) {
                Task(executorPreference: self.client.loop) { await self.interrupt() }
            }
        } catch { throw .init(status: .failure, message: error.message) }
    }

    private func interrupt() async {
        // The dialogue ends with pairing, and its end is not worth a line: the user knows.
        shown = .max
        _ = try? await client.call("ClosePairingWindow")
        finish(.failure(.init(status: .failure, message: "interrupted")))
    }

    private func finish(_ result: Result<Void, ServiceClient.Failure>) {
        guard outcome == nil else { return }
        outcome = result
        end?.resume(returning: result)
        end = nil
    }

    // MARK: Steps

    private func follow(_ signals: AsyncStream<BusSignal?>) async {
        await showSteps()
        for await signal in signals {
            guard signal != nil else {
                return finish(.failure(.init(status: .failure, message: ServiceClient.ended)))
            }
            await showSteps()
        }
    }

    /// Shows the steps that were not shown yet.
    private func showSteps() async {
        let lines: [String]
        do throws(ServiceClient.Failure) {
            let values = try await client.call("PairingSteps", [.uint32(UInt32(clamping: shown))])
            lines = values.first?.strings ?? []
        } catch { return finish(.failure(error)) }
        for line in lines {
            guard let step = try? JSONValue(parsing: Array(line.utf8)),
                let number = step["number"]?.integer, number > shown
            else { continue }
            shown = number
            show(step, line)
        }
    }

    private func show(_ step: JSONValue, _ line: String) {
        let text = step["text"]?.string ?? ""
        if isJSON { StandardStreams.writeLine(line) }
        switch step["result"]?.string {
        case nil: if !isJSON { say(text) }
        case "receiving"?:
            if !isJSON { say(text) }
            finish(.success(()))
        case _?: finish(.failure(.init(status: .failure, message: text)))
        }
    }

    // MARK: Questions

    private func ask(_ signals: AsyncStream<BusSignal?>) async {
        for await case let signal? in signals {
            let phone = signal.path
            guard signal.arguments.first?.string != "" else {
                show(questions.withdraw(phone, at: client.loop.now))
                continue
            }
            let answer = try? await client.call("PairingQuestion", of: BusNames.phone, at: phone)
            // The step that announces the question comes first.
            await showSteps()
            guard let answer, answer.count == 2, let kind = answer[0].string,
                let question = PairingQuestion(
                    kind: kind, digits: answer[1].string ?? "", name: await name(of: phone)),
                questions.question(of: phone) != question
            else { continue }
            if case .display = question {
                show(questions.withdraw(phone, at: client.loop.now))
                show(question)
            } else {
                show(questions.ask(question, of: phone, at: client.loop.now))
            }
        }
    }

    private func name(of phone: ObjectPath) async -> String {
        let phones = try? await client.objects(of: BusNames.phone)
        return phones?.first { $0.path == phone }?.properties["Name"]?.string ?? ""
    }

    private func show(_ changes: [PairingQuestions<ObjectPath, PairingQuestion>.Change]) {
        for change in changes {
            switch change {
            case .show(let asked): show(asked.question)
            case .withdrawn(let asked): show(asked.question, isWithdrawn: true)
            }
        }
    }

    private func show(_ question: PairingQuestion, isWithdrawn: Bool = false) {
        guard isJSON else {
            return say(isWithdrawn ? question.withdrawal : question.message(peer: "phone"))
        }
        let members = isWithdrawn ? [.init("withdrawn", true)] : question.jsonMembers
        let time = JSONValue.Member("time", .string(CaptureTime.now.text(fractionDigits: 3)))
        StandardStreams.writeLine(
            JSONValue.object([.init("event", "pairing")] + members + [time]).text)
    }

    private func answer(_ input: InputLines) async {
        for await line in input.lines {
            let outcome = questions.take(at: client.loop.now) { $0.call(answering: line) != nil }
            switch outcome {
            case .notAnAnswer:
                guard let shown = questions.shown else { continue }
                remark("not understood. " + shown.question.message(peer: "phone"))
            case .tooSoon: remark(pairingAnswerTooSoon)
            case .answer(let asked, let changes):
                guard let call = asked.question.call(answering: line) else { continue }
                do throws(ServiceClient.Failure) {
                    _ = try await client.call(
                        call.member, call.arguments, of: BusNames.phone, at: asked.peer)
                } catch { remark(error.message) }
                show(changes)
            }
        }
    }

    private func say(_ text: String) { StandardStreams.writeLine(TerminalText.visible(text)) }

    /// Says something about what was typed, which is no part of the dialogue.
    private func remark(_ text: String) {
        guard isJSON else { return say(text) }
        StandardStreams.writeError("ancs: \(TerminalText.visible(text))")
    }
}

extension PairingQuestion {
    /// The D-Bus call that passes on a typed answer; `nil` if the text is not an answer.
    fileprivate func call(answering line: String) -> (member: String, arguments: [BusValue])? {
        let word = line.lowercased().filter { !$0.isWhitespace }
        var read = ""
        switch self {
        case .enter: return word.isEmpty ? nil : ("EnterPasskey", [.string(word)])
        case .compare(let digits), .display(let digits): read = digits
        case .consent, .accept: break
        }
        guard ["y", "yes", "n", "no"].contains(word) else { return nil }
        return ("ConfirmDigits", [.string(read), .bool(word.hasPrefix("y"))])
    }
}
