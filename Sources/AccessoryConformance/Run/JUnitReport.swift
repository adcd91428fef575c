internal import Terminal

/// The report of runs in JUnit XML, which continuous integration systems read: a suite for each run of a scenario, a
/// case for each step and each graded requirement.
package enum JUnitReport {
    /// A run, and what the accessory printed in it.
    package struct Run {
        package var result: ScenarioResult
        package var output: [String]

        package init(_ result: ScenarioResult, output: [String] = []) {
            (self.result, self.output) = (result, output)
        }
    }

    /// The whole document for one run.
    package static func xml(of result: ScenarioResult) -> String { xml(of: [Run(result)]) }

    /// The whole document.
    package static func xml(of runs: [Run]) -> String {
        let suites = runs.map { run in (run: run, cases: cases(of: run.result)) }
        let duration = runs.reduce(Duration.zero) { $0 + $1.result.duration }
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<testsuites \(counts(suites.flatMap(\.cases), duration))>",
        ]
        for (run, cases) in suites {
            let counts = counts(cases, run.result.duration)
            lines.append("  <testsuite name=\"\(escaped(run.result.title))\" \(counts)>")
            lines += cases.flatMap(\.lines)
            if !run.output.isEmpty {
                let text = escaped(run.output, separator: "\n")
                lines.append("    <system-out>\(text)</system-out>")
            }
            lines.append("  </testsuite>")
        }
        lines += ["</testsuites>", ""]
        return lines.joined(separator: "\n")
    }

    private static func cases(of result: ScenarioResult) -> [Case] {
        stepCases(of: result) + verdictCases(of: result) + interruptionCases(of: result)
    }

    private static func counts(_ cases: [Case], _ duration: Duration) -> String {
        let failures = cases.count { $0.failure != nil }
        let errors = cases.count { $0.error != nil }
        let skipped = cases.count { $0.skipped != nil }
        return "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\" "
            + "skipped=\"\(skipped)\" time=\"\(duration.thousandths)\""
    }

    private struct Case {
        var suite: String
        var name: String
        var duration: Duration = .zero
        var failure: (message: String, text: [String])?
        var skipped: String?
        var error: String?
        /// What is said about a case that passed, a line each.
        var output: [String] = []

        var lines: [String] {
            let head =
                "    <testcase classname=\"\(escaped(suite))\" name=\"\(escaped(name))\" "
                + "time=\"\(duration.thousandths)\""
            func element(_ text: String) -> [String] {
                [head + ">", "      " + text, "    </testcase>"]
            }
            if let failure {
                return element(
                    "<failure message=\"\(escaped(failure.message))\">"
                        + escaped(failure.text, separator: "\n") + "</failure>")
            }
            if let skipped { return element("<skipped message=\"\(escaped(skipped))\"/>") }
            if let error { return element("<error message=\"\(escaped(error))\"/>") }
            if !output.isEmpty {
                return element(
                    "<system-out>" + escaped(output, separator: "\n") + "</system-out>")
            }
            return [head + "/>"]
        }
    }

    private static func stepCases(of result: ScenarioResult) -> [Case] {
        result.steps.map { step in
            var testCase = Case(
                suite: result.title, name: "\(step.number) \(step.step.title)",
                duration: step.duration)
            switch step.outcome {
            case .passed: break
            case .failed(let failure):
                testCase.failure = (
                    "expected \(failure.expected); \(failure.observed)",
                    ["at \(step.step.path)"] + failure.lines
                )
            case .missed(let failure):
                testCase.skipped =
                    (["optional: expected \(failure.expected)", failure.observed] + failure.hints)
                    .joined(separator: "; ")
            case .notReached: testCase.skipped = "not reached"
            }
            return testCase
        }
    }

    /// A note is no failure: the case passes, and says it.
    private static func verdictCases(of result: ScenarioResult) -> [Case] {
        let grades = result.grades
        return (grades.flatMap(\.ofANCS) + grades.flatMap(\.ofLink)).map { verdict in
            var testCase = Case(
                suite: "\(result.title).\(verdict.accessory)",
                name: "\(verdict.number) \(verdict.statement)")
            switch verdict.standing {
            case .kept: break
            case .broken:
                testCase.failure = (
                    verdict.evidence.first?.message ?? verdict.statement, verdict.details
                )
            case .note: testCase.output = ["note:"] + verdict.details
            case .untested: testCase.skipped = verdict.result.message
            }
            return testCase
        }
    }

    /// A run that did not reach its end is not a success, even if none of its steps failed.
    private static func interruptionCases(of result: ScenarioResult) -> [Case] {
        result.reason.map { [Case(suite: result.title, name: "the whole run", error: $0)] } ?? []
    }

    // MARK: XML

    private static func escaped(_ lines: [String], separator: String) -> String {
        lines.map(escaped).joined(separator: separator)
    }

    private static func escaped(_ text: String) -> String { MarkupText.escaped(text) }
}
