internal import Terminal
package import JSONText

/// How a run is reported: as JSON Lines, or as text for users.
package struct ScenarioReport: Sendable {
    package let isJSON: Bool
    package let isColored: Bool

    package init(isJSON: Bool, isColored: Bool) {
        self.isJSON = isJSON
        self.isColored = isColored
    }

    // MARK: Lines as they come

    /// The lines before the first step.
    package func opening(of scenario: Scenario) -> [String] {
        if isJSON { return [Self.json(of: scenario).text] }
        let summary =
            scenario.summary.isEmpty ? [] : ["  " + TerminalText.visible(scenario.summary)]
        return [paint(TerminalText.visible(scenario.title), .bold)] + summary
            + patience(of: scenario)
    }

    /// A line about a run that may wait so long that it looks as if it hung.
    private func patience(of scenario: Scenario) -> [String] {
        guard let longest = scenario.steps.max(by: { $0.longest < $1.longest }),
            min(longest.longest, scenario.timeout) > .seconds(600)
        else { return [] }
        let text =
            "This may take up to \(scenario.timeout.text): \"\(longest.title)\" waits up to "
            + "\(longest.longest.text). --limit ends the run earlier."
        return ["  " + TerminalText.visible(text)]
    }

    /// The lines for a step that has been waiting for a while.
    package func lines(waitingFor step: ScenarioStep) -> [String] {
        if isJSON { return [Self.json(waitingFor: step).text] }
        let limit = step.length == nil ? ", up to \(step.longest.text)" : ""
        let text = "… \(step.title)\(limit)"
        return ["  " + paint(TerminalText.visible(text), .dim)]
    }

    /// The lines for a step that ended.
    package func lines(of result: StepResult) -> [String] {
        isJSON ? [Self.json(of: result).text] : Self.lines(of: result, paint: paint)
    }

    /// The lines after the last step.
    package func closing(of result: ScenarioResult) -> [String] {
        if isJSON {
            return Self.json(ofEnd: result).map(\.text)
        }
        let isCut = result.steps.contains { $0.outcome == .notReached }
        return result.grades.flatMap {
            lines(of: $0, isNamed: result.grades.count > 1, isCut: isCut)
        } + [verdict(on: result)]
    }

    // MARK: JSON

    /// The first line.
    package static func json(of scenario: Scenario) -> JSONValue {
        [
            "event": "scenario", "title": .string(scenario.title),
            "steps": .integer(scenario.steps.count),
        ]
    }

    /// The last lines: the results of the rules, and of the run.
    package static func json(ofEnd result: ScenarioResult) -> [JSONValue] {
        result.grades.flatMap(Self.json(of:)) + [json(of: result)]
    }

    /// The line for a step that is waiting.
    package static func json(waitingFor step: ScenarioStep) -> JSONValue {
        [
            "event": "waiting", "step": .string(step.title), "path": .string(step.path),
            "upTo": .number(Double(step.longest.milliseconds) / 1000),
        ]
    }

    /// The line for a step that ended.
    package static func json(of result: StepResult) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("event", "step"), .init("number", .integer(result.number)),
            .init("step", .string(result.step.title)), .init("path", .string(result.step.path)),
        ]
        if let round = result.step.round { members.append(.init("round", .integer(round))) }
        members.append(.init("result", .string(result.outcome.word)))
        members.append(.init("seconds", .number(Double(result.duration.milliseconds) / 1000)))
        if let failure = result.failure {
            members.append(.init("expected", .string(failure.expected)))
            members.append(.init("came", .string(failure.came)))
            members.append(.init("because", .array(failure.hints.map { .string($0) })))
            members.append(.init("before", .array(failure.context.map { .string($0) })))
        }
        return .object(members)
    }

    private static func json(of grades: AccessoryGrades) -> [JSONValue] {
        ruleLines(of: grades)
            + grades.link.map { verdict in
                .object(
                    [
                        .init("event", "linkRule"),
                        .init("accessory", .string(grades.accessory)),
                    ] + verdict.jsonMembers)
            }
    }

    private static func ruleLines(of grades: AccessoryGrades) -> [JSONValue] {
        grades.verdicts.map { verdict in
            var members: [JSONValue.Member] = [
                .init("event", "rule"), .init("accessory", .string(grades.accessory)),
                .init("rule", .string(verdict.rule.number)),
                .init("statement", .string(verdict.rule.statement)),
                .init("result", .string(verdict.result.word)),
            ]
            if case .failed(let evidence) = verdict.result {
                members.append(.init("evidence", .array(evidence.map { .string($0) })))
            }
            return .object(members)
        }
    }

    private static func json(of result: ScenarioResult) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("event", "result"), .init("title", .string(result.title)),
            .init("result", result.isSuccess ? "passed" : "failed"),
            .init("passed", .integer(result.steps.count { $0.outcome == .passed })),
            .init("steps", .integer(result.steps.count)),
            .init("seconds", .number(Double(result.duration.milliseconds) / 1000)),
        ]
        if !result.grades.isEmpty {
            members.append(
                .init("failedRules", .integer(result.grades.reduce(0) { $0 + $1.brokenCount })))
        }
        if let interruption = result.interruption {
            members.append(.init("interruption", .string(interruption.rawValue)))
        }
        return .object(members)
    }

    // MARK: Text

    private var paint: TerminalPaint { TerminalPaint(isColored: isColored) }

    private static func lines(
        of result: StepResult, paint: TerminalPaint
    ) -> [String] {
        let round = result.step.round.map { ", round \($0)" } ?? ""
        let title = TerminalText.visible(result.step.title) + round
        switch result.outcome {
        case .passed:
            // A negligible duration is not shown.
            let time = result.duration < .milliseconds(100) ? "" : "  " + result.duration.text
            return ["  \(paint("✓", .good)) \(title)\(paint(time, .dim))"]
        case .notReached: return ["  \(paint("–", .dim)) \(title)"]
        case .missed(let failure):
            let reason = TerminalText.visible(failure.came)
            return ["  \(paint("–", .dim)) \(title)  not seen: \(reason)"]
        case .failed(let failure):
            let details = failure.lines.map { "      " + TerminalText.visible($0) }
            return ["  \(paint("✗", .bad)) \(title)  \(result.duration.text)"] + details
        }
    }

    /// A line for each rule. After a run that ended early, those that nothing tested are counted in one line: the
    /// reason is above.
    private func lines(of grades: AccessoryGrades, isNamed: Bool, isCut: Bool) -> [String] {
        let width = (grades.verdicts.map { $0.rule.statement.count }.max() ?? 0) + 2
        var lines = isNamed ? [TerminalText.visible(grades.accessory)] : []
        for verdict in grades.verdicts where !isCut || verdict.result != .notExercised {
            let number = verdict.rule.number.padded(to: 4)
            let statement = verdict.rule.statement.padded(to: width)
            let word: String =
                switch verdict.result {
                case .passed: paint("pass", .good)
                case .failed: paint("FAIL", .bad)
                case .notExercised: paint("not exercised", .dim)
                }
            lines.append("  \(number)  \(statement)\(word)")
            if case .failed(let evidence) = verdict.result {
                lines += evidence.map { "          " + TerminalText.visible($0) }
            }
        }
        let rest = grades.verdicts.count { $0.result == .notExercised }
        if isCut, rest > 0 {
            let text = "\(counted(rest, "rule")) not exercised, as the run ended early"
            lines.append("  " + paint(text, .dim))
        }
        return lines + LinkVerdictText(paint: paint).lines(of: grades.link)
    }

    private func verdict(on result: ScenarioResult) -> String {
        let count = result.steps.count { $0.outcome == .passed }
        let time = result.duration.text
        if result.isSuccess {
            let rules = result.grades.isEmpty ? "" : ", no rule broken"
            return paint("✓ passed: \(counted(count, "step"))\(rules), \(time)", .good)
        }
        let failed = result.steps.first { $0.failure != nil }
        let place = failed.map { " at step \($0.number), \($0.step.path)" } ?? ""
        var reasons: [String] = []
        if let interruption = result.interruption { reasons.append(interruption.text) }
        let broken = result.grades.reduce(0) { $0 + $1.brokenCount }
        if broken > 0 { reasons.append(counted(broken, "rule") + " broken") }
        let why = reasons.isEmpty ? "" : (place.isEmpty ? ": " : "; ")
        return paint("✗ failed\(place)\(why)\(reasons.joined(separator: "; ")), \(time)", .bad)
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
}

extension RuleVerdict.Result {
    fileprivate var word: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .notExercised: "notExercised"
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
