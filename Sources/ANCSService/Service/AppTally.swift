internal import ANCSKit

/// Which apps have sent how many notifications.
struct AppTally: Sendable {
    /// A phone makes up as many apps as it likes; nobody has this many.
    private static let limit = 512

    private var apps: [String: SeenApp] = [:]

    /// Those with the most notifications first.
    var seen: [SeenApp] {
        apps.values.sorted { ($1.count, $0.identifier) < ($0.count, $1.identifier) }
    }

    /// A record came.
    mutating func count(_ record: Record) {
        let app = record.notification.app
        guard !app.identifier.isEmpty, apps.count < Self.limit || apps[app.identifier] != nil else {
            return
        }
        var entry =
            apps[app.identifier]
            ?? SeenApp(identifier: app.identifier, displayName: "", count: 0)
        if let name = app.displayName { entry.displayName = name }
        entry.count += 1
        apps[app.identifier] = entry
    }
}
