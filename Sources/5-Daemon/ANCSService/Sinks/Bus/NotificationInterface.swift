internal import ANCSReceiver
internal import DBus
internal import JSONText

/// A notification as an object on the bus. Signals and `InterfacesAdded` have only its header; programs
/// request the text.
struct BusNotification: Sendable {
    var record: Record
    var control: any ServiceManagement
}

extension BusInterface<BusNotification> {
    static let notification = BusInterface(
        name: BusNames.notification,
        methods: [
            Method(name: "Content", results: [Argument("content", "a{sv}")]) { object, _ in
                [.options(object.record.content)]
            },
            Method(
                name: "JSON", arguments: [Argument("event", "s")], results: [Argument("line", "s")]
            ) { object, values throws(ServiceError) in
                guard let event = values[0].string.flatMap({ Record.Event(rawValue: $0) }),
                    !event.isOfCall
                else { throw .invalid("the event must be announced, added, modified or removed") }
                return [.string(object.record.json(event: event).text.fitForBus)]
            },
            Method(name: "Perform", arguments: [Argument("action", "s")]) {
                object, values, reply throws(ServiceError) in
                try object.control.perform(values[0].string ?? "", on: object.record.id, reply)
            },
        ],
        properties: [
            Property(name: "Id", type: "s") { .string($0.record.id.description) },
            Property(name: "Phone", type: "o") {
                .objectPath(ObjectPath(phone: $0.record.phone.digest))
            },
            Property(name: "Category", type: "s") {
                .string($0.record.notification.category.description)
            },
            Property(name: "Flags", type: "as") { .strings($0.record.notification.flags.names) },
            Property(name: "Time", type: "x") { .int64($0.record.time.microsecondsSince1970) },
            Property(name: "PreExisting", type: "b") {
                .bool($0.record.notification.isPreExisting)
            },
            Property(name: "Seen", type: "b") { .bool($0.record.notification.wasSeen ?? false) },
            Property(name: "SameAs", type: "s") { .string($0.record.sameAs?.description ?? "") },
            Property(name: "Muted", type: "b") { .bool($0.record.verdict.isMuted) },
            Property(name: "Rule", type: "s") { .string($0.record.verdict.rule ?? "") },
            Property(name: "App", type: "s", isReported: false) {
                .string($0.record.notification.app.identifier.fitForBus)
            },
            Property(name: "AppName", type: "s", isReported: false) {
                .string(($0.record.notification.app.displayName ?? "").fitForBus)
            },
            Property(name: "AppNamePlain", type: "s", isReported: false) {
                .string(($0.record.notification.app.plainName ?? "").fitForBus)
            },
        ])
}

extension ServiceManagement {
    /// Performs the action that a person names.
    func perform(
        _ name: String, on id: RecordID,
        _ reply: @escaping @Sendable (Result<[BusValue], ServiceError>) -> Void
    ) throws(ServiceError) {
        let typed = TypedAction(name)
        let action: ActionID
        if let record = records.first(where: { $0.id == id }) {
            action = try typed.action(of: record)
        } else if let number = typed.number {
            action = number
        } else {
            throw .unknownRecord(id)
        }
        perform(action, on: id) { reply($0.map { [] }) }
    }
}

extension Record {
    /// Whether more than its header is known.
    var isComplete: Bool { !notification.attributes.isEmpty || !isRinging }

    /// Its texts, as far as they are known.
    fileprivate var content: [String: BusValue] {
        let actions = notification.actions
        let texts: [(String, String?)] = [
            ("App", notification.app.identifier), ("AppName", notification.app.displayName),
            ("AppNamePlain", notification.app.plainName), ("Title", notification.title),
            ("Subtitle", notification.subtitle), ("Message", notification.message),
            ("Date", notification.date?.text(at: notification.utcOffset)),
            ("PositiveAction", actions.positive), ("NegativeAction", actions.negative),
            ("Code", code),
        ]
        var content: [String: BusValue] = [:]
        for case (let name, let text?) in texts { content[name] = .string(text.fitForBus) }
        return content
    }
}

extension ObjectPath {
    /// The object path of a phone. A digest is hexadecimal, so it is valid in a path; a name might not be.
    init(phone digest: String) {
        let letters = digest.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        self = ObjectPath("\(BusNames.root)/phone_\(letters)") ?? BusNames.root
    }

    /// The object path of a record.
    init(_ record: RecordID) {
        self = ObjectPath("\(BusNames.root)/notification_\(record)") ?? BusNames.root
    }
}
