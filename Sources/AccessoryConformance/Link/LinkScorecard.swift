internal import Terminal

/// The findings about all rules.
struct LinkScorecard: Hashable, Sendable {
    /// How many different findings are kept for each rule.
    private static let maximumEvidence = 5

    /// Something that was seen, at least once.
    private struct Sight: Hashable {
        var text: String
        /// Since the start of what is judged.
        var first: Duration
        var count = 1

        /// `… (at 0.4 s)`
        var line: String {
            text
                + (count == 1
                    ? " (at \(first.text))" : " (\(count) times, first at \(first.text))")
        }
    }

    private struct Entry: Hashable {
        var broken: [Sight] = []
        var notes: [Sight] = []
        /// What the rule says, in the words of the editions that are concerned.
        var demands: [String] = []
    }

    private var entries: [LinkRule: Entry] = [:]

    /// Records that the rule was tested and followed.
    mutating func keep(_ rule: LinkRule) { entries[rule] = entries[rule] ?? Entry() }

    /// Records that the rule was broken, or `asNote` that it was not followed.
    mutating func find(
        _ rule: LinkRule, _ text: String, asNote: Bool = false, demand: String? = nil,
        at time: Duration
    ) {
        var entry = entries[rule] ?? Entry()
        if asNote {
            Self.add(text, at: time, to: &entry.notes)
        } else {
            Self.add(text, at: time, to: &entry.broken)
        }
        if let demand, !entry.demands.contains(demand), entry.demands.count < Self.maximumEvidence {
            entry.demands.append(demand)
        }
        entries[rule] = entry
    }

    private static func add(_ text: String, at time: Duration, to sights: inout [Sight]) {
        if let index = sights.firstIndex(where: { $0.text == text }) {
            sights[index].count += 1
        } else if sights.count < maximumEvidence {
            sights.append(Sight(text: text, first: time))
        }
    }

    /// All rules, in their order.
    var verdicts: [LinkVerdict] {
        LinkRule.allCases.map { LinkVerdict(rule: $0, result: result(of: $0)) }
    }

    private func result(of rule: LinkRule) -> LinkVerdict.Result {
        guard let entry = entries[rule] else { return .notSeen }
        guard !entry.broken.isEmpty || !entry.notes.isEmpty else { return .kept }
        let finding = LinkVerdict.Finding(
            evidence: (entry.broken + entry.notes).map { Evidence($0.line, at: $0.first) },
            demand: entry.demands.isEmpty
                ? rule.demand : entry.demands.joined(separator: "; ") + "; it may be rejected",
            remedy: rule.remedy)
        return entry.broken.isEmpty ? .note(finding) : .broken(finding)
    }
}
