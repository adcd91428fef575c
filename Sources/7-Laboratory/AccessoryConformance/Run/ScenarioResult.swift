/// The result of a step.
public struct StepResult: Sendable {
    /// The number of the step in the run, from 1.
    public var number: Int
    /// The step.
    public var step: ScenarioStep
    /// How it ended.
    public var outcome: Outcome
    /// When it began, since the start of the run.
    public var start: Duration
    /// The duration of the step.
    public var duration: Duration

    /// How a step ended.
    public enum Outcome: Hashable, Sendable {
        /// What it waits for, or does, happened.
        case passed
        /// It did not, which ended the run.
        case failed(StepFailure)
        /// The step was optional and failed.
        case missed(StepFailure)
        /// An earlier step failed, or the run was ended.
        case notReached
    }

    /// What went wrong, or `nil`.
    public var failure: StepFailure? {
        guard case .failed(let failure) = outcome else { return nil }
        return failure
    }

    /// What went wrong, also in a step that is optional, or `nil`.
    package var shortfall: StepFailure? { outcome.shortfall }
}

extension StepResult.Outcome {
    /// The one word that every report has for it.
    public var word: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .missed: "missed"
        case .notReached: "unreached"
        }
    }

    /// What went wrong, also in a step that is optional, or `nil`.
    package var shortfall: StepFailure? {
        switch self {
        case .failed(let failure), .missed(let failure): failure
        case .passed, .notReached: nil
        }
    }

    /// Whether the run may go on.
    var isGood: Bool {
        switch self {
        case .passed, .missed: true
        case .failed, .notReached: false
        }
    }
}

/// What a step expected, and what happened instead.
public struct StepFailure: Hashable, Sendable {
    /// What was expected, in words.
    public var expected: String
    /// What happened, in words.
    public var observed: String
    /// What may be wrong, each with the number of the requirement that says so.
    public var hints: [String] = []
    /// The last events before the failure, at most eight, a line each with the time since the start of the run.
    public var context: [String] = []
}

/// The result of a run. Texts in it that came from an accessory, such as its name, are untrusted.
public struct ScenarioResult: Sendable {
    /// Why a run ended before its last step, other than by a failed step.
    public enum Interruption: String, CaseIterable, Hashable, Sendable {
        /// The time limit of the run passed.
        case timedOut
        /// ``ScenarioRunner/interrupt()`` was called, or the task of the run was cancelled.
        case interrupted
        /// The accessory's program ended, or never began.
        case accessoryMissing
        /// The phone's controller failed.
        case phoneFailed
        /// The phone has no controller, or could not be set up for the scenario.
        case notStarted

        /// The reason in words.
        public var message: String {
            switch self {
            case .timedOut: "the time limit of the run has passed"
            case .interrupted: "interrupted"
            case .accessoryMissing: "the accessory is missing"
            case .phoneFailed: "the controller of the phone failed"
            case .notStarted: "the phone could not start"
            }
        }
    }

    /// The title of the scenario.
    public var title: String
    /// The result of each step, in order.
    public var steps: [StepResult]
    /// The grades of each accessory; empty if nothing is graded.
    public var grades: [AccessoryGrades]
    /// Why the run ended early; `nil` if it reached its last step, or if a step failed.
    public var interruption: Interruption?
    /// Further details of the interruption, if known.
    public var cause: String?
    /// The duration of the whole run.
    public var duration: Duration

    /// Whether every step passed and no requirement was broken.
    public var isSuccess: Bool {
        interruption == nil && steps.allSatisfy { $0.outcome.isGood }
            && grades.allSatisfy { $0.brokenCount == 0 }
    }

    /// Why the run ended early, with what else is known, in words; `nil` if it did not.
    package var reason: String? {
        interruption.map { $0.message + (cause.map { ": \($0)" } ?? "") }
    }
}

extension ScenarioResult {
    /// The result for a run that could not start, by default because the phone could not.
    package init(
        notStarted scenario: Scenario, _ interruption: Interruption = .notStarted,
        because cause: String
    ) {
        title = scenario.title
        steps = scenario.steps.enumerated().map { index, step in
            StepResult(
                number: index + 1, step: step, outcome: .notReached, start: .zero, duration: .zero)
        }
        grades = []
        self.interruption = interruption
        self.cause = cause
        duration = .zero
    }
}

extension StepFailure {
    /// The hints, a line each.
    var hintLines: [String] { hints.map { "because   \($0)" } }

    /// All of it, a line each.
    package var lines: [String] {
        ["expected  \(expected)", "observed  \(observed)"] + hintLines
            + (context.isEmpty ? [] : ["before that:"] + context.map { "  \($0)" })
    }
}

// MARK: Reports

extension ScenarioResult: CustomStringConvertible {
    /// The report for people, as `ancs phone` prints it: a line for each step and each requirement, with what was
    /// expected, what was observed, the evidence, and what to change. Safe for a terminal.
    public var description: String {
        let report = ScenarioReport(isJSON: false, isColored: false)
        let lines = steps.flatMap(report.lines) + report.closing(of: self)
        return lines.joined(separator: "\n")
    }

    /// The report in JUnit XML, which continuous integration systems read: a suite for the scenario, a case for
    /// each step and each requirement.
    public var junit: String { JUnitReport.xml(of: self) }
}
