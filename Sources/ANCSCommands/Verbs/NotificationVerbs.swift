internal import ANCS
internal import ANCSKit

extension PhoneVerbs {
    static let notificationVerbs: [any PhoneVerb.Type] = [Post.self, Modify.self, Remove.self]

    struct Post: PhoneDeed {
        var content: NamedNotification

        static let name = "post"
        static let summary = "A notification appears."
        static let manual = [
            "a notification: `as`, `app`, `category` (default: that of the app), `title`, `subtitle`, "
                + "`message`, `date` (`now`, `none`, or `2026-11-21T09:30:00`), `positive` and `negative` "
                + "(labels; a label makes an action; default: no positive one, and *Clear*), `silent`, "
                + "`important`"
        ]
        static let shape = NamedNotification.shape.map(Self.init)
        static let operands = ["app", "title", "message"]
        static let required = ["app", "title"]

        var title: String { "post \"\(content.name)\"" }
        var notifications: [String] { [content.name] }
        var notificationApp: String? { content.content.app }
        var posted: String? { content.name }

        func perform(
            on phone: OperatedPhone, at accessory: AccessoryID?
        ) async throws(PhoneObstacle) -> NotificationID? {
            try await phone.attempt { try await $0.post(content.content.notification()) }
        }
    }

    struct Modify: PlainDeed {
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
        static let operands = ["of"]

        var title: String { "modify \"\(name)\"" }
        var notifications: [String] { [name] }
        var notificationApp: String? { content.app }

        func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            let id = try await phone.id(of: name)
            try await phone.attempt { provider in
                try await provider.modify(id) { content.apply(to: &$0) }
            }
        }
    }

    struct Remove: PlainDeed {
        var names: [String]

        static let name = "remove"
        static let summary = "Notifications are removed."
        static let manual = ["a NAME, or a list of them"]
        static let shape = Shape<[String]>.references.map(Self.init)
        static let placeholder = "N…|all"

        var title: String { "remove \(names.map { "\"\($0)\"" }.joined(separator: ", "))" }
        var notifications: [String] { names }

        /// Removes all that are there, even if others are not.
        func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            var obstacles: [String] = []
            for name in names {
                do throws(PhoneObstacle) {
                    for id in try await phone.ids(of: name) {
                        try await phone.attempt { try await $0.remove(id) }
                    }
                } catch { obstacles.append(error.reason) }
            }
            guard obstacles.isEmpty else {
                throw PhoneObstacle(reason: obstacles.joined(separator: "; "))
            }
        }
    }
}
