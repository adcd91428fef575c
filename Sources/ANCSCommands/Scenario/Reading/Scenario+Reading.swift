internal import ANCS
internal import ANCSKit
internal import JSONText

extension Scenario {
    /// Parses the octets of a scenario file.
    init(parsing octets: [UInt8]) throws(DocumentError) {
        try self.init(reading: DocumentCursor(parsing: octets))
    }

    /// Reads a scenario from a document.
    init(reading document: DocumentCursor) throws(DocumentError) {
        let object = try document.object(
            "a scenario",
            allowing: [
                "$schema", "title", "description", "seed", "timeout", "mtu", "consent", "pairing",
                "apps",
                "notifications", "behavior", "accessories", "grade", "actions", "steps",
            ])
        _ = try object["$schema"]?.string("the location of the schema")
        let title = try object.require("title", "a string").name("a string")
        let accessories = try Self.accessories(object["accessories"])
        let seed = UInt64(try object["seed"]?.integer(in: 0...Int.max) ?? 1)
        var reader = StepReader(accessories: accessories, seed: seed)
        var notifications: [NamedNotification] = []
        for cursor in try object["notifications"]?.elements("a list of notifications") ?? [] {
            notifications.append(try NamedNotification.shape.read(cursor, &reader))
        }
        let steps = try reader.steps(object.require("steps", "a list of steps"))
        self.init(title: title, accessories: accessories, steps: steps)
        self.notifications = notifications
        summary = try object["description"]?.string() ?? ""
        timeout = try object["timeout"]?.seconds() ?? timeout
        mtu = try object["mtu"]?.integer(in: 23...517)
        hasConsent = try object["consent"]?.boolean()
        pairing = try object["pairing"]?.word(
            of: [("whenNeeded", .whenNeeded), ("onConnection", .onConnection), ("never", .never)],
            "when to pair")
        apps = try Self.apps(object["apps"])
        if let change = object["behavior"] {
            behavior = try BehaviorChange.shape.read(change, &reader)
        }
        isGraded = try object["grade"]?.boolean() ?? false
        allowsActions =
            try object["actions"]?.boolean() ?? steps.contains { $0.verb.awaited?.action != nil }
    }

    private static func apps(_ cursor: DocumentCursor?) throws(DocumentError) -> [App] {
        guard let cursor else { return [] }
        var apps: [App] = []
        for (identifier, name) in try cursor.members("app identifiers with their names") {
            guard (try? AppIdentifier(identifier)) != nil else {
                throw name.error(
                    expected: "\(DocumentCursor.appIdentifier) as the member's name")
            }
            let displayName =
                name.value == .null
                ? nil : try name.string("a name, or null for an app that is not installed")
            apps.append(App(identifier: identifier, displayName: displayName))
        }
        return apps
    }

    private static func accessories(
        _ cursor: DocumentCursor?
    ) throws(DocumentError) -> [Accessory] {
        guard let cursor else { return [Accessory(name: "accessory")] }
        var accessories: [Accessory] = []
        for (name, entry) in try cursor.members("accessories by the names that steps call them") {
            let object = try entry.object("an accessory", allowing: ["name", "address"])
            var accessory = Accessory(name: name)
            if let advertised = try object["name"]?.name("an advertised name") {
                accessory.identification = .advertisedName(advertised)
            }
            if let address = object["address"] {
                guard object["name"] == nil else {
                    throw entry.error(expected: "either a name or an address")
                }
                accessory.identification = .address(try Self.address(address))
            }
            accessories.append(accessory)
        }
        guard !accessories.isEmpty else { throw cursor.error(expected: "at least one accessory") }
        return accessories
    }

    private static func address(_ cursor: DocumentCursor) throws(DocumentError) -> String {
        let what = "an address such as \"F0:F1:F2:F3:F4:F5\""
        let text = try cursor.string(what).uppercased()
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6,
            parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) })
        else { throw cursor.error(expected: what) }
        return text
    }
}
