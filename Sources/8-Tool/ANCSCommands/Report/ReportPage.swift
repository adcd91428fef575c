internal import AccessoryConformance
internal import CTemplates
internal import CommandKit

/// The runs of a report, and the page that shows them: one file in HTML with nothing from outside and without scripts,
/// of at most ``limit`` octets whatever the runs had.
struct ReportPage: Sendable {
    /// The octets of a page.
    static let limit = 1_000_000
    /// How many runs are kept whole, and how many have a row in the summary. Those that failed come first.
    private static let (maximumWhole, maximumRows) = (24, 300)
    /// The octets of the rows of the summary, and what is left for all around the sections.
    private static let (maximumSummary, reserve) = (60_000, 80_000)

    /// A run.
    private struct Run: Sendable {
        var number: Int
        var title: String
        var isSuccess: Bool
        /// How it ended, in a sentence.
        var verdict: String
        var duration: Duration
        /// All that is kept of it; `nil` if it has only a row in the summary.
        var recording: RecordedRun?
    }

    /// What is said of all runs: what they are of, and what the radio was like.
    private let facts: [(name: String, value: String)]
    /// What the user calls it.
    private let givenTitle: String?
    /// How many runs there will be.
    private let expected: Int
    private(set) var count = 0
    private var passed = 0
    private var runs: [Run] = []
    /// In how many runs each requirement was broken, whichever accessory broke it.
    private var broken: [Requirement: Int] = [:]
    /// In how many runs each was judged.
    private var judged: [Requirement: Int] = [:]

    init(expected: Int, _ title: String? = nil, facts: [(name: String, value: String)]) {
        givenTitle = title
        self.expected = expected
        self.facts = facts
    }

    /// Adds a run that has ended. If there are too many, the last one that passed is kept no longer.
    mutating func add(_ recording: RecordedRun) {
        guard let result = recording.result else { return }
        count += 1
        if result.isSuccess { passed += 1 }
        for requirement in Set(result.grades.flatMap(\.failed).map(\.requirement)) {
            broken[requirement, default: 0] += 1
        }
        let verdicts = result.grades.flatMap(\.verdicts).filter { $0.standing != .untested }
        for requirement in Set(verdicts.map(\.requirement)) {
            judged[requirement, default: 0] += 1
        }
        runs.append(
            Run(
                number: count, title: String(recording.title.prefix(80)),
                isSuccess: result.isSuccess,
                verdict: ScenarioReport.lines(ofEnd: result).last?.sentence ?? "",
                duration: result.duration, recording: recording))
        let whole = runs.indices.filter { runs[$0].recording != nil }
        if whole.count > Self.maximumWhole {
            runs[whole.last { runs[$0].isSuccess } ?? runs.count - 1].recording = nil
        }
        if runs.count > Self.maximumRows {
            runs.remove(at: runs.lastIndex(where: \.isSuccess) ?? runs.count - 1)
        }
    }

    // MARK: The page

    /// The page.
    var html: String {
        var page = Markup(textLimit: 300)
        writeHead(to: &page)
        let sections = sections
        var body = Markup(textLimit: 300)
        writeTitle(to: &body)
        if expected > 1, count > 0 { writeSummary(linking: Set(sections.map(\.number)), to: &body) }
        for section in sections { body.append(section.markup) }
        writeFoot(runs: sections.count, to: &body)
        return
            "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
            + "\(page.text)</head>\n<body><main>\n\(body.text)</main></body>\n</html>\n"
    }

    /// The sections of the runs that fit.
    private var sections: [(number: Int, markup: Markup)] {
        let whole = runs.compactMap { run in
            run.recording.flatMap { ReportRun($0, number: run.number) }
        }
        var left = Self.limit - Self.reserve
        return whole.compactMap { run in
            // One run has five lists and its axis; of many, few fill their lists.
            let room = Self.limit / (2 * whole.count + 8)
            let section = RunSection(run, isOneOfMany: expected > 1, room: room).markup
            guard section.count <= left else { return nil }
            left -= section.count
            return (run.number, section)
        }
    }

