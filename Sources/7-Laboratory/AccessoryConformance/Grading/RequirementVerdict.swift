/// The verdicts on one accessory.
public struct AccessoryGrades: Hashable, Sendable {
    /// The name of the accessory in the scenario.
    public var accessory: String
    /// A verdict for each requirement, in the order of ``Requirement``; empty if the use of ANCS is not graded.
    public var verdicts: [RequirementVerdict]
    /// What was seen of its link.
    package var link: [LinkVerdict] = []

    /// How many requirements were broken, those of the link included.
    public var brokenCount: Int { failed.count + link.count(where: \.isBroken) }

    /// The requirements that were not met.
    public var failed: [RequirementVerdict] {
        verdicts.filter { verdict in
            if case .failed = verdict.result { true } else { false }
        }
    }

    /// The verdict on a requirement.
    public subscript(requirement: Requirement) -> RequirementVerdict.Result {
        verdicts.first { $0.requirement == requirement }?.result ?? .notExercised
    }
}

/// The verdict on one requirement.
public struct RequirementVerdict: Hashable, Sendable {
    /// What was checked. Its ``Requirement/remedy`` says what to change if it was not met.
    public var requirement: Requirement
    /// What came of it.
    public var result: Result

    /// What a run showed of a requirement.
    public enum Result: Hashable, Sendable {
        /// The accessory did what is required.
        case passed
        /// It did not. Each piece of evidence says when it was seen, or how often and when first; after the fifth, the
        /// others are counted.
        case failed(evidence: [Evidence])
        /// It may not have done it: what was seen can be explained otherwise.
        case note(evidence: [Evidence])
        /// Nothing happened in the run that tests the requirement.
        case notExercised
    }
}

extension Scorecard<Requirement> {
    /// All requirements, in the order of their declaration.
    var verdicts: [RequirementVerdict] {
        Requirement.allCases.map { requirement in
            guard let findings = self[requirement] else {
                return RequirementVerdict(requirement: requirement, result: .notExercised)
            }
            let (broken, notes) = (findings.broken.evidence, findings.notes.evidence)
            let result: RequirementVerdict.Result =
                notes.isEmpty ? .passed : .note(evidence: notes)
            return RequirementVerdict(
                requirement: requirement,
                result: broken.isEmpty ? result : .failed(evidence: broken))
        }
    }
}
