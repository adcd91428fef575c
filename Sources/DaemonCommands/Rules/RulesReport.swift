internal import ANCS
internal import ANCSService
internal import JSONText
internal import Terminal

/// Shows the result of the rules for a record, as text for users or as JSON. The texts of the record may be
/// repeated because the user supplied them.
package struct RulesReport {
    let subject: RuleSubject
    let explanations: [RuleExplanation]
    let evaluation: Evaluation
    /// How much is fetched: until the rules decide or, if the notification is shown, everything.
    let fetched: NotificationFeed.Selection

    init(subject: RuleSubject, rules: RuleSet) {
        self.subject = subject
        explanations = rules.explain(subject, quotingTexts: true)
        evaluation = rules.evaluate(subject)
        fetched = Self.fetched(of: subject, rules)
    }

    /// Simulates the arrival of a record: attributes are fetched until it is certain that it is muted.
    private static func fetched(of subject: RuleSubject, _ rules: RuleSet)
        -> NotificationFeed.Selection
    {
        var known = subject
        (known.app, known.appName, known.texts) = (nil, nil, nil)
        (known.code, known.wasSeen) = (nil, nil)
        var knowledge = NotificationFeed.Selection.nothing
        while true {
            switch rules.evaluate(known) {
            case .decided(let verdict): return verdict.isMuted ? knowledge : .everything
            case .undecided(.app, _, _) where knowledge < .app && subject.app != nil:
                known.app = subject.app
                knowledge = .app
            case .undecided(.appName, _, _) where knowledge < .appName && subject.appName != nil:
                (known.app, known.appName) = (subject.app, subject.appName)
                knowledge = .appName
            case .undecided: return .everything
            }
        }
    }

    // MARK: Text

    var lines: [String] {
        ([heading] + explanations.map { "    \($0.rule): \($0.message)" } + ["    " + conclusion])
            .map { TerminalText.visible($0) }
    }

    private var heading: String {
        [
            subject.event.description, subject.category.description, subject.appName ?? subject.app,
            subject.texts?.title,
        ].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " · ")
    }

    private var conclusion: String {
        let verdict = evaluation.verdict
        var parts: [String] = []
        if verdict.isMuted {
            parts.append("muted")
        } else if let popup = verdict.popup {
            parts.append("shown" + Self.details(of: popup))
        } else {
            parts.append("not shown")
        }
        parts += verdict.programs.map { "runs \($0.arguments.joined(separator: " "))" }
        if !verdict.isRemembered { parts.append("not in the history") }
        if let publication = verdict.publication { parts.append(publication.message) }
        if verdict.action != nil { parts.append("performs the negative action") }
        parts.append(fetching)
        return (evaluation.isDecided ? "" : "as far as is known: ")
            + parts.joined(separator: ", ")
    }

    private static func details(of popup: Verdict.Popup) -> String {
        var details: [String] = []
        if let urgency = popup.urgency { details.append("urgency \(urgency.name)") }
        if let expiry = popup.expiry {
            details.append(expiry == .zero ? "does not expire" : "expires after \(expiry.text)")
        }
        if let icon = popup.icon { details.append("icon \(icon)") }
        if let sound = popup.sound { details.append(sound.isEmpty ? "no sound" : "sound \(sound)") }
        return details.isEmpty ? "" : " (" + details.joined(separator: ", ") + ")"
    }

    private var fetching: String {
        switch fetched {
        case .nothing: "nothing is fetched"
        case .app: "only its app is fetched"
        case .appName: "only its app and the name of the app are fetched"
        case .everything: "its text is fetched"
        }
    }

    // MARK: JSON

    var json: JSONValue {
        let verdict = evaluation.verdict
        return [
            "rule": verdict.rule.map { .string($0) } ?? .null,
            "decided": .boolean(evaluation.isDecided), "muted": .boolean(verdict.isMuted),
            "shown": .boolean(verdict.popup != nil),
            "remembered": .boolean(verdict.isRemembered),
            "mqtt": verdict.publication?.json ?? .null,
            "action": verdict.action == nil ? .null : "negative",
            "run": .array(verdict.programs.map { .array($0.arguments.map { .string($0) }) }),
            "fetched": .string(fetched.name), "rules": .array(explanations.map(\.json)),
        ]
    }
}

extension Verdict.Popup.Urgency {
    fileprivate var name: String {
        switch self {
        case .low: "low"
        case .normal: "normal"
        case .critical: "critical"
        }
    }
}

extension NotificationFeed.Selection {
    fileprivate var name: String {
        switch self {
        case .nothing: "header"
        case .app: "app"
        case .appName: "appName"
        case .everything: "everything"
        }
    }
}

extension RuleExplanation {
    /// `{"rule": …, "result": …, "reasons": […]}`
    fileprivate var json: JSONValue {
        let (result, reasons): (String, [Mismatch]) =
            switch outcome {
            case .decides: ("decides", [])
            case .continues: ("continues", [])
            case .refuses(let reasons): ("refuses", reasons)
            case .open(let reasons): ("open", reasons)
            case .notAsked: ("notAsked", [])
            }
        return [
            "rule": .string(rule), "result": .string(result),
            "reasons": .array(
                reasons.map { reason in
                    [
                        "key": .string(reason.key), "wanted": .string(reason.wanted),
                        "found": reason.found.map { .string($0) } ?? .null,
                    ]
                }),
        ]
    }
}

extension Verdict.Publication {
    /// The part of the record that a broker receives, in words.
    fileprivate var message: String {
        switch self {
        case .none: "not published"
        case .content(.full): "published with its text"
        case .content(.app): "published with its app"
        case .content(.none): "published without its app"
        }
    }

    fileprivate var json: JSONValue {
        switch self {
        case .none: false
        case .content(let content): .string(content.rawValue)
        }
    }
}
