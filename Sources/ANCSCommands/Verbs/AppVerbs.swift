internal import ANCS
internal import ANCSKit

extension PhoneVerbs {
    static let appVerbs: [any PhoneVerb.Type] = [Install.self, Uninstall.self]

    struct Install: PlainDeed {
        var app = ""
        var displayName = ""

        static let name = "install"
        static let summary = "An app is installed or renamed."
        static let manual = [#"`{"app": ID, "name": TEXT}`: the app is installed or renamed"#]
        static let shape = Shape<Self>.object(
            "an app with its name",
            [
                Field(
                    // Any identifier, not only that of an app that is there.
                    "app", NotificationContent.app.typed(.text), replacing: \.app,
                    required: "an app identifier"),
                Field(
                    "name", .numberedText("a name"), replacing: \.displayName, required: "a name"),
            ], from: Self())
        static let operands = ["app", "name"]

        var title: String { "install \(app) as \"\(displayName)\"" }

        func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            try await phone.install([app: displayName])
        }
    }

    struct Uninstall: PlainDeed {
        var app: String

        static let name = "uninstall"
        static let summary = "An app is uninstalled."
        static let manual = ["the ID of an app"]
        static let shape = NotificationContent.app.map(Self.init)
        static let placeholder = "APP"

        var title: String { "uninstall \(app)" }

        func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            try await phone.attempt { try await $0.uninstall(try AppIdentifier(app)) }
        }
    }
}
