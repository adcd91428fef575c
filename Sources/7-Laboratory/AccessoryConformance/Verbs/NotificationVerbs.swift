internal import ANCSKit

extension PhoneVerbs {
    static let notificationVerbs: [any PhoneVerb.Type] = [Post.self, Modify.self, Remove.self]

    struct Post: PhoneDeed {
        package var content: NamedNotification

        package static let name = "post"
        package static let shape = NamedNotification.shape.map(Self.init)
        package static let operands = ["app", "title", "message"]
        package static let required = ["app", "title"]

        package var title: String { "post \"\(content.name)\"" }
        package var notifications: [String] { [content.name] }
        var notificationApp: String? { content.content.app }
        package var posted: String? { content.name }

        package func perform(
            on phone: OperatedPhone, at accessory: AccessoryID?
        ) async throws(PhoneObstacle) -> NotificationID? {
            try await phone.attempt { try await $0.post(content.content.notification()) }
        }
    }

    struct Modify: PlainDeed {
        package var name = ""
        package var content = NotificationContent()

        package static let name = "modify"
        package static let shape = Shape<Self>.object(
            "the name of a notification and its new content",
            [Field("of", .reference, replacing: \.name, required: "the name of a notification")]
                + NotificationContent.fields(isNew: false).map { $0.inside(\.content) },
            from: Self()
        ).named("modification", "The notification that changes, and what is new about it.")
        package static let operands = ["of"]

        package var title: String { "modify \"\(name)\"" }
        package var notifications: [String] { [name] }
        var notificationApp: String? { content.app }

        package func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            let id = try await phone.id(of: name)
            try await phone.attempt { provider in
                try await provider.modify(id) { content.apply(to: &$0) }
            }
        }
    }

    struct Remove: PlainDeed {
        package var names: [String]

        package static let name = "remove"
        package static let shape = Shape<[String]>.references.map(Self.init)
        package static let placeholder = "N…|all"

        package var title: String { "remove \(names.map { "\"\($0)\"" }.joined(separator: ", "))" }
        package var notifications: [String] { names }

        /// Removes all that are there, even if others are not.
        package func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
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
