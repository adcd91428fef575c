internal import BlueZ

// What runs it on the bus.
extension BlueZSystem: DaemonClient {
    /// Everything but the changes of characteristics (``Usage``).
    static let signals = [
        BusMatch(sender: ObjectTree.service, interface: ObjectTree.objectManager),
        BusMatch(sender: ObjectTree.service, interface: DeviceObject.interface),
        changes(of: AdapterObject.interface), changes(of: DeviceObject.interface),
    ]

    /// The changes of the properties of one interface.
    static func changes(of interface: String) -> BusMatch {
        BusMatch(
            sender: ObjectTree.service, interface: ObjectTree.propertiesInterface,
            member: "PropertiesChanged", argument0: interface)
    }
}
