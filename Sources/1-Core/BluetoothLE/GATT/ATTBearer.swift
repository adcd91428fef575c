public import Octets

/// An ATT bearer: the client and the server of one connection. Core Vol 3, Part F and Part G.
///
/// The owner passes every PDU of channel 0x0004 to ``receive(_:table:security:at:)``, then calls
/// ``pollOutput()`` until it returns `nil`, sends the PDUs of `.send`, and calls ``handleTimeout(at:)`` at
/// ``nextDeadline``. All bearers share one attribute table, which is an argument.
///
/// - Client: ``start(_:at:)`` queues a procedure and returns its identifier; exactly one `.completed` ends
///   it. One transaction is on air at a time. It may take 30 s; after that the bearer is dead: it reports
///   `.failed(.transactionTimedOut)` and sends nothing more.
/// - Server: values stored in the table are served at once. For a dynamic attribute the server reports
///   `.readRequested` or `.writeRequested` with a token, and the application answers with
///   ``respond(to:with:refusing:table:security:)``, whenever it is ready, with a value (empty for a write) or
///   an error code. A read asks for the whole value, even if the client wants a part of it. Prepared writes
///   to any number of attributes are reported together when they are executed, and succeed or fail together.
/// - ``notify(_:of:table:security:ignoringConfiguration:)`` and
///   ``indicate(_:of:table:security:ignoringConfiguration:at:)`` respect the client's Client Characteristic
///   Configuration.
/// - Store ``clientConfiguration`` with the bond whenever `.clientConfigurationChanged` is reported;
///   ``restore(_:table:at:)`` restores it when the bonded client returns.
public struct ATTBearer: ~Copyable, Sendable {
    /// Limits.
    public struct Configuration: Equatable, Sendable {
        /// The longest PDU that this side accepts, 23 to 517 octets. It is both Client Rx MTU and Server Rx
        /// MTU (Core Vol 3, Part F, 3.4.2.2). A Prepare Write Request needs 517 for a value of 512 octets.
        public var receiveMTU: Int
        /// How many procedures may be queued behind the current one.
        public var maximumQueuedProcedures: Int
        /// How many Prepare Write Requests may be queued. 64 of them carry a value of 512 octets twice at the
        /// smallest ATT_MTU.
        public var maximumPreparedWrites: Int
        /// How many indications may be queued behind an unconfirmed one.
        public var maximumQueuedIndications: Int

        /// Limits; a `receiveMTU` outside 23 to 517 is clamped.
        public init(
            receiveMTU: Int = 517, maximumQueuedProcedures: Int = 32,
            maximumPreparedWrites: Int = 64, maximumQueuedIndications: Int = 16
        ) {
            self.receiveMTU = min(max(receiveMTU, ATT.defaultMTU), 517)
            self.maximumQueuedProcedures = maximumQueuedProcedures
            self.maximumPreparedWrites = maximumPreparedWrites
            self.maximumQueuedIndications = maximumQueuedIndications
        }
    }

    /// What the owner has to do, and what happened.
    public enum Output: Equatable, Sendable {
        /// Send this PDU on the ATT fixed channel.
        case send([UInt8])
        /// ``ATTBearer/clientConfiguration`` changed: store it with the bond, if there is one.
        case clientConfigurationChanged
        /// Something happened.
        case event(Event)
    }

    /// An event of a bearer. The layers above pass it on unchanged.
    public enum Event: Equatable, Sendable {
        /// The effective ATT_MTU changed.
        case mtuChanged(Int)
        /// A procedure ended.
        case completed(ProcedureID, Result<GATTResult, GATTFailure>)
        /// The peer's server sent a value.
        case value(ValueEvent)
        /// The peer's client accessed the attributes of this side.
        case server(ServerEvent)
        /// The bearer is dead: ATT can no longer be used on this connection.
        case failed(Failure)
    }

    /// A value that the peer's server sent without a request.
    public enum ValueEvent: Equatable, Sendable {
        /// A notification.
        case notification(AttributeHandle, [UInt8])
        /// An indication; it has been confirmed.
        case indication(AttributeHandle, [UInt8])
    }

    /// An access of the peer's client to the attributes of this side.
    public enum ServerEvent: Equatable, Sendable {
        /// The client confirmed the indication of a value.
        case indicationConfirmed(AttributeHandle)
        /// The client wrote the configuration of the characteristic with this value handle, even if
        /// unchanged.
        case subscriptionChanged(AttributeHandle, ClientCharacteristicConfiguration)
        /// The client wrote a value in the table; this is the whole value.
        case valueWritten(AttributeHandle, [UInt8])
        /// The client reads a dynamic attribute: respond with its whole value.
        case readRequested(RequestToken, AttributeHandle)
        /// The client writes dynamic attributes: respond if there is a token; a Write Command has none. Only
        /// the execution of prepared writes has more than one element: carry out all of them, in order, or
        /// none.
        case writeRequested(RequestToken?, [AttributeWrite])
        /// An access was refused: because the link needs better protection
        /// (`ATTErrorCode.asksForProtection`), or because the attribute never accepts such a write (wrong
        /// length, wrong offset, not writable).
        case accessDenied(AttributeHandle, ATTErrorCode)
    }

