internal import JSONText
package import Terminal
package import Values

/// The verdict on a requirement of ANCS or of the link, as every report shows it.
package struct Verdict: Equatable, Sendable {
    package enum Standing: Int, Equatable, Comparable, Sendable {
        case broken, note, kept, untested

        package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

        /// In a word.
        package var word: String {
            switch self {
            case .broken: "broken"
            case .note: "note"
            case .kept: "kept"
            case .untested: "not tested"
            }
        }

        package var mark: Line.Mark {
            switch self {
            case .broken: .bad
            case .note: .partly
            case .kept: .good
            case .untested: .open
            }
        }
    }

    /// The accessory's name in the scenario.
    package var accessory: String
    package var number: String
    package var statement: String
    package var standing: Standing
    package var evidence: [Evidence] = []
    /// What the requirement demands, if that is more than its statement.
    package var demand: String?
    package var remedy: String?
    private var isOfLink = false

    fileprivate init(_ verdict: RequirementVerdict, of accessory: String) {
        self.accessory = accessory
        number = verdict.requirement.number
        statement = verdict.requirement.statement
        switch verdict.result {
        case .passed: standing = .kept
        case .notExercised: standing = .untested
        case .note(let evidence):
            standing = .note
            self.evidence = evidence
            remedy = verdict.requirement.remedy
        case .failed(let evidence):
            standing = .broken
            self.evidence = evidence
            remedy = verdict.requirement.remedy
        }
    }

    package init(_ verdict: LinkVerdict, of accessory: String) {
        self.accessory = accessory
        isOfLink = true
        number = verdict.requirement.number
        statement = verdict.requirement.statement
        switch verdict.result {
        case .kept: standing = .kept
        case .notSeen: standing = .untested
        case .broken: standing = .broken
        case .note: standing = .note
        }
        evidence = verdict.finding?.evidence ?? []
        demand = verdict.finding?.demand
        remedy = verdict.finding?.remedy
    }

    /// How people read it, and its word in JSON.
    var result: (message: String, word: String) {
        switch (standing, isOfLink) {
        case (.kept, false): ("pass", "passed")
        case (.broken, false): ("FAIL", "failed")
        case (.untested, false): ("not exercised", "notExercised")
        case (.kept, true): ("kept", "kept")
        case (.broken, true): ("BROKEN", "broken")
        case (.untested, true): ("not seen", "notSeen")
        case (.note, _): ("note", "note")
        }
    }

    /// What was seen, what is asked, and what helps, a line each.
    var details: [String] {
        let advice = demand == nil ? ["→ "] : ["asked:  \(demand ?? "")", "remedy: "]
        return evidence.map(\.message)
            + (remedy.map { advice.dropLast() + [(advice.last ?? "") + $0] } ?? [])
    }
}

extension AccessoryGrades {
    /// All verdicts: those on the use of ANCS, then those on the link.
    package var all: [Verdict] { ofANCS + ofLink }

    var ofANCS: [Verdict] { verdicts.map { Verdict($0, of: accessory) } }

    var ofLink: [Verdict] { link.map { Verdict($0, of: accessory) } }
}

// MARK: Lines

extension Verdict {
    private static let forms = (
        ancs: form(["passed", "failed", "note", "notExercised"]),
        link: form(
            ["kept", "broken", "note", "notSeen"],
            .text("asked?", .text.described("what Apple asks"), \.demand))
    )

    private static func form(
        _ results: [String], _ demand: ObjectForm<Verdict>.Member...
    ) -> ObjectForm<Verdict> {
        ObjectForm(
            [
                .text("accessory", \.accessory), .text("requirement", \.number),
                .text("statement", \.statement), .text("result", .words(results), \.result.word),
                .texts("evidence?", .texts) { verdict in
                    verdict.remedy == nil ? nil : verdict.evidence.map(\.message)
                },
            ] + demand + [.text("remedy?", .text.described("what to change"), \.remedy)])
    }

    /// The kind of line of a verdict on the use of ANCS.
    package static let ofANCS = LineKind(
        "requirement", "the verdict on a requirement of ANCS, for each accessory", forms.ancs)

    /// The kind of line of a verdict on a link.
    package static let ofLink = LineKind(
        "linkRequirement",
        "the verdict on one of Apple's requirements for the link, for each accessory", forms.link)

    /// A line for each verdict, in columns.
    static func lines(of verdicts: [Verdict]) -> [Line] {
        let width = (verdicts.map(\.statement.count).max() ?? 0) + 2
        return verdicts.map { $0.line(width: width) }
    }

    private func line(width: Int) -> Line {
        var line = Line(
            isOfLink ? "linkRequirement" : "requirement",
            (isOfLink ? Self.forms.link : Self.forms.ancs).members(of: self),
            TerminalText.padded(number, to: 6) + TerminalText.padded(statement, to: width), .item,
            below: details.map { .text("      " + $0) })
        let style: TerminalPaint.Style =
            switch standing {
            case .kept: .good
            case .broken: .bad
            case .note, .untested: .dim
            }
        line.remark = (result.message, style)
        return line
    }

    /// The verdicts on a link. For people, a line for each requirement that something was seen of, with what was found
    /// below it, and one line for the others.
    package static func lines(ofLink verdicts: [Verdict]) -> [Line] {
        guard !verdicts.isEmpty else { return [] }
        let width =
            (verdicts.filter { $0.standing != .untested }.map(\.statement.count).max() ?? 0) + 2
        let rest = verdicts.filter { $0.standing == .untested }.map(\.number)
        return [Line(told: "Apple's requirements for the link", .item)]
            + verdicts.map { verdict in
                var line = verdict.line(width: width)
                if verdict.standing == .untested { line.sentence = nil }
                return line
            }
            + (rest.isEmpty
                ? [] : [Line(told: "not seen: " + rest.joined(separator: ", "), .hint)])
    }
}
