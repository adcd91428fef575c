/// Finds the word that was probably meant.
package enum NearestWord {
    /// The word that differs in the fewest letters: in at most a third of them, or in two if it has at least
    /// four.
    package static func of(_ word: String, in words: [String]) -> String? {
        // The comparison is quadratic, and no known word is nearly that long.
        guard word.utf8.count <= 64 else { return nil }
        let candidates = words.map { (word: $0, distance: distance($0.lowercased(), word)) }
        guard let best = candidates.min(by: { $0.distance < $1.distance }),
            best.distance <= max(2, best.word.utf8.count / 3),
            best.distance * 2 <= best.word.utf8.count
        else { return nil }
        return best.word
    }

    /// The number of octets to change, insert or delete (Levenshtein distance).
    private static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.utf8), Array(second.lowercased().utf8))
        var row = Array(0...second.count)
        for (index, octet) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in 0..<second.count {
                let replaced = diagonal + (octet == second[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[second.count]
    }
}

extension [String] {
    /// The words as a sentence lists them: `a, b or c`.
    package var listed: String {
        guard count > 1, let last else { return first ?? "nothing" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}
