package import Printing

/// The verdict on one requirement: of the use of ANCS, or of the link.
public struct RequirementVerdict: Hashable, Sendable {
    /// What a run showed of a requirement. Its raw value is the one word that every report has for it.
    public enum Standing: String, CaseIterable, Hashable, Sendable {
        /// The accessory did not do what is required.
        case broken
        /// It did not, which breaks nothing: only one edition of Apple's numbers says otherwise, the requirement is
        /// not Apple's, or it is one that accessories have reasons not to follow.
        case note
        /// It did what is required.
        case kept
        /// Nothing happened in the run that tests the requirement.
        case untested

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
    public var accessory: String
    /// What was checked. Its ``Requirement/row`` says what to change if it was not met.
    public var requirement: Requirement
    /// What came of it.
    public var standing: Standing
    /// What was seen of a requirement that was not met. Each piece says when, or how often and when first; after the
    /// fifth, the others are counted.
    public var evidence: [Evidence] = []
    /// What the requirement demands, with who says so.
    public var demand: String

    /// Whether the requirement was not met.
    package var isFinding: Bool { standing == .broken || standing == .note }

    /// What was seen, what is asked, what the wearer sees, and what helps, a line each; nothing if it was met.
    var details: [String] {
        guard isFinding else { return [] }
        return evidence.map(\.message) + [
            "asked:  " + demand, "wearer: " + requirement.row.symptom,
            "remedy: " + requirement.remedy,
        ]
    }
}

extension Scorecard {
    /// The verdicts on these requirements: what was broken first, by its weight, and then in the order of declaration.
    func verdicts(on requirements: [Requirement], of accessory: String) -> [RequirementVerdict] {
        requirements.map { verdict(on: $0, of: accessory) }.worstFirst
    }

    private func verdict(on requirement: Requirement, of accessory: String) -> RequirementVerdict {
        let row = requirement.row
        let findings = self[requirement]
        let (broken, notes) = (findings?.broken ?? Sightings(), findings?.notes ?? Sightings())
        let demands = broken.demands + notes.demands.filter { !broken.demands.contains($0) }
        let standing: RequirementVerdict.Standing =
            findings == nil ? .untested : !broken.isEmpty ? .broken : !notes.isEmpty ? .note : .kept
        return RequirementVerdict(
            accessory: accessory, requirement: requirement, standing: standing,
            evidence: broken.evidence + notes.evidence,
            demand: demands.isEmpty
                ? "\(row.demand) (\(row.source.message))"
                : demands.joined(separator: "; ") + "; it may be rejected")
    }
}

extension [RequirementVerdict] {
    /// Those that are broken first, by their weight, then notes, what was kept, and what nothing tested.
    package var worstFirst: Self {
        RequirementVerdict.Standing.allCases.flatMap { standing in
            let some = filter { $0.standing == standing }
            guard standing == .broken || standing == .note else { return some }
            return RequirementRow.Weight.allCases.reversed().flatMap { weight in
                some.filter { $0.requirement.row.weight == weight }
            }
        }
    }
}
