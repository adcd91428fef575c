internal import Kinds
package import ANCS
internal import ANCSKit

extension Expectation {
    private static let kinds: [(name: String, shape: Shape<Expectation>)] = [
        ("command", CommandPattern.shape.map { .command($0) }), ("action", actionShape),
        ("no", absenceShape), ("subscribed", subscription("subscribed", true)),
        ("unsubscribed", subscription("unsubscribed", false)), ("bound", binding("bound", true)),
        ("unbound", binding("unbound", false)), ("read", readingShape),
        ("parameters", parametersShape), ("media", mediaShape), ("registered", registrationShape),
    ]

    /// What an accessory is expected to do, or not to do.
    package static let shape = Shape<Expectation>(.oneOf(kinds.map(\.shape.schema))) {
        cursor, reader throws(DocumentError) -> Expectation in
        let all = try cursor.members("what is expected")
        let found = kinds.filter { kind in all.contains { $0.name == kind.name } }
        guard found.count == 1, let kind = found.first else {
            let (words, names) = (all.map(\.name), kinds.map(\.name))
            throw DocumentError(
                path: cursor.path, expected: "one of \(names.listed)",
                found: words.isEmpty ? "nothing" : words.listed,
                suggestion: words.lazy.compactMap { NearestWord.of($0, in: names) }.first,
                number: cursor.number)
        }
        return try kind.shape.read(cursor, &reader)
    }.named("expectation")

    private struct ActionPattern {
        var action: ActionID?
        var notification: String?
    }

    private static let actions: [(String, ActionID?)] = [
        ("positive", .positive), ("negative", .negative), ("any", nil),
    ]

    private static let actionFields: [Field<ActionPattern>] = [
        Field(
            "action", .word(of: actions, "an action"), replacing: \.action, required: "an action"),
        Field("of", .reference, into: \.notification),
    ]

    private static let actionShape = Shape<ActionPattern>.object(
        "an action", actionFields, from: ActionPattern()
    ).described("An action is performed.").map {
        Expectation.action($0.action, of: $0.notification)
    }

    private struct AbsencePattern {
        var absence = Absence.command
        var about: String?
        var duration = Duration.zero
    }

    private static let absenceFields: [Field<AbsencePattern>] = [
        Field(
            "no", .word("what does not happen"), replacing: \.absence,
            required: "what does not happen"),
        Field("of", .reference, into: \.about).allowed(
            where: { $0.absence == .command || $0.absence == .action },
            otherwise: "no notification: only commands and actions are about one"),
        Field("app", .boundApp, into: \.about).allowed(
            where: { $0.absence == .binding }, otherwise: "no app: only bindings are about one"),
        Field("for", .seconds, replacing: \.duration, required: "a number of seconds"),
    ]

    private static let absenceDependencies: JSONValue = [
        "of": ["properties": ["no": ["enum": ["command", "action"]]]],
        "app": ["properties": ["no": ["const": "binding"]]],
    ]

    private static let absenceShape = Shape<AbsencePattern>.object(
        "what does not happen", absenceFields, from: AbsencePattern()
    ).described(
        "Something does not happen for this many seconds.",
        adding: [.init("dependentSchemas", absenceDependencies)]
    ).map { Expectation.absence(of: $0.absence, about: $0.about, for: $0.duration) }

    private static func subscription(_ name: String, _ isSubscribed: Bool) -> Shape<Expectation> {
        form(
            "a subscription", name, SubscribedCharacteristic.shape, "a characteristic",
            from: .notificationSource,
            "There is \(isSubscribed ? "a" : "no") subscription to a characteristic."
        ) { .subscription($0, isSubscribed) }
    }

    /// What is expected, with one member.
    private static func form<Value: Sendable>(
        _ what: String, _ member: String, _ shape: Shape<Value>, _ required: String,
        from start: Value, _ description: String,
        _ expectation: @escaping @Sendable (Value) -> Expectation
    ) -> Shape<Expectation> {
        let field = Field<Value>(member, shape, replacing: \.self, required: required)
        return Shape.object(what, [field], from: start).described(description).map(expectation)
    }

    private static let readingShape: Shape<Expectation> = {
        let words =
            PhoneAttribute.allCases.map { ($0.rawValue, Expectation.read($0)) }
            + MediaAttribute.named.map { ($0.description, .mediaRead($0)) }
        return form(
            "a reading", "read", .word(of: words, "a value").named("value"), "a value",
            from: .read(.batteryLevel), "A value of the phone's battery, clock or media is read."
        ) { $0 }
    }()

    private static let mediaShape: Shape<Expectation> = {
        let any: [(String, RemoteCommandID?)] = [("any", nil)]
        let words = RemoteCommandID.scenarioWords.map { ($0.0, Optional($0.1)) } + any
        return form(
            "a remote command", "media", .word(of: words, "a command"), "a command", from: nil,
            "A command for the player arrives."
        ) { .remoteCommand($0) }
    }()

    private static let registrationShape: Shape<Expectation> = {
        let words = MediaAttribute.named.map { ($0.description, $0) }
        return form(
            "a registration", "registered", .word(of: words, "an attribute"), "an attribute",
            from: .title, "There is a registration for an attribute of the media."
        ) { .registration($0) }
    }()

