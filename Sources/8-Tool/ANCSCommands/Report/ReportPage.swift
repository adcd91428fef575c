internal import CommandKit
internal import AccessoryConformance
internal import Printing

/// The runs of a report, and the page that shows them: one file in HTML with nothing from outside and without scripts,
/// of at most ``limit`` octets whatever the runs had.
struct ReportPage: Sendable {
    /// The octets of a page.
    static let limit = 300_000
    /// How many runs are kept whole, and how many have a row in the summary. Those that failed come first.
    private static let (maximumWhole, maximumRows) = (24, 300)
    /// The octets after which the summary gets no more rows.
    private static let maximumSummary = 60_000
    /// What is left for the end of the page.
    private static let reserve = 600

    /// A run in the summary.
    private struct Row: Sendable {
        var number: Int
        var title: String
        var isSuccess: Bool
        /// How it ended, in a sentence.
        var verdict: String
        var duration: Duration
    }

    /// A run that is kept whole.
    private struct Whole: Sendable {
        var number: Int
        var isSuccess: Bool
        var recording: RecordedRun
    }

    /// A requirement that was broken.
    private struct Broken: Sendable {
        var requirement: Requirement
        var runs: Int
        /// The number of the last of them.
        var last: Int
    }

    /// What is said of all runs: what they are of, and what the radio was like.
    private let facts: [(name: String, value: String)]
    /// What the user calls it.
    private let givenTitle: String?
    /// How many runs there will be.
    private let expected: Int
    private(set) var count = 0
    private var passed = 0
    private var rows: [Row] = []
    private var whole: [Whole] = []
    /// In how many runs each requirement was broken, in the order in which that was seen.
    private var broken: [Broken] = []

    init(expected: Int, _ title: String? = nil, facts: [(name: String, value: String)]) {
        givenTitle = title
        self.expected = expected
        self.facts = facts
    }

    /// Adds a run that has ended.
    mutating func add(_ recording: RecordedRun) {
        guard let result = recording.result else { return }
        count += 1
        if result.isSuccess { passed += 1 }
        note(result.grades.flatMap(\.failed))
        Self.add(
            Row(
                number: count, title: String(recording.title.prefix(80)),
                isSuccess: result.isSuccess,
                verdict: ScenarioReport.lines(ofEnd: result).last?.sentence ?? "",
                duration: result.duration), to: &rows, limit: Self.maximumRows, \.isSuccess)
        Self.add(
            Whole(number: count, isSuccess: result.isSuccess, recording: recording), to: &whole,
            limit: Self.maximumWhole, \.isSuccess)
    }

    /// Counts the requirements that were broken in a run, each once, whichever accessory broke it.
    private mutating func note(_ verdicts: [RequirementVerdict]) {
        for verdict in verdicts {
            let known = broken.firstIndex { $0.requirement == verdict.requirement }
            guard let known else {
                broken.append(Broken(requirement: verdict.requirement, runs: 1, last: count))
                continue
            }
            guard broken[known].last != count else { continue }
            broken[known].runs += 1
            broken[known].last = count
        }
    }

    /// Adds one, if need be in place of the last one that passed.
    private static func add<Value>(
        _ value: Value, to list: inout [Value], limit: Int, _ isSuccess: (Value) -> Bool
    ) {
        if list.count >= limit {
            guard !isSuccess(value), let index = list.lastIndex(where: isSuccess) else { return }
            list.remove(at: index)
        }
        list.append(value)
    }

    // MARK: The page

    /// The page.
    var html: String {
        var page = Markup(textLimit: 300)
        writeHead(to: &page)
        var body = Markup(textLimit: 300)
        writeTitle(to: &body)
        let all = Set(whole.map(\.number))
        var room = Self.limit - Self.reserve - page.count - body.count - summary(linking: all).count
        var sections: [(number: Int, markup: Markup)] = []
        for (index, run) in whole.enumerated() {
            guard let section = section(of: run, within: room / (whole.count - index)) else {
                continue
            }
            room -= section.count
            sections.append((run.number, section))
        }
        body.append(summary(linking: Set(sections.map(\.number))))
        for section in sections { body.append(section.markup) }
        writeFoot(runs: sections.count, to: &body)
        return
            "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
            + "\(page.text)</head>\n<body><main>\n\(body.text)</main></body>\n</html>\n"
    }

