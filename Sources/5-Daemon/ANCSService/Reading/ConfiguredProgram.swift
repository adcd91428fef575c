/// A program in a configuration, and where it stands.
package struct ConfiguredProgram: Equatable, Sendable {
    /// The program and its arguments, at least one word.
    package var words: [String]
    /// The place of each word.
    package var places: [TextPlace]
    /// The rule that runs it; `nil` for that of `copy`.
    package var rule: String?
}
