internal import AccessoryConformance
internal import Printing

// The items of the lists of a run, each of which a page shows or leaves out.
extension ReportRun {
    /// A verdict with what was found; `flag` knows the flag of its evidence on the axis.
    func write(verdict index: Int, flag: (Int, Int) -> Int?, to page: inout Markup) {
        let verdict = verdicts[index]
        let kind = verdict.standing.mark.kind
        page.element("article.requirement.\(kind)", ["id": anchor(.verdict, index)]) { page in
            page.element("h4") { page in
                page.element(
                    "span.tag.\(kind)",
                    "\(verdict.standing.mark.rawValue) \(verdict.standing.rawValue)")
                page.element("b", " \(verdict.requirement.number) ")
                page.write(verdict.requirement.statement)
                if result.grades.count > 1 {
                    page.element("span.quiet") { page in
                        page.write(" · ")
                        page.write(isolated: verdict.accessory)
                    }
                }
            }
            page.element("ul") { page in
                for (number, evidence) in verdict.evidence.enumerated() {
                    page.element("li") { page in
                        write(evidence, flag: flag(index, number), to: &page)
                        write(evidence.octets, to: &page)
                    }
                }
            }
            let row = verdict.requirement.row
            for (name, words) in [
                ("The wearer sees (\(row.weight.word))", row.symptom), ("Asked", verdict.demand),
                ("Remedy", row.remedy),
            ] {
                page.element("p.named") { page in
                    page.element("b", name)
                    page.write(" " + words)
                }
            }
        }
        page.newLine()
    }

    /// A sentence whose time leads to its flag on the axis.
    private func write(_ evidence: Evidence, flag: Int?, to page: inout Markup) {
        guard let flag, let time = evidence.time else { return page.write(evidence.message) }
        let place = ["href": "#" + anchor(.flag, flag)] as Markup.Attributes
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
        page.element("dl.octets") { page in
            for field in octets {
                page.element(field.isWrong ? "div.bad" : "div") { page in
                    page.element("dt", (field.isWrong ? "✗ " : "") + field.name)
                    page.element("dd", field.text)
                }
            }
        }
    }

    /// A verdict without a finding.
    func write(row verdict: RequirementVerdict, to page: inout Markup) {
        let mark = verdict.standing.mark
        let test = verdict.requirement.row.testedBy
        // Not what this scenario leaves open itself.
        let isElsewhere = !test.hasSuffix(result.title.lowercased().replacing(" ", with: "-"))
        page.element("tr") { page in
            page.element("th", ["scope": "row"], verdict.requirement.number)
            page.element("td", verdict.requirement.statement)
            page.element(
                "td.\(mark.kind)",
                "\(mark.rawValue) \(verdict.standing.rawValue)"
                    + (verdict.standing == .untested && isElsewhere ? ": see \(test)" : ""))
        }
    }

    /// A step.
    func write(step index: Int, to page: inout Markup) {
        let step = result.steps[index]
        let mark = step.outcome.mark
        let isReached = step.outcome != .notReached
        page.element("tr.\(mark.kind)", ["id": anchor(.step, index)]) { page in
            page.element("th", ["scope": "row"], "\(step.number)")
            page.element("td") { page in
                page.write(step.step.title + (step.step.round.map { ", round \($0)" } ?? ""))
                if let failure = step.shortfall { write(failure, to: &page) }
            }
            page.element("td.result.\(mark.kind)", "\(mark.rawValue) \(step.outcome.word)")
            page.element("td.number", isReached ? step.start.text : "")
            page.element("td.number", isReached ? step.duration.brief : "")
        }
        page.newLine()
    }

    private func write(_ failure: StepFailure, to page: inout Markup) {
        let rows =
            [("expected", failure.expected), ("observed", failure.observed)]
            + failure.hints.map { ("because", $0) }
        page.element("dl") { page in
            for (name, words) in rows {
                page.element("dt", name)
                page.element("dd", words)
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

    /// An event.
    func write(_ entry: RecordedRun.Entry, to page: inout Markup) {
        page.element(entry.isProblem ? "tr.bad" : "tr", ["id": anchor(.event, entry.number)]) {
            page in
            page.element("th.number", ["scope": "row"], entry.time.thousandths)
            page.element("td.who") { page in write(sideOf: entry, to: &page) }
            page.element("td") { page in
                page.write(entry.text)
                for text in entry.content { page.element("q", text) }
            }
        }
        page.newLine()
    }

    private func write(sideOf entry: RecordedRun.Entry, to page: inout Markup) {
        let name = entry.accessory.map(name) ?? "accessory"
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
            if recording.accessories.count > 1 {
                page.write(" ")
                page.write(isolated: name)
            }
        }
    }
}
