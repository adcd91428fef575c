internal import ANCS

extension ScenarioFault {
    private static let kinds = [
        "late", "lost", "duplicated", "joined", "refused", "unanswered", "reordered", "headerOnly",
        "linkLoss", "droppedSubscriptions",
    ]

    private static let commands: [(String, CommandID)] =
        [CommandID.getNotificationAttributes, .getAppAttributes, .performNotificationAction]
        .map { ($0.description, $0) }

    private static let characteristics: [(String, ProviderSession.Characteristic)] = [
        ("notificationSource", .notificationSource), ("dataSource", .dataSource),
    ]

    /// The fault that an object describes.
    init(reading cursor: DocumentCursor) throws(DocumentError) {
        let object = try cursor.object(
            "a fault",
            allowing: ["fault", "times", "command", "by", "error", "octets", "characteristic"])
        let kind = try object.require("fault", "what goes wrong")
            .word(of: Self.kinds.map { ($0, $0) }, "a fault")
        try Self.refuseStrangers(of: kind, in: object)
        guard kind != "droppedSubscriptions" else {
            let dropped = try object["characteristic"]?.word(
                of: Self.characteristics, "a characteristic")
            self = .droppedSubscriptions(dropped.map { [$0] } ?? Self.characteristics.map(\.1))
            return
        }
        self = .answer(
            AnswerFault(
                try Self.effect(kind, object),
                of: try object["command"]?.word(of: Self.commands, "a command"),
                count: try object["times"]?.integer(in: 1...1000) ?? 1))
    }

    private static func effect(
        _ kind: String, _ object: DocumentObject
    ) throws(DocumentError) -> AnswerFault.Effect {
        switch kind {
        case "late":
            return .delay(try object.require("by", "a number of seconds").seconds())
        case "lost": return .lose
        case "duplicated": return .duplicate
        case "joined": return .joinWithNext
        case "refused":
            return .refuse(
                try object.require("error", "an error")
                    .word(of: ControlPointError.scenarioWords, "an error"))
        case "unanswered": return .ignoreWrite
        case "reordered": return .reorder(.reversed)
        case "headerOnly": return .headerOnly
        default:
            return .dropLink(
                afterOctets: try object["octets"]?.integer(in: 0...65_535) ?? 10)
        }
    }

    /// A member that the fault does not know would be overlooked.
    private static func refuseStrangers(
        of kind: String, in object: DocumentObject
    ) throws(DocumentError) {
        let owners = [
            "by": "late", "error": "refused", "octets": "linkLoss",
            "characteristic": "droppedSubscriptions",
        ]
        for (name, cursor) in object.members {
            if let owner = owners[name], owner != kind {
                throw cursor.error(expected: "nothing: \"\(name)\" belongs to \"\(owner)\"")
            }
            if kind == "droppedSubscriptions", !["fault", "characteristic"].contains(name) {
                throw cursor.error(expected: "nothing: droppedSubscriptions takes no \"\(name)\"")
            }
        }
    }
}
