internal import ANCSKit
package import BluetoothTypes
internal import Printing

/// An app on the phone that wants an accessory.
package struct BoundApp: Equatable, Sendable {
    /// The name if the user gives none.
    static let defaultName = "app"

    /// The name; see ``isName(_:)``.
    package var name: String
    /// The service that an accessory must have.
    package var service: BluetoothUUID

    /// Whether a text can be the name of an app: 1 to 64 letters, digits and `. - _`.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.isASCIIWord(with: ".-_")
    }
}

/// The file that lists the apps of the phone, `apps.json`, next to the file of their bindings. Its mode is
/// 0600, in a directory of mode 0700; it is replaced atomically.
struct BoundAppStore: Equatable, Sendable {
    package let path: String

    package init(directory: String) { path = directory + "/apps.json" }

    /// The apps, in the order in which they were first stored.
    package func load() throws(BindingStore.Failure) -> [BoundApp] {
        var apps: [BoundApp] = []
        for element in try PrivateFile.list("apps", path: path) ?? [] {
            guard let app = BoundApp(json: element), !apps.contains(where: { $0.name == app.name })
            else { throw .unreadable(path: path, reason: "app \(apps.count) is invalid") }
            apps.append(app)
        }
        return apps
    }

    /// Adds an app, or replaces the one with the same name. A file that cannot be read is left alone.
    package func add(_ app: BoundApp) throws(BindingStore.Failure) {
        var apps = try load()
        apps.removeAll { $0.name == app.name }
        apps.append(app)
        try PrivateFile.write(path: path, "apps", apps.map(\.json))
    }
}

extension BoundApp {
    fileprivate var json: JSONValue { ["app": .string(name), "service": .string(service.text)] }

    fileprivate init?(json: JSONValue) {
        guard let name = json["app"]?.string, Self.isName(name),
            let service = json["service"]?.string.flatMap(BluetoothUUID.init(text:))
        else { return nil }
        self.init(name: name, service: service)
    }
}