    /// Why a bearer is dead.
    public enum Failure: Error, Equatable, Sendable {
        /// A response or a confirmation did not arrive within 30 s. Core Vol 3, Part F, 3.3.3.
        case transactionTimedOut
    }

    /// A call that is not allowed now, or not with these arguments.
    public enum UsageError: Error, Equatable, Sendable {
        /// The connection has ended, or the bearer is dead.
        case closed
        /// The queue of procedures or indications is full.
        case queueFull
        /// The value does not fit into one PDU, or is longer than `limit` octets.
        case valueTooLong(limit: Int)
        /// The client has not subscribed.
        case notSubscribed
        /// The procedure cannot use these arguments: an invalid range, or too few handles.
        case invalidArgument
    }

    /// Identifies a request to the application until it is answered.
    public struct RequestToken: RawRepresentable, Hashable, Sendable {
        /// A number that is unique within the bearer.
        public var rawValue: UInt64
        /// From which octet of the value on the client reads: that of a Read Blob Request, otherwise 0.
        public internal(set) var offset: UInt16 = 0
        /// A token with this number.
        public init(rawValue: UInt64) { self.rawValue = rawValue }
    }

    /// How long a transaction may take. Core Vol 3, Part F, 3.3.3.
    public static let transactionTimeout = Duration.seconds(30)

    private enum State {
        case open
        case closed
    }

    private let configuration: Configuration
    private var state = State.open
    private var server: ATTServer
    private var client: ATTClient
    private var outputs = Queue<Output>()

    /// The effective ATT_MTU in octets.
    public private(set) var mtu = ATT.defaultMTU

