internal import AccessoryConformance
internal import Printing

/// The part of a page that is about one run.
struct RunSection {
    private let run: ReportRun
    private let picture: AxisPicture
    /// Whether the page has other runs.
    private let isOneOfMany: Bool

    init(_ run: ReportRun, isOneOfMany: Bool) {
        self.run = run
        self.isOneOfMany = isOneOfMany
        picture = AxisPicture(run)
    }

    /// The section.
    var markup: Markup {
        var page = Markup(textLimit: run.limits.text)
        page.element("section", ["id": "r\(run.number)", "class": "run"]) { page in
            writeHead(to: &page)
            writeAxis(to: &page)
            writeVerdicts(to: &page)
            writeSteps(to: &page)
            writeOutput(to: &page)
            writeEvents(to: &page)
        }
        page.newLine()
        return page
    }

    private func writeHead(to page: inout Markup) {
        page.element("h2") { page in
            if isOneOfMany { page.element("span", ["class": "quiet"], "Run \(run.number): ") }
            page.write(isolated: run.recording.title)
        }
        for sentence in run.recording.summary { page.element("p", ["class": "quiet"], sentence) }
        let verdict = ScenarioReport.lines(ofEnd: run.result).last?.sentence ?? ""
        page.element(
            "p", ["class": "verdict \(run.result.isSuccess ? "good" : "bad")"], verdict)
        if let cause = run.result.cause, !verdict.contains(cause) {
            page.element("p", ["class": "quiet"], cause)
        }
        page.newLine()
    }

    // MARK: The axis

    private func writeAxis(to page: inout Markup) {
        guard !run.entries.isEmpty else { return }
        page.element("h3", "Time")
        page.element("figure") { page in
            page.element(
                "div",
                [
                    "class": "scroll", "tabindex": "0", "role": "region",
                    "aria-label": "Time axis of run \(run.number)",
                ]
            ) { picture.draw(on: &$0) }
            page.element("figcaption") { page in
                for (sign, kind, words) in Self.legend {
                    page.element("span") { page in
                        page.element("b", ["class": kind, "aria-hidden": "true"], sign)
                        page.write(" " + words)
                    }
                }
            }
        }
        page.newLine()
    }

    private static let legend = [
        ("↓", "phone", "the phone sends"), ("↑", "accessory", "the accessory sends"),
        ("◆", "link", "the link changes"), ("■", "phone", "on the phone"),
        ("③", "quiet", "so many events at once"), ("▒", "quiet", "shortened time"),
    ]

    // MARK: Verdicts

    private func writeVerdicts(to page: inout Markup) {
        guard !run.verdicts.isEmpty else { return }
        page.element("h3", "Requirements")
        page.element("p", ["class": "counts"]) { page in
            for standing in RequirementVerdict.Standing.allCases {
                let count = run.verdicts.count { $0.standing == standing }
                guard count > 0 else { continue }
                page.element(
                    "span", ["class": "tag \(standing.mark.kind)"],
                    "\(standing.mark.rawValue) \(count) \(standing.rawValue)"
                        + (standing == .note && count > 1 ? "s" : ""))
                page.write(" ")
            }
        }
        let left = run.result.grades.count - run.limits.accessories
        if left > 0 {
            page.element(
                "p", ["class": "left"],
                (left == 1 ? "1 more accessory" : "\(left) more accessories") + " left out")
        }
        for (index, verdict) in run.verdicts.enumerated() where verdict.isFinding {
            write(verdict, index, to: &page)
        }
        writeOtherVerdicts(to: &page)
        page.newLine()
    }

    private func write(_ verdict: RequirementVerdict, _ index: Int, to page: inout Markup) {
        let kind = verdict.standing.mark.kind
        page.element(
            "article", ["class": "requirement \(kind)", "id": run.anchor(.verdict, index)]
        ) { page in
            page.element("h4") { page in
                page.element(
                    "span", ["class": "tag \(kind)"],
                    "\(verdict.standing.mark.rawValue) \(verdict.standing.rawValue)")
                page.element("b", " \(verdict.requirement.number) ")
                page.write(verdict.requirement.statement)
                if run.result.grades.count > 1 {
                    page.element("span", ["class": "quiet"]) { page in
                        page.write(" · ")
                        page.write(isolated: verdict.accessory)
                    }
                }
            }
            page.element("ul") { page in
                for evidence in verdict.evidence {
                    page.element("li") { page in
                        write(
                            evidence, of: picture.flag(of: index, evidence), to: &page)
                        write(evidence.octets, to: &page)
                    }
                }
            }
            let row = verdict.requirement.row
            writeNamed("The wearer sees (\(row.weight.word))", row.symptom, to: &page)
            writeNamed("Asked", verdict.demand, to: &page)
            writeNamed("Remedy", row.remedy, to: &page)
        }
        page.newLine()
    }

