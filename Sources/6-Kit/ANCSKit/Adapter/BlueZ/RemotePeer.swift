internal import BlueZ

/// A device of bluetoothd as a peer of our Centrals: its link, its protection, its attributes, and what clients
/// want of them.
///
///                 ┌──────────── searching ◀──────────┐ the object is removed
///     down ─wanted┤                 │ the object comes│
///      ▲          └─▶ connecting ◀──┴──▶ pausing ─────┘
///      │                  │ `Connected`      │ `Connected`, by others
///      ├── cancelling ◀───┤                  │
///      │                  ▼                  ▼
///      └── ending ◀── up(own)            up(other)      `Connected` is false: down, from every state
///
/// Nothing is called for an attribute unless the link is up, the services are resolved, nobody pairs, and
/// bluetoothd answers; ``mayCall`` is that rule.
struct RemotePeer: Sendable {
    let id: PeerKey
    /// Identifies it for programs.
    var identifier: PeerIdentifier
    /// Its identity address, or its address on air.
    var address: DeviceAddress
    /// Its object; `nil` while bluetoothd has none.
    var path: ObjectPath?
    var object = DeviceObject()
    var tree = AttributeTree()
    /// Whether it is kept beyond this run.
    var isRemembered = false
    var terms: Terms

    var link = Link.down
    /// The number of the link, to distinguish replies of earlier ones.
    var linkNumber: UInt64 = 0
    /// The clients that use the link.
    var users: Set<ClientID> = []
    /// The clients that want one, and until when; `nil` for ever.
    var wants: [ClientID: MonotonicInstant?] = [:]
    /// How often `Connect` has failed since the last link.
    var connectFailures = 0
    /// The reason of bluetoothd for the end of the link, which follows.
    var reason: Substring?

    var security = Security.resting
    /// Whether it is paired as soon as its services are resolved.
    var isPairingWanted = false
    /// Whether bluetoothd has left a request on this link without an answer.
    var isHung = false
    /// Whether bluetoothd has answered no trial since the peer was paired on this link.
    var isUntried = false
    /// Whether it was reported that the peer has lost its keys.
    var hasLostKeys = false
    var queues: [AttributeHandle: AttributeQueue] = [:]
    /// The attributes of which a write is not answered though its link has ended. bluetoothd forgets one that waits for
    /// security then (`bt_att_chan_free` in src/shared/att.c), and refuses every later one with `InProgress`.
    var unansweredWrites: Set<AttributeHandle> = []
    var subscriptions: [AttributeHandle: ClientSubscription] = [:]
    /// The characteristics whose sockets this program has closed, until bluetoothd says that it has noticed: meanwhile
    /// they look like another program's.
    var closing: Set<AttributeHandle> = []
    /// Whether its link ends when that is known.
    var endAwaitsUsage = false
    /// The discoveries that wait for bluetoothd's.
    var discoveries: [(id: RequestID, client: ClientID, procedure: GATTProcedure)] = []
    /// Subscriptions that had to be left at bluetoothd, which ends them with this program.
    var unstopped: Set<AttributeHandle> = []
    /// Until when services have to be resolved; `nil` if nobody waits for that.
    var resolveBy: MonotonicInstant?
    /// Services that have changed, which is reported when no more do, and at the latest if they never cease to.
    var change: (range: AttributeHandleRange, at: MonotonicInstant, latest: MonotonicInstant)?
    /// The ATT_MTU of the link in octets; `nil` while bluetoothd has not said it.
    var linkMTU: Int?
    var reportedMTU: Int?
    /// Whether writes without a response wait for room.
    var isFull = false
    /// Whether bluetoothd may keep the socket of the subscription that is answered, for an earlier one of this program
    /// (``SocketGuard``).
    var isSocketKept = false
    var lastNumber: UInt64 = 0
    /// As the system has it.
    var noted: Standing?
    private var outputs = Queue<Output>(keepingOctets: 128)

    /// What is so for all peers.
    struct Terms: Equatable, Sendable {
        /// Whether the adapter is on.
        var isPowered = false
        /// Whether the trees have the use of characteristics by all programs (``BlueZSystem/Usage``); `nil` while that is
        /// asked, or need not be.
        var knowsUsage: Bool?
        var sockets = SocketPolicy.afterAnAnswer
    }

