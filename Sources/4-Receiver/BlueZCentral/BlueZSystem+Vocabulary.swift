public import BluetoothTypes
public import BlueZ
public import DBus

// The words between a system and its owner.
extension BlueZSystem {
    /// Identifies a client, such as a `CentralManager`, during the life of the system. Chosen by the owner.
    public struct ClientID: Hashable, Comparable, Sendable {
        /// A number chosen by the owner.
        public let rawValue: UInt64

        /// A client with this number.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// Whether `left` has the smaller number.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// Identifies a peer during the life of the system.
    public struct PeerID: Hashable, Comparable, Sendable {
        /// The number of the peer, counted from 1.
        public let rawValue: UInt64

        package init(rawValue: UInt64) { self.rawValue = rawValue }

        /// Whether `left` was known before `right`.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// Identifies a request until it is answered. Chosen by the owner, and never used twice.
    public struct RequestID: Hashable, Comparable, Sendable {
        /// A number chosen by the owner.
        public let rawValue: UInt64

        /// A request with this number.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// Whether `left` has the smaller number.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The adapter, the user's input and output while pairing, and what the devices may cost.
    public struct Configuration: Equatable, Sendable {
        /// The adapter to use.
        public var adapter: AdapterName
        /// The input and output for the user while pairing.
        public var capability = BlueZAccessory.AgentCapability.noInputNoOutput
        /// How many requests may wait for answers, of all clients together.
        public var maximumRequests = 1_024
        /// How many peers without an object of bluetoothd, a link or a request are remembered.
        public var maximumAbsentPeers = 1_024

        /// A system on an adapter.
        public init(adapter: AdapterName = .any) { self.adapter = adapter }
    }

    /// Makes the identifier of a new peer: 128 bits that nothing is known of without a secret, and that depend on its
    /// address only, so that programs of a machine that meet a device at the same address call it the same. Another
    /// number gives another one.
    public typealias Identifiers = @Sendable (DeviceAddress, _ attempt: UInt8) -> UInt128

    /// A peer that is remembered beyond a run, so that its identifier stays the same.
    public struct KnownPeer: Equatable, Sendable {
        /// Its identity address.
        public var address: DeviceAddress
        /// Identifies it for programs.
        public var identifier: UInt128

        /// A peer with this address and this identifier.
        public init(address: DeviceAddress, identifier: UInt128) {
            self.address = address
            self.identifier = identifier
        }
    }

    /// The state of Bluetooth, with the words of Core Bluetooth.
    public enum State: Equatable, Sendable {
        /// bluetoothd was not asked yet.
        case unknown
        /// bluetoothd is not there, and may come back.
        case resetting(BlueZEvent.Failure)
        /// There is no adapter, or not the requested one.
        case unsupported
        /// The policy of the bus does not let this user call bluetoothd.
        case unauthorized
        /// The adapter is switched off.
        case poweredOff
        /// Bluetooth can be used.
        case poweredOn
    }

    /// What a client scans for.
    public struct ScanRequest: Equatable, Sendable {
        /// Devices that advertise one of these services; empty for all devices. If every client names some, only
        /// such devices are published by bluetoothd.
        public var services: [BluetoothUUID] = []
        /// Devices that solicit one of these services, which bluetoothd tells since 5.78.
        public var solicitedServices: [BluetoothUUID] = []
        /// Bonded devices too, whatever they advertise.
        public var includesBonded = false
        /// Whether to report a device every time it is heard, instead of only when it has news.
        public var allowsDuplicates = false

        /// A scan for all devices.
        public init() {}
    }

    /// What the owner has to do, and what happened.
    public typealias Output = BlueZOutput<Report>

    /// What only the owner of a system knows what to do with.
    public enum Report: Equatable, Sendable {
        /// Keep this peer beyond the end of this program.
        case remember(KnownPeer)
        /// A request has ended. Each request ends once.
        case completed(RequestID, Result<GATTResult, RequestFailure>)
        /// An event.
        case event(Event)
    }

