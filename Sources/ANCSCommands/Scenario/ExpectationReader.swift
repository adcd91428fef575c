internal import ANCS

/// Reads what a scenario expects.
struct ExpectationReader {
    /// The notifications that steps may name.
    let names: [String: Bool]
    let round: Int?

    private static let kinds = [
        "command", "action", "no", "subscribed", "unsubscribed", "bound", "unbound",
    ]

    func read(_ cursor: DocumentCursor) throws(DocumentError) -> Expectation {
        let all = try cursor.members("what is expected")
        let found = all.filter { Self.kinds.contains($0.name) }
        guard found.count == 1, let kind = found.first else {
            let words = all.map(\.name)
            throw DocumentError(
                path: cursor.path, expected: "one of \(DocumentCursor.list(Self.kinds))",
                found: words.isEmpty ? "nothing" : DocumentCursor.list(words),
                suggestion: words.lazy.compactMap { NearestWord.of($0, in: Self.kinds) }.first)
        }
        switch kind.name {
        case "command": return .command(try command(cursor))
        case "action": return try action(cursor)
        case "no": return try absence(cursor)
        case "bound", "unbound":
            _ = try cursor.object("a binding", allowing: [kind.name])
            return .binding(app: try Self.app(kind.cursor), kind.name == "bound")
        default:
            _ = try cursor.object("a subscription", allowing: [kind.name])
            let characteristic: SubscribedCharacteristic = try kind.cursor.word(
                of: StepReader.words(), "a characteristic")
            return .subscription(characteristic, kind.name == "subscribed")
        }
    }

    /// The name of a notification that an earlier step made.
    func reference(_ cursor: DocumentCursor) throws(DocumentError) -> String {
        let name = try cursor.name("the name of a notification").numbered(round)
        guard names[name] != nil else {
            throw cursor.error(
                expected: "the name of a notification that was posted before",
                suggestion: NearestWord.of(name, in: names.keys.sorted()))
        }
        return name
    }

    /// The name of an app that binds accessories.
    static func app(_ cursor: DocumentCursor) throws(DocumentError) -> String {
        let what = "the name of an app: letters, digits and . - _"
        let name = try cursor.string(what)
        guard BoundApp.isName(name) else { throw cursor.error(expected: what) }
        return name
    }

    // MARK: Kinds

    private static let commands: [(String, CommandID?)] =
        [CommandID.getNotificationAttributes, .getAppAttributes, .performNotificationAction]
        .map { ($0.description, $0) } + [("any", nil)]

    private static let actions: [(String, ActionID?)] = [
        ("positive", .positive), ("negative", .negative), ("any", nil),
    ]

    private static let attributes: [(String, NotificationAttributeID)] = (0...7).map {
        (value: UInt8) in
        let id = NotificationAttributeID(rawValue: value)
        return (id.description, id)
    }

    private static let outcomes: [(String, CommandPattern.Outcome)] =
        [("success", .success)]
        + ControlPointError.scenarioWords.map { ($0.0, .refused($0.1)) }

    private func command(_ cursor: DocumentCursor) throws(DocumentError) -> CommandPattern {
        let object = try cursor.object(
            "a command", allowing: ["command", "of", "app", "attributes", "answer"])
        var pattern = CommandPattern()
        pattern.command = try object["command"]?.word(of: Self.commands, "a command") ?? nil
        if let name = object["of"] { pattern.notification = try reference(name) }
        if let app = object["app"] {
            guard pattern.command == nil || pattern.command == .getAppAttributes else {
                throw app.error(expected: "no app: only getAppAttributes is about one")
            }
            pattern.app = try app.name("an app identifier").numbered(round)
        }
        if let attributes = object["attributes"] {
            guard pattern.command == .getNotificationAttributes else {
                throw attributes.error(
                    expected: "no attributes: only getNotificationAttributes names them")
            }
            for attribute in try attributes.elements("a list of attributes") {
                pattern.attributes.append(
                    try attribute.word(of: Self.attributes, "an attribute"))
            }
        }
        pattern.outcome = try object["answer"]?.word(of: Self.outcomes, "an answer")
        return pattern
    }

    private func action(_ cursor: DocumentCursor) throws(DocumentError) -> Expectation {
        let object = try cursor.object("an action", allowing: ["action", "of"])
        let action = try object["action"]?.word(of: Self.actions, "an action") ?? nil
        var name: String?
        if let notification = object["of"] { name = try reference(notification) }
        return .action(action, of: name)
    }

    private func absence(_ cursor: DocumentCursor) throws(DocumentError) -> Expectation {
        let object = try cursor.object(
            "what does not happen", allowing: ["no", "of", "app", "for"])
        let kind: Absence = try object.require("no", "what does not happen")
            .word(of: StepReader.words(), "what does not happen")
        var name: String?
        if let notification = object["of"] {
            guard kind == .command || kind == .action else {
                throw notification.error(
                    expected: "no notification: only commands and actions are about one")
            }
            name = try reference(notification)
        }
        if let app = object["app"] {
            guard kind == .binding else {
                throw app.error(expected: "no app: only bindings are about one")
            }
            name = try Self.app(app)
        }
        let duration = try object.require("for", "a number of seconds").seconds()
        return .absence(of: kind, about: name, for: duration)
    }
}

extension ControlPointError {
    /// The errors that a scenario can name.
    static let scenarioWords: [(String, ControlPointError)] = [
        ControlPointError.writeNotPermitted, .insufficientAuthentication,
        .insufficientAuthorization, .insufficientEncryption, .unknownCommand, .invalidCommand,
        .invalidParameter, .actionFailed,
    ].map { ($0.description, $0) }
}