    /// A sentence whose time leads to its flag on the axis.
    private func write(_ evidence: Evidence, of flag: Int?, to page: inout Markup) {
        guard let flag, let time = evidence.time else { return page.write(evidence.message) }
        let place = ["href": "#" + run.anchor(.flag, flag)] as Markup.Attributes
        guard let range = evidence.message.firstRange(of: "at \(time.text)") else {
            page.element("a", place, "at \(time.text)")
            return page.write(" " + evidence.message)
        }
        page.write(String(evidence.message[..<range.lowerBound]))
        page.element("a", place, String(evidence.message[range]))
        page.write(String(evidence.message[range.upperBound...]))
    }

    /// Octets as they were written, with what each is, and signs at those that are wrong.
    private func write(_ octets: [EvidenceOctets], to page: inout Markup) {
        guard !octets.isEmpty else { return }
        page.element("dl", ["class": "octets"]) { page in
            for field in octets {
                page.element("div", ["class": field.isWrong ? "bad" : nil]) { page in
                    page.element("dt", (field.isWrong ? "✗ " : "") + field.name)
                    page.element("dd", field.text)
                }
            }
        }
    }

    private func writeNamed(_ name: String, _ words: String, to page: inout Markup) {
        page.element("p", ["class": "named"]) { page in
            page.element("b", name)
            page.write(" " + words)
        }
    }

    private func writeOtherVerdicts(to page: inout Markup) {
        let others = run.verdicts.filter { !$0.isFinding }
        guard !others.isEmpty else { return }
        guard run.limits.listsAllRequirements else {
            return page.element(
                "p", ["class": "left"],
                "\(counted(others.count, "requirement")) that were kept or untested: left out")
        }
        page.element("details", ["class": "printed"]) { page in
            page.element("summary", "Requirements that were kept, or that nothing tested")
            page.element("table", ["class": "requirements"]) { page in
                page.element("caption", "Requirements without a finding")
                page.heads(["Requirement", "The accessory", "Result"])
                page.element("tbody") { page in
                    for verdict in others {
                        page.element("tr") { page in
                            page.element("th", ["scope": "row"], verdict.requirement.number)
                            page.element("td", verdict.requirement.statement)
                            page.element(
                                "td", ["class": verdict.standing.mark.kind],
                                "\(verdict.standing.mark.rawValue) \(verdict.standing.rawValue)"
                                    + (verdict.standing == .untested
                                        ? ": see \(verdict.requirement.row.testedBy)" : ""))
                        }
                    }
                }
            }
        }
    }

    // MARK: Steps

    private func writeSteps(to page: inout Markup) {
        guard !run.result.steps.isEmpty else { return }
        page.element("h3", "Steps")
        page.element("table", ["class": "steps"]) { page in
            page.element("caption", "The steps of the scenario, and what came of them")
            page.heads(["#", "Step", "Result", "At", "Took"])
            page.element("tbody") { page in
                var next = 0
                for index in run.listedSteps {
                    if index > next { writeGap(index - next, "step", columns: 5, to: &page) }
                    write(run.result.steps[index], index, to: &page)
                    next = index + 1
                }
                let left = run.result.steps.count - next
                if left > 0 { writeGap(left, "step", columns: 5, to: &page) }
            }
        }
        page.newLine()
    }

