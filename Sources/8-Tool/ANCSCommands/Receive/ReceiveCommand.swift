internal import ANCSMedia
internal import ANCSService
internal import CommandKit
internal import Glibc

/// `ancs receive`: prints the notifications of an iPhone.
actor ReceiveCommand: LoopActor {
    /// The thread of the event loop, on which the consumer runs too: events need no change of thread.
    nonisolated var loop: EventLoop { consumer.loop }

    private let options: ReceiveOptions
    private let consumer: NotificationConsumer
    private var report: ReceiveReport
    private var added = 0
    private var isTimedOut = false
    private var wasReady = false
    /// Says what to try while no phone pairs.
    private var guide: PairingGuide?
    /// The open questions of pairing.
    private var questions = PairingQuestions<PhoneID, PairingRequest>()
    /// The sessions whose UIDs the user may name.
    private var sessions: [SessionID] = []

    private init(_ options: ReceiveOptions, consumer: NotificationConsumer) {
        self.options = options
        self.consumer = consumer
        report = ReceiveReport(options: options, isColored: StandardStreams.isColored)
    }

    /// Runs until a signal, the requested count, the timeout or a failure.
    static func run(_ options: ReceiveOptions, on loop: EventLoop) async -> ExitStatus {
        let consumer: NotificationConsumer
        do throws(IOError) {
            let bluetooth = try options.bluetooth()
            do throws(DeviceError) {
                consumer = try NotificationConsumer(options.configuration, at: bluetooth, on: loop)
            } catch { return ExitStatus.report(error) }
        } catch { return ExitStatus.report(.transport(error)) }
        return await ReceiveCommand(options, consumer: consumer).run()
    }

    private func run() async -> ExitStatus {
        let loop = consumer.loop
        guide = PairingGuide(at: report.pairingSetting, on: loop) { [weak self] step in
            Task(executorPreference: loop) { await self?.show(step) }
        }
        let requests: EndRequests
        do throws(IOError) {
            requests = try EndRequests(on: loop) { [consumer] in
                Task(executorPreference: loop) { await consumer.stop() }
            }
        } catch { return ExitStatus.report(.transport(error)) }
        defer { requests.cancel() }
        let input = Task(executorPreference: loop) {
            for await line in InputLines(on: loop).lines { await self.obey(line) }
        }
        // Ends at once where media were not asked for.
        let media = Task(executorPreference: loop) {
            for await media in self.consumer.media { await self.show(media) }
        }
        let timer = Task(executorPreference: loop) { await self.followTimeout() }
        defer {
            input.cancel()
            media.cancel()
            timer.cancel()
        }
        await consumer.start()
        do throws(DeviceError) {
            for try await event in consumer.events where isAwaited(event) {
                guide?.receive(event)
                if case .peer(let provider, .pairing(let request)) = event {
                    await ask(request, of: provider)
                } else {
                    await report.report(of: event).show()
                    if let changes = follow(event) { await show(changes) }
                }
            }
        } catch { return ExitStatus.report(error) }
        if isTimedOut, !wasReady { return ExitStatus.reportNoControllerInTime() }
        return isTimedOut && options.count != nil ? .failure : .success
    }

    // MARK: What happens

    private typealias Change = PairingQuestions<PhoneID, PairingRequest>.Change

    /// After the last requested notification, only the end is reported.
    private func isAwaited(_ event: ConsumerEvent) -> Bool {
        options.count.map { added < $0 } ?? true || !event.isOfNotification
    }

    private func ask(_ request: PairingRequest, of provider: PhoneID) async {
        // A question about a bond stays while its device comes and goes.
        if questions.isOpen(request, nowOf: provider) { return }
        await show(questions.receive(request, of: provider, at: consumer.loop.now))
    }

    /// What follows from an event that was shown: synchronous, because each call that may wait has its price.
    private func follow(_ event: ConsumerEvent) -> [Change]? {
        switch event {
        case .device(.ready):
            wasReady = true
            if options.isPairingOpen { guide?.begin() }
        case .peer(let provider, .pairingWithdrawn):
            return questions.withdraw(provider, at: consumer.loop.now)
        case .peer(let provider, .paired), .peer(let provider, .securityFailed),
            .peer(let provider, .pairingRefused), .peer(let provider, .disconnected):
            if questions.question(of: provider)?.isAboutBond == true { break }
            return questions.withdraw(provider, at: consumer.loop.now)
        case .device(.pairingWindow(isOpen: true)): guide?.begin()
        case .session(_, .started(let session)): sessions.append(session)
        case .session(_, .ended(let session, _)): sessions.removeAll { $0 == session }
        case .notification(let notification) where notification.event == .added:
            added += 1
            if added == options.count {
                Task(executorPreference: consumer.loop) { [consumer] in await consumer.stop() }
            }
        case .device, .peer, .session, .notification: break
        }
        return nil
    }

    private func show(_ step: PairingStep) async { await report.report(of: step).show() }

    private func show(_ media: PhoneMedia) async { await report.report(of: media).show() }

    private func show(_ changes: [Change]) async {
        for change in changes {
            switch change {
            case .show(let asked):
                await report.report(of: .peer(asked.peer, .pairing(asked.question))).show()
            case .withdrawn(let asked):
                await report.report(problem: asked.question.question.withdrawal).show()
            }
        }
    }

    private func followTimeout() async {
        guard let timeout = options.timeout else { return }
        do { try await consumer.loop.sleep(for: timeout) } catch { return }
        isTimedOut = true
        await consumer.stop()
    }

    // MARK: What the user types

    private func obey(_ line: String) async {
        let words = line.split(separator: " ").map(String.init)
        guard let first = words.first else { return }
        switch questions.answer(first, at: consumer.loop.now) {
        case .answer(_, let changes): return await show(changes)
        case .tooSoon: return await report.report(problem: pairingAnswerTooSoon).show()
        case .notAnAnswer: break
        }
        if words == ["pair"] {
            await openPairingWindow()
        } else if let command = UserCommand(words) {
            await carryOut(command)
        } else if options.hasMedia, let command = MediaCommand(words) {
            await carryOut(command)
        } else {
            let media =
                options.hasMedia
                ? MediaCommand.words.map { "'\($0.word)'" }.joined(separator: ", ") + ", " : ""
            await report.report(
                problem: "not understood: \(line); commands are \(media)"
                    + "'perform UID positive|negative', 'fetch UID' and 'pair'"
            ).show()
        }
    }

    private func openPairingWindow() async {
        guard !options.isPairingOpen else {
            return await report.report(problem: "pairing is open already (--pair)").show()
        }
        await consumer.openPairingWindow(for: .seconds(PairingGuide.time))
        guide?.begin()
        await report.reportOfPairingWindow(
            seconds: PairingGuide.time, isFull: sessions.count >= options.maximumProviders
        ).show()
    }

    /// UIDs are unique only per phone, so with several phones the user has to say which one is meant.
    private func session(_ number: UInt64?, after word: String) async -> SessionID? {
        let problem: String
        if let number {
            if let named = sessions.first(where: { $0.number == number }) { return named }
            problem = "no session \(number) at present"
        } else if let only = sessions.first, sessions.count == 1 {
            return only
        } else {
            problem =
                sessions.isEmpty
                ? "no phone is connected"
                : "several phones are connected: add the number of the session after \(word)"
        }
        await report.report(problem: problem).show()
        return nil
    }

    private func carryOut(_ command: MediaCommand) async {
        guard let phone = await session(command.session, after: "the command")?.provider else {
            return
        }
        var failure: MediaError?
        do throws(MediaError) {
            try await consumer.send(command.command, to: phone)
        } catch { failure = error }
        await report.report(of: command.command, to: phone, failure).show()
    }

    private func carryOut(_ command: UserCommand) async {
        guard let session = await session(command.session, after: "the UID") else { return }
        switch command.kind {
        case .perform(let action): await perform(action, on: command.uid, in: session)
        case .fetch: await fetch(command.uid, in: session)
        }
    }

    private func perform(_ action: ActionID, on uid: NotificationUID, in session: SessionID) async {
        var failure: RequestError?
        do throws(RequestError) {
            try await consumer.perform(action, on: uid, in: session)
        } catch { failure = error }
        await report.report(of: action, on: uid, in: session, failure).show()
    }

    private func fetch(_ uid: NotificationUID, in session: SessionID) async {
        let result: Result<[AttributeValue], RequestError>
        do throws(RequestError) {
            let response = try await consumer.attributes(
                of: uid, NotificationAttributeRequest.all, in: session)
            result = .success(response.attributes)
        } catch { result = .failure(error) }
        await report.report(ofFetched: uid, in: session, result).show()
    }
}

