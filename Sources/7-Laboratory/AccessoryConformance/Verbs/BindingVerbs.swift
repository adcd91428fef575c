internal import Kinds
internal import ANCSKit

extension PhoneVerbs {
    static let bindingVerbs: [any PhoneVerb.Type] = [Bind.self, Unbind.self]

    /// An app binds an accessory with a service.
    struct Bind: PlainDeed {
        package var service: Boxed<BluetoothUUID>
        package var app: String

        package static let name = "bind"
        package static let shape = Shape<Self>.object(
            "an object with the service of the accessory",
            [
                Field(
                    "service", Shape(.uuid).typed(.known(.services)), replacing: \.service.value,
                    required: Kind.uuid.expected, "A UUID."),
                Field("app", .boundApp, replacing: \.app, default: .string(BoundApp.defaultName)),
            ], from: Self(service: BluetoothUUID(0 as UInt16)))
        package static let operands = ["service", "app"]

        package init(service: BluetoothUUID, app: String = BoundApp.defaultName) {
            self.service = .box(service)
            self.app = app
        }

        package var title: String { "\"\(app)\" binds an accessory with \(service.value.text)" }

        package func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            try await phone.attempt { [apps = phone.apps] _ in
                try await apps.bind(service.value, by: app)
            }
        }
    }

    struct Unbind: PlainDeed {
        /// The name of the app; `nil` if there is only one.
        package var app: String?

        package static let name = "unbind"
        package static let shape = Shape<Self>.trueOrObject(
            [Field("app", .boundApp, into: \.app)], from: Self())
        package static let operands = ["app"]

        package var title: String {
            "\(app.map { "\"\($0)\"" } ?? "the app") unbinds its accessory"
        }

        package func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            try await phone.attempt { [apps = phone.apps] _ in try await apps.unbind(app) }
        }
    }
}
