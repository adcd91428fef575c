/// The verdicts on one accessory.
public struct AccessoryGrades: Hashable, Sendable {
    /// The name of the accessory in the scenario.
    public var accessory: String
    /// A verdict for each requirement that is graded: of ANCS, and then of the link; in each part the worst first.
    public var verdicts: [RequirementVerdict]

    /// How many requirements were broken, those of the link included.
    public var brokenCount: Int { failed.count }

    /// The requirements that were not met.
    public var failed: [RequirementVerdict] { verdicts.filter { $0.standing == .broken } }

    /// The verdict on a requirement; `nil` if it is not graded.
    public subscript(requirement: Requirement) -> RequirementVerdict? {
        verdicts.first { $0.requirement == requirement }
    }

    var ofANCS: [RequirementVerdict] { verdicts.filter { !$0.requirement.isOfLink } }

    var ofLink: [RequirementVerdict] { verdicts.filter(\.requirement.isOfLink) }
}