/// A typed command about a notification.
struct UserCommand: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        case perform(ActionID)
        case fetch
    }

    var kind: Kind
    var uid: NotificationUID
    /// The number of the session, if it was given.
    var session: UInt64?

    /// Parses `perform UID [SESSION] positive|negative` or `fetch UID [SESSION]`.
    init?(_ words: [String]) {
        var words = words[...]
        guard let verb = words.popFirst(), let uid = words.popFirst().flatMap({ UInt32($0) }) else {
            return nil
        }
        self.uid = NotificationUID(rawValue: uid)
        if let number = words.first.flatMap({ UInt64($0) }), number > 0 {
            session = number
            words = words.dropFirst()
        }
        switch (verb, words.popFirst().map { ActionID(name: $0) }) {
        case ("perform", .some(let action?)): kind = .perform(action)
        case ("fetch", nil): kind = .fetch
        case _: return nil
        }
        guard words.isEmpty else { return nil }
    }
}

extension ActionID {
    fileprivate init?(name: String) {
        switch name {
        case "positive": self = .positive
        case "negative": self = .negative
        default: return nil
        }
    }
}

extension ConsumerEvent {
    /// Whether the event is about a notification.
    fileprivate var isOfNotification: Bool {
        switch self {
        case .session(_, .announced), .notification: true
        case .device, .peer, .session: false
        }
    }
}
