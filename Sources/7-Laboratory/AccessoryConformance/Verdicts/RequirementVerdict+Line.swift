package import Kinds

extension RequirementVerdict {
    /// The word of version 0.1 in JSON, which had one for each grader.
    private var earlierWord: String {
        switch (standing, requirement.isOfLink) {
        // What could not be decided did not fail.
        case (.kept, false), (.note, false): "passed"
        case (.broken, false): "failed"
        case (.untested, false): "notExercised"
        case (.untested, true): "notSeen"
        case (.kept, true), (.broken, true), (.note, true): standing.rawValue
        }
    }

    private static let forms = (
        ancs: form(["passed", "failed", "notExercised"]),
        link: form(["kept", "broken", "note", "notSeen"])
    )

    private static func form(_ results: [String]) -> ObjectForm<RequirementVerdict> {
        ObjectForm([
            .text("accessory", \.accessory), .text("requirement", \.requirement.number),
            .text("statement", \.requirement.statement),
            .text("result", .words(results).described("the word of version 0.1"), \.earlierWord),
            .word("verdict", \.standing),
            .text(
                "weight", .words(RequirementRow.Weight.allCases.map(\.word)),
                \.requirement.row.weight.word),
            .texts("evidence?", .texts) { $0.isFinding ? $0.evidence.map(\.message) : nil },
            .text("asked?", .text.described("what is demanded, and by whom")) {
                $0.isFinding ? $0.demand : nil
            },
            .text("wearer?", .text.described("what the wearer of the accessory sees")) {
                $0.isFinding ? $0.requirement.row.symptom : nil
            },
            .text("remedy?", .text.described("what to change")) {
                $0.isFinding ? $0.requirement.remedy : nil
            },
        ])
    }

    /// The kind of line of a verdict on the use of ANCS.
    package static let ofANCS = LineKind(
        "requirement", "the verdict on a requirement of ANCS, for each accessory", forms.ancs)

    /// The kind of line of a verdict on a link.
    package static let ofLink = LineKind(
        "linkRequirement",
        "the verdict on one of Apple's requirements for the link, for each accessory", forms.link)

    /// The kind of line that version 0.1 had for both.
    package static let former = LineKind(
        "rule|linkRule", as: "formerVerdict",
        "version 0.1's line for a verdict; the next version does not print it",
        [
            "accessory": .text, "rule": .text, "statement": .text, "result": .text,
            "evidence?": .texts,
        ])

    /// The verdict as version 0.1 printed it for programs.
    var formerLine: Line {
        let names = Self.former.members.map(\.name)
        let members = Self.forms.ancs.members(of: self).map { member in
            member.name == "requirement" ? JSONValue.Member("rule", member.value) : member
        }
        return Line(
            requirement.isOfLink ? "linkRule" : "rule", members.filter { names.contains($0.name) })
    }

    private func line(width: Int) -> Line {
        let isOfLink = requirement.isOfLink
        var line = Line(
            isOfLink ? "linkRequirement" : "requirement",
            (isOfLink ? Self.forms.link : Self.forms.ancs).members(of: self),
            TerminalText.padded(requirement.number, to: 6)
                + TerminalText.padded(requirement.statement, to: width), .item,
            below: details.map { .text("      " + $0) })
        let style: TerminalPaint.Style =
            switch standing {
            case .kept: .good
            case .broken: .bad
            case .note, .untested: .dim
            }
        line.remark = (standing.rawValue, style)
        return line
    }

    /// A line for each verdict, in columns. `unless` says in words why nothing tested some, which then are one line for
    /// people.
    static func lines(of verdicts: [Self], shortened unless: String? = nil) -> [Line] {
        let shown = verdicts.filter { unless == nil || $0.standing != .untested }
        let width = (shown.map(\.requirement.statement.count).max() ?? 0) + 2
        var lines = verdicts.map { verdict in
            var line = verdict.line(width: width)
            if unless != nil, verdict.standing == .untested { line.sentence = nil }
            return line
        }
        if let unless, shown.count < verdicts.count { lines.append(Line(told: unless, .hint)) }
        return lines
    }

    /// The verdicts on a link. For people, a line for each requirement that something was seen of, with what was found
    /// below it, and one line for the others.
    package static func lines(ofLink verdicts: [Self]) -> [Line] {
        lines(of: verdicts, "Apple's requirements for the link")
    }

    /// The verdicts on what a capture shows: of a link, or of the use of ANCS and AMS.
    package static func lines(ofCapture verdicts: [Self]) -> [Line] {
        verdicts.first?.requirement.isOfLink == false
            ? lines(of: verdicts, "The use of ANCS") : lines(ofLink: verdicts)
    }

    private static func lines(of verdicts: [Self], _ title: String) -> [Line] {
        guard !verdicts.isEmpty else { return [] }
        // Some numbers have several requirements.
        let rest = verdicts.filter { $0.standing == .untested }.map(\.requirement.number)
            .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return [Line(told: title, .item)]
            + lines(of: verdicts, shortened: "untested: " + rest.joined(separator: ", "))
    }
}
