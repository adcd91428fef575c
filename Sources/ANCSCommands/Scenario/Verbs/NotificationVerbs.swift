internal import ANCS
internal import ANCSKit

extension ScenarioVerbs {
    static let notificationVerbs: [any ScenarioVerb.Type] = [Post.self, Modify.self, Remove.self]

    struct Post: ScenarioDeed {
        var content: NamedNotification

        static let name = "post"
        static let summary = "A notification appears."
        static let manual = [
            "a notification: `as`, `app`, `category`, `title`, `subtitle`, `message`, `date` (`now`, "
                + "`none`, or `2026-11-21T09:30:00`), `positive` and `negative` (labels; a label makes "
                + "an action), `silent`, `important`"
        ]
        static let shape = NamedNotification.shape.map(Self.init)

        var title: String { "post \"\(content.name)\"" }
        var notification: String? { content.name }
        var notificationApp: String? { content.content.app }
        var posted: String? { content.name }

        func perform(
            on phone: ScenarioPhone, at accessory: AccessoryID?
        ) async throws(ScenarioObstacle) -> NotificationID? {
            try await phone.post(content.content)
        }
    }

    struct Modify: ScenarioDeed {
        var name = ""
        var content = NotificationContent()

        static let name = "modify"
        static let summary = "A notification changes."
        static let manual = [#"`{"of": NAME, ...}` with what changes"#]
        static let shape = Shape<Self>.object(
            "the name of a notification and its new content",
            [Field("of", .reference, replacing: \.name, required: "the name of a notification")]
                + NotificationContent.fields(isNew: false).map { $0.inside(\.content) },
            from: Self()
        ).named("modification", "The notification that changes, and what is new about it.")

        var title: String { "modify \"\(name)\"" }
        var notification: String? { name }
        var notificationApp: String? { content.app }

        func perform(
            on phone: ScenarioPhone, at accessory: AccessoryID?
        ) async throws(ScenarioObstacle) -> NotificationID? {
            let id = try phone.id(of: name)
            try await phone.attempt { provider in
                try await provider.modify(id) { content.apply(to: &$0) }
            }
            return nil
        }
    }

    struct Remove: ScenarioDeed {
        var name: String

        static let name = "remove"
        static let summary = "A notification is removed."
        static let manual = ["a NAME"]
        static let shape = Shape<String>.reference.map(Self.init)

        var title: String { "remove \"\(name)\"" }
        var notification: String? { name }

        func perform(
            on phone: ScenarioPhone, at accessory: AccessoryID?
        ) async throws(ScenarioObstacle) -> NotificationID? {
            let id = try phone.id(of: name)
            try await phone.attempt { provider in try await provider.remove(id) }
            return nil
        }
    }
}
