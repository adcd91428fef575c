internal import DeviceCommandKit
package import Kinds

extension Publication {
    /// Reads the publication in a file.
    init(path: String) throws(CommandSyntax.UsageError) {
        self = try CommandSyntax.document(path) { octets throws(DocumentErrors) in
            try Self(parsing: octets)
        }
    }

    /// Parses the octets of a publication file.
    package init(parsing octets: [UInt8]) throws(DocumentErrors) {
        let document = try JSONDocument(reading: octets)
        do throws(DocumentError) { try self.init(reading: DocumentCursor(document.value)) } catch {
            throw DocumentErrors([error], in: document)
        }
    }

    /// Reads the publication in a document.
    init(reading document: DocumentCursor) throws(DocumentError) {
        let object = try document.object("a publication", allowing: ["$schema", "services"])
        _ = try object["$schema"]?.string("the location of the schema")
        let cursors = try object.require("services", "a list of services")
            .elements("a list of services")
        for cursor in cursors {
            let service = try Service(reading: cursor)
            // A peer may have two services of one UUID, but here their values could not be told apart.
            guard !services.contains(where: { $0.uuid == service.uuid }) else {
                throw cursor.error(expected: "each service only once")
            }
            services.append(service)
        }
    }
}

extension Publication.Service {
    fileprivate init(reading cursor: DocumentCursor) throws(DocumentError) {
        let object = try cursor.object(
            "a service", allowing: ["uuid", "primary", "characteristics"])
        self.init(uuid: try object.uuid(), isPrimary: try object["primary"]?.read(.boolean) ?? true)
        let list = try object["characteristics"]?.elements("a list of characteristics") ?? []
        for cursor in list {
            let characteristic = try Publication.Characteristic(reading: cursor)
            guard !characteristics.contains(where: { $0.uuid == characteristic.uuid }) else {
                throw cursor.error(expected: "each characteristic of a service only once")
            }
            characteristics.append(characteristic)
        }
    }
}

extension Publication.Characteristic {
    private static let propertyNames: [(String, Characteristic.Properties)] = [
        ("read", .read), ("writeWithoutResponse", .writeWithoutResponse), ("write", .write),
        ("notify", .notify), ("indicate", .indicate),
        ("notifyEncryptionRequired", .notifyEncryptionRequired),
        ("indicateEncryptionRequired", .indicateEncryptionRequired),
    ]

    private static let permissionNames: [(String, MutableCharacteristic.Permissions)] = [
        ("readable", .readable), ("writeable", .writeable),
        ("readEncryptionRequired", .readEncryptionRequired),
        ("writeEncryptionRequired", .writeEncryptionRequired),
    ]

    fileprivate init(reading cursor: DocumentCursor) throws(DocumentError) {
        let object = try cursor.object(
            "a characteristic",
            allowing: [
                "uuid", "properties", "permissions", "value", "octets", "static", "descriptors",
            ])
        var properties: Characteristic.Properties = []
        let words = try object.require("properties", "a list of properties")
            .elements("a list of properties")
        for word in words {
            properties.formUnion(try word.read(.word(of: Self.propertyNames, "a property")))
        }
        self.init(
            uuid: try object.uuid(), properties: properties,
            permissions: try Self.permissions(object["permissions"], for: properties),
            value: try object.octets() ?? [],
            isStatic: try object["static"]?.read(.boolean) ?? false)
        if isStatic, properties != .read {
            throw cursor.error(expected: "a static characteristic with only the property read")
        }
        for cursor in try object["descriptors"]?.elements("a list of descriptors") ?? [] {
            descriptors.append(try Publication.Descriptor(reading: cursor))
        }
    }

    /// The permissions of a characteristic. By default, every central may use what the properties offer.
    private static func permissions(
        _ cursor: DocumentCursor?, for properties: Characteristic.Properties
    ) throws(DocumentError) -> MutableCharacteristic.Permissions {
        var permissions: MutableCharacteristic.Permissions = []
        guard let cursor else {
            if properties.contains(.read) { permissions.insert(.readable) }
            if !properties.isDisjoint(with: [.write, .writeWithoutResponse]) {
                permissions.insert(.writeable)
            }
            return permissions
        }
        for word in try cursor.elements("a list of permissions") {
            permissions.formUnion(try word.read(.word(of: permissionNames, "a permission")))
        }
        return permissions
    }
}

extension Publication.Descriptor {
    fileprivate init(reading cursor: DocumentCursor) throws(DocumentError) {
        let object = try cursor.object("a descriptor", allowing: ["uuid", "value", "octets"])
        guard let value = try object.octets() else {
            throw cursor.error(expected: "the member \"value\", a string, or \"octets\"")
        }
        self.init(uuid: try object.uuid(), value: value)
    }
}

extension DocumentObject {
    fileprivate func uuid() throws(DocumentError) -> BluetoothUUID {
        try require("uuid", Kind.uuid.expected).read(.uuid)
    }

    /// The member `value` (a text) or `octets` (in hexadecimal); `nil` if there is neither.
    fileprivate func octets() throws(DocumentError) -> [UInt8]? {
        let limit = TypedValue.maximumCount
        if let cursor = self["octets"] {
            guard self["value"] == nil else {
                throw cursor.error(expected: "either \"value\" or \"octets\"")
            }
            let octets = Hexadecimal.octets(try cursor.string("octets in hexadecimal"))
            guard let octets, octets.count <= limit else {
                throw cursor.error(expected: "at most \(limit) octets in hexadecimal")
            }
            return octets
        }
        guard let cursor = self["value"] else { return nil }
        let octets = Array(try cursor.string("a string").utf8)
        guard octets.count <= limit else {
            throw cursor.error(expected: "a string of at most \(limit) octets")
        }
        return octets
    }
}
