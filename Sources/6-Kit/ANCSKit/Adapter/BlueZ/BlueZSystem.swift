internal import BlueZ

/// Core Bluetooth's Central on bluetoothd, without I/O: the signals and replies of bluetoothd and the calls of clients
/// are its inputs, calls of bluetoothd and events are its outputs. It can stand where a host of our own stands below
/// `CentralManager` and `AccessoryBinding`; links and bonds then outlive the program.
///
/// **Who owns what.** bluetoothd owns the controller, the links, the bonds and the discovery of services. This machine
/// owns what its clients want: scans (``DiscoveryBook``), requests to connect, requests about attributes and
/// subscriptions (``RemotePeer``), and which peer has which identifier (``PeerBook``). Peers are known by their identity
/// addresses, and before they are bonded by the object of bluetoothd.
///
/// **States.** Those of bluetoothd are `DaemonLife`'s; `ManagerState` says what clients may do.
/// Each peer has the states of its link, its protection, each attribute's queue and
/// each subscription, drawn and described there. Those that stand for a trap of bluetoothd 5.55 to 5.87:
///
/// | trap | state |
/// |---|---|
/// | a request that was refused for want of security is never answered | ``AttributeQueue/State/called(_:)`` with `suspectAt`, then ``RemotePeer/Security/pairing`` |
/// | it pairs by itself for a request that was refused, with the default agent, perhaps ours | ``RemotePeer/Security/pairing``: `Pair` joins that |
/// | calls while it pairs are never answered | ``RemotePeer/Security/pairing``: nothing else is called |
/// | pairing in the middle of its discovery hides services | ``RemotePeer/isPairingWanted`` |
/// | a second write to an attribute is refused | ``AttributeQueue``, and ``AttributeQueue/State/pausing(until:_:)`` for those of other programs |
/// | `StartNotify` on a dead link succeeds, and comes back with the next one | ``RemotePeer/mayCall``; `StopNotify` after the end |
/// | `AcquireNotify` that is refused is never answered (before 5.84) | ``RemotePeer/SocketPolicy/afterAnAnswer`` |
/// | the socket of `AcquireNotify` excludes every other program | ``RemotePeer/SocketPolicy/bonded`` |
/// | an `AcquireNotify` that is never answered excludes every later one | ``RemotePeer/isSocketKept``; `StopNotify` after the end, since 5.84 |
/// | `AcquireNotify` ends bluetoothd | ``RemotePeer/SocketPolicy/never`` |
/// | an object that is replaced is gone for a moment | `ValueSubscription.State.pausing` |
/// | objects outlive the link | ``AttributeTree`` is only used while services are resolved |
/// | the calls of an object that goes are never answered | ``RemotePeer/endRequests(about:)`` |
/// | a discovery that names services ends it (5.87) | ``DiscoveryBook/mayNameServices`` |
/// | devices that are not bonded are removed after 30 s | ``RemotePeer/Link/searching`` |
/// | `Connect` has a limit, Core Bluetooth's has none | ``RemotePeer/Link/pausing(until:)`` |
/// | `Disconnect` of any program ends the link for all | ``RemotePeer/Origin``, `DisconnectReason.otherProgram` |
/// | nothing is answered on this link any more | ``RemotePeer/isHung``; a link of its own is ended once |
///
/// **What is bounded.** Devices and peers (``PeerBook``), attributes of a peer (``AttributeTree``), requests of all clients
/// (``maximumRequests``), writes without a response, values (512 octets), reports of a scan. Outputs are
/// as many as what an input concerns. Each request is completed once, and none is called on a dead link.
///
/// **What bluetoothd cannot do.** It does not say how a link is protected, its signal strength, or who made it; which
/// of three errors asks for protection; where a service ends; whether an advertiser accepts connections. It always
/// scans actively. A device with BR/EDR may be connected by that, and then has no attributes here. A value that any
/// program reads is broadcast like one that is notified, so changes of characteristics are received only while they are
/// needed (``Usage``).
///
/// Its owner watches the owner of the name `org.bluez` and reports it to ``ownerChanged(to:at:)``, passes on the signals
/// of that program that it asks for, and calls to ``objectPaths``; then it calls ``pollOutput()`` until that returns `nil`.
struct BlueZSystem: ~Copyable, Sendable {
    static let objectPaths = [PairingAgent.path]

    /// The purpose of a pending call.
    enum Own: Equatable, Sendable {
        case discovery(DiscoveryBook.Call)
        case usage
        /// A call for a peer, on the link with this number.
        case peer(PeerKey, RemotePeer.Call, link: UInt64)
    }

