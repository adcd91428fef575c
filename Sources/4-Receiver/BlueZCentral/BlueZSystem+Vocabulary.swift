package import ANCSEvents
package import BluetoothTypes
package import BlueZ
package import DBus

// The words between a system and its owner.
extension BlueZSystem {
    package typealias RequestID = AttributeQueue.RequestID

    /// The adapter, the user's input and output while pairing, and what the devices may cost.
    package struct Configuration: Equatable, Sendable {
        /// The adapter to use.
        package var adapter: AdapterName
        /// The input and output for the user while pairing.
        package var ability = PairingAbility.noInputNoOutput
        /// How many requests may wait for answers, of all clients together.
        package var maximumRequests = 1_024
        /// How many peers without an object of bluetoothd, a link or a request are remembered.
        package var maximumAbsentPeers = 1_024

        /// A system on an adapter.
        package init(adapter: AdapterName = .any) { self.adapter = adapter }
    }

    /// Makes 128 bits for the identifier of a new peer: nothing is known of them without a secret, and they depend on its
    /// address only, so that programs of a machine call a device at an address the same. Another number gives others.
    package typealias Identifiers = @Sendable (DeviceAddress, _ attempt: UInt8) -> UInt128

    /// A peer that is remembered beyond a run, so that its identifier stays the same.
    package struct KnownPeer: Equatable, Sendable {
        /// Its identity address.
        package var address: DeviceAddress
        /// Identifies it for programs.
        package var identifier: PeerIdentifier

        /// A peer with this address and this identifier.
        package init(address: DeviceAddress, identifier: PeerIdentifier) {
            self.address = address
            self.identifier = identifier
        }
    }

    /// What the owner has to do, and what happened.
    package typealias Output = BlueZOutput<Report>

    /// What only the owner of a system knows what to do with.
    package enum Report: Equatable, Sendable {
        /// Keep this peer beyond the end of this program.
        case remember(KnownPeer)
        /// A request has ended. Each request ends once.
        case completed(RequestID, Result<GATTResult, PeerRequestFailure>)
        /// An event.
        case event(Event)
    }

    /// What happened. Events go to all clients, unless they name one.
    package enum Event: Equatable, Sendable {
        /// The state has changed, for this reason if there is one. A state other than `poweredOn` ends scans; links have
        /// ended before. Requests to connect remain.
        case stateChanged(ManagerState, BluetoothdFailure? = nil)
        /// bluetoothd cannot be used, and never could; nothing follows.
        case failed(BluetoothdFailure)
        /// A device that passes the filter of a client was heard.
        case discovered(ClientID, PeerKey, Discovery)
        /// The scan of a client has failed.
        case scanFailed(ClientID, BusError)
        /// There is a link to a peer; any program may have made it.
        case linkUp(PeerKey)
        /// A client uses the link to a peer, as it has requested.
        case connected(ClientID, PeerKey)
        /// The time of a client's request is over, or there is no such peer.
        case connectFailed(ClientID, PeerKey, isKnown: Bool)
        /// A link ended; the requests on it have ended before.
        case disconnected(PeerKey, DisconnectReason)
        /// The ATT_MTU of a link in octets has changed.
        case mtuChanged(PeerKey, Int)
        /// There is room for writes without a response again.
        case hasRoom(PeerKey)
        /// The peer has changed its services in this range.
        case servicesChanged(PeerKey, AttributeHandleRange)
        /// A value of a characteristic arrived, by its value handle, for the clients that subscribed.
        case value(PeerKey, AttributeHandle, [UInt8])
        /// The subscriptions to a characteristic have ended, although the link has not.
        case unsubscribed(PeerKey, AttributeHandle)
        /// Pairing revealed that a peer is another one, whose identifier it takes over from the former one.
        case identified(PeerKey, as: PeerKey, formerly: PeerIdentifier)
        /// The name, the bond or the address of a peer has changed.
        case changed(PeerKey)
        /// Pairing has a question for the user.
        case ask(PeerKey, PhoneEvent.Question)
        /// The question needs no answer any more.
        case withdrawn(PeerKey)
        /// Pairing succeeded.
        case paired(PeerKey)
        /// Pairing failed, or a bonded peer does not have its keys any more.
        case pairingFailed(PeerKey, SecurityFailure)
        /// Pairing does not ask the user, because bluetoothd refused the agent.
        case agentRefused(BusError)
        /// `AcquireNotify` has ended bluetoothd, and SELinux enforces a policy or not: values are broadcast to all
        /// programs.
        case socketsEndDaemon(isEnforcing: Bool)
    }
}