    private func write(_ result: StepResult, _ index: Int, to page: inout Markup) {
        let mark = result.outcome.mark
        page.element("tr", ["id": run.anchor(.step, index), "class": mark.kind]) { page in
            page.element("th", ["scope": "row"], "\(result.number)")
            page.element("td") { page in
                page.write(
                    result.step.title + (result.step.round.map { ", round \($0)" } ?? ""))
                if let failure = result.shortfall { write(failure, to: &page) }
            }
            page.element(
                "td", ["class": "result \(mark.kind)"],
                "\(mark.rawValue) \(result.outcome.word)")
            let isReached = result.outcome != .notReached
            page.element("td", ["class": "number"], isReached ? result.start.text : "")
            page.element("td", ["class": "number"], isReached ? result.duration.brief : "")
        }
        page.newLine()
    }

    private func write(_ failure: StepFailure, to page: inout Markup) {
        page.element("dl") { page in
            page.element("dt", "expected")
            page.element("dd", failure.expected)
            page.element("dt", "observed")
            page.element("dd", failure.observed)
            for hint in failure.hints {
                page.element("dt", "because")
                page.element("dd", hint)
            }
            guard !failure.context.isEmpty else { return }
            page.element("dt", "before that")
            page.element("dd") { page in
                page.element("ol") { page in
                    for line in failure.context { page.element("li", line) }
                }
            }
        }
    }

    /// A row in place of those that are left out.
    private func writeGap(
        _ count: Int, _ what: String, columns: Int, to page: inout Markup
    ) {
        page.element("tr", ["class": "left"]) { page in
            page.element("td", ["colspan": "\(columns)"], "⋯ \(counted(count, what)) left out")
        }
    }

    // MARK: What the program printed

    private func writeOutput(to page: inout Markup) {
        guard let output = run.recording.output else { return }
        page.element("h3", "What the accessory printed")
        guard !output.isEmpty else { return page.element("p", ["class": "quiet"], "Nothing.") }
        let shown = output.suffix(run.limits.output)
        let left = output.count - shown.count
        if left > 0 {
            page.element("p", ["class": "left"], "⋯ \(counted(left, "line")) before these left out")
        }
        page.element("pre") { page in
            for line in shown {
                page.element("code", line)
                page.newLine()
            }
        }
        page.newLine()
    }

    // MARK: Events

    private func writeEvents(to page: inout Markup) {
        guard !run.entries.isEmpty else { return }
        guard run.limits.events > 0 else {
            return page.element(
                "p", ["class": "left"], "\(counted(run.entries.count, "event")) left out")
        }
        page.element("h3", "Events")
        page.element("details") { page in
            page.element("summary", "What the phone saw, in order")
            page.element("table", ["class": "events"]) { page in
                page.element("caption", "Events of the phone and of its links")
                page.heads(["Time", "Who", "What"])
                page.element("tbody") { page in
                    var next = 0
                    for range in run.listedEvents {
                        let left =
                            range.lowerBound - next
                            + (next > 0 && range.lowerBound >= RecordedRun.firstEntries
                                ? run.recording.dropped : 0)
                        if left > 0 { writeGap(left, "event", columns: 3, to: &page) }
                        for index in range { write(run.entries[index], index, to: &page) }
                        next = range.upperBound
                    }
                }
            }
        }
        page.newLine()
    }

    private func write(_ entry: RecordedRun.Entry, _ index: Int, to page: inout Markup) {
        page.element(
            "tr", ["id": run.anchor(.event, index), "class": entry.isProblem ? "bad" : nil]
        ) { page in
            page.element("th", ["scope": "row", "class": "number"], entry.time.thousandths)
            page.element("td", ["class": "who"]) { page in write(sideOf: entry, to: &page) }
            page.element("td") { page in
                page.write(entry.text)
                for text in entry.content { page.element("q", text) }
            }
        }
        page.newLine()
    }

    private func write(sideOf entry: RecordedRun.Entry, to page: inout Markup) {
        let name = entry.accessory.map(run.name) ?? "accessory"
        switch entry.direction {
        case .phone: page.write("phone")
        case .toAccessory:
            page.write("phone → ")
            page.write(isolated: name)
        case .toPhone:
            page.write(isolated: name)
            page.write(" → phone")
        case .link:
            page.write("link")
            if run.recording.accessories.count > 1 {
                page.write(" ")
                page.write(isolated: name)
            }
        }
    }
}

extension Line.Mark {
    /// The class of what has this sign.
    var kind: String {
        switch self {
        case .good: "good"
        case .partly: "partly"
        case .bad: "bad"
        case .open, .note, .unseen: "open"
        }
    }
}
