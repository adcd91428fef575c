internal import JSONText
package import Terminal

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
            "scenario",
            ["title": .string(scenario.title), "steps": .integer(scenario.steps.count)],
            scenario.title, .heading,
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
        return Line(
            "waiting",
            [
                "step": .string(step.title), "path": .string(step.path),
                "upTo": .number(Double(step.longest.milliseconds) / 1000),
            ], "… \(step.title)\(limit)", .hint)
    }

    /// The line for a step that ended.
    package static func line(of result: StepResult) -> Line {
        let round = result.step.round
        let failure = result.shortfall
        var line = Line(
            "step",
            [
                "number": .integer(result.number), "step": .string(result.step.title),
                "path": .string(result.step.path), "round": round.map { .integer($0) },
                "result": .string(result.outcome.word),
                "seconds": .number(Double(result.duration.milliseconds) / 1000),
                "expected": failure.map { .string($0.expected) },
                "came": failure.map { .string($0.observed) },
                "because": failure.map { .array($0.hints.map { .string($0) }) },
                "before": failure.map { .array($0.context.map { .string($0) }) },
            ], result.step.title + (round.map { ", round \($0)" } ?? ""))
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
            words = "  not seen: \(failure.observed)"
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
    private static func lines(
        of grades: AccessoryGrades, isNamed: Bool, isCut: Bool
    ) -> [Line] {
        let width = (grades.verdicts.map { $0.requirement.statement.count }.max() ?? 0) + 2
        var lines = isNamed ? [Line(told: grades.accessory, .verdict(.bold))] : []
        for verdict in grades.verdicts {
            var line = Line(
                "requirement",
                [
                    "accessory": .string(grades.accessory),
                    "requirement": .string(verdict.requirement.number),
                    "statement": .string(verdict.requirement.statement),
                    "result": .string(verdict.result.word),
                ],
                TerminalText.padded(verdict.requirement.number, to: 6)
                    + TerminalText.padded(verdict.requirement.statement, to: width), .item)
            switch verdict.result {
            case .passed: line.remark = ("pass", .good)
            case .failed(let evidence):
                line.add([
                    .init("evidence", .array(evidence.map { .string($0.message) })),
                    .init("remedy", .string(verdict.requirement.remedy)),
                ])
                line.remark = ("FAIL", .bad)
                line.below = evidence.map { .text("      " + $0.message) }
                line.below.append(.text("      → " + verdict.requirement.remedy))
            case .notExercised: line.remark = ("not exercised", .dim)
            }
            if isCut, verdict.result == .notExercised { line.sentence = nil }
            lines.append(line)
        }
        let rest = grades.verdicts.count { $0.result == .notExercised }
        if isCut, rest > 0 {
            lines.append(
                Line(
                    told: "\(counted(rest, "requirement")) not exercised, as the run ended early",
                    .hint))
        }
        return lines + LinkVerdict.lines(of: grades.link, on: grades.accessory)
    }

    private static func line(of result: ScenarioResult) -> Line {
        let passed = result.steps.count { $0.outcome == .passed }
        let failed = result.grades.reduce(0) { $0 + $1.brokenCount }
        return Line(
            "result",
            [
                "title": .string(result.title),
                "result": result.isSuccess ? "passed" : "failed", "passed": .integer(passed),
                "steps": .integer(result.steps.count),
                "seconds": .number(Double(result.duration.milliseconds) / 1000),
                "failedRequirements": result.grades.isEmpty ? nil : .integer(failed),
                "interruption": result.interruption.map { .string($0.rawValue) },
                "cause": result.cause.map { .string($0) },
            ], verdict(on: result, passed: passed, broken: failed),
            .verdict(result.isSuccess ? .good : .bad))
    }

    private static func verdict(
        on result: ScenarioResult, passed: Int, broken: Int
    ) -> String {
        let time = result.duration.text
        if result.isSuccess {
            let requirements = result.grades.isEmpty ? "" : ", no requirement broken"
            return "✓ passed: \(counted(passed, "step"))\(requirements), \(time)"
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
    fileprivate var word: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .missed: "missed"
        case .notReached: "notReached"
        }
    }

    /// The same in a sign.
    package var mark: Line.Mark {
        switch self {
        case .passed: .good
        case .failed: .bad
        case .missed, .notReached: .open
        }
    }
}

extension RequirementVerdict.Result {
    fileprivate var word: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .notExercised: "notExercised"
        }
    }
}