    /// A bearer on a new connection.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        server = ATTServer(configuration: configuration)
        client = ATTClient(configuration: configuration)
    }

    /// The state that the server keeps for this client.
    public var clientConfiguration: ClientConfiguration { server.client }

    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    public var nextDeadline: MonotonicInstant? { .earliest(client.deadline, server.deadline) }

    /// Takes the next output. After every input, call it until it returns `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    // MARK: Inputs

    /// A PDU arrived on the ATT fixed channel.
    public mutating func receive(
        _ pdu: Span<UInt8>, table: inout AttributeTable, security: LinkSecurity,
        at now: MonotonicInstant
    ) {
        guard isOpen, !pdu.isEmpty else { return }
        let opcode = ATTOpcode(rawValue: pdu[0])
        if opcode.comesFromServer {
            client.receive(pdu, opcode: opcode, mtu: &mtu, at: now, outputs: &outputs)
        } else {
            var scene = takeScene(&table, security)
            server.receive(pdu, opcode: opcode, scene: &scene, at: now, outputs: &outputs)
            putBack(scene, &table)
        }
    }

    /// Queues a procedure of the client, which ends with one `.completed`. Throws ``UsageError``.
    public mutating func start(
        _ procedure: GATTProcedure, at now: MonotonicInstant
    ) throws(UsageError) -> ProcedureID {
        guard isOpen else { throw .closed }
        return try client.start(procedure, mtu: &mtu, at: now, outputs: &outputs)
    }

    /// Writes a value of at most ATT_MTU - 3 octets with a Write Command, which has no response. Core Vol 3,
    /// Part G, 4.9.1.
    public mutating func writeWithoutResponse(
        _ value: [UInt8], to handle: AttributeHandle
    ) throws(UsageError) {
        guard isOpen else { throw .closed }
        guard value.count <= mtu - 3 else { throw .valueTooLong(limit: mtu - 3) }
        outputs.append(.send(ATTClientPDU.writeCommand(handle, value: value).octets))
    }

    /// Notifies the client of a value of at most ATT_MTU - 3 octets. Core Vol 3, Part G, 4.10.1.
    ///
    /// Throws ``UsageError/notSubscribed`` unless the client has subscribed and the link has the protection
    /// that the subscription requires; `ignoringConfiguration` skips this check.
    public mutating func notify(
        _ value: [UInt8], of handle: AttributeHandle, table: AttributeTable,
        security: LinkSecurity = .none, ignoringConfiguration: Bool = false
    ) throws(UsageError) {
        guard isOpen else { throw .closed }
        try server.notify(
            value, of: handle, ignoringConfiguration: ignoringConfiguration,
            scene: scene(table, security), outputs: &outputs)
    }

    /// Indicates a value of at most ATT_MTU - 3 octets, which the client confirms. Indications are sent one
    /// after the other. Core Vol 3, Part G, 4.11.1.
    ///
    /// Throws ``UsageError/notSubscribed`` unless the client has subscribed and the link has the protection
    /// that the subscription requires; `ignoringConfiguration` skips this check.
    public mutating func indicate(
        _ value: [UInt8], of handle: AttributeHandle, table: AttributeTable,
        security: LinkSecurity = .none, ignoringConfiguration: Bool = false,
        at now: MonotonicInstant
    ) throws(UsageError) {
        guard isOpen else { throw .closed }
        try server.indicate(
            value, of: handle, ignoringConfiguration: ignoringConfiguration,
            scene: scene(table, security), at: now, outputs: &outputs)
    }

    /// Answers `.readRequested` with the whole value, or `.writeRequested` with any success. An error refers
    /// to the attribute that is `refusing`, or else to the first one of the request. Ignored if the token is
    /// not pending.
    public mutating func respond(
        to token: RequestToken, with answer: Result<[UInt8], ATTErrorCode>,
        refusing handle: AttributeHandle? = nil, table: inout AttributeTable, security: LinkSecurity
    ) {
        guard isOpen else { return }
        var scene = takeScene(&table, security)
        server.respond(to: token, with: answer, refusing: handle, scene: &scene, outputs: &outputs)
        putBack(scene, &table)
    }

    /// Restores the stored state of a bonded client that has returned. If the table has changed since, which
    /// its Database Hash shows, the client is informed by Service Changed. Core Vol 3, Part G, 2.5.2.
    public mutating func restore(
        _ configuration: ClientConfiguration, table: AttributeTable, at now: MonotonicInstant
    ) {
        guard isOpen else { return }
        server.restore(configuration, scene: scene(table), at: now, outputs: &outputs)
    }

    /// Attributes in a range of the table were added, removed or changed during the connection; `table` is
    /// the new one, with its hash updated. Core Vol 3, Part G, 7.1. Without `announcing`, no Service Changed
    /// is sent.
    public mutating func tableChanged(
        _ range: AttributeHandleRange, announcing: Bool = true, table: AttributeTable,
        at now: MonotonicInstant
    ) {
        guard isOpen else { return }
        server.tableChanged(
            range, announcing: announcing, scene: scene(table), at: now, outputs: &outputs)
    }

    /// Whether the client discovered attributes while services were hidden from it.
    var hasMissedServices: Bool { server.hasMissedServices }

    /// The link is now encrypted, and the client can see attributes in a range that was hidden from it.
    mutating func becameVisible(
        _ range: AttributeHandleRange, table: AttributeTable, at now: MonotonicInstant
    ) {
        guard isOpen else { return }
        server.becameVisible(range, scene: scene(table), at: now, outputs: &outputs)
    }

    /// Call it when ``nextDeadline`` has passed. A transaction that took too long ends the bearer.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        guard isOpen else { return }
        let isClientLate = Self.isOver(client.deadline, at: now)
        guard isClientLate || Self.isOver(server.deadline, at: now) else { return }
        end(with: isClientLate ? .transactionTimedOut : .closed)
        outputs.append(.event(.failed(.transactionTimedOut)))
    }

    private static func isOver(_ deadline: MonotonicInstant?, at now: MonotonicInstant) -> Bool {
        guard let deadline else { return false }
        return deadline <= now
    }

    /// The connection has ended: every procedure ends with `GATTFailure.closed`.
    public mutating func close() {
        guard isOpen else { return }
        end(with: .closed)
    }

    private mutating func end(with failure: GATTFailure) {
        state = .closed
        client.close(failure, outputs: &outputs)
        server.close()
    }

    // MARK: Scene

    private var isOpen: Bool {
        switch state {
        case .open: true
        case .closed: false
        }
    }

    private func scene(_ table: AttributeTable, _ security: LinkSecurity = .none) -> ServerScene {
        ServerScene(table: table, security: security, mtu: mtu)
    }

    /// Moves the table into the scene, so that writing to it makes no copy.
    private func takeScene(
        _ table: inout AttributeTable, _ security: LinkSecurity
    ) -> ServerScene {
        ServerScene(
            table: exchange(&table, with: AttributeTable()), security: security, mtu: mtu)
    }

    private mutating func putBack(_ scene: ServerScene, _ table: inout AttributeTable) {
        table = scene.table
        mtu = scene.mtu
    }
}

/// Identifies a procedure until it ends.
public struct ProcedureID: RawRepresentable, Hashable, Sendable {
    /// A number that is unique within the bearer.
    public var rawValue: UInt64
    /// An identifier with this number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
