internal import ANCSKit
package import Octets
internal import Printing

// An accessory that has stopped does nothing that later steps wait for. In a graded run the phone then links again, so
// that one fault hides no other, and optional steps do not wait for what cannot come.
extension ScenarioRun {
    /// What says that an accessory has stopped, since it last did something.
    struct Standstill {
        /// The steps in a row in which it had something to ask about, and sent nothing.
        var steps = 0
        /// Why nothing is waited for; `nil` if something may come.
        var reason: String?
    }

    /// The phone has ended the link to an accessory, and waits for its next session.
    package struct Return {
        var accessory: Int
        /// The number of its last session.
        var session: Int
        /// When the phone ended the link.
        var since: MonotonicInstant
        /// When the run goes on, whether it is back or not.
        var limit: MonotonicInstant
        /// When the run goes on: once the accessory is back, and has fetched what it wants.
        package var end: MonotonicInstant
        var isBack = false
    }

    /// How long nothing happens on a new link before the run goes on.
    private static let quiet = Duration.seconds(1)
    /// How long after the end of a session a step waits for what needs one.
    static let sessionlessLimit = AccessoryGrader.patience

    /// Whether a step only adds to a report: the run goes on without it.
    private func isAdditional(_ step: ScenarioStep) -> Bool { scenario.isGraded && step.isOptional }

    /// Why a step does not wait for what an accessory does; `nil` if it waits.
    func standstill(at step: ScenarioStep, _ condition: ScenarioCondition) -> String? {
        guard isAdditional(step), condition.needsSession else { return nil }
        return standstills[step.accessory ?? timeline.latest]?.reason
    }

    /// Takes note of an event of an accessory, which was recorded.
    mutating func followStandstill(
        _ event: ProviderEvent, of accessory: Int, at now: MonotonicInstant
    ) {
        switch event {
        case .peer(_, .connected), .session(_, .started), .session(_, .command),
            .session(_, .commandWithoutResponse), .session(_, .subscriptionChanged(_, true)):
            standstills[accessory] = nil
        case .device, .peer, .link, .session, .notification: break
        }
        let known = timeline.states[accessory]
        switch state {
        case .returning(var back) where back.accessory == accessory:
            guard known.sessionCount > back.session, known.canReceiveAnswers else { return }
            back.isBack = true
            back.end = min(now + Self.quiet, back.limit)
            state = .returning(back)
        case .waiting(var wait):
            let step = scenario.steps[results.count]
            guard accessory == step.accessory ?? timeline.latest, isAdditional(step),
                wait.condition.needsSession
            else { return }
            let isGone =
                known.isConnected && known.hadSession && !known.hasSession
                && known.phone.isPublished
            wait.sessionEndedAt = isGone ? wait.sessionEndedAt ?? now : nil
            state = .waiting(wait)
        case .idle, .ready, .performing, .returning, .ended: break
        }
    }

    /// What a step waited for has not come.
    mutating func missed(_ wait: Wait, at now: MonotonicInstant) {
        let accessory = scenario.steps[results.count].accessory ?? timeline.latest
        var failure = failure(of: wait, at: now)
        if let endedAt = wait.sessionEndedAt {
            failure.hints.insert(
                "its session ended at \((endedAt - began).text), and without one nothing comes: R49",
                at: 0)
        }
        let hasStopped = hasStopped(wait, accessory) && results.count + 1 < scenario.steps.count
        if hasStopped {
            failure.hints.append(
                "it may have stopped: the phone ends the link, and the run goes on in the next session"
            )
        }
        endStep(.failed(failure), since: wait.since, at: now)
        if hasStopped, let id = timeline.states[accessory].id { linkAgain(accessory, id, at: now) }
    }

    /// Whether the accessory seems to have stopped: it has no session, or was silent although it had something to ask
    /// about. One that leaves out a single notification goes on with the next.
    private mutating func hasStopped(_ wait: Wait, _ accessory: Int) -> Bool {
        let known = timeline.states[accessory]
        guard isAdditional(scenario.steps[results.count]), known.isConnected,
            known.sessionCount > 0, known.phone.isPublished, known.phone.hasConsent,
            known.phone.responsiveness == .normal
        else { return false }
        guard let session = known.session else {
            return wait.condition.needsSession || wait.condition.isSession
        }
        guard case .expectation(.command(let pattern)) = wait.condition,
            let id = pattern.notification.flatMap({ names[$0] }),
            let uid = known.notifications.first(where: { $0.value == id })?.key,
            session.tracks[uid]?.isOwed == true, let last = known.exchanges.last,
            last.writtenAt <= wait.since
        else { return false }
        standstills[accessory, default: Standstill()].steps += 1
        if case .sent = last.outcome, last.treatment.delay == nil {
            return standstills[accessory].map { $0.steps > 1 } ?? false
        }
        return true
    }

    private mutating func linkAgain(_ accessory: Int, _ id: AccessoryID, at now: MonotonicInstant) {
        let limit = now + AccessoryGrader.absence
        state = .returning(
            Return(
                accessory: accessory, session: timeline.states[accessory].sessionCount,
                since: now, limit: limit, end: limit))
        let deed = PhoneVerbs.Disconnect()
        follow(deed.effects, accessory..<accessory + 1, at: now)
        outputs.append(.perform(deed, at: id))
    }

    /// The time for the return of an accessory is over, if it is.
    mutating func endReturn(_ back: Return, at now: MonotonicInstant) {
        guard now >= back.end else { return }
        if !back.isBack {
            standstills[back.accessory] = Standstill(
                reason:
                    "nothing is waited for: it has had no session since the phone ended the link at "
                    + (back.since - began).text)
        }
        state = .ready
        proceed(at: now)
    }

    /// Whether the commands that the accessory writes are dropped, so that none comes: it writes them all with Write
    /// Command (R21).
    func dropsCommands(of accessory: Int) -> Bool {
        let known = timeline.states[accessory]
        return isAdditional(scenario.steps[results.count]) && known.hasWrittenWithoutResponse
            && known.exchanges.isEmpty
    }
}

extension AccessoryKnowledge.Track {
    /// Whether an accessory that fetches what is new has yet to fetch it.
    var isOwed: Bool {
        canBeFetched && !isForbidden && removedAt == nil
            && !source.eventFlags.contains(.preExisting) && (!isFetched || modifiedAt != nil)
    }
}

extension ScenarioCondition {
    /// Whether it is fulfilled by what an accessory does in a session.
    fileprivate var needsSession: Bool {
        switch self {
        case .expectation(.command), .expectation(.action), .milestone(.command),
            .milestone(.action):
            true
        case .expectation, .milestone, .linkEnded, .restarted, .servicesFound, .time: false
        }
    }

    /// Whether it is fulfilled by a session.
    fileprivate var isSession: Bool {
        switch self {
        case .milestone(.session), .milestone(.subscribed): true
        case .expectation, .milestone, .linkEnded, .restarted, .servicesFound, .time: false
        }
    }
}
