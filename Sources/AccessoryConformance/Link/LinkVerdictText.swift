package import JSONText
package import Terminal

/// The verdicts on a link for people: a line for each rule that something was seen of, with what was found below it,
/// and one line for the others. Safe for a terminal.
package struct LinkVerdictText: Sendable {
    private let paint: TerminalPaint

    package init(paint: TerminalPaint) { self.paint = paint }

    /// The lines; none without verdicts.
    package func lines(of verdicts: [LinkVerdict]) -> [String] {
        guard !verdicts.isEmpty else { return [] }
        let seen = verdicts.filter { $0.result != .notSeen }
        let width = (seen.map { $0.rule.statement.count }.max() ?? 0) + 2
        var lines = ["  " + paint("Apple's rules for the link", .bold)]
        for verdict in seen {
            let number =
                verdict.rule.number + String(repeating: " ", count: 4 - verdict.rule.number.count)
            let statement = verdict.rule.statement
            let space = String(repeating: " ", count: width - statement.count)
            lines.append("  \(number)  \(statement)\(space)\(word(of: verdict))")
            lines += (verdict.finding?.lines ?? []).map { "          " + TerminalText.visible($0) }
        }
        let rest = verdicts.filter { $0.result == .notSeen }.map(\.rule.number)
        if !rest.isEmpty {
            lines.append("  " + paint("not seen: " + rest.joined(separator: ", "), .dim))
        }
        return lines
    }

    private func word(of verdict: LinkVerdict) -> String {
        switch verdict.result {
        case .kept: paint("kept", .good)
        case .broken: paint("BROKEN", .bad)
        case .note: "note"
        case .notSeen: paint("not seen", .dim)
        }
    }
}

extension LinkVerdict {
    /// The rule, the result, and what was found.
    package var jsonMembers: [JSONValue.Member] {
        var members: [JSONValue.Member] = [
            .init("rule", .string(rule.number)), .init("statement", .string(rule.statement)),
            .init("result", .string(word)),
        ]
        if let finding {
            members += [
                .init("evidence", .array(finding.evidence.map { .string($0) })),
                .init("asked", .string(finding.demand)),
                .init("remedy", .string(finding.remedy)),
            ]
        }
        return members
    }
}
