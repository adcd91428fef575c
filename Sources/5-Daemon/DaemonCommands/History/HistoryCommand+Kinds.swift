internal import ANCSService
package import Kinds

extension HistoryCommand {
    /// The lines of `ancs history`.
    package static let schema = LineSchema(
        "history", "One object per line on standard output.",
        [
            LineKind(
                "", as: "entry", "a stored notification. What is not stored is absent",
                then: HistoryEntry.form),
            LineKind(
                "forgotten", "so many notifications were removed",
                [
                    "count": .count,
                    "complete": .boolean.described("nothing of them is left in the file"),
                ]),
        ])
}
