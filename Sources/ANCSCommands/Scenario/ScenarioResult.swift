internal import JSONText

/// How one step went.
struct StepResult: Sendable {
    /// Counts the steps of a run from 1.
    var number: Int
    var step: ScenarioStep
    var outcome: Outcome
    /// How long it took.
    var duration: Duration

    enum Outcome: Hashable, Sendable {
        case passed
        case failed(StepFailure)
        /// It was optional, and not fulfilled.
        case missed(StepFailure)
        /// An earlier step failed, or the run was ended.
        case notReached
    }

    /// What went wrong, or `nil`.
    var failure: StepFailure? {
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

/// What a step expected and what came instead.
struct StepFailure: Hashable, Sendable {
    /// What was expected, in words.
    var expected: String
    /// What came, in words.
    var came: String
    /// What is wrong with what came, and by which rule.
    var hints: [String] = []
    /// The last events before, a line each.
    var context: [String] = []
}

/// How a run went.
struct ScenarioResult: Sendable {
    /// What ended a run before its last step, other than a step that failed.
    enum Interruption: String, Hashable, Sendable {
        /// The whole run took too long.
        case timedOut
        /// Somebody pressed Control-C.
        case interrupted
        /// The phone's controller is gone.
        case phoneFailed
        /// The phone has no controller, or cannot be what it should be.
        case notStarted

        /// The same in words.
        var words: String {
            switch self {
            case .timedOut: "the whole run took too long"
            case .interrupted: "interrupted"
            case .phoneFailed: "the phone lost its controller"
            case .notStarted: "the phone could not start"
            }
        }
    }

    var title: String
    var steps: [StepResult]
    /// What the rules say about each accessory; empty where nothing is graded.
    var grades: [AccessoryGrades]
    var interruption: Interruption?
    /// Why, where more is known.
    var cause: String?
    var duration: Duration

    /// Whether every step passed and no graded rule was broken.
    var isSuccess: Bool {
        interruption == nil && steps.allSatisfy { $0.outcome.isGood }
            && grades.allSatisfy { $0.failed.isEmpty }
    }
}

extension ScenarioResult {
    /// What becomes of a scenario whose phone could not start.
    init(notStarted scenario: Scenario, because cause: String) {
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

/// The verdicts about one accessory.
struct AccessoryGrades: Hashable, Sendable {
    /// What the scenario calls it.
    var accessory: String
    var verdicts: [RuleVerdict]

    /// The rules that were broken.
    var failed: [RuleVerdict] {
        verdicts.filter { verdict in
            if case .failed = verdict.result { true } else { false }
        }
    }
}

/// What was found out about one rule.
struct RuleVerdict: Hashable, Sendable {
    var rule: ConformanceRule
    var result: Result

    enum Result: Hashable, Sendable {
        case passed
        /// With what shows it, a line each.
        case failed(evidence: [String])
        /// Nothing happened that shows whether the accessory keeps it.
        case notExercised
    }
}
