internal import CRequirements

extension Requirement {
    /// What is said of it.
    public var row: RequirementRow {
        guard let row = Self.rows[self] else {
            preconditionFailure("requirements.txt lacks an entry, or has it in another place")
        }
        return row
    }

    /// The entries of requirements.txt, in the order of the cases.
    private static let rows = Dictionary(
        uniqueKeysWithValues: zip(allCases, entries.compactMap(RequirementRow.init)))

    /// The entries, each as the text of its lines. The first one is a comment.
    package static let entries = String(cString: crequirements_text())
        .split(separator: "\n\n").dropFirst().map { String($0) }
}

extension RequirementRow {
    /// Reads an entry of requirements.txt. `nil` if it is not one.
    fileprivate init?(entry: String) {
        var lines = entry.split(separator: "\n").makeIterator()
        guard let words = lines.next()?.split(separator: " "), words.count == 4,
            let source = Source(rawValue: String(words[2])),
            let weight = Weight.allCases.first(where: { $0.word == words[3] })
        else { return nil }
        var texts: [Substring: String] = [:]
        while let line = lines.next() {
            guard let colon = line.firstRange(of: ": ") else { return nil }
            texts[line[..<colon.lowerBound]] = String(line[colon.upperBound...])
        }
        guard let statement = texts["statement"], let demand = texts["demand"],
            let symptom = texts["symptom"], let remedy = texts["remedy"]
        else { return nil }
        self.init(
            number: String(words[1]), source: source, weight: weight, statement: statement,
            demand: demand, symptom: symptom, remedy: remedy,
            testedBy: texts["tested by"] ?? source.usualTest)
    }
}
