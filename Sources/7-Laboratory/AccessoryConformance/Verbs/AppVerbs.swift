internal import Kinds
internal import ANCSKit

extension PhoneVerbs {
    static let appVerbs: [any PhoneVerb.Type] = [Install.self, Uninstall.self]

    struct Install: PlainDeed {
        package var app = ""
        package var displayName = ""

        package static let name = "install"
        package static let shape = Shape<Self>.object(
            "an app with its name",
            [
                Field(
                    // Any identifier, not only that of an app that is there.
                    "app", NotificationContent.app.typed(.text), replacing: \.app,
                    required: "an app identifier"),
                Field(
                    "name", .numberedText("a name"), replacing: \.displayName, required: "a name"),
            ], from: Self())
        package static let operands = ["app", "name"]

        package var title: String { "install \(app) as \"\(displayName)\"" }

        package func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            try await phone.install([app: displayName])
        }
    }

    struct Uninstall: PlainDeed {
        package var app: String

        package static let name = "uninstall"
        package static let shape = NotificationContent.app.map(Self.init)
        package static let placeholder = "APP"

        package var title: String { "uninstall \(app)" }

        package func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            try await phone.attempt { try await $0.uninstall(try AppIdentifier(app)) }
        }
    }
}
