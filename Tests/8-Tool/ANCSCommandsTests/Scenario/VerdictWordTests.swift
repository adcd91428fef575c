import JSONText
import Testing

@testable import ANCS
@testable import ANCSCommands
@testable import AccessoryConformance

/// A verdict has one word, whichever grader gave it and whatever shows it.
@Suite struct VerdictWordTests {
    /// A run with a verdict of each standing, on ANCS and on the link; R40 and R55 are broken, which differ in weight.
    static func result() throws -> ScenarioResult {
        var result = try ScenarioReportTests.result()
        var card = Scorecard()
        card.fail(.fetchesOnce, "it asked twice", at: .seconds(1))
        card.fail(
            .sendsWholeActions, "five octets", at: .seconds(2),
            octets: EvidenceOctets.fields(of: [2, 0, 0, 0, 0], breaking: .sendsWholeActions))
        card.pass(.acceptsAnyOrder)
        card.pass(.latency)
        card.fail(.shortestInterval, "7.5 ms", at: .seconds(1))
        card.note(.asksSoon, "late", at: .seconds(1))
        result.grades = [
            AccessoryGrades(
                accessory: "Watch",
                verdicts: card.verdicts(
                    on: Requirement.allCases.filter { !$0.isOfLink }, of: "Watch")
                    + card.verdicts(on: Requirement.allCases.filter(\.isOfLink), of: "Watch"))
        ]
        result.steps = []
        return result
    }

    static let words: [(Requirement, String)] = [
        (.fetchesOnce, "broken"), (.acceptsAnyOrder, "kept"), (.agreesOnMTU, "untested"),
        (.shortestInterval, "broken"), (.asksSoon, "note"), (.latency, "kept"),
        (.humanInterface, "untested"),
    ]

    @Test("the text, JSON, JUnit and the page have the same word", arguments: words)
    func oneWord(_ requirement: Requirement, _ word: String) throws {
        let result = try Self.result()
        let text = ScenarioReport(isJSON: false, isColored: false).closing(of: result)
        if requirement != .humanInterface {
            let line = try #require(text.first { $0.contains(requirement.statement) })
            #expect(line.hasSuffix(word), "\(line)")
        } else {
            #expect(text.contains { $0.contains("untested: L2, L3") })
        }
        let lines = try ScenarioReport(isJSON: true, isColored: false).closing(of: result)
            .map { try JSONValue(parsing: $0) }
        let object = try #require(
            lines.first { $0["statement"]?.string == requirement.statement })
        #expect(object["verdict"]?.string == word)
        let xml = JUnitReport.xml(of: result)
        let part = try #require(xml.components(of: "<testcase", with: requirement.number + " "))
        #expect(part.contains(word), "\(part)")
        var page = ReportPage(expected: 1, facts: [])
        var recording = try ReportSamples.recording(title: "T")
        recording.end(result, output: nil)
        page.add(recording)
        let tags = page.html.split(separator: requirement.statement)
        let around = String(tags[0].suffix(160)) + "|" + String(tags[1].prefix(160))
        #expect(
            around.contains(" \(word)<") || around.contains(" \(word): see "), "\(around)")
    }

    @Test("`result` has the words of version 0.1")
    func earlierWords() throws {
        let lines = try ScenarioReport(isJSON: true, isColored: false).closing(of: Self.result())
            .map { try JSONValue(parsing: $0) }
        func words(_ event: String) -> Set<String> {
            Set(lines.filter { $0["event"]?.string == event }.compactMap { $0["result"]?.string })
        }
        #expect(words("requirement") == ["failed", "passed", "notExercised"])
        #expect(words("linkRequirement") == ["broken", "note", "kept", "notSeen"])
    }

    @Test("what costs the wearer most comes first, in his words")
    func worstFirst() throws {
        let result = try Self.result()
        #expect(
            result.grades[0].failed.map(\.requirement) == [
                .sendsWholeActions, .fetchesOnce, .shortestInterval,
            ])
        #expect(
            result.grades[0].verdicts.worstFirst.prefix(3).map(\.requirement) == [
                .sendsWholeActions, .shortestInterval, .fetchesOnce,
            ])
        let text = result.description
        #expect(text.contains("wearer: a button does nothing: a call cannot be declined"))
        #expect(
            text.contains(
                "asked:  The command is 02, the UID of four octets, and the action. (ANCS)"))
    }

    @Test("each requirement says what the wearer sees, and no two say all the same")
    func rows() {
        for requirement in Requirement.allCases {
            let row = requirement.row
            #expect(row.demand.hasSuffix(".") && row.remedy.hasSuffix("."), "\(row.number)")
            #expect(!row.symptom.isEmpty && !row.symptom.hasSuffix("."), "\(row.number)")
        }
        #expect(Set(Requirement.allCases.map(\.row)).count == Requirement.allCases.count)
    }

    @Test(
        "octets that violate a requirement are drawn, and marked", arguments: ConformanceTests.wrong
    )
    func octets(_ row: ConformanceTests.Octets) {
        let fields = EvidenceOctets.fields(of: row.octets, breaking: row.requirement)
        #expect(fields.contains { $0.isWrong }, "\(fields)")
        #expect(fields.flatMap(\.octets) == row.octets)
    }

    @Test("of a command with one wrong field, that one is marked")
    func marks() {
        func wrong(_ octets: [UInt8], _ requirement: Requirement) -> [String] {
            EvidenceOctets.fields(of: octets, breaking: requirement).filter(\.isWrong)
                .map { "\($0.name) \($0.text)" }
        }
        #expect(wrong([2, 1, 0, 0, 0], .sendsWholeActions) == ["ActionID 1 missing"])
        #expect(
            wrong([0, 1, 2, 0, 0, 1, 64, 0, 3], .givesMaximaWhereNeeded) == ["maximum 2 missing"])
        #expect(
            wrong([0, 7, 0, 0, 0, 0], .usesAnnouncedIdentifiers) == ["NotificationUID 07000000"])
        #expect(wrong([0, 7, 0, 0, 0, 0, 8], .asksForKnownAttributes) == ["reserved8 08"])
        #expect(wrong([0, 7, 0, 0, 0, 0], .sendsOneCommandAtATime) == [])
    }

    @Test("a long command is drawn as far as a page has room")
    func longCommand() {
        let fields = EvidenceOctets.fields(
            of: [0, 0, 0, 0, 0] + [UInt8](repeating: 9, count: 500),
            breaking: .asksForKnownAttributes)
        #expect(fields.count == 24)
        let app = EvidenceOctets.fields(
            of: [1] + [UInt8](repeating: 0x61, count: 500), breaking: .sendsWholeAppCommands)
        #expect(app.map(\.text.count).max() ?? 0 < 100)
    }
}

extension String {
    /// The part that begins with a mark and has a text.
    fileprivate func components(of mark: String, with text: String) -> String? {
        split(separator: mark).map(String.init).first { $0.contains(text) }
    }
}
