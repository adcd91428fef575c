internal import AccessoryConformance
internal import EventLines
internal import Kinds

/// How the prompt of `ancs phone` reports events: as JSON Lines, or as text for users.
struct PhoneReport: Sendable {
    let isJSON: Bool
    let isVerbose: Bool
    let isColored: Bool
    let name: String
    private let printer: LinePrinter

    init(isJSON: Bool, isVerbose: Bool, isColored: Bool, name: String) {
        (self.isJSON, self.isVerbose) = (isJSON, isVerbose)
        (self.isColored, self.name) = (isColored, name)
        // What `--verbose` adds is among the rest: at the prompt, there is no second place.
        printer = LinePrinter(isJSON: isJSON, isColored: isColored)
    }

    /// The lines of an event. `posted` is the notification that it is about, `nameOf` finds the name of an
    /// accessory. Neither is asked for what nobody reads.
    func report(
        of event: ProviderEvent, _ posted: @autoclosure () -> PostedNotification?,
        nameOf: (AccessoryID) -> String
    ) -> Printed {
        guard isJSON || isVerbose || !event.isRoutine else { return Printed() }
        let line = event.line(for: Reporter(side: .phone, name: name), posted())
        return printer.printed(isVerbose ? line.saidInFull() : line) {
            event.accessory.map { nameOf($0) + ": " } ?? ""
        }
    }

    /// The lines of an event of an app's binding.
    func report(of event: BoundApps.Event) -> Printed {
        printer.printed(event.line) { event.app + " " }
    }

    /// The line for something that cannot be done.
    func report(fault text: String) -> Printed { printer.printed(Line(told: text, .problem)) }

    // MARK: Lists

    /// The accessories, a line each.
    func lines(of accessories: [Accessory]) -> [String] {
        list("accessories", accessories.map(\.json), none: "none yet") {
            accessories.map(Self.item)
        }
    }

    private static func item(_ accessory: Accessory) -> Line {
        var words = [accessory.isConnected ? "connected" : "away"]
        if accessory.isBonded { words.append("bonded") }
        if accessory.protection != nil { words.append("encrypted") }
        if accessory.isSubscribedToNotificationSource { words.append("subscribed") }
        if !accessory.hasConsent { words.append("without consent") }
        let name = accessory.description.name.map { $0 + " · " } ?? ""
        let address = accessory.description.identity ?? accessory.description.address
        return Line(
            told: "\(accessory.id.rawValue) · \(name)\(address) · "
                + words.joined(separator: ", "), .item)
    }

    /// The apps with bindings, a line each.
    func lines(of entries: [BoundApps.Entry]) -> [String] {
        list("bindings", entries.map(\.json)) { entries.map { Line(told: $0.text, .item) } }
    }

    /// The apps, a line each.
    func lines(ofApps apps: [(identifier: AppIdentifier, name: String)]) -> [String] {
        list("apps", apps.map(Self.app.json)) {
            apps.map { Line(told: "\($0.identifier.description) · \($0.name)", .item) }
        }
    }

    /// The notifications.
    func lines(of notifications: [(id: NotificationID, posted: PostedNotification)]) -> [String] {
        let objects = notifications.map { item in
            JSONValue.object(
                [.init("notification", .integer(Int(item.id.rawValue)))] + item.posted.jsonMembers)
        }
        return list("notifications", objects) {
            notifications.map { item in
                Line(told: item.posted.heading(item.id, " "), .heading, below: item.posted.below)
            }
        }
    }

    private func list(
        _ kind: String, _ objects: [JSONValue], none: String = "none", items: () -> [Line]
    ) -> [String] {
        guard !isJSON else { return printer.output(Line(kind, ["list": .array(objects)])) }
        let items = objects.isEmpty ? [Line(told: none, .item)] : items()
        return items.flatMap { printer.output($0) }
    }
}

extension Accessory {
    /// All members.
    fileprivate var json: JSONValue {
        var members =
            [.init("accessory", .integer(Int(id.rawValue)))] + description.jsonMembers
            + [JSONValue.Member](present: [
                "connected": .boolean(isConnected), "bonded": .boolean(isBonded),
                "consent": .boolean(hasConsent),
            ])
        if isConnected {
            members += protection?.jsonMembers ?? [.init("encrypted", false)]
            members += [JSONValue.Member](present: [
                "mtu": .integer(mtu),
                "notificationSource": .boolean(isSubscribedToNotificationSource),
                "dataSource": .boolean(isSubscribedToDataSource),
            ])
        }
        return .object(members)
    }
}