    /// Why a request failed.
    public enum RequestFailure: Error, Equatable, Sendable {
        /// As at a host of our own. *Insufficient Authentication* stands for three errors, which bluetoothd does
        /// not tell apart, and *Unlikely Error* for those of bluetoothd itself. `transactionTimedOut` means that
        /// bluetoothd does not answer, and that nothing is answered on this link any more.
        case gatt(GATTFailure)
        /// bluetoothd has no method for this procedure.
        case notSupported
        /// Another program has the values of the characteristic, or its writes, for itself.
        case takenByAnotherProgram
        /// bluetoothd keeps the characteristic for an earlier request of this program, which it has never answered: a
        /// write, or before 5.84 a subscription. Only a restart of bluetoothd or the removal of the device ends that.
        case keptByBluetoothd
        /// Too many requests wait.
        case tooManyRequests
    }

    /// Why a request to connect failed.
    public enum ConnectFailure: Error, Equatable, Sendable {
        /// Its time was over.
        case timedOut
        /// There is no such peer.
        case unknownPeer
    }

    /// Why a link ended.
    public enum Ending: Equatable, Sendable {
        /// The peer, or the distance; before 5.83 bluetoothd does not tell any reason.
        case unknown
        /// The peer ended it.
        case remote
        /// The supervision timeout passed.
        case timeout
        /// The link could not be protected.
        case authentication
        /// Another program of this machine ended it, for all programs.
        case otherProgram
        /// This system ended it: no client uses it any more.
        case released
        /// This system ended it, because bluetoothd did not answer.
        case hung
        /// The machine was suspended.
        case suspended
        /// bluetoothd has ended, or the adapter has disappeared or was switched off.
        case stackGone
        /// The device was removed from bluetoothd, with its bond.
        case removed
    }

    /// What happened. Events go to all clients, unless they name one.
    public enum Event: Equatable, Sendable {
        /// The state has changed. A state other than ``State/poweredOn`` ends scans; links have ended before.
        /// Requests to connect remain.
        case stateChanged(State)
        /// bluetoothd cannot be used, and never could; nothing follows.
        case failed(BlueZEvent.Failure)
        /// A device that passes the filter of a client was heard.
        case discovered(ClientID, PeerID, Discovery)
        /// The scan of a client has failed.
        case scanFailed(ClientID, BusError)
        /// There is a link to a peer; any program may have made it.
        case linkUp(PeerID)
        /// A client uses the link to a peer, as it has requested.
        case connected(ClientID, PeerID)
        /// The request of a client has failed.
        case connectFailed(ClientID, PeerID, ConnectFailure)
        /// A link ended; the requests on it have ended before.
        case disconnected(PeerID, Ending)
        /// The ATT_MTU of a link in octets has changed.
        case mtuChanged(PeerID, Int)
        /// There is room for writes without a response again.
        case hasRoom(PeerID)
        /// The peer has changed its services in this range.
        case servicesChanged(PeerID, AttributeHandleRange)
        /// A value of a characteristic arrived, by its value handle, for the clients that subscribed.
        case value(PeerID, AttributeHandle, [UInt8])
        /// The subscriptions to a characteristic have ended, although the link has not.
        case unsubscribed(PeerID, AttributeHandle)
        /// Pairing revealed that a peer is another one, whose identifier it takes over from the former one.
        case identified(PeerID, as: PeerID, formerly: UInt128)
        /// The name, the bond or the address of a peer has changed.
        case changed(PeerID)
        /// Pairing has a question for the user.
        case ask(PeerID, PhoneEvent.Question)
        /// The question needs no answer any more.
        case withdrawn(PeerID)
        /// Pairing succeeded.
        case paired(PeerID)
        /// Pairing failed, or a bonded peer does not have its keys any more.
        case pairingFailed(PeerID, SecurityFailure)
        /// Pairing does not ask the user, because bluetoothd refused the agent.
        case agentRefused(BusError)
        /// `AcquireNotify` has ended bluetoothd, and SELinux enforces a policy or not: values are broadcast to all
        /// programs.
        case socketsEndDaemon(isEnforcing: Bool)
    }
}
