internal import Terminal

/// The results for all rules.
struct Scorecard: Hashable, Sendable {
    /// The number of findings that are kept for each rule.
    private static let maximumEvidence = 5

    private struct Entry: Hashable {
        var evidence: [Evidence] = []
        var failures = 0
    }

    private var entries: [Requirement: Entry] = [:]
    /// The time of what is being judged, since the start of the run.
    var now = Duration.zero

    /// Records that the rule was tested and followed.
    package mutating func pass(_ rule: Requirement) {
        entries[rule, default: Entry()] = self[rule]
    }

    /// Records that the rule was broken.
    package mutating func fail(_ rule: Requirement, _ message: String) {
        fail(rule, Evidence(message, at: now))
    }

    /// The same, with evidence of an earlier time.
    mutating func fail(_ rule: Requirement, _ evidence: Evidence) {
        var entry = self[rule]
        entry.failures += 1
        if entry.failures <= Self.maximumEvidence { entry.evidence.append(evidence) }
        entries[rule] = entry
    }

    private subscript(rule: Requirement) -> Entry { entries[rule] ?? Entry() }

    /// All rules, in the order of their declaration.
    package var verdicts: [RequirementVerdict] {
        Requirement.allCases.map { rule in
            guard let entry = entries[rule] else {
                return RequirementVerdict(requirement: rule, result: .notExercised)
            }
            guard entry.failures > 0 else {
                return RequirementVerdict(requirement: rule, result: .passed)
            }
            let more = entry.failures - entry.evidence.count
            return RequirementVerdict(
                requirement: rule,
                result: .failed(
                    evidence: entry.evidence
                        + (more > 0 ? [Evidence("and \(counted(more, "time")) more", at: nil)] : [])
                ))
        }
    }
}
