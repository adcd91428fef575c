internal import AccessoryConformance
internal import Printing

/// The part of a page that is about one run.
struct RunSection {
    /// The characters of Unicode that are shown of a text.
    static let maximumText = 400

    private let run: ReportRun
    private let picture: AxisPicture
    private let findings: ReportList
    private let otherVerdicts: ReportList
    private let steps: ReportList
    private let output: ReportList
    private let events: ReportList
    /// Whether the page has other runs.
    private let isOneOfMany: Bool

    /// - Parameters:
    ///   - run: what it is about.
    ///   - isOneOfMany: whether the page has other runs.
    ///   - room: the octets of each list.
    init(_ run: ReportRun, isOneOfMany: Bool, room: Int) {
        (self.run, self.isOneOfMany) = (run, isOneOfMany)
        let picture = AxisPicture(run)
        self.picture = picture
        let findings = run.verdicts.prefix { $0.isFinding }
        let others = run.verdicts.dropFirst(findings.count)
        self.findings = ReportList(
            "finding", of: findings.count, Array(findings.indices), room: room
        ) { run.write(verdict: $0, flag: picture.flag, to: &$1) }
        otherVerdicts = ReportList(
            "requirement", of: others.count, Array(0..<others.count), room: room
        ) { run.write(row: others[others.startIndex + $0], to: &$1) }
        let results = run.result.steps
        let failed = results.indices.filter { results[$0].shortfall != nil }
        let passed = results.indices.filter { results[$0].shortfall == nil }
        steps = ReportList("step", of: results.count, failed + passed, room: room) {
            run.write(step: $0, to: &$1)
        }
        let printed = run.recording.output ?? []
        output = ReportList("line", of: printed.count, printed.indices.reversed(), room: room) {
            $1.element("code", printed[$0])
            $1.newLine()
        }
        let entries = Dictionary(uniqueKeysWithValues: run.entries.map { ($0.number, $0) })
        events = ReportList(
            "event", of: run.recording.count,
            run.entries.count.fromBothEnds.map { run.entries[$0].number }, room: room
        ) { number, page in
            if let entry = entries[number] { run.write(entry, to: &page) }
        }
    }

    /// The section.
    var markup: Markup {
        var page = Markup(textLimit: Self.maximumText)
        page.element("section.run", ["id": "r\(run.number)"]) { page in
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
            if isOneOfMany { page.element("span.quiet", "Run \(run.number): ") }
            page.write(isolated: run.recording.title)
        }
        for sentence in run.recording.summary { page.element("p.quiet", sentence) }
        let verdict = ScenarioReport.lines(ofEnd: run.result).last?.sentence ?? ""
        page.element("p.verdict.\(run.result.isSuccess ? "good" : "bad")", verdict)
        if let cause = run.result.cause, !verdict.contains(cause) { page.element("p.quiet", cause) }
        page.newLine()
    }

    private func writeAxis(to page: inout Markup) {
        guard !run.entries.isEmpty else { return }
        page.element("h3", "Time")
        page.element("figure") { page in
            page.element(
                "div.scroll",
                [
                    "tabindex": "0", "role": "region",
                    "aria-label": "Time axis of run \(run.number)",
                ]
            ) { page in
                picture.draw(on: &page) { place, index in
                    switch place {
                    case .event: events.contains(index)
                    case .step: steps.contains(index)
                    case .verdict: findings.contains(index)
                    case .flag: true
                    }
                }
            }
            page.element("figcaption") { page in
                for (sign, kind, words) in Self.legend {
                    page.element("span") { page in
                        page.element("b.\(kind)", ["aria-hidden": "true"], sign)
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

    private func writeVerdicts(to page: inout Markup) {
        guard !run.verdicts.isEmpty else { return }
        page.element("h3", "Requirements")
        page.element("p.counts") { page in
            for standing in RequirementVerdict.Standing.allCases {
                let count = run.verdicts.count { $0.standing == standing }
                guard count > 0 else { continue }
                let text = "\(count) \(standing.rawValue)"
                page.element(
                    "span.tag.\(standing.mark.kind)",
                    "\(standing.mark.rawValue) \(text)"
                        + (standing == .note && count > 1 ? "s" : ""))
                page.write(" ")
            }
        }
        findings.write(to: &page) { $1.element("p.left", $0) }
        if !otherVerdicts.isEmpty {
            page.element("details.printed") { page in
                page.element("summary", "Requirements that were kept, or that nothing tested")
                otherVerdicts.write(
                    asTable: "requirements", "Requirements without a finding",
                    ["Requirement", "The accessory", "Result"], to: &page)
            }
        }
        page.newLine()
    }

    private func writeSteps(to page: inout Markup) {
        guard !steps.isEmpty else { return }
        page.element("h3", "Steps")
        steps.write(
            asTable: "steps", "The steps of the scenario, and what came of them",
            ["#", "Step", "Result", "At", "Took"], to: &page)
        page.newLine()
    }

    private func writeOutput(to page: inout Markup) {
        guard run.recording.output != nil else { return }
        page.element("h3", "What the accessory printed")
        guard !output.isEmpty else { return page.element("p.quiet", "Nothing.") }
        page.element("pre") { page in
            output.write(to: &page) { text, page in
                page.element("code.left", text)
                page.newLine()
            }
        }
        page.newLine()
    }

    private func writeEvents(to page: inout Markup) {
        guard !events.isEmpty else { return }
        page.element("h3", "Events")
        page.element("details") { page in
            page.element("summary", "What the phone saw, in order")
            events.write(
                asTable: "events", "Events of the phone and of its links",
                ["Time", "Who", "What"], to: &page)
        }
        page.newLine()
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
