internal import BlueZ

// The words between a system and its owner.
extension BlueZSystem: DaemonClient {
    typealias RequestID = AttributeQueue.RequestID

    /// Makes 128 bits for the identifier of a new peer: nothing is known of them without a secret, and they depend on its
    /// address only, so that programs of a machine call a device at an address the same. Another number gives others.
    typealias Identifiers = @Sendable (DeviceAddress, _ attempt: UInt8) -> UInt128

    /// What the owner has to do, and what happened.
    typealias Output = BlueZOutput<Report>

    /// What only the owner of a system knows what to do with.
    enum Report: Equatable, Sendable {
        /// Keep this peer beyond the end of this program.
        case remember(BlueZPeerStore.Entry)
        /// A request has ended. Each request ends once.
        case completed(RequestID, Result<GATTResult, PeerRequestFailure>)
        /// An event for a client, or for all of them. That a switch blocks an adapter which is off, the owner adds
        /// (``BluetoothdFailure/withSwitch``).
        case event(SystemEvent, to: ClientID?)
    }

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
