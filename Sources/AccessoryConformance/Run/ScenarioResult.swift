internal import JSONText

/// The result of a step.
package struct StepResult: Sendable {
    /// The number of the step in the run, from 1.
    package var number: Int
    package var step: ScenarioStep
    package var outcome: Outcome
    /// The duration of the step.
    package var duration: Duration

    package enum Outcome: Hashable, Sendable {
        case passed
        case failed(StepFailure)
        /// The step was optional and failed.
        case missed(StepFailure)
        /// An earlier step failed, or the run was ended.
        case notReached
    }

    /// What went wrong, or `nil`.
    package var failure: StepFailure? {
        guard case .failed(let failure) = outcome else { return nil }
        return failure
    }
}

extension StepResult.Outcome {
    /// Whether the run may go on.
    var isGood: Bool {
        switch self {
        case .passed, .missed: true
        case .failed, .notReached: false
        }
    }
}

/// What a step expected, and what happened instead.
package struct StepFailure: Hashable, Sendable {
    /// What was expected, in words.
    package var expected: String
    /// What happened, in words.
    var came: String
    /// What may be wrong, each with the rule that says so.
    package var hints: [String] = []
    /// The events before the failure, a line each.
    package var context: [String] = []
}

/// The result of a run.
package struct ScenarioResult: Sendable {
    /// Why a run ended before its last step, other than by a failed step.
    package enum Interruption: String, Hashable, Sendable {
        /// The time limit of the run passed.
        case timedOut
        /// The user pressed Control-C.
        case interrupted
        /// The phone's controller failed.
        case phoneFailed
        /// The phone has no controller, or could not be set up for the scenario.
        case notStarted

        /// The reason in words.
        package var text: String {
            switch self {
            case .timedOut: "the whole run took too long"
            case .interrupted: "interrupted"
            case .phoneFailed: "the controller of the phone failed"
            case .notStarted: "the phone could not start"
            }
        }
    }

    package var title: String
    package var steps: [StepResult]
    /// The grades of each accessory; empty if nothing is graded.
    package var grades: [AccessoryGrades]
    package var interruption: Interruption?
    /// Further details of the reason, if known.
    package var cause: String?
    package var duration: Duration

    /// Whether every step passed and no graded rule was broken.
    package var isSuccess: Bool {
        interruption == nil && steps.allSatisfy { $0.outcome.isGood }
            && grades.allSatisfy { $0.brokenCount == 0 }
    }
}

extension ScenarioResult {
    /// The result for a phone that could not start.
    package init(notStarted scenario: Scenario, because cause: String) {
        title = scenario.title
        steps = scenario.steps.enumerated().map { index, step in
            StepResult(number: index + 1, step: step, outcome: .notReached, duration: .zero)
        }
        grades = []
        interruption = .notStarted
        self.cause = cause
        duration = .zero
    }
}

/// The grades of one accessory.
package struct AccessoryGrades: Hashable, Sendable {
    /// The name of the accessory in the scenario.
    package var accessory: String
    /// How it used ANCS; empty if that was not graded.
    package var verdicts: [RuleVerdict]
    /// What was seen of its link.
    package var link: [LinkVerdict] = []

    /// How many rules were broken.
    package var brokenCount: Int { failed.count + link.count(where: \.isBroken) }

    /// The rules of ANCS that were broken.
    package var failed: [RuleVerdict] {
        verdicts.filter { verdict in
            if case .failed = verdict.result { true } else { false }
        }
    }
}

/// The result for one rule.
package struct RuleVerdict: Hashable, Sendable {
    package var rule: ConformanceRule
    package var result: Result

    package enum Result: Hashable, Sendable {
        case passed
        /// The rule was broken; the evidence is given a line each.
        case failed(evidence: [String])
        /// Nothing happened that tests the rule.
        case notExercised
    }
}
