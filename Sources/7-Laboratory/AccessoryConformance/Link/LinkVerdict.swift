/// The result for one requirement of the link.
package struct LinkVerdict: Hashable, Sendable {
    package var requirement: LinkRequirement
    package var result: Result

    package enum Result: Hashable, Sendable {
        /// It was tested, and followed.
        case kept
        /// It was not followed.
        case broken(Finding)
        /// Only one edition of Apple's numbers says otherwise, or the requirement is not Apple's, or one that
        /// accessories have reasons not to follow.
        case note(Finding)
        /// Nothing happened that tests the requirement.
        case notSeen
    }

    /// What was seen, what is asked, and what helps.
    package struct Finding: Hashable, Sendable {
        /// What was seen, with its numbers, a line each.
        package var evidence: [Evidence]
        /// What the requirement says.
        package var demand: String
        /// What to do.
        package var remedy: String
    }

    /// Whether the requirement was broken.
    package var isBroken: Bool { if case .broken = result { true } else { false } }

    /// What was found, if the requirement was not simply kept.
    package var finding: Finding? {
        switch result {
        case .broken(let finding), .note(let finding): finding
        case .kept, .notSeen: nil
        }
    }
}

extension Scorecard<LinkRequirement> {
    /// All requirements, in their order.
    var verdicts: [LinkVerdict] {
        LinkRequirement.allCases.map { LinkVerdict(requirement: $0, result: result(of: $0)) }
    }

    private func result(of requirement: LinkRequirement) -> LinkVerdict.Result {
        guard let findings = self[requirement] else { return .notSeen }
        let (broken, notes) = (findings.broken, findings.notes)
        guard !broken.isEmpty || !notes.isEmpty else { return .kept }
        let demands = (broken.demands + notes.demands.filter { !broken.demands.contains($0) })
            .joined(separator: "; ")
        let finding = LinkVerdict.Finding(
            evidence: broken.evidence + notes.evidence,
            demand: demands.isEmpty ? requirement.demand : demands + "; it may be rejected",
            remedy: requirement.remedy)
        return broken.isEmpty ? .note(finding) : .broken(finding)
    }
}
