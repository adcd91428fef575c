/// How much of a record is known.
package enum RuleKnowledge: Int, Equatable, Comparable, Sendable {
    /// The announcement of the phone.
    case header
    /// Also the identifier of the app.
    case app
    /// Also the name of the app.
    case appName
    /// Also its texts, and what is derived from them.
    case everything

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
