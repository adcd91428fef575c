/// The result for one rule of the link.
package struct LinkVerdict: Hashable, Sendable {
    package var rule: LinkRule
    package var result: Result

    package enum Result: Hashable, Sendable {
        /// It was tested, and followed.
        case kept
        /// It was not followed.
        case broken(Finding)
        /// Only one edition of Apple's numbers says otherwise, or the rule is not Apple's, or one that accessories
        /// have reasons not to follow.
        case note(Finding)
        /// Nothing happened that tests the rule.
        case notSeen
    }

    /// What was seen, what is asked, and what helps.
    package struct Finding: Hashable, Sendable {
        /// What was seen, with its numbers, a line each.
        package var evidence: [Evidence]
        /// What the rule says.
        package var demand: String
        /// What to do.
        package var remedy: String

        /// All of it, a line each.
        package var lines: [String] {
            evidence.map(\.message) + ["asked:  \(demand)", "remedy: \(remedy)"]
        }
    }

    /// Whether the rule was broken.
    package var isBroken: Bool { if case .broken = result { true } else { false } }

    /// What was found, if the rule was not simply kept.
    package var finding: Finding? {
        switch result {
        case .broken(let finding), .note(let finding): finding
        case .kept, .notSeen: nil
        }
    }

    /// The result in a word, as JSON has it.
    package var word: String {
        switch result {
        case .kept: "kept"
        case .broken: "broken"
        case .note: "note"
        case .notSeen: "notSeen"
        }
    }
}

extension Scorecard<LinkRule> {
    /// All rules, in their order.
    var verdicts: [LinkVerdict] {
        LinkRule.allCases.map { LinkVerdict(rule: $0, result: result(of: $0)) }
    }

    private func result(of rule: LinkRule) -> LinkVerdict.Result {
        guard let findings = self[rule] else { return .notSeen }
        let (broken, notes) = (findings.broken, findings.notes)
        guard !broken.isEmpty || !notes.isEmpty else { return .kept }
        let demands = (broken.demands + notes.demands.filter { !broken.demands.contains($0) })
            .joined(separator: "; ")
        let finding = LinkVerdict.Finding(
            evidence: broken.evidence + notes.evidence,
            demand: demands.isEmpty ? rule.demand : demands + "; it may be rejected",
            remedy: rule.remedy)
        return broken.isEmpty ? .note(finding) : .broken(finding)
    }
}
