internal import ANCSService
package import Kinds

/// The result of the rules for a record. The texts of the record may be repeated because the user supplied them.
package struct RulesReport {
    /// The lines of `ancs rules test`.
    package static let schema = LineSchema(
        "rules", "One object per line on standard output: what the rules do with a notification.",
        [LineKind("", "what the rules do with a notification", form)])

    let subject: RuleSubject
    let explanations: [RuleExplanation]
    let evaluation: Evaluation
    /// How much is fetched: until the rules decide or, if the notification is shown, everything.
    let fetched: NotificationFeed.Selection

    init(subject: RuleSubject, rules: RuleSet) {
        self.subject = subject
        explanations = rules.explain(subject, quotingTexts: true)
        (evaluation, fetched) = Self.arrival(of: subject, rules)
    }

    /// Simulates the arrival of a record: attributes are fetched until it is certain that it is muted. What is decided
    /// then counts, whatever the rest would have changed.
    private static func arrival(of subject: RuleSubject, _ rules: RuleSet)
        -> (Evaluation, NotificationFeed.Selection)
    {
        var known = subject
        (known.app, known.appName, known.texts) = (nil, nil, nil)
        (known.code, known.wasSeen) = (nil, nil)
        var knowledge = NotificationFeed.Selection.nothing
        while true {
            let evaluation = rules.evaluate(known)
            switch evaluation {
            case .decided(let verdict) where verdict.isMuted: return (evaluation, knowledge)
            case .decided: return (rules.evaluate(subject), .everything)
            case .undecided(.app, _, _) where knowledge < .app && subject.app != nil:
                known.app = subject.app
                knowledge = .app
            case .undecided(.appName, _, _) where knowledge < .appName && subject.appName != nil:
                (known.app, known.appName) = (subject.app, subject.appName)
                knowledge = .appName
            case .undecided: return (rules.evaluate(subject), .everything)
            }
        }
    }

    // MARK: Text

    /// What happened, and what each rule says of it.
    var line: Line {
        Line(
            "", Self.form.members(of: self), heading, .plain,
            below: foldedTexts.map { .text($0.message) }
                + explanations.map { .text("\($0.rule): \($0.message)") } + [.text(conclusion)])
    }

    /// The texts that are matched in two forms.
    private var foldedTexts: [FoldedText] {
        let texts: [(String, String?)] = [
            ("app-name", subject.appName), ("title", subject.texts?.title),
            ("subtitle", subject.texts?.subtitle), ("message", subject.texts?.message),
        ]
        return texts.compactMap { key, text in
            guard let text, let folded = MatchingFold.folded(text) else { return nil }
            return FoldedText(key: key, text: text, folded: folded)
        }
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
        return (evaluation.isDecided ? "" : "as far as is known: ") + parts.joined(separator: ", ")
    }

    private static func details(of popup: RuleVerdict.Popup) -> String {
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

    /// The object that programs read.
    static let form = ObjectForm<RulesReport>(
        .text("rule", \.evaluation.verdict.rule).orNull, .flag("decided", \.evaluation.isDecided),
        .flag("muted", \.evaluation.verdict.isMuted),
        .flag("shown") { $0.evaluation.verdict.popup != nil },
        .flag("remembered", \.evaluation.verdict.isRemembered),
        .init("mqtt", ["enum": [.null, false, "full", "app", "none"]]) {
            $0.evaluation.verdict.publication?.json ?? .null
        },
        .init("action", ["enum": [.null, "negative"]]) {
            $0.evaluation.verdict.action == nil ? .null : "negative"
        },
        .init("run", .list(of: .texts)) { report in
            .array(
                report.evaluation.verdict.programs.map { program in
                    .array(program.arguments.map { .string($0) })
                })
        },
        .text("fetched", .words(["header", "app", "appName", "everything"]), \.fetched.name),
        .objects("folded", FoldedText.form, \.foldedTexts),
        .objects("rules", RuleExplanation.form, \.explanations))
}

/// A text as it came, and as it is matched too.
private struct FoldedText {
    let key: String
    let text: String
    let folded: String

    static let form = ObjectForm<Self>(
        .text("key", \.key), .text("text", \.text), .text("folded", \.folded))

    var message: String { "\(key) is matched as it came, \"\(spelled)\", and as \"\(folded)\"" }

    /// With what is not seen, or is not what it seems, as `<U+202D>`.
    private var spelled: String {
        let scalars = text.unicodeScalars.map { scalar in
            let isSeen =
                scalar == " "
                || !scalar.properties.isWhitespace
                    && !scalar.properties.isDefaultIgnorableCodePoint
            let number = String(scalar.value, radix: 16, uppercase: true)
            return isSeen
                ? String(scalar)
                : "<U+\(String(repeating: "0", count: max(0, 4 - number.count)))\(number)>"
        }
        return scalars.joined()
    }
}

extension RuleVerdict.Popup.Urgency {
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
    fileprivate static let form = ObjectForm<RuleExplanation>(
        .text("rule", \.rule),
        .text(
            "result", .words(["decides", "continues", "refuses", "open", "notAsked"]), \.result.word
        ),
        .objects("reasons", Mismatch.form, \.result.reasons))

    private var result: (word: String, reasons: [Mismatch]) {
        switch outcome {
        case .decides: ("decides", [])
        case .continues: ("continues", [])
        case .refuses(let reasons): ("refuses", reasons)
        case .open(let reasons): ("open", reasons)
        case .notAsked: ("notAsked", [])
        }
    }
}

extension RuleExplanation.Mismatch {
    fileprivate static let form = ObjectForm<Self>(
        .text("key", \.key), .text("wanted", \.wanted), .text("found", \.found).orNull,
        .flag("limited?") { $0.ranIntoLimit ? true : nil })
}

extension RuleVerdict.Publication {
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
