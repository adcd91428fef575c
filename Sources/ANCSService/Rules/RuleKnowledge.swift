/// How much has to be known of a record.
package enum RuleKnowledge: Int, Hashable, Comparable, Sendable {
    /// What the phone announces.
    case header
    /// The identifier of the app too.
    case app
    /// The name of the app too.
    case appName
    /// Its texts too, and what follows from them.
    case everything

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