    private static let parametersShape: Shape<Expectation> = {
        let answers: [(String, ParameterAnswer?)] = [
            ("accepted", .accept), ("refused", .refuse), ("any", nil),
        ]
        return form(
            "a request", "parameters", .word(of: answers, "an answer"), "an answer", from: nil,
            "Connection parameters are requested, with this answer."
        ) { .parameters($0) }
    }()

    private static func binding(_ name: String, _ isBound: Bool) -> Shape<Expectation> {
        let bound =
            "An app of the phone is bound, and its accessory is connected. If the step has accessory, "
            + "it must be that one."
        return form(
            "a binding", name, .boundApp, "an app", from: "",
            isBound ? bound : "An app of the phone is bound to no accessory."
        ) { .binding(app: $0, isBound) }
    }
}

extension SubscribedCharacteristic {
    fileprivate static let shape = Shape<Self>.word("a characteristic").named("characteristic")
}

extension CommandPattern {
    /// A pattern for commands.
    fileprivate static let shape = Shape<CommandPattern>.object(
        "a command", fields, from: CommandPattern()
    ).described(
        "A command arrives. It counts once, and only if it arrived after the phone's last step about it.",
        adding: [.init("dependentSchemas", dependencies)])

    private static let fields: [Field<CommandPattern>] = [
        Field("command", commandOrAny, replacing: \.command, required: "a command"),
        Field("of", .reference, into: \.notification),
        Field(
            "app", .numberedName("an app identifier"), into: \.app,
            "The app identifier in getAppAttributes."
        ).allowed(
            where: { $0.command == nil || $0.command == .getAppAttributes },
            otherwise: "no app: only getAppAttributes is about one"),
        Field(
            "attributes", .list("a list of attributes", of: attribute), replacing: \.attributes,
            "Attributes that getNotificationAttributes must request; it may request more."
        ).allowed(
            where: { $0.command == .getNotificationAttributes },
            otherwise: "no attributes: only getNotificationAttributes names them"),
        Field("answer", answer, into: \.outcome, "How the phone answered it."),
    ]

    private static let dependencies: JSONValue = [
        "app": ["properties": ["command": ["enum": ["getAppAttributes", "any"]]]],
        "attributes": ["properties": ["command": ["const": "getNotificationAttributes"]]],
    ]

    private static let commandOrAny: Shape<CommandID?> = {
        let words: [(String, CommandID?)] = CommandID.scenarioWords.map { ($0.0, $0.1) }
        let reading = Shape<CommandID?>.word(of: words + [("any", nil)], "a command")
        return Shape(.oneOf([CommandID.shape.schema, .constant("any")]), read: reading.read)
    }()

    private static let attribute: Shape<NotificationAttributeID> = {
        let ids = (UInt8(0)...7).map { NotificationAttributeID(rawValue: $0) }
        return Shape.word(of: ids.map { ($0.description, $0) }, "an attribute").named("attribute")
    }()

    private static let answer: Shape<Outcome> = {
        let refusals = ControlPointError.scenarioWords.map { ($0.0, Outcome.refused($0.1)) }
        let reading = Shape<Outcome>.word(of: [("success", .success)] + refusals, "an answer")
        return Shape(
            .oneOf([.constant("success"), ControlPointError.shape.schema]), read: reading.read)
    }()
}

extension Shape where Value == String {
    /// The name of an app with a binding.
    static var boundApp: Self {
        let schema: SchemaFragment = ["type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"]
        return Self(
            Kind("the name of an app: letters, digits and . - _", schema) { value in
                value.string.flatMap { BoundApp.isName($0) ? $0 : nil }
            }
        ).typed(.known(.boundApps)).named(
            "bindingApp", "The name of an app on the phone that binds an accessory.")
    }
}

extension RemoteCommandID {
    fileprivate static let scenarioWords: [(String, RemoteCommandID)] = (UInt8(0)...13).map {
        number in
        let command = RemoteCommandID(rawValue: number)
        return (command.description, command)
    }
}

extension Shape where Value == RemoteCommandID {
    /// A command for the player, by its name.
    static let mediaCommand = Self.word(of: RemoteCommandID.scenarioWords, "a command").named(
        "mediaCommand")
}

extension CommandID {
    fileprivate static let scenarioWords: [(String, CommandID)] =
        [CommandID.getNotificationAttributes, .getAppAttributes, .performNotificationAction]
        .map { ($0.description, $0) }

    /// A command by its name.
    package static let shape = Shape<Self>.word(of: scenarioWords, "a command").named("command")
}

extension ControlPointError {
    /// The errors that a scenario can name.
    static let scenarioWords: [(String, ControlPointError)] = [
        ControlPointError.writeNotPermitted, .insufficientAuthentication,
        .insufficientAuthorization, .insufficientEncryption, .unknownCommand, .invalidCommand,
        .invalidParameter, .actionFailed,
    ].map { ($0.description, $0) }

    /// An error by its name.
    package static let shape = Shape<Self>.word(of: scenarioWords, "an error").named(
        "error", "An ATT error code: 0x03, 0x05, 0x08, 0x0F, 0xA0, 0xA1, 0xA2, 0xA3.")
}
