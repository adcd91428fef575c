internal import Octets

extension ServiceDefinition {
    /// The Generic Attribute service of a server whose attributes may change: Service Changed, Client
    /// Supported Features and Database Hash. Call ``AttributeTable/updateDatabaseHash(using:)`` after adding
    /// all services. Core Vol 3, Part G, 7.
    public static let genericAttribute = ServiceDefinition(
        uuid: .genericAttribute,
        characteristics: [
            Characteristic(
                uuid: .serviceChanged, properties: .indicate, permissions: AttributePermissions(),
                storage: .stored([])),
            Characteristic(
                uuid: .clientSupportedFeatures, properties: [.read, .write],
                permissions: AttributePermissions(read: .open, write: .open),
                storage: .clientSupportedFeatures),
            Characteristic(
                uuid: .databaseHash, properties: .read,
                storage: .stored([UInt8](repeating: 0, count: 16))),
        ])

    /// The Generic Access service. Core Vol 3, Part C, 12.
    ///
    /// `name` is the Device Name (0 to 248 octets of UTF-8), `appearance` a value of Assigned Numbers, 2.6 (0
    /// is unknown). `resolvesAddresses` adds Central Address Resolution, which says that this device accepts
    /// directed advertising to its resolvable private addresses.
    public static func genericAccess(
        name: String, appearance: UInt16 = 0, resolvesAddresses: Bool = false
    ) -> ServiceDefinition {
        var characteristics = [
            Characteristic(uuid: .deviceName, properties: .read, storage: .stored(name.octets)),
            Characteristic(
                uuid: .appearance, properties: .read,
                storage: .stored([
                    UInt8(truncatingIfNeeded: appearance),
                    UInt8(truncatingIfNeeded: appearance >> 8),
                ])),
        ]
        if resolvesAddresses {
            characteristics.append(
                Characteristic(
                    uuid: .centralAddressResolution, properties: .read, storage: .stored([1])))
        }
        return ServiceDefinition(uuid: .genericAccess, characteristics: characteristics)
    }
}
