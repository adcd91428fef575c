internal import Printing

/// The report of runs in JUnit XML, which continuous integration systems read: a suite for each run of a scenario, a
/// case for each step and each graded requirement. It keeps numbers only: of ten thousand runs as much as of one.
package struct JUnitReport: Sendable {
    private var counts = Counts()

    /// A report without runs.
    package init() {}

    /// The whole document for one run.
    package static func xml(of result: ScenarioResult) -> String {
        var report = JUnitReport()
        let suite = report.add(result)
        return report.opening + suite + closing
    }

    /// Counts a run, and returns its suite; `output` is what the accessory printed in it.
    package mutating func add(_ result: ScenarioResult, output: [String] = []) -> String {
        let cases = Self.cases(of: result)
        let own = Counts(cases, result.duration)
        counts.add(own)
        var lines = ["  <testsuite name=\"\(Self.escaped(result.title))\" \(own.text)>"]
        lines += cases.flatMap(\.lines)
        if !output.isEmpty {
            let text = Self.escaped(output, separator: "\n")
            lines.append("    <system-out>\(text)</system-out>")
        }
        return (lines + ["  </testsuite>", ""]).joined(separator: "\n")
    }

    /// What comes before the suites of all runs that were added.
    package var opening: String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites \(counts.text)>\n"
    }

    /// What comes after them.
    package static let closing = "</testsuites>\n"

    private static func cases(of result: ScenarioResult) -> [Case] {
        stepCases(of: result) + verdictCases(of: result) + interruptionCases(of: result)
    }

    private struct Counts: Sendable {
        private var (tests, failures, errors, skipped) = (0, 0, 0, 0)
        private var duration = Duration.zero

        init() {}

        init(_ cases: [Case], _ duration: Duration) {
            tests = cases.count
            failures = cases.count { $0.failure != nil }
            errors = cases.count { $0.error != nil }
            skipped = cases.count { $0.skipped != nil }
            self.duration = duration
        }

        mutating func add(_ other: Counts) {
            tests += other.tests
            failures += other.failures
            errors += other.errors
            skipped += other.skipped
            duration += other.duration
        }

        var text: String {
            "tests=\"\(tests)\" failures=\"\(failures)\" errors=\"\(errors)\" "
                + "skipped=\"\(skipped)\" time=\"\(duration.thousandths)\""
        }
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
                return element("<system-out>" + escaped(output, separator: "\n") + "</system-out>")
            }
            return [head + "/>"]
        }
    }

    private static func stepCases(of result: ScenarioResult) -> [Case] {
        result.steps.map { step in
            var testCase = Case(
                suite: result.title, name: "\(step.number) \(step.step.title)",
                duration: step.duration)
            let word = step.outcome.word
            switch step.outcome {
            case .passed: break
            case .failed(let failure):
                testCase.failure = (
                    "\(word): expected \(failure.expected); \(failure.observed)",
                    ["at \(step.step.path)"] + failure.lines
                )
            case .missed(let failure):
                testCase.skipped =
                    (["\(word): expected \(failure.expected)", failure.observed] + failure.hints)
                    .joined(separator: "; ")
            case .notReached: testCase.skipped = word
            }
            return testCase
        }
    }

    /// Each case has the word of its verdict. A note is no failure: the case passes, and says it.
    private static func verdictCases(of result: ScenarioResult) -> [Case] {
        result.grades.flatMap(\.verdicts).map { verdict in
            let requirement = verdict.requirement
            var testCase = Case(
                suite: "\(result.title).\(verdict.accessory)",
                name: "\(requirement.number) \(requirement.statement)")
            let word = verdict.standing.rawValue
            switch verdict.standing {
            case .kept: testCase.output = [word]
            case .broken:
                testCase.failure = (
                    word + ": " + (verdict.evidence.first?.message ?? requirement.statement),
                    verdict.details
                )
            case .note: testCase.output = [word + ":"] + verdict.details
            case .untested: testCase.skipped = word
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
