internal import JSONText
package import Terminal

extension LinkVerdict {
    /// The verdicts on a link. For people, a line for each requirement that something was seen of, with what was found
    /// below it, and one line for the others.
    package static func lines(of verdicts: [LinkVerdict], on accessory: String) -> [Line] {
        guard !verdicts.isEmpty else { return [] }
        let seen = verdicts.filter { $0.result != .notSeen }
        let width = (seen.map { $0.requirement.statement.count }.max() ?? 0) + 2
        let rest = verdicts.filter { $0.result == .notSeen }.map(\.requirement.number)
        return [Line(told: "Apple's requirements for the link", .item)]
            + verdicts.map { $0.line(on: accessory, width: width) }
            + (rest.isEmpty
                ? [] : [Line(told: "not seen: " + rest.joined(separator: ", "), .hint)])
    }

    private func line(on accessory: String, width: Int) -> Line {
        let sentence =
            TerminalText.padded(requirement.number, to: 6)
            + TerminalText.padded(requirement.statement, to: width)
        var line = Line(
            "linkRequirement",
            [
                "accessory": .string(accessory), "requirement": .string(requirement.number),
                "statement": .string(requirement.statement), "result": .string(word),
                "evidence": finding.map { .array($0.evidence.map { .string($0.message) }) },
                "asked": finding.map { .string($0.demand) },
                "remedy": finding.map { .string($0.remedy) },
            ], result == .notSeen ? nil : sentence, .item)
        switch result {
        case .kept: line.remark = ("kept", .good)
        case .broken: line.remark = ("BROKEN", .bad)
        case .note: line.remark = ("note", .dim)
        case .notSeen: break
        }
        line.below = (finding?.lines ?? []).map { .text("      " + $0) }
        return line
    }
}
