internal import CRequirements

extension PhoneVerb {
    package static var summary: String { words("summary: ").joined() }
    package static var manual: [String] { words("manual: ") }

    private static func words(_ member: String) -> [String] {
        VerbWords.entries[name, default: []].filter { $0.hasPrefix(member) }
            .map { String($0.dropFirst(member.count)) }
    }
}

/// What is said of each verb.
private enum VerbWords {
    /// The entries of verbs.txt by the names of the verbs, each as its lines. The first one is a comment.
    static let entries = Dictionary(
        uniqueKeysWithValues: String(cString: crequirements_verbs()).split(separator: "\n\n")
            .dropFirst().map { $0.split(separator: "\n") }.map { (String($0[0]), $0) })
}