    /// The adapter to use.
    let wanted: AdapterName
    /// How many requests may wait for answers, of all clients together.
    let maximumRequests: Int
    var desk: DaemonDesk<Own, Report>
    /// The state, as it was last reported.
    var state = ManagerState.unknown
    /// The reason that was reported with it.
    var failure: BluetoothdFailure?
    var adapters: [ObjectPath: AdapterObject] = [:]
    var book: PeerBook
    var scans = DiscoveryBook()
    var hasReportedSockets = false
    /// The peers with links, or that a client wants a link to.
    var active: [PeerKey: RemotePeer.Standing] = [:]
    var usage = Usage.unknown
    var socketPeers: [SocketID: PeerKey] = [:]
    var requestCount = 0

    /// A system that starts when the owner of the name is first reported. `known` are the peers of earlier runs;
    /// `maximumAbsentPeers` without an object of bluetoothd, a link or a request are remembered.
    init(
        adapter: AdapterName = .any, ability: PairingAbility = .noInputNoOutput,
        maximumRequests: Int = 1_024, maximumAbsentPeers: Int = 1_024,
        known: [BlueZPeerStore.Entry] = [], identifiers: @escaping Identifiers
    ) {
        (wanted, self.maximumRequests) = (adapter, maximumRequests)
        desk = DaemonDesk(agent: PairingAgent(for: ability))
        book = PeerBook(known: known, maximumAbsent: maximumAbsentPeers, identifiers: identifiers)
    }

    // MARK: What happened (DaemonClient)

    /// The connection to the bus is lost. bluetoothd cannot be reached, and has not ended because of a call.
    mutating func busLost(at now: MonotonicInstant) {
        desk.sockets.busLost()
        ownerChanged(to: nil, at: now)
    }

    mutating func receive(_ signal: BusSignal, at now: MonotonicInstant) {
        // Any program can send a signal and claim to be bluetoothd; and the reply to come has all objects.
        guard signal.sender == desk.daemon.owner, desk.daemon.state == .present else { return }
        signal.forEachChange { changed($0, at: now) }
        settle(at: now)
    }

    mutating func replied(
        _ result: BusResult, to call: CallID, for purpose: Own, at now: MonotonicInstant
    ) {
        switch purpose {
        case .discovery(let call): scans.replied(to: call, result, at: now)
        case .usage: usageReplied(to: call, result, at: now)
        case .peer(let id, let call, let link):
            let socket = makeSocketID()
            let subscribed = call.ofSubscription.flatMap { $1.subscribes ? $0.path : nil }
            let isKept = subscribed.map(desk.sockets.isKept) ?? false
            update(id, at: now) { peer in
                peer.isSocketKept = isKept
                peer.replied(to: call, on: link, result, socket: socket, at: now)
            }
        }
    }

    mutating func called(
        _ call: BusMethodCall, _ invocation: InvocationID, at now: MonotonicInstant
    ) {
        joinPairing(asked: call, at: now)
        let pairing = active.filter(\.value.isPairing).keys
        let paths = Set(pairing.compactMap { book.peers[$0]?.path })
        desk.agent.receive(call, invocation, isPairing: { paths.contains($0) })
    }

    mutating func receive(_ value: [UInt8], from socket: SocketID, at now: MonotonicInstant) {
        guard let id = socketPeers[socket] else { return }
        update(id, at: now) { $0.received(value, from: socket) }
    }

    mutating func hungUp(_ socket: SocketID, at now: MonotonicInstant) {
        guard let id = socketPeers[socket] else { return }
        update(id, at: now) { $0.hungUp(socket, at: now) }
        settle(at: now)
    }

    mutating func selinuxRead(_ selinux: SELinuxState, at now: MonotonicInstant) {
        desk.selinux = selinux
        updateSocketPolicy(at: now)
    }

    mutating func advance(at now: MonotonicInstant) {
        scans.handleTimeout(at: now)
        for id in active.keys.sorted(byNumber: \.rawValue) {
            guard let deadline = active[id]?.deadline, deadline <= now else { continue }
            update(id, at: now) { $0.handleTimeout(at: now) }
        }
    }

    var nextDeadline: MonotonicInstant? {
        var deadline = MonotonicInstant.earliest(scans.nextDeadline, desk.daemon.nextDeadline)
        if case .unanswered(let instant) = usage { deadline = .earliest(deadline, instant) }
        for standing in active.values { deadline = .earliest(deadline, standing.deadline) }
        return deadline
    }

    // MARK: Internals

    mutating func report(_ event: SystemEvent, to client: ClientID? = nil) {
        output(.report(.event(event, to: client)))
    }

    mutating func complete(_ id: RequestID, _ result: Result<GATTResult, PeerRequestFailure>) {
        requestCount -= 1
        output(.report(.completed(id, result)))
    }

    /// Carries out what the machines want that all peers share.
    mutating func settle(at now: MonotonicInstant) {
        scans.search(state == .poweredOn && active.values.contains(where: \.isSearched))
        updateUsage(at: now)
        drainScans()
        drainAgent()
        if !active.values.contains(where: \.isPairing) { restorePairable() }
    }
}