    /// How values may arrive.
    enum SocketPolicy: Equatable, Sendable {
        /// By sockets first where the peer is bonded. Without a bond the values are no secret on air either, and signals
        /// are for all programs, while a socket has one reader.
        case bonded
        /// The same, on the link of a pairing once bluetoothd has answered there: before 5.84, `AcquireNotify` is never
        /// answered if the peer refuses or the link ends, and blocks the characteristic from then on.
        case afterAnAnswer
        /// By signals: `AcquireNotify` has ended bluetoothd.
        case never
    }

    init(_ id: PeerKey, identifier: PeerIdentifier, address: DeviceAddress, _ terms: Terms) {
        (self.id, self.identifier, self.address) = (id, identifier, address)
        self.terms = terms
    }

    mutating func pollOutput() -> Output? { outputs.popFirst() }
    mutating func output(_ output: Output) { outputs.append(output) }
    mutating func call(_ call: Call) { outputs.append(.call(call)) }

    mutating func report(_ event: SystemEvent.LinkEvent, to client: ClientID? = nil) {
        outputs.append(.event(.link(id, event), to: client))
    }

    mutating func report(_ event: SystemEvent.SecurityEvent) {
        outputs.append(.event(.security(id, event), to: nil))
    }

    mutating func report(_ value: [UInt8], of handle: AttributeHandle) {
        outputs.append(.event(.value(id, .notification(handle, value)), to: nil))
    }

    mutating func complete(_ id: RequestID, _ result: Result<GATTResult, Failure>) {
        outputs.append(.completed(id, result))
    }

    // MARK: What is so

    /// Whether there is a link.
    var isLinked: Bool {
        switch link {
        case .up, .ending: true
        case .down, .searching, .connecting, .pausing, .cancelling: false
        }
    }

    /// Whether there is a link, and it stays.
    var isUp: Bool { if case .up = link { true } else { false } }

    /// Whether this system ends its link.
    var isEnding: Bool { if case .ending = link { true } else { false } }

    /// Whether bluetoothd may be asked about attributes.
    var mayCall: Bool {
        guard isUp, object.hasResolvedServices, !isHung else { return false }
        switch security {
        case .resting, .failed: return true
        case .pairing, .pairedByOther: return false
        }
    }

    /// What the system keeps of all peers at once.
    struct Standing: Equatable {
        let isSearched: Bool
        let isPairing: Bool
        let needsUsage: Bool
        /// When something is due.
        let deadline: MonotonicInstant?
    }

    /// `nil` if nothing may happen without an input about it.
    var standing: Standing? {
        guard link != .down || !wants.isEmpty else { return nil }
        return Standing(
            isSearched: link == .searching, isPairing: security == .pairing,
            needsUsage: needsUsage, deadline: nextDeadline)
    }

    /// Whether nothing is lost if it is forgotten.
    var isIdle: Bool {
        path == nil && link == .down && wants.isEmpty && users.isEmpty && queues.isEmpty
            && discoveries.isEmpty && subscriptions.isEmpty
    }

    /// Whether it matters what other programs use: for a subscription, and before a link of this system ends.
    var needsUsage: Bool {
        switch link {
        case .ending: true
        case .up(.own) where users.isEmpty && !hasSystemService: true
        case .up: !subscriptions.isEmpty || !closing.isEmpty
        case .down, .searching, .connecting, .pausing, .cancelling: false
        }
    }

    /// Whether another program has subscribed to something, once that is known; `Device1` does not say who uses it.
    var isUsedByOthers: Bool {
        tree.objects.contains { declaration, attribute in
            guard let value = AttributeTree.value(of: declaration) else { return false }
            let object = attribute.object
            return (object.isNotifying || object.isAcquired && !closing.contains(value))
                && subscriptions[value] == nil && !unstopped.contains(value)
        }
    }

    /// Whether bluetoothd uses the device itself.
    var hasSystemService: Bool { object.services.contains { Self.systemServices.contains($0) } }

    /// Services with a driver in bluetoothd, which connects such devices by itself: Human Interface Device, Audio
    /// Stream Control, hearing aids (ASHA).
    private static let systemServices: Set<BluetoothUUID> = [
        BluetoothUUID(0x1812 as UInt16), BluetoothUUID(0x184E as UInt16),
        BluetoothUUID(0xFDF0 as UInt16),
    ]
}
