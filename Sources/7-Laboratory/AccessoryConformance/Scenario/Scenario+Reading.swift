package import Kinds
internal import ANCSKit

extension Scenario {
    /// Parses the octets of a scenario file.
    package init(parsing octets: [UInt8]) throws(DocumentErrors) {
        let document = try JSONDocument(reading: octets)
        var reader = StepReader(accessories: ["accessory"], seed: 1)
        let scenario = reader.keep { reader throws(DocumentError) in
            try Self.shape.read(DocumentCursor(document.value), &reader)
        }
        guard let scenario, reader.mistakes.isEmpty else {
            throw DocumentErrors(reader.mistakes, in: document)
        }
        self = scenario
    }

    private static let shape = Shape<Scenario>.object(
        "a scenario", fields, from: Scenario(title: "", steps: [])
    ) { scenario, object in
        guard object["actions"] == nil else { return }
        scenario.allowsActions = scenario.steps.contains { $0.verb.awaited?.action != nil }
    }

    /// In the order in which they are read: steps name accessories and notifications.
    private static let fields: [Field<Scenario>] = [
        .unstored("$schema") { cursor, _ throws(DocumentError) in
            _ = try cursor.string("the location of the schema")
        }, Field("title", .numberedName("a string"), replacing: \.title, required: "a string"),
        Field("description", .text, replacing: \.summary),
        .unstored("seed") { cursor, reader throws(DocumentError) in
            reader.seed = UInt64(try cursor.read(.integer(in: 0...Int.max)))
        }, Field("timeout", .seconds, replacing: \.timeout),
        Field("mtu", .integer(in: 23...517), into: \.mtu),
        Field("consent", .boolean, into: \.hasConsent),
        Field("pairing", .word(of: pairings, "when to pair"), into: \.pairing),
        Field(
            "apps", Shape([:]) { cursor, _ throws(DocumentError) in try Self.apps(cursor) },
            replacing: \.apps), Field("accessories", accessories, replacing: \.accessories),
        Field(
            "notifications", .list("a list of notifications", of: NamedNotification.shape),
            replacing: \.notifications),
        Field("behavior", BehaviorChange.shape, replacing: \.behavior),
        Field("grade", Grading.shape, replacing: \.grading),
        Field("actions", .boolean, replacing: \.allowsActions),
        Field(
            "steps",
            Shape([:]) { cursor, reader throws(DocumentError) in
                // Without one, a run would pass whatever the accessory does.
                guard !(try cursor.elements("a list of steps").isEmpty) else {
                    throw cursor.error(expected: "at least one step")
                }
                return try reader.steps(cursor)
            }, replacing: \.steps, required: "a list of steps"),
    ]

    private static let pairings: [(String, ProviderConfiguration.Pairing)] = [
        ("whenNeeded", .whenNeeded), ("onConnection", .onConnection), ("never", .never),
    ]

    private static let accessories = Shape<[Accessory]>([:]) {
        cursor, reader throws(DocumentError) in
        // If they are wrong, steps may name any.
        reader.accessories = []
        let accessories = try Self.accessories(cursor)
        reader.accessories = accessories.map(\.name)
        return accessories
    }

    private static func apps(_ cursor: DocumentCursor) throws(DocumentError) -> [App] {
        var apps: [App] = []
        for (identifier, name) in try cursor.members("app identifiers with their names") {
            guard (try? AppIdentifier(identifier)) != nil else {
                throw name.error(expected: "\(DocumentCursor.appIdentifier) as the member's name")
            }
            let displayName =
                name.value == .null
                ? nil : try name.string("a name, or null for an app that is not installed")
            apps.append(App(identifier: identifier, displayName: displayName))
        }
        return apps
    }

    /// More than any controller has links to.
    private static let maximumAccessories = 1000

    private static func accessories(_ cursor: DocumentCursor) throws(DocumentError) -> [Accessory] {
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
        guard 1...maximumAccessories ~= accessories.count else {
            throw cursor.error(expected: "1 to \(maximumAccessories) accessories")
        }
        return accessories
    }

    private static func address(_ cursor: DocumentCursor) throws(DocumentError) -> String {
        let what = "an address such as \"F0:F1:F2:F3:F4:F5\""
        let text = try cursor.string(what).uppercased()
        guard text.isDeviceAddress else { throw cursor.error(expected: what) }
        return text
    }
}

extension Scenario.Grading {
    /// `true`, `false` or `"link"`.
    fileprivate static let shape = Shape<Self>(
        .oneOf([Kind<Bool>.boolean.schema, .constant("link")])
    ) { cursor, _ throws(DocumentError) in
        switch cursor.value {
        case .boolean(let isGraded): isGraded ? .everything : .nothing
        case "link": .link
        default: throw cursor.error(expected: "true, false or \"link\"")
        }
    }
}
