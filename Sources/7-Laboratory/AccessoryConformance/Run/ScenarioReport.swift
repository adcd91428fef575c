package import Kinds

/// How a run is reported: as JSON Lines, or as text for users.
package struct ScenarioReport: Sendable {
    private let printer: LinePrinter

    package init(isJSON: Bool, isColored: Bool) {
        printer = LinePrinter(isJSON: isJSON, isColored: isColored)
    }

    package var isJSON: Bool { printer.isJSON }

    /// The lines before the first step.
    package func opening(of scenario: Scenario) -> [String] {
        printer.output(Self.line(of: scenario))
    }

    /// The lines for a step that has been waiting for a while.
    package func lines(waitingFor step: ScenarioStep) -> [String] {
        printer.output(Self.line(waitingFor: step))
    }

    /// The lines for a step that ended.
    package func lines(of result: StepResult) -> [String] { printer.output(Self.line(of: result)) }

    /// The lines after the last step.
    package func closing(of result: ScenarioResult) -> [String] {
        Self.lines(ofEnd: result).flatMap { printer.output($0) }
    }

    // MARK: Steps

    /// The first line.
    package static func line(of scenario: Scenario) -> Line {
        let summary = scenario.summary.isEmpty ? [] : [scenario.summary]
        return Line(
            "scenario", opening.members(of: scenario), scenario.title, .heading,
            below: (summary + patience(of: scenario)).map { .words($0) })
    }

    /// A line about a run that may wait so long that it looks as if it hung.
    private static func patience(of scenario: Scenario) -> [String] {
        guard let longest = scenario.steps.max(by: { $0.longest < $1.longest }),
            min(longest.longest, scenario.timeout) > .seconds(600)
        else { return [] }
        return [
            "This may take up to \(scenario.timeout.text): \"\(longest.title)\" waits up to "
                + "\(longest.longest.text). --limit ends the run earlier."
        ]
    }

    /// The line for a step that is waiting.
    package static func line(waitingFor step: ScenarioStep) -> Line {
        let limit = step.length == nil ? ", up to \(step.longest.text)" : ""
        return Line("waiting", waiting.members(of: step), "… \(step.title)\(limit)", .hint)
    }

    /// The line for a step that ended.
    package static func line(of result: StepResult) -> Line {
        let round = result.step.round
        var line = Line(
            "step", step.members(of: result),
            result.step.title + (round.map { ", round \($0)" } ?? ""))
        line.emphasis = .marked(result.outcome.mark)
        let words: String
        switch result.outcome {
        case .passed:
            // A negligible duration is not shown.
            let time = result.duration < .milliseconds(100) ? "" : "  " + result.duration.text
            line.remark = (time, .dim)
            return line
        case .notReached: words = ""
        case .missed(let failure):
            words = "  \(result.outcome.word): \(failure.observed)"
            line.below = failure.hintLines.map { .text("  " + $0) }
        case .failed(let failure):
            words = "  \(result.duration.text)"
            line.below = failure.lines.map { .text("  " + $0) }
        }
        line.sentence? += words
        return line
    }

    // MARK: The end

    /// The last lines: the results of the requirements, and of the run.
    package static func lines(ofEnd result: ScenarioResult) -> [Line] {
        let isCut = result.steps.contains { $0.outcome == .notReached }
        return result.grades.flatMap {
            lines(of: $0, isNamed: result.grades.count > 1, isCut: isCut)
        } + [line(of: result)]
    }

    /// A line for each requirement. After a run that ended early, those that nothing tested are one line for people:
    /// the reason is above.
    private static func lines(of grades: AccessoryGrades, isNamed: Bool, isCut: Bool) -> [Line] {
        var lines = isNamed ? [Line(told: grades.accessory, .verdict(.bold))] : []
        let rest = counted(grades.ofANCS.count { $0.standing == .untested }, "requirement")
        lines += RequirementVerdict.lines(
            of: grades.ofANCS, shortened: isCut ? "\(rest) untested, as the run ended early" : nil)
        lines += RequirementVerdict.lines(ofLink: grades.ofLink)
        var verdicts = (grades.ofANCS + grades.ofLink)[...]
        return lines.map { $0.kind == nil ? $0 : $0.formerly(verdicts.popFirst()?.formerLine) }
    }

    private static func line(of result: ScenarioResult) -> Line {
        Line(
            "result", end.members(of: result), verdict(on: result),
            .verdict(result.isSuccess ? .good : .bad))
    }

    private static func verdict(on result: ScenarioResult) -> String {
        let time = result.duration.text
        let broken = result.brokenCount
        if result.isSuccess {
            let requirements = result.grades.isEmpty ? "" : ", no requirement broken"
            return "✓ passed: \(counted(result.passedCount, "step"))\(requirements), \(time)"
        }
        let failed = result.steps.first { $0.failure != nil }
        let place = failed.map { " at step \($0.number), \($0.step.path)" } ?? ""
        var reasons = result.reason.map { [$0] } ?? []
        if broken > 0 { reasons.append(counted(broken, "requirement") + " broken") }
        let why = reasons.isEmpty ? "" : (place.isEmpty ? ": " : "; ")
        return "✗ failed\(place)\(why)\(reasons.joined(separator: "; ")), \(time)"
    }
}

