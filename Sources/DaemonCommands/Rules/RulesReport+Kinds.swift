internal import CommandKit
internal import JSONText
package import Values

extension RulesReport {
    /// The lines of `ancs rules test`.
    package static let schema = LineSchema(
        "rules",
        "One object per line on standard output: what the rules do with a notification.",
        [
            LineKind(
                "", "what the rules do with a notification",
                [
                    "rule": SchemaFragment.text.orNull, "decided": .boolean, "muted": .boolean,
                    "shown": .boolean, "remembered": .boolean,
                    "mqtt": ["enum": [.null, false, "full", "app", "none"]],
                    "action": ["enum": [.null, "negative"]], "run": .list(of: .texts),
                    "fetched": .words(["header", "app", "appName", "everything"]),
                    "rules": .list(
                        of: .object([
                            "rule": .text,
                            "result": .words([
                                "decides", "continues", "refuses", "open", "notAsked",
                            ]),
                            "reasons": .list(
                                of: .object([
                                    "key": .text, "wanted": .text,
                                    "found": SchemaFragment.text.orNull,
                                ])),
                        ])),
                ])
        ])
}
