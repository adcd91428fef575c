internal import BluetoothLE
internal import LinuxIO

/// What is below ``CentralManager``, ``Peripheral`` and ``AccessoryBinding``: a host of our own
/// (``SystemDriver``) or bluetoothd. It has exactly the calls that these and ``BluetoothAdapter`` make, with words
/// that both can say. What only a host of our own can do stays with ``SystemDriver``.
///
/// Confined to the loop's thread except for ``makeClientID()``, ``enroll(_:as:)`` and ``dismiss(_:)``, and
/// synchronous: when a call returns it has taken effect here. Events follow later, in order, and never during a call
/// of a client. Each completion is called once, in order with events, even if the system is closed meanwhile; only
/// that of ``writeWithoutResponse(_:to:of:by:completion:)`` may be called during the call.
protocol CentralSystem: AnyObject, Sendable {
    /// The loop of the system and of its clients.
    var loop: EventLoop { get }

    // MARK: Life

    /// Opens the transport, or the connection to the bus. Further calls do nothing.
    func open()
    /// Stops scanning and connecting, and ends the links that are the process's own: all those of a controller, none
    /// of bluetoothd's.
    func end()
    /// Whether links that ``end()`` ends are still there, or such as end by themselves.
    var hasLinksToEnd: Bool { get }
    /// Closes what was opened. Clients receive that it is off, and then `closed`, the last event. Links of bluetoothd
    /// stay.
    func close()
    /// Whether it was closed.
    var isClosed: Bool { get }
    /// The state of the adapter. `poweredOff` is for good only if the system ``isClosed``.
    var state: ManagerState { get }

    // MARK: Clients

    /// Delivers events to the clients.
    var desk: SystemDesk { get }
    /// A client was removed: ends its scans, connect requests, use of links, subscriptions, services and
    /// advertisements.
    func dismissed(_ id: ClientID)

    // MARK: Peers

    /// The peer with a public identifier, of this run or an earlier one; `nil` if it is not known.
    func peer(_ identifier: PeerIdentifier) -> PeerKey?
    /// What is known of a peer; `nil` if it is no longer remembered.
    func known(_ peer: PeerKey) -> KnownDevice?
    /// The name of a peer was read from it.
    func named(_ peer: PeerKey, _ name: String)
    /// The peers with links, whatever uses them.
    var connectedPeers: [PeerKey] { get }
    /// The bonded peers, in the order of the last use of their bonds, the most recent one last, if that is known.
    var bonds: [BondDescription] { get }
    /// A peer as programs read of it, on a link that may have ended meanwhile; `nil` if it is no longer remembered.
    func describe(_ peer: PeerKey, on link: LinkDescription?) -> PeerDescription?
    /// That a peer has paired, as programs read of it. Its link may have ended in the same step.
    func paired(_ peer: PeerKey, isBonded: Bool, replacesBond: Bool) -> PeerEvent?

    // MARK: Scanning

    /// Scans for a client. A second call replaces the first, and reports every device again.
    func scan(_ request: ScanRequest, by client: ClientID)
    /// Stops the scan of a client.
    func stopScanning(by client: ClientID)

    // MARK: Links

    /// Requests the link to a peer for a client; `connected` or `connectFailed` follows, to this client only. Without
    /// a timeout the request remains until it is fulfilled or released, whatever the state becomes.
    func connect(_ peer: PeerKey, by client: ClientID, timeout: Duration?)
    /// Ends the use of a link by a client, or its request. The link is ended if nothing else uses it and it is the
    /// process's own.
    func release(_ peer: PeerKey, by client: ClientID)
    /// Ends the link to a peer, whatever uses it. At bluetoothd, a link that another program made, or may use, is not
    /// ended.
    func disconnect(_ peer: PeerKey)
    /// The ATT_MTU of a link in octets; `nil` without a link.
    func mtu(of peer: PeerKey) -> Int?
    /// Reads the strength of a peer's signal.
    func readRSSI(
        of peer: PeerKey, by client: ClientID,
        completion: @escaping @Sendable (Result<Int8, RSSIFailure>) -> Void)

    // MARK: Security

    /// Protects the link to a connected peer: encrypts it with the bond, or pairs.
    func protectLink(to peer: PeerKey)
    /// The user has answered a question of pairing.
    func answer(_ request: UInt64, with answer: PairingReply.Answer)
    /// Removes the bond with a peer, and ends its link. At bluetoothd it is the bond of all programs.
    func forget(_ peer: PeerKey)

    // MARK: Attributes

    /// Runs a procedure at the server of a peer. What the peer refuses for lack of protection is tried again after
    /// pairing.
    func start(
        _ procedure: GATTProcedure, on peer: PeerKey, by client: ClientID,
        completion: @escaping RequestCompletion)
    /// Writes a value of at most ATT_MTU - 3 octets with a Write Command; completed when it is on its way.
    func writeWithoutResponse(
        _ value: [UInt8], to attribute: AttributeHandle, of peer: PeerKey, by client: ClientID,
        completion: @escaping RequestCompletion)
    /// Whether a write without a response would be sent at once. If not, `hasRoom` follows.
    func hasRoom(to peer: PeerKey) -> Bool
    /// Subscribes a client to a value of a peer, or unsubscribes it. The characteristic was discovered with its
    /// descriptors; one that has a Client Characteristic Configuration and can notify or indicate.
    func subscribe(
        _ isSubscribed: Bool, to characteristic: RemoteDatabase.Characteristic, of peer: PeerKey,
        by client: ClientID, completion: @escaping RequestCompletion)
    /// Reports it from now on if the peer changes its services, if it can tell.
    func followServices(of peer: PeerKey)
    /// Discovers the primary services of a connected peer; the result is empty if it does not answer.
    func findServices(
        of peer: PeerKey, then completion: @escaping @Sendable ([BluetoothUUID]) -> Void)
    /// Finds the connected peers that have one of these services. Peers that do not answer are left out.
    func findConnected(
        withServices wanted: [BluetoothUUID],
        then completion: @escaping @Sendable ([PeerKey]) -> Void)
}

extension CentralSystem {
    /// The public identifier of a peer; `nil` if the peer is no longer remembered.
    func identifier(of peer: PeerKey) -> PeerIdentifier? { known(peer)?.identifier }

    /// A new identifier for a client. From any thread.
    func makeClientID() -> ClientID { desk.makeClientID() }

    /// Delivers events to a client from now on. From any thread: if not called on the loop, it takes effect
    /// when the loop runs, before anything that the caller then asks of an actor on it.
    func enroll(_ client: any SystemClient, as id: ClientID) { desk.enroll(client, as: id) }

    /// Removes a client. From any thread.
    func dismiss(_ id: ClientID) {
        guard loop.isCurrent else { return loop.execute { self.dismiss(id) } }
        desk.dismiss(id)
        if !isClosed { dismissed(id) }
    }

    /// The question of pairing as a request that the user can answer. From any thread.
    func request(_ request: UInt64, asking question: SecurityManager.Question) -> PairingRequest {
        PairingRequest(
            question,
            reply: PairingReply(to: request) { [weak self] answer in
                guard let self else { return }
                guard !loop.isCurrent else { return self.answer(request, with: answer) }
                loop.execute { self.answer(request, with: answer) }
            })
    }
}

/// Receives the result of a request to a peer.
typealias RequestCompletion = @Sendable (Result<GATTResult, PeerRequestFailure>) -> Void