    private var title: String {
        givenTitle ?? (expected == 1 ? runs.first?.recording?.title : nil) ?? "Accessory report"
    }

    private func writeHead(to page: inout Markup) {
        page.empty("meta", ["charset": "utf-8"])
        page.newLine()
        page.empty(
            "meta",
            [
                "http-equiv": "Content-Security-Policy",
                "content":
                    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
            ])
        page.newLine()
        page.empty("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        page.empty("meta", ["name": "color-scheme", "content": "light dark"])
        page.empty("meta", ["name": "referrer", "content": "no-referrer"])
        page.newLine()
        page.element("title", title)
        page.newLine()
        page.style(String(cString: ctemplates_report_css()))
        page.newLine()
    }

    private func writeTitle(to page: inout Markup) {
        page.element("header") { page in
            page.element("h1", givenTitle ?? "Accessory report")
            if !facts.isEmpty {
                page.element("dl.facts") { page in
                    for (name, value) in facts {
                        page.element("div") { page in
                            page.element("dt", name)
                            page.element("dd", value)
                        }
                    }
                }
            }
            if count == 0 {
                page.element(
                    "p.verdict.open",
                    "– no run has ended: the command is still running, or was ended")
            }
        }
        page.newLine()
    }

    // MARK: The summary

    /// What came of all runs. Those with these numbers have sections.
    private func writeSummary(linking sections: Set<Int>, to page: inout Markup) {
        page.element("h2", "Summary")
        let isSuccess = passed == expected
        let missing = expected - count
        page.element(
            "p.verdict.\(isSuccess ? "good" : "bad")",
            (isSuccess ? "✓ " : "✗ ") + "\(passed) of \(counted(expected, "run")) passed"
                + (missing > 0 ? "; \(missing) not run" : ""))
        if !broken.isEmpty { writeBroken(to: &page) }
        let rows = Dictionary(uniqueKeysWithValues: runs.map { ($0.number - 1, $0) })
        let (good, bad) = (runs.filter(\.isSuccess), runs.filter { !$0.isSuccess })
        let list = ReportList(
            "run", of: count, (bad + good).map { $0.number - 1 }, room: Self.maximumSummary
        ) { number, page in
            guard let run = rows[number] else { return }
            write(run, isLinked: sections.contains(run.number), to: &page)
        }
        list.write(asTable: "runs", "All runs", ["Run", "Scenario", "Result", "Took"], to: &page)
        page.newLine()
    }

    private func writeBroken(to page: inout Markup) {
        let worstFirst = RequirementRow.Weight.allCases.reversed().flatMap { weight in
            Requirement.allCases.filter { broken[$0] != nil && $0.row.weight == weight }
        }
        page.table(
            "requirements", "Broken requirements",
            ["Requirement", "The accessory", "The wearer sees", "Broken in"]
        ) { page in
            for requirement in worstFirst {
                page.element("tr") { page in
                    page.element("th", ["scope": "row"], requirement.number)
                    page.element("td", requirement.statement)
                    page.element("td", requirement.row.symptom)
                    let runs = "\(broken[requirement] ?? 0) of \(judged[requirement] ?? 0)"
                    page.element("td.bad", "✗ " + runs)
                }
            }
        }
    }

    private func write(_ run: Run, isLinked: Bool, to page: inout Markup) {
        let kind = run.isSuccess ? "good" : "bad"
        page.element("tr.\(kind)") { page in
            page.element("th", ["scope": "row"]) { page in
                if isLinked {
                    page.element("a", ["href": "#r\(run.number)"], "\(run.number)")
                } else {
                    page.write("\(run.number)")
                }
            }
            page.element("td") { page in page.write(isolated: run.title) }
            page.element("td.\(kind)", run.verdict)
            page.element("td.number", run.duration.text)
        }
        page.newLine()
    }

    private func writeFoot(runs: Int, to page: inout Markup) {
        page.element("footer") { page in
            let left = count - runs
            if left > 0 {
                page.element(
                    "p.left",
                    "\(counted(left, "run")) without a section: those that failed come first")
            }
            page.element("p", "ancs \(ToolVersion.current)")
        }
        page.newLine()
    }
}
