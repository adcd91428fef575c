internal import ANCSReceiver
internal import LinuxIO

/// Counts the notifications of each app.
struct AppTally: Sendable {
    /// The maximum number of apps: a hostile phone can invent any number, and no real one has this many.
    private static let limit = 512

    private var apps: [String: SeenApp] = [:]

    /// The apps with the most notifications first.
    var seen: [SeenApp] {
        apps.values.sorted(byText: \.identifier).sorted(byNumber: { .max - UInt64($0.count) })
    }

    /// A record arrived.
    mutating func count(_ record: Record) {
        let app = record.notification.app
        guard !app.identifier.isEmpty, apps.count < Self.limit || apps[app.identifier] != nil else {
            return
        }
        var entry =
            apps[app.identifier] ?? SeenApp(identifier: app.identifier, displayName: "", count: 0)
        if let name = app.displayName { entry.displayName = name }
        entry.count += 1
        apps[app.identifier] = entry
    }
}