    /// As much of a run as fits; `nil` if not even the least does.
    private func section(of run: Whole, within room: Int) -> Markup? {
        for limits in ReportLimits.levels {
            guard let shown = ReportRun(run.recording, number: run.number, limits) else {
                return nil
            }
            let section = RunSection(shown, isOneOfMany: expected > 1).markup
            if section.count <= room { return section }
        }
        return nil
    }

    private var title: String {
        givenTitle
            ?? (expected > 1
                ? "Accessory report" : whole.first?.recording.title ?? "Accessory report")
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
        page.empty(
            "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        page.empty("meta", ["name": "color-scheme", "content": "light dark"])
        page.empty("meta", ["name": "referrer", "content": "no-referrer"])
        page.newLine()
        page.element("title", title)
        page.newLine()
        page.style(reportStyle)
        page.newLine()
    }

    private func writeTitle(to page: inout Markup) {
        page.element("header") { page in
            page.element("h1", givenTitle ?? "Accessory report")
            if !facts.isEmpty {
                page.element("dl", ["class": "facts"]) { page in
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
                    "p", ["class": "verdict open"],
                    "– no run has ended: the command is still running, or was ended")
            }
        }
        page.newLine()
    }

    // MARK: The summary

    /// What came of all runs; nothing if there is only one. Those with these numbers have sections.
    private func summary(linking sections: Set<Int>) -> Markup {
        var page = Markup(textLimit: 120)
        guard expected > 1, count > 0 else { return page }
        page.element("h2", "Summary")
        let isSuccess = passed == expected
        let missing = expected - count
        page.element(
            "p", ["class": "verdict \(isSuccess ? "good" : "bad")"],
            (isSuccess ? "✓ " : "✗ ") + "\(passed) of \(counted(expected, "run")) passed"
                + (missing > 0 ? "; \(missing) not run" : ""))
        if !broken.isEmpty { writeBroken(to: &page) }
        var listed = 0
        page.element("table", ["class": "runs"]) { page in
            page.element("caption", "All runs")
            page.heads(["Run", "Scenario", "Result", "Took"])
            page.element("tbody") { page in
                for row in rows where page.count < Self.maximumSummary {
                    write(row, isLinked: sections.contains(row.number), to: &page)
                    listed += 1
                }
            }
        }
        if count > listed {
            page.element("p", ["class": "left"], "⋯ \(counted(count - listed, "run")) left out")
        }
        page.newLine()
        return page
    }

    private func writeBroken(to page: inout Markup) {
        page.element("table", ["class": "requirements"]) { page in
            page.element("caption", "Broken requirements")
            page.heads(["Requirement", "The accessory", "The wearer sees", "Broken in"])
            page.element("tbody") { page in
                let worstFirst = broken.sorted {
                    $0.requirement.row.weight > $1.requirement.row.weight
                }
                for broken in worstFirst {
                    let row = broken.requirement.row
                    page.element("tr") { page in
                        page.element("th", ["scope": "row"], row.number)
                        page.element("td", row.statement)
                        page.element("td", row.symptom)
                        page.element("td", ["class": "bad"], "✗ \(broken.runs) of \(count)")
                    }
                }
            }
        }
    }

    private func write(_ row: Row, isLinked: Bool, to page: inout Markup) {
        page.element("tr", ["class": row.isSuccess ? "good" : "bad"]) { page in
            page.element("th", ["scope": "row"]) { page in
                if isLinked {
                    page.element("a", ["href": "#r\(row.number)"], "\(row.number)")
                } else {
                    page.write("\(row.number)")
                }
            }
            page.element("td") { page in page.write(isolated: row.title) }
            page.element("td", ["class": row.isSuccess ? "good" : "bad"], row.verdict)
            page.element("td", ["class": "number"], row.duration.text)
        }
        page.newLine()
    }

    private func writeFoot(runs: Int, to page: inout Markup) {
        page.element("footer") { page in
            let left = count - runs
            if left > 0 {
                page.element(
                    "p", ["class": "left"],
                    "\(counted(left, "run")) without a section: those that failed come first")
            }
            page.element("p", "ancs \(ToolVersion.current)")
        }
        page.newLine()
    }
}
