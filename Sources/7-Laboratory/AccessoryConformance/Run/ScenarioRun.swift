internal import Printing
package import ANCSKit

/// Executes the steps of a scenario: outputs what the phone has to do, and compares the behavior of
/// accessories with what is expected. It is independent of the phone and the clock.
package struct ScenarioRun: ~Copyable, Sendable {
    /// An action to perform or an event to report.
    package enum Output: Sendable {
        /// The phone carries out a step; the caller then calls ``performed(_:at:)`` or ``failed(_:at:)``.
        case perform(any PhoneDeed, at: AccessoryID?)
        /// A step begins.
        case stepBegan(ScenarioStep)
        /// A step has been waiting for a while.
        case stepWaits(ScenarioStep)
        /// A step ended.
        case stepEnded(StepResult)
        /// The run ended; the last output.
        case ended(ScenarioResult)
    }

    package enum State {
        /// The run has not begun.
        case idle
        /// The next step can begin.
        case ready
        /// The phone is carrying out a step.
        case performing(since: MonotonicInstant)
        /// The run waits for an accessory to do something, or checks that it does not.
        case waiting(Wait)
        /// An accessory had stopped, and is to come back before the next step.
        case returning(Return)
        case ended
    }

    package struct Wait {
        package var since: MonotonicInstant
        package var deadline: MonotonicInstant
        var condition: ScenarioCondition
        /// The first entry whose events count.
        package var mark: Int
        /// When to report that the step is waiting; `nil` once that is done.
        package var notice: MonotonicInstant?
        /// Whether the advertising of the accessory is measured before the time of the step begins.
        var isMeasuring = false
        /// When the session ended without which nothing comes; `nil` while there is one.
        var sessionEndedAt: MonotonicInstant?

        /// When the step ends at the latest.
        package var end: MonotonicInstant {
            sessionEndedAt.map { min(deadline, $0 + ScenarioRun.sessionlessLimit) } ?? deadline
        }
    }

    /// How long a step waits before that is reported.
    private static let noticeDelay = Duration.seconds(2)

    private(set) var scenario: Scenario
    package let began: MonotonicInstant
    package var state = State.idle
    var results: [StepResult] = []
    package var timeline: ScenarioTimeline
    var graders: [AccessoryGrader] = []
    /// What the phone has heard of advertisers that it does not connect to.
    package var passedOver: [String] = []
    /// The accessories that may have stopped, by their indices.
    var standstills: [Int: Standstill] = [:]
    /// Judges the links; `nil` if they are not graded.
    private var links: LinkGrading?
    /// What the accessory advertises by its own controller, until it is judged: when it has connected to that, or at the
    /// end if it never has.
    private var advertised: ReceivedAdvertisement?
    package var names: [String: NotificationID] = [:]
    /// The numbers of the entries at which the phone last did something about each notification.
    var marks: [String: Int] = [:]
    var lastDeed = 0
    /// The states of the apps' bindings.
    package var bindings: [String: ScenarioBinding] = [:]
    var outputs = Queue<Output>()

    /// `witness` says when an accessory has an answer; without one, the phone's word counts.
    package init(_ scenario: Scenario, at now: MonotonicInstant, witness: AnswerWitness? = nil) {
        self.scenario = scenario
        began = now
        timeline = ScenarioTimeline(accessories: scenario.accessories)
        if scenario.isGraded {
            let apps = Set(scenario.installedApps.keys).union(scenario.apps.map(\.identifier))
            graders = scenario.accessories.map { _ in
                AccessoryGrader(
                    allowsActions: scenario.allowsActions, apps: apps.sorted(byText: \.self),
                    origin: now, witness: witness)
            }
        }
        if scenario.grading != .nothing {
            links = LinkGrading(
                count: scenario.accessories.count, origin: now,
                pairsByItself: scenario.pairing == .onConnection)
        }
        timeline.begin(hasConsent: scenario.hasConsent ?? true)
        timeline.follow(.behavior(scenario.behavior), at: timeline.states.indices, now)
        for index in graders.indices {
            graders[index].media.service = scenario.usesMedia ? MediaService() : nil
            graders[index].media.quirks = scenario.behavior.mediaQuirks ?? []
        }
    }

    /// Begins with the first step, unless the run has ended already. `notifications` are those that the phone
    /// already shows.
    package mutating func start(_ notifications: [String: NotificationID], at now: MonotonicInstant)
    {
        guard case .idle = state else { return }
        names = notifications
        state = .ready
        proceed(at: now)
    }

    /// Continues with one more step, for the prompt: what is known of accessories stays, and the results of
    /// earlier steps go.
    package mutating func begin(
        _ step: ScenarioStep, _ notifications: [String: NotificationID], at now: MonotonicInstant
    ) {
        names = notifications
        scenario.steps = [step]
        // Only the step's own limit counts, even after the machine slept.
        scenario.timeout = now - began + step.longest + .seconds(86_400)
        results = []
        state = .ready
        proceed(at: now)
    }

    /// Whether a step is going on.
    package var isBusy: Bool {
        switch state {
        case .idle, .ended: false
        case .ready, .performing, .waiting, .returning: true
        }
    }

    // MARK: Inputs

    /// An event of the phone.
    package mutating func receive(_ event: ProviderEvent, at now: MonotonicInstant) {
        let accessory = timeline.accessory(of: event)
        if let accessory, scenario.isGraded {
            graders[accessory].observe(event, knowing: timeline.states[accessory], at: now)
        }
        if case .peer(_, .connected) = event { judgeAdvertising(at: now) }
        if case .link(_, .advertised) = event { endMeasuring(accessory, at: now) }
        links?.observe(event, of: accessory, at: now)
        timeline.append(event, of: accessory, at: now)
        if let accessory { followStandstill(event, of: accessory, at: now) }
        check(at: now)
        proceed(at: now)
    }

    /// The accessory advertises so, as its own controller knows; what the phone hears of that is not judged any more.
    package mutating func accessoryAdvertises(_ advertisement: ReceivedAdvertisement?) {
        links?.seesAdvertisingOfHost(isAboutLink: scenario.grading == .link)
        advertised = advertisement ?? advertised
    }

    private mutating func judgeAdvertising(at now: MonotonicInstant) {
        guard var advertisement = advertised, let accessory = timeline.states.first else { return }
        advertised = nil
        advertisement.isOfBonded = accessory.hasEverPaired && !accessory.phone.isBondForgotten
        links?.judge(advertisement, at: now)
    }

    /// The binding of an app changed.
    package mutating func receive(
        _ binding: ScenarioBinding, of app: String, at now: MonotonicInstant
    ) {
        // Apps of the phone may need protection, too.
        links?.phonePairs()
        let before = bindings.updateValue(binding, forKey: app)
        if binding.isConnected, before?.isConnected != true {
            checkAbsence(ofBinding: app, at: now)
        }
        check(at: now)
        proceed(at: now)
    }

    /// The phone has carried out the step; `posted` names the notifications that it created.
    package mutating func performed(_ posted: [String: NotificationID], at now: MonotonicInstant) {
        guard case .performing(let since) = state else { return }
        names.merge(posted) { _, new in new }
        if let result = scenario.steps[results.count].verb.deed?.result {
            wait(for: result, since: since, at: now)
        } else {
            endStep(.passed, since: since, at: now)
        }
        proceed(at: now)
    }

    /// The phone could not carry out the step.
    package mutating func failed(_ reason: String, at now: MonotonicInstant) {
        guard case .performing(let since) = state else { return }
        let step = scenario.steps[results.count]
        let failure = StepFailure(
            expected: step.title, observed: reason, context: context(about: step.accessory))
        endStep(.failed(failure), since: since, at: now)
    }

    /// Time has passed.
    package mutating func handleTimeout(at now: MonotonicInstant) {
        if case .ended = state { return }
        if now >= began + scenario.timeout { return interrupt(.timedOut, at: now) }
        if case .returning(let back) = state { return endReturn(back, at: now) }
        guard case .waiting(var wait) = state else { return }
        if let notice = wait.notice, now >= notice, now < wait.end {
            wait.notice = nil
            state = .waiting(wait)
            var step = scenario.steps[results.count]
            if wait.isMeasuring, step.note == nil { step.note = Self.measuring(step) }
            outputs.append(.stepWaits(step))
        }
        guard now >= wait.end else { return }
        switch wait.condition {
        case .time, .expectation(.absence): endStep(.passed, since: wait.since, at: now)
        case .milestone, .expectation, .linkEnded, .restarted, .servicesFound: missed(wait, at: now)
        }
        proceed(at: now)
    }

    /// Ends the run before its last step.
    package mutating func interrupt(_ reason: ScenarioResult.Interruption, at now: MonotonicInstant)
    {
        switch state {
        case .ended: return
        case .waiting(let wait) where reason == .timedOut:
            var failure = failure(of: wait, at: now)
            failure.hints.append("the whole run may take \(scenario.timeout.text)")
            results.append(result(.failed(failure), since: wait.since, at: now))
            if let last = results.last { outputs.append(.stepEnded(last)) }
        case .idle, .ready, .performing, .waiting, .returning: break
        }
        end(reason, at: now)
    }

    // MARK: Effects and time

    package mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// Whether there is nothing to do: no step is going on, and no output waits.
    package var isResting: Bool { !isBusy && outputs.isEmpty }

    package var nextDeadline: MonotonicInstant? {
        switch state {
        case .ended: nil
        case .waiting(let wait):
            min(min(wait.notice ?? wait.end, wait.end), began + scenario.timeout)
        case .returning(let back): min(back.end, began + scenario.timeout)
        case .idle, .ready, .performing: began + scenario.timeout
        }
    }

    // MARK: Steps

    /// Begins steps until one takes time.
    mutating func proceed(at now: MonotonicInstant) {
        while case .ready = state { beginStep(at: now) }
    }

    private mutating func beginStep(at now: MonotonicInstant) {
        guard results.count < scenario.steps.count else { return end(nil, at: now) }
        let step = scenario.steps[results.count]
        outputs.append(.stepBegan(step))
        switch step.verb.course {
        case .wait(let condition):
            guard let reason = standstill(at: step, condition) else {
                return wait(for: condition, since: now, at: now)
            }
            let failure = StepFailure(
                expected: condition.text(within: step.deadline), observed: reason)
            endStep(.failed(failure), since: now, at: now)
        case .perform(let deed): perform(deed, step, at: now)
        }
    }

    private mutating func perform(
        _ deed: any PhoneDeed, _ step: ScenarioStep, at now: MonotonicInstant
    ) {
        state = .performing(since: now)
        mark(deed)
        guard let index = step.accessory else {
            follow(deed.effects, timeline.states.indices, at: now)
            return outputs.append(.perform(deed, at: nil))
        }
        guard let id = timeline.states[index].id else {
            return failed("\"\(scenario.accessories[index].name)\" has not connected yet", at: now)
        }
        if let obstacle = obstacle(to: deed.need, at: index) { return failed(obstacle, at: now) }
        follow(deed.effects, index..<index + 1, at: now)
        outputs.append(.perform(deed, at: id))
    }

    /// The phone does something now, as its user typed it.
    package mutating func follow(_ deed: any PhoneDeed, at now: MonotonicInstant) {
        mark(deed)
        follow(deed.effects, timeline.states.indices, at: now)
    }

    /// What accessories did before does not count as an answer to what the phone does now.
    private mutating func mark(_ deed: any PhoneDeed) {
        lastDeed = timeline.nextNumber
        for name in deed.notifications { marks[name] = lastDeed }
    }

    mutating func follow(
        _ effects: [ScenarioEffect], _ accessories: Range<Int>, at now: MonotonicInstant
    ) {
        for effect in effects {
            if case .pairing = effect { links?.phonePairs() }
            if scenario.isGraded {
                for index in accessories {
                    graders[index].phoneDid(effect, knowing: timeline.states[index], at: now)
                }
            }
            timeline.follow(effect, at: accessories, now)
        }
    }

    /// What an accessory lacks for the step, in one sentence.
    private func obstacle(to need: ScenarioNeed, at index: Int) -> String? {
        switch need {
        case .phone, .accessory: nil
        case .link:
            timeline.states[index].isConnected
                ? nil : "\"\(scenario.accessories[index].name)\" is not connected"
        case .bond:
            timeline.states[index].pairsWithoutBonding
                ? "the phone has no bond to forget: the accessory paired without bonding" : nil
        }
    }

    private mutating func wait(
        for condition: ScenarioCondition, since: MonotonicInstant, at now: MonotonicInstant
    ) {
        let step = scenario.steps[results.count]
        let isMeasuring = isMeasuring(before: condition, step)
        let longest =
            step.longest + (isMeasuring ? ProviderConfiguration.longestMeasurement : .zero)
        state = .waiting(
            Wait(
                since: since, deadline: since + longest, condition: condition,
                mark: mark(of: condition), notice: since + Self.noticeDelay,
                isMeasuring: isMeasuring))
        check(at: now)
    }

    /// Whether the phone measures the advertising of an accessory before it connects for the first time.
    private func isMeasuring(before condition: ScenarioCondition, _ step: ScenarioStep) -> Bool {
        guard case .milestone(.connected) = condition, scenario.isMeasured else { return false }
        return step.accessory.map { timeline.states[$0].id == nil } ?? false
    }

    private static func measuring(_ step: ScenarioStep) -> String {
        "\(step.title); the advertising is measured first, for up to "
            + ProviderConfiguration.longestMeasurement.text
    }

    /// The measurement is over: the phone connects, and the time of the step begins.
    private mutating func endMeasuring(_ accessory: Int?, at now: MonotonicInstant) {
        guard case .waiting(var wait) = state, wait.isMeasuring else { return }
        let step = scenario.steps[results.count]
        guard accessory == nil || accessory == step.accessory else { return }
        wait.isMeasuring = false
        wait.deadline = min(wait.deadline, now + step.longest)
        state = .waiting(wait)
    }

    /// The first entry whose events count: anything before the phone's own action of the step does not.
    package func mark(of condition: ScenarioCondition) -> Int {
        switch condition {
        case .expectation(.absence): timeline.nextNumber
        case .expectation(.command(let pattern)):
            if let name = pattern.notification {
                marks[name] ?? 0
            } else {
                pattern.command == .getAppAttributes ? 0 : lastDeed
            }
        case .expectation(.action(_, of: let name?)): marks[name] ?? 0
        case .milestone, .expectation, .linkEnded, .restarted, .servicesFound, .time: lastDeed
        }
    }

    mutating func endStep(
        _ outcome: StepResult.Outcome, since: MonotonicInstant, at now: MonotonicInstant
    ) {
        var outcome = outcome
        if case .failed(var failure) = outcome {
            let step = scenario.steps[results.count]
            if failure.hints.isEmpty {
                let accessory = step.accessory ?? timeline.latest
                let diagnosis = diagnosis(of: accessory, from: 0, at: now)
                failure.hints = [diagnosis.lastHint(for: step.verb.course)]
            }
            outcome = step.isOptional ? .missed(failure) : .failed(failure)
        }
        let result = result(outcome, since: since, at: now)
        results.append(result)
        outputs.append(.stepEnded(result))
        if outcome.isGood { state = .ready } else { end(nil, at: now) }
    }

    private func result(
        _ outcome: StepResult.Outcome, since: MonotonicInstant, at now: MonotonicInstant
    ) -> StepResult {
        StepResult(
            number: results.count + 1, step: scenario.steps[results.count], outcome: outcome,
            start: since - began, duration: now - since)
    }

    private mutating func end(
        _ interruption: ScenarioResult.Interruption?, at now: MonotonicInstant
    ) {
        state = .ended
        while results.count < scenario.steps.count {
            results.append(result(.notReached, since: now, at: now))
        }
        let grades = grades(at: now)
        outputs.append(
            .ended(
                ScenarioResult(
                    title: scenario.title, steps: results, grades: grades,
                    interruption: interruption, duration: now - began)))
    }

    private mutating func grades(at now: MonotonicInstant) -> [AccessoryGrades] {
        var grades: [AccessoryGrades] = []
        guard scenario.grading != .nothing else { return grades }
        if timeline.states.first?.id == nil { judgeAdvertising(at: now) }
        for (index, accessory) in scenario.accessories.enumerated() {
            var own = AccessoryGrades(accessory: accessory.name, verdicts: [])
            if scenario.isGraded {
                graders[index].finish(knowing: timeline.states[index], at: now)
                let usesMedia = graders[index].media.isUsed
                own.verdicts = graders[index].card.verdicts(
                    on: Requirement.allCases.filter {
                        !$0.isOfLink && (usesMedia || !$0.isOfMedia)
                    }, of: accessory.name)
            }
            own.verdicts += links?.verdicts(of: index, named: accessory.name, at: now) ?? []
            grades.append(own)
        }
        return grades
    }
}