extension StepResult.Outcome {
    /// The word of version 0.1 in JSON.
    fileprivate var earlierWord: String { self == .notReached ? "notReached" : word }

    /// The same in a sign.
    package var mark: Line.Mark {
        switch self {
        case .passed: .good
        case .failed: .bad
        case .missed, .notReached: .open
        }
    }
}

extension ScenarioResult {
    fileprivate var passedCount: Int { steps.count { $0.outcome == .passed } }

    /// How many requirements were broken.
    fileprivate var brokenCount: Int { grades.reduce(0) { $0 + $1.brokenCount } }
}

extension ScenarioReport {
    /// The kinds of lines of a scenario.
    package static let kinds = [
        LineKind("scenario", "a scenario begins", opening),
        LineKind("step", "a step of a scenario ended", step), RequirementVerdict.ofANCS,
        RequirementVerdict.ofLink, LineKind("result", "the scenario is over", end),
    ]

    /// The kind of line for a step that is waiting.
    package static let ofWaiting = LineKind(
        "waiting", "a step has been waiting for a while", waiting)

    private static let opening = ObjectForm<Scenario>(
        .text("title", \.title), .number("steps", .count, \.steps.count))

    private static let waiting = ObjectForm<ScenarioStep>(
        .text("step", \.title), .text("path", \.path),
        .init("upTo", .seconds) { seconds($0.longest) })

    private static let step = ObjectForm<StepResult>(
        .number("number", .count, \.number), .text("step", \.step.title),
        .text("path", \.step.path), .number("round?", .count, \.step.round),
        .text(
            "result",
            .words(["passed", "failed", "missed", "notReached"]).described(
                "the word of version 0.1"), \.outcome.earlierWord),
        .text("outcome", .words(["passed", "failed", "missed", "unreached"]), \.outcome.word),
        .init("seconds", .amount) { seconds($0.duration) },
        .text("expected?", \.shortfall?.expected), .text("came?", \.shortfall?.observed),
        .texts("because?", .texts, \.shortfall?.hints),
        .texts("before?", .texts, \.shortfall?.context))

    private static let end = ObjectForm<ScenarioResult>(
        .text("title", \.title),
        .text("result", .words(["passed", "failed"])) { $0.isSuccess ? "passed" : "failed" },
        .number("passed", .count, \.passedCount), .number("steps", .count, \.steps.count),
        .init("seconds", .amount) { seconds($0.duration) },
        .number("failedRequirements?", .count) { $0.grades.isEmpty ? nil : $0.brokenCount },
        .number("failedRules?", .count.described("the same, as version 0.1 called it")) {
            $0.grades.isEmpty ? nil : $0.brokenCount
        }, .word("interruption?", \.interruption),
        .text("cause?", .text.described("what is known of the interruption"), \.cause))

    private static func seconds(_ duration: Duration) -> JSONValue {
        .number(Double(duration.milliseconds) / 1000)
    }
}
