import JSONText
import Printing
import Testing

@testable import AccessoryConformance

/// How the result of a scenario is told.
@Suite struct ScenarioReportTests {
    /// A step that passed, one that failed, and one that was not reached.
    static func result(note: String = "") throws -> ScenarioResult {
        let bench = try ScenarioBench(
            steps: #"{"wait":"connected"},{"wait":"paired","within":2,"note":"\#(note)"},"#
                + #"{"pause":1}"#,
            head: #""grade":true,"#)
        bench.connect()
        bench.wait(.seconds(2))
        return try #require(bench.result)
    }

    @Test("JUnit has a case for each step and each requirement, and counts them")
    func junit() throws {
        let xml = JUnitReport.xml(of: try Self.result())
        let requirements = Requirement.allCases.count { !$0.isOfMedia }
        #expect(xml.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        #expect(
            xml.contains(
                "<testsuite name=\"T\" tests=\"\(requirements + 3)\" failures=\"1\" errors=\"0\" "
                    + "skipped=\"\(requirements + 1)\" time=\"2.000\">"))
        #expect(xml.contains("<testcase classname=\"T\" name=\"1 wait until connected\""))
        #expect(
            xml.contains(
                "<failure message=\"failed: expected paired within 2.0 s; it is connected, not encrypted, "
            )
        )
        #expect(xml.contains("<skipped message=\"unreached\"/>"))
        #expect(xml.contains("<skipped message=\"untested\"/>"))
        #expect(xml.hasSuffix("</testsuites>\n"))
    }

    @Test("a step has one word in each form, and the word of version 0.1 beside it")
    func words() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"connected"},{"wait":"encrypted","within":1,"optional":true},"#
                + #"{"wait":"paired","within":1},{"pause":1}"#)
        bench.connect()
        bench.wait(.seconds(2))
        let steps = try #require(bench.result).steps
        #expect(steps.map(\.outcome.word) == ["passed", "missed", "failed", "unreached"])
        let report = ScenarioReport(isJSON: true, isColored: false)
        let lines = try steps.flatMap(report.lines).map { try JSONValue(parsing: $0) }
        #expect(lines.map { $0["outcome"]?.string } == steps.map(\.outcome.word))
        #expect(
            lines.map { $0["result"]?.string } == ["passed", "missed", "failed", "notReached"])
        let text = ScenarioReport(isJSON: false, isColored: false)
        #expect(
            text.lines(of: steps[1]).first?.contains("missed: it is connected, not encrypted")
                == true)
        let xml = JUnitReport.xml(of: try #require(bench.result))
        #expect(xml.contains("<skipped message=\"missed: expected encrypted within 1.0 s; "))
        #expect(xml.contains("<failure message=\"failed: expected paired within 1.0 s; "))
        #expect(xml.contains("<skipped message=\"unreached\"/>"))
    }

    @Test(
        "the document of several runs begins with their sums, and of one is the same as by itself")
    func junitOfSeveralRuns() throws {
        let result = try Self.result()
        var report = JUnitReport()
        let suite = report.add(result)
        #expect(report.opening + suite + JUnitReport.closing == JUnitReport.xml(of: result))
        let printed = report.add(result, output: ["<one>", "two"])
        #expect(
            printed.hasSuffix("    <system-out>&lt;one&gt;\ntwo</system-out>\n  </testsuite>\n"))
        let requirements = Requirement.allCases.count { !$0.isOfMedia }
        #expect(
            report.opening.hasSuffix(
                "<testsuites tests=\"\(2 * requirements + 6)\" failures=\"2\" errors=\"0\" "
                    + "skipped=\"\(2 * requirements + 2)\" time=\"4.000\">\n"))
    }

    @Test("XML holds no character that it cannot hold, and no markup of others")
    func escaping() throws {
        let xml = JUnitReport.xml(
            of: try Self.result(note: #"<b> & \"q\" \u0007 \ud83c\udf5c \uffff"#))
        #expect(xml.contains(#"(&lt;b&gt; &amp; &quot;q&quot; \u{7} 🍜 "#))
        #expect(!xml.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        #expect(!xml.unicodeScalars.contains { $0.value == 0xFFFF })
    }

    @Test("lines for a person name the step, what was expected, what was observed and why")
    func lines() throws {
        let result = try Self.result()
        let report = ScenarioReport(isJSON: false, isColored: false)
        let lines = result.steps.flatMap(report.lines(of:))
        #expect(lines[0] == "  ✓ wait until connected")
        #expect(lines[1] == "  ✗ wait until paired ()  2.0 s")
        #expect(lines[2] == "      expected  paired within 2.0 s")
        #expect(lines[3].hasPrefix("      observed  it is connected, not encrypted, "))
        #expect(lines[4].hasPrefix("      because   it may neither have requested security nor "))
        #expect(lines[5] == "      before that:")
        #expect(lines.last == "  – pause for 1.0 s")
        #expect(report.closing(of: result).last == "✗ failed at step 2, $.steps[1], 2.0 s")
    }

    @Test("a verdict without a step that failed has its reasons behind a colon")
    func verdictWithoutStep() throws {
        var result = try Self.result()
        result.steps.removeAll()
        let report = ScenarioReport(isJSON: false, isColored: false)
        result.interruption = .timedOut
        #expect(
            report.closing(of: result).last
                == "✗ failed: the time limit of the run has passed, 2.0 s")
        result.interruption = nil
        let verdict = try #require(result.grades.first?.verdicts.first)
        result.grades[0].verdicts = [
            RequirementVerdict(
                accessory: "", requirement: verdict.requirement, standing: .broken, demand: "")
        ]
        #expect(report.closing(of: result).last == "✗ failed: 1 requirement broken, 2.0 s")
        result.interruption = .interrupted
        #expect(
            report.closing(of: result).last == "✗ failed: interrupted; 1 requirement broken, 2.0 s")
        result.steps = try Self.result().steps
        #expect(
            report.closing(of: result).last
                == "✗ failed at step 2, $.steps[1]; interrupted; 1 requirement broken, 2.0 s")
    }

    @Test("a step that waits is shown once with its note, and its limit where it may end before")
    func waiting() throws {
        let scenario = try Scenario(
            parsing: Array(
                #"""
                {"title":"T","steps":[
                  {"wait":"paired","within":9,"note":"press Pair"},
                  {"expect":{"no":"command","for":3}}, {"pause":4}]}
                """#.utf8))
        let report = ScenarioReport(isJSON: false, isColored: false)
        #expect(
            scenario.steps.flatMap(report.lines(waitingFor:)) == [
                "  … wait until paired (press Pair), up to 9.0 s",
                "  … expect no command for 3.0 s", "  … pause for 4.0 s",
            ])
        let json = try JSONValue(
            parsing: ScenarioReport(isJSON: true, isColored: false).lines(
                waitingFor: scenario.steps[0])[0])
        #expect(json["event"]?.string == "waiting")
        #expect(json["path"]?.string == "$.steps[0]")
        #expect(json["upTo"] == .integer(9))
    }

    @Test("a phone that could not start runs no step, and reports the reason")
    func notStarted() throws {
        let scenario = try Scenario(
            parsing: Array(#"{"title":"T","grade":true,"steps":[{"wait":"paired"}]}"#.utf8))
        let result = ScenarioResult(notStarted: scenario, because: "no <controller>")
        #expect(!result.isSuccess)
        let xml = JUnitReport.xml(of: result)
        #expect(xml.contains("tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\""))
        #expect(
            xml.contains("<error message=\"the phone could not start: no &lt;controller&gt;\"/>"))
    }

    @Test("faults are named as the specification does, and one octet is one")
    func faults() throws {
        let scenario = try Scenario(
            parsing: Array(
                #"""
                {"title":"T","steps":[{"inject":{"fault":"droppedSubscriptions"}},
                  {"inject":{"fault":"linkLoss","octets":1}}]}
                """#.utf8))
        #expect(
            scenario.steps.map(\.title) == [
                "inject the subscription to Notification Source and Data Source dropped silently",
                "inject a link lost after 1 octet of an answer",
            ])
    }

    @Test("colors come only where they are wanted, and nothing from a file reaches a terminal raw")
    func colors() throws {
        let result = try Self.result(note: #"\u001b[31m\u202e"#)
        let plain = ScenarioReport(isJSON: false, isColored: false)
        let text = result.steps.flatMap(plain.lines(of:)).joined()
        #expect(!text.contains("\u{1B}"))
        #expect(!text.contains("\u{202E}"))
        #expect(text.contains(#"(\u{1B}[31m\u{202E})"#))
        let colored = ScenarioReport(isJSON: false, isColored: true)
        #expect(
            colored.lines(of: result.steps[0]) == [
                "  \(TerminalPaint.Style.good.sequence)✓\u{1B}[0m wait until connected"
            ])
    }

    @Test("JSON Lines have the same in members")
    func json() throws {
        let result = try Self.result()
        let report = ScenarioReport(isJSON: true, isColored: false)
        let step = try JSONValue(parsing: report.lines(of: result.steps[1])[0])
        #expect(step["event"]?.string == "step")
        #expect(step["number"]?.integer == 2)
        #expect(step["path"]?.string == "$.steps[1]")
        #expect(step["result"]?.string == "failed")
        #expect(step["expected"]?.string == "paired within 2.0 s")
        let closing = report.closing(of: result)
        // Each requirement, also as version 0.1 called it, and the result.
        #expect(closing.count == 2 * Requirement.allCases.count { !$0.isOfMedia } + 1)
        let requirement = try JSONValue(parsing: closing[0])
        #expect(requirement["requirement"]?.string == "R5")
        #expect(requirement["result"]?.string == "notExercised")
        #expect(requirement["verdict"]?.string == "untested")
        let last = try JSONValue(parsing: try #require(closing.last))
        #expect(last["event"]?.string == "result")
        #expect(last["result"]?.string == "failed")
        #expect(last["passed"]?.integer == 1)
        #expect(last["failedRequirements"]?.integer == 0)
    }
}
