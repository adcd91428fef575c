package import ANCSEvents
internal import JSONText
internal import LinuxIO

// Pairing: its window, its questions, and the dialogue that its user reads.
extension NotificationService {
    package nonisolated func openPairingWindow(for duration: Duration) throws(ServiceError) {
        let consumer = assumeOnLoop { $0.consumer }
        guard let consumer else { throw .noAdapter() }
        let rest = assumeOnLoop { $0.beginDialogue(for: duration) }
        Task(executorPreference: loop) { await consumer.openPairingWindow(for: rest) }
    }

    package nonisolated func closePairingWindow() {
        assumeOnLoop { service in
            service.dialogue?.close()
            service.drainDialogue()
            service.closeWindow()
        }
    }

    package nonisolated func pairingSteps(after number: Int) -> [String] {
        assumeOnLoop { service in service.steps.filter { $0.number > number }.map(\.line) }
    }

    func closeWindow() {
        guard let consumer else { return }
        Task(executorPreference: loop) { await consumer.closePairingWindow() }
    }

    /// Begins the dialogue, or extends the current one: two users who pair at once read the same steps. Returns
    /// how long pairing is open from now on.
    private func beginDialogue(for duration: Duration) -> Duration {
        let now = loop.now
        if dialogue != nil {
            dialogue?.extend(by: duration, at: now)
        } else {
            steps = []
            dialogue = PairingDialogue(
                at: PairingSetting(
                    configuration, hasDesktop: sinks.contains { $0.name == "media" }),
                for: duration,
                isOnAir: state.phase == .onAir, links: keeper.links, at: now)
            Task(executorPreference: loop) { await self.findObstacles() }
        }
        let end = dialogue?.pairingEnd ?? now
        drainDialogue()
        repeatQuestions()
        return end - now
    }

    /// What only this machine knows, and what a phone cannot say.
    private func findObstacles() async {
        for obstacle in await environment.obstacles(configuration.bluetooth.name) {
            dialogue?.foundObstacle(obstacle)
        }
        drainDialogue()
    }

    /// What an event means for the dialogue. Pairing may have revealed which phone it is, so this comes after the
    /// news of the phone.
    func converse(_ event: ConsumerEvent) {
        if case .peer(let id, .keyTrouble(let trouble)) = event, trouble.kind != .unknown {
            dialogue?.keysFailed(keeper.text(of: trouble, with: id))
        }
        dialogue?.receive(event, at: loop.now)
        if dialogue == nil { logReplacement(event) }
        drainDialogue()
    }

    /// Without a dialogue, nobody else says it.
    private func logReplacement(_ event: ConsumerEvent) {
        guard case .peer(_, .paired(_, _, let bond?)) = event else { return }
        let name = bond.name.map { "'\($0)'" } ?? "the phone \(bond.digest)"
        environment.log("\(name) has paired again: the keys that it had before are replaced")
    }

    func drainDialogue() {
        while let output = dialogue?.pollOutput() {
            switch output {
            case .probe(let id):
                guard let consumer else { break }
                Task(executorPreference: loop) { await consumer.probe(id) }
            case .step(let step):
                stepCount += 1
                let time = environment.time().text(fractionDigits: 3)
                steps.append((stepCount, step.json(number: stepCount, time: time).text))
                environment.log(step.text)
                report(.pairingStep(step, stepCount))
                guard case .ended = step.kind else { break }
                dialogue = nil
                closeWindow()
            }
        }
        updateTimer()
    }

    // MARK: Questions

    func ask(_ request: PairingRequest, of provider: PhoneID) {
        let phone = keeper.phone(provider)
        if request.isAboutBond {
            // The device has returned, and the question is the same.
            let known = asked.first { $0.value.phone.digest == phone.digest }
            if let known { asked[known.key] = nil }
            if var same = known?.value, same.request == request {
                same.phone = phone
                asked[provider] = same
                return
            }
        }
        asked[provider] = AskedQuestion(
            phone: phone, request: request, countsFrom: reading.begins(at: loop.now))
        report(.pairing(phone, PairingQuestion(request)))
    }

    func withdrawQuestion(of provider: PhoneID) {
        guard let question = asked.removeValue(forKey: provider) else { return }
        reading.left(at: loop.now)
        report(.pairing(question.phone, nil))
    }

    /// Asks again what is still open: the user of this 'ancs pair' has not seen it.
    private func repeatQuestions() {
        for question in asked.values {
            report(.pairing(question.phone, PairingQuestion(question.request)))
        }
    }

    package nonisolated var questions: [String: PairingQuestion] {
        assumeOnLoop { service in
            Dictionary(
                service.asked.values.map { ($0.phone.digest, PairingQuestion($0.request)) },
                uniquingKeysWith: { first, _ in first })
        }
    }

    package nonisolated func answerPairing(
        of digest: String, _ answer: PairingAnswer, about digits: String?
    ) throws(ServiceError) {
        let failure = assumeOnLoop { $0.answer(digest, answer, about: digits) }
        if let failure { throw failure }
    }

    private func answer(
        _ digest: String, _ answer: PairingAnswer, about digits: String?
    ) -> ServiceError? {
        guard let (provider, asked) = asked.first(where: { $0.value.phone.digest == digest })
        else { return ServiceError(.notAllowed, "no pairing is waiting for an answer") }
        if let failure = asked.refusal(of: digits, at: loop.now) { return failure }
        switch (asked.request, answer) {
        case (.compare(let comparison), .yes): comparison.confirm()
        case (.compare(let comparison), .no): comparison.reject()
        case (.consent(let consent), .yes): consent.allow()
        case (.consent(let consent), .no): consent.refuse()
        case (.enter(let entry), .digits(let digits)): entry.enter(digits)
        case (_, .no): asked.request.cancel()
        case (.enter, .yes), (.display, _), (.compare, .digits), (.consent, .digits):
            return .invalid("pairing asks for another kind of answer")
        }
        guard !asked.request.isAboutBond else {
            withdrawQuestion(of: provider)
            keeper.decided(digest, isAccepted: answer == .yes)
            drain()
            return nil
        }
        if answer == .no {
            dialogue?.declined(provider)
            drainDialogue()
        }
        return nil
    }
}

/// A question of pairing that awaits an answer.
struct AskedQuestion: Sendable {
    var phone: PhoneName
    let request: PairingRequest
    /// From when on an answer counts that does not say what was read; `nil` for at once.
    let countsFrom: MonotonicInstant?

    /// Why an answer to a question with these digits does not count; `nil` if it does.
    fileprivate func refusal(of digits: String?, at now: MonotonicInstant) -> ServiceError? {
        guard let digits else {
            guard let countsFrom, now < countsFrom else { return nil }
            return ServiceError(.notAllowed, pairingAnswerTooSoon)
        }
        guard digits != PairingQuestion(request).digits ?? "" else { return nil }
        return ServiceError(
            .notAllowed, "pairing asks about other digits by now: read the question again")
    }
}
