package import Kinds
internal import ANCS

extension NamedNotification {
    /// A new notification.
    package static let shape = Shape<Self>.object(
        "a notification",
        [name(isCall: false)]
            + NotificationContent.fields(isNew: true).map { $0.inside(\.content) },
        from: NamedNotification()
    ).named(
        "notification",
        "A notification with a name for later steps. In a repetition, {n} in texts is the number of "
            + "the round.")

    /// An incoming call.
    static let callShape = Shape<Self>.object("a call", callFields, from: NamedNotification())
        .named("call", "An incoming call with the actions Answer and Decline.")

    private static let callFields: [Field<NamedNotification>] = [
        name(isCall: true),
        Field(
            "from", .numberedText("a caller"), into: \.content.title,
            default: .string(NotificationContent.usualCaller),
            "The caller: the title of the notification."),
        Field(
            "line", .numberedText("a line"), into: \.content.subtitle,
            "The line, such as mobile: the subtitle."),
    ]

    private static func name(isCall: Bool) -> Field<NamedNotification> {
        Field(
            "as", .newName(isCall: isCall), replacing: \.name,
            required: "a name for steps to refer to it")
    }
}

extension NotificationContent {
    /// The members of a notification; a new one has additional ones.
    package static func fields(isNew: Bool) -> [Field<NotificationContent>] {
        [
            Field("app", app, into: \.app),
            Field(
                "category", categoryShape, into: \.category,
                isNew ? "By default, that of the app; social for an app that no iPhone has." : nil),
            Field("title", .numberedText(), into: \.title),
            Field("subtitle", .numberedText(), into: \.subtitle),
            Field("message", .numberedText(), into: \.message),
            Field("date", date, into: \.date, default: isNew ? "now" : nil),
            Field("positive", label, into: \.positive),
            Field("negative", label, into: \.negative, default: isNew ? "Clear" : nil),
            Field("silent", .boolean, into: \.isSilent, "The flag Silent."),
            Field("important", .boolean, into: \.isImportant, "The flag Important."),
        ]
    }

    package static let app: Shape<String> = {
        let schema: SchemaFragment = [
            "type": "string", "minLength": 1, "maxLength": 509, "pattern": #"^[^\u0000]*$"#,
            "default": .string(usualApp),
        ]
        let reading = Shape<String>.numberedName("an app identifier")
        return Shape<String>(schema) { cursor, reader throws(DocumentError) -> String in
            let identifier = try reading.read(cursor, &reader)
            guard (try? AppIdentifier(identifier)) != nil else {
                throw cursor.error(expected: DocumentCursor.appIdentifier)
            }
            return identifier
        }.typed(.known(.installedApps)).named("app", "An app identifier.")
    }()

    private static let label = Shape<String>.numberedText("a label").named(
        "label",
        "The label of the action; a label makes an action. An empty one removes " + "the action.")

    static let categoryShape: Shape<CategoryID> = {
        let names = Shape<CategoryID>.word(of: categories, "a number from 0 to 255 or a category")
        return Shape<CategoryID>(.oneOf([names.schema, .integer(in: 0...255)])) {
            cursor, reader throws(DocumentError) -> CategoryID in
            if let number = cursor.value.integer, let octet = UInt8(exactly: number) {
                return CategoryID(rawValue: octet)
            }
            return try names.read(cursor, &reader)
        }.named(
            "category",
            "A category by its name, or by its number from 0 to 255. activeCall is 12, which is "
                + "reserved, but in use.")
    }()

    private static let categories: [(String, CategoryID)] = (0...12).map { (value: UInt8) in
        let id = CategoryID(rawValue: value)
        return (id.description, id)
    }

    private static let date: Shape<DateChoice> = {
        let what = "\"now\", \"none\" or a date such as \"2026-11-21T09:30:00\""
        return Shape(
            Kind(what, .oneOf([.words(["now", "none"]), .date])) { value -> DateChoice? in
                switch value.string {
                case "now"?: .now
                case "none"?: DateChoice.none
                case let text: text.flatMap(NotificationDate.init(scenarioText:)).map { .at($0) }
                }
            }
        ).named(
            "date", "In the phone's time; now is the time of posting, none leaves the date empty.")
    }()
}

extension SchemaFragment {
    /// A date and a time of day.
    package static let date: SchemaFragment = [
        "type": "string",
        "pattern": .string(
            "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3])"
                + ":[0-5][0-9]:([0-5][0-9]|60)$"),
    ]
}

extension NotificationDate {
    /// A date as scenarios write it: `2026-11-21T09:30:00`.
    package init?(scenarioText text: String) {
        let octets = Array(text.utf8)
        let marks: [Int: UInt8] = [
            4: UInt8(ascii: "-"), 7: UInt8(ascii: "-"), 13: UInt8(ascii: ":"),
            16: UInt8(ascii: ":"),
        ]
        guard octets.count == 19, marks.allSatisfy({ octets[$0.key] == $0.value }) else {
            return nil
        }
        // The remaining characters have the form used over the air (R34).
        let wire = octets.enumerated().filter { marks[$0.offset] == nil }.map(\.element)
        self.init(wire)
    }
}
