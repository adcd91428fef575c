internal import Printing
internal import ANCSKit
package import Octets

// The conditions of steps, and the reports of steps that fail.
extension ScenarioRun {
    /// Ends the step if its condition holds.
    package mutating func check(at now: MonotonicInstant) {
        guard case .waiting(let wait) = state else { return }
        let accessory = scenario.steps[results.count].accessory ?? timeline.latest
        switch wait.condition {
        case .time: break
        case .linkEnded:
            if !timeline.states[accessory].isConnected {
                endStep(.passed, since: wait.since, at: now)
            }
        case .restarted:
            let ready = timeline.take(from: wait.mark) { $0.event == .device(.ready) }
            if ready != nil { endStep(.passed, since: wait.since, at: now) }
        case .servicesFound:
            let found = timeline.take(from: wait.mark) { entry in
                if case .link(_, .servicesFound) = entry.event {
                    entry.accessory == accessory
                } else {
                    false
                }
            }
            if found != nil { endStep(.passed, since: wait.since, at: now) }
        case .milestone(let milestone):
            let isReached =
                milestone.isReached(by: timeline.states[accessory])
                || milestone.expectation.map { takes($0, wait, accessory) } == true
            if isReached { endStep(.passed, since: wait.since, at: now) }
        case .expectation(.binding(let app, let isBound)):
            let binding = bindings[app] ?? ScenarioBinding()
            if isBound ? isConnected(binding) : !binding.isBound {
                endStep(.passed, since: wait.since, at: now)
            }
        case .expectation(.subscription(let characteristic, let isSubscribed)):
            let isThere = timeline.states[accessory].subscriptions.contains(characteristic)
            if isThere == isSubscribed { endStep(.passed, since: wait.since, at: now) }
        case .expectation(.registration(let attribute)):
            if timeline.states[accessory].mediaRegistrations.contains(attribute) {
                endStep(.passed, since: wait.since, at: now)
            }
        case .expectation(.absence):
            guard let entry = takesUnwanted(wait, accessory) else { return }
            var failure = failure(of: wait, at: now)
            failure.observed = entry.event.log
            let diagnosis = diagnosis(of: accessory, from: wait.mark, at: now)
            if case .session(_, .command(let command)) = entry.event {
                failure.observed = command.text(diagnosis.title)
                let hints = diagnosis.hints(about: command, at: entry.number)
                if !hints.isEmpty { failure.hints = hints }
            }
            endStep(.failed(failure), since: wait.since, at: now)
        case .expectation(let expectation):
            if takes(expectation, wait, accessory) {
                endStep(.passed, since: wait.since, at: now)
            } else if case .command = expectation, dropsCommands(of: accessory) {
                endStep(.failed(failure(of: wait, at: now)), since: wait.since, at: now)
            }
        }
    }

    /// Counts the first event that fulfills an expectation.
    private mutating func takes(
        _ expectation: Expectation, _ wait: borrowing Wait, _ accessory: Int
    ) -> Bool {
        let names = names
        if case .command(var pattern) = expectation, !pattern.attributes.isEmpty {
            // They may be asked for in several commands (R24).
            let wanted = exchange(&pattern.attributes, with: [])
            var missing: [NotificationID?: Set<NotificationAttributeID>] = [:]
            return timeline.take(from: wait.mark) { entry in
                guard entry.accessory == accessory, pattern.matches(entry, names),
                    let asked = entry.event.requestedAttributes
                else { return false }
                missing[entry.notification, default: Set(wanted)].subtract(asked)
                return missing[entry.notification]?.isEmpty == true
            } != nil
        }
        return timeline.take(from: wait.mark) { entry in
            entry.accessory == accessory && expectation.isFulfilled(by: entry, names)
        } != nil
    }

    private mutating func takesUnwanted(
        _ wait: borrowing Wait, _ accessory: Int
    ) -> ScenarioTimeline.Entry? {
        guard case .expectation(.absence(let kind, let name, _)) = wait.condition else {
            return nil
        }
        let id = name.flatMap { names[$0] }
        return timeline.take(from: wait.mark) { entry in
            entry.accessory == accessory && kind.describes(entry.event)
                && (name == nil || entry.notification == id)
        }
    }

    /// Whether the app's accessory is connected and, if the step names one, is that accessory.
    private func isConnected(_ binding: ScenarioBinding) -> Bool {
        guard binding.isConnected else { return false }
        guard let wanted = scenario.steps[results.count].accessory else { return true }
        return binding.accessory != nil && binding.accessory == timeline.states[wanted].id
    }

    mutating func checkAbsence(ofBinding app: String, at now: MonotonicInstant) {
        guard case .waiting(let wait) = state,
            case .expectation(.absence(of: .binding, about: let wanted, _)) = wait.condition,
            wanted == nil || wanted == app
        else { return }
        var failure = failure(of: wait, at: now)
        failure.observed = "\"\(app)\" is bound"
        endStep(.failed(failure), since: wait.since, at: now)
    }

    // MARK: What went wrong

    package func failure(of wait: borrowing Wait, at now: MonotonicInstant) -> StepFailure {
        let step = scenario.steps[results.count]
        let diagnosis = diagnosis(of: step.accessory ?? timeline.latest, from: wait.mark, at: now)
        var came = diagnosis.came(instead: wait.condition)
        if case .expectation(.binding(let app, _)) = wait.condition {
            came = "\"\(app)\" is \((bindings[app] ?? ScenarioBinding()).text)"
        }
        return StepFailure(
            expected: wait.condition.text(within: step.deadline), observed: came,
            hints: diagnosis.hints(instead: wait.condition),
            context: context(about: step.accessory))
    }

    func diagnosis(
        of accessory: Int, from mark: Int, at now: MonotonicInstant
    ) -> ScenarioDiagnosis {
        ScenarioDiagnosis(
            timeline: timeline, accessory: accessory, mark: mark, names: names,
            passedOver: passedOver, isOfANCS: scenario.grading != .link, since: began, at: now)
    }

    /// The last events, a line each; for a step about one accessory, without those of other accessories.
    package func context(about wanted: Int?) -> [String] {
        let entries = timeline.entries.reversed().lazy.filter { entry in
            wanted == nil || entry.accessory == nil || entry.accessory == wanted
        }
        return entries.prefix(8).reversed().map { entry in
            let accessory = scenario.accessories.count > 1 ? entry.accessory : nil
            let name = accessory.map { "\(scenario.accessories[$0].name): " } ?? ""
            return "\((entry.at - began).text)  \(name)\(entry.event.log)"
        }
    }
}
