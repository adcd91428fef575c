internal import BlueZ

// The words between a system and its owner.
extension BlueZSystem {
    typealias RequestID = AttributeQueue.RequestID

    /// The adapter, the user's input and output while pairing, and what the devices may cost.
    struct Configuration: Equatable, Sendable {
        /// The adapter to use.
        var adapter: AdapterName
        /// The input and output for the user while pairing.
        var ability = PairingAbility.noInputNoOutput
        /// How many requests may wait for answers, of all clients together.
        var maximumRequests = 1_024
        /// How many peers without an object of bluetoothd, a link or a request are remembered.
        var maximumAbsentPeers = 1_024

        /// A system on an adapter.
        init(adapter: AdapterName = .any) { self.adapter = adapter }
    }

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
}
