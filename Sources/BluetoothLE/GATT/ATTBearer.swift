public import Octets

/// One ATT bearer: client and server of one connection. Core Vol 3, Part F and Part G.
///
/// The owner (one per connection) passes every PDU of channel 0x0004 to ``receive(_:table:security:at:)``,
/// then drains ``pollOutput()`` to `nil`, sends what `.send` holds, and calls ``handleTimeout(at:)``
/// at ``nextDeadline``. The attribute table is shared by all bearers and passed in.
///
/// - Client half: ``start(_:at:)`` queues a procedure and returns its name; exactly one
///   `.completed` ends it. One transaction is on air at a time and has 30 s; when they are over the
///   bearer is dead: `.failed(.transactionTimedOut)`, and nothing is sent any more.
/// - Server half: values in the table are served at once. For a dynamic attribute the server puts out
///   `.readRequested` or `.writeRequested` with a token; the application answers with
///   ``respond(to:with:refusing:table:security:)``, in its own time, with a value (empty for a write) or with
///   an error code of its own. A read asks for the whole value, whatever part of it the client wants;
///   what was prepared for any number of attributes is asked about once, when it is executed, and
///   written as a whole or not at all.
/// - ``notify(_:of:table:security:ignoringConfiguration:)`` and
///   ``indicate(_:of:table:security:ignoringConfiguration:at:)`` respect what this client wrote to the
///   configuration descriptor.
/// - ``clientConfiguration`` is what to store with a bond whenever `.clientConfigurationChanged` comes
///   out; ``restore(_:table:at:)`` gives it back when the bonded client returns.
public struct ATTBearer: ~Copyable, Sendable {
    /// Limits.
    public struct Configuration: Hashable, Sendable {
        /// The largest PDU that this side accepts, 23 to 517 octets: Client Rx MTU and Server Rx MTU
        /// are the same (Core Vol 3, Part F, 3.4.2.2). 517 carries a value of 512 octets in a
        /// Prepare Write Request.
        public var receiveMTU: Int
        /// How many procedures may wait besides the one that runs.
        public var maximumQueuedProcedures: Int
        /// How many Prepare Write Requests may wait for their execution; 64 carry a value of 512
        /// octets twice at the smallest ATT_MTU.
        public var maximumPreparedWrites: Int
        /// How many indications may wait besides the one that is not confirmed.
        public var maximumQueuedIndications: Int

        /// Limits; an MTU outside 23 to 517 is brought inside.
        public init(
            receiveMTU: Int = 517, maximumQueuedProcedures: Int = 32,
            maximumPreparedWrites: Int = 64, maximumQueuedIndications: Int = 16
        ) {
            self.receiveMTU = min(max(receiveMTU, ATTBearer.defaultMTU), 517)
            self.maximumQueuedProcedures = maximumQueuedProcedures
            self.maximumPreparedWrites = maximumPreparedWrites
            self.maximumQueuedIndications = maximumQueuedIndications
        }
    }

    /// What the owner must do, or what it may want to know.
    public enum Output: Hashable, Sendable {
        /// Send this PDU on the ATT fixed channel.
        case send([UInt8])
        /// ``ATTBearer/clientConfiguration`` changed: store it with the bond, where there is one.
        case clientConfigurationChanged
        /// Something happened.
        case event(Event)
    }

    /// What happens on a bearer. The layers above pass it on as it is.
    public enum Event: Hashable, Sendable {
        /// The effective ATT_MTU changed.
        case mtuChanged(Int)
        /// A procedure ended.
        case completed(ProcedureID, Result<GATTResult, GATTFailure>)
        /// The server of the peer sent a value by itself.
        case value(ValueEvent)
        /// The client of the peer did something with the attributes of this side.
        case server(ServerEvent)
        /// The bearer is dead: the connection is of no more use for ATT.
        case failed(Failure)
    }

    /// A value that the server of the peer sent by itself.
    public enum ValueEvent: Hashable, Sendable {
        /// It was notified.
        case notification(AttributeHandle, [UInt8])
        /// It was indicated; it has been confirmed.
        case indication(AttributeHandle, [UInt8])
    }

    /// What the client of the peer did with the attributes of this side.
    public enum ServerEvent: Hashable, Sendable {
        /// The client confirmed the indication of a value.
        case indicationConfirmed(AttributeHandle)
        /// The client configured the characteristic with this value handle, be it as it was.
        case subscriptionChanged(AttributeHandle, ClientCharacteristicConfiguration)
        /// The client wrote a value in the table; it is the whole value.
        case valueWritten(AttributeHandle, [UInt8])
        /// The client reads a dynamic attribute: respond with the whole value.
        case readRequested(RequestToken, AttributeHandle)
        /// The client writes dynamic attributes: respond where there is a token; a Write Command
        /// comes without. There is more than one write only where prepared ones are executed: they
        /// are carried out in order, all of them or none.
        case writeRequested(RequestToken?, [AttributeWrite])
        /// The client was refused access to an attribute because the link is not protected enough
        /// (``ATTErrorCode/asksForProtection``), or a write that the attribute never takes: of the
        /// wrong length, out of place, to what cannot be written.
        case accessDenied(AttributeHandle, ATTErrorCode)
    }

    /// Why a bearer is dead.
    public enum Failure: Error, Hashable, Sendable {
        /// A response or a confirmation did not come within 30 s. Core Vol 3, Part F, 3.3.3.
        case transactionTimedOut
    }

    /// Why a call cannot be carried out.
    public enum UsageError: Error, Hashable, Sendable {
        /// The connection ended or the bearer is dead.
        case closed
        /// Too many procedures or indications wait.
        case queueFull
        /// The value does not fit one PDU, or is longer than an attribute value may be.
        case valueTooLong(limit: Int)
        /// The client did not ask for this.
        case notSubscribed
        /// A procedure cannot work with these arguments: an invalid range, too few handles.
        case invalidArgument
    }

    /// Names a question to the application until it is answered.
    public struct RequestToken: RawRepresentable, Hashable, Sendable {
        /// A number that no other question of this bearer has.
        public var rawValue: UInt64
        /// A name.
        public init(rawValue: UInt64) { self.rawValue = rawValue }
    }

    /// ATT_MTU before it is exchanged on LE. Core Vol 3, Part G, 5.2.1.
    public static let defaultMTU = 23
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
    public private(set) var mtu = ATTBearer.defaultMTU

    /// A bearer on a new connection.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        server = ATTServer(configuration: configuration)
        client = ATTClient(configuration: configuration)
    }

    /// What the server knows of this client.
    public var clientConfiguration: ClientConfiguration { server.client }

    /// The next instant at which ``handleTimeout(at:)`` has something to do.
    public var nextDeadline: MonotonicInstant? {
        .earliest(client.deadline, server.deadline)
    }

    /// The output that waits longest.
    public mutating func pollOutput() -> Output? {
        outputs.popFirst()
    }

    // MARK: Inputs

    /// A PDU came on the ATT fixed channel.
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

    /// Queues a procedure of the client; it ends with one `.completed`.
    public mutating func start(
        _ procedure: GATTProcedure, at now: MonotonicInstant
    ) throws(UsageError) -> ProcedureID {
        guard isOpen else { throw .closed }
        return try client.start(procedure, mtu: &mtu, at: now, outputs: &outputs)
    }

    /// Writes a value of at most ATT_MTU - 3 octets at the server, which does not answer. Core Vol 3,
    /// Part G, 4.9.1.
    public mutating func writeWithoutResponse(
        _ value: [UInt8], to handle: AttributeHandle
    ) throws(UsageError) {
        guard isOpen else { throw .closed }
        guard value.count <= mtu - 3 else { throw .valueTooLong(limit: mtu - 3) }
        outputs.append(.send(ATTClientPDU.writeCommand(handle, value: value).octets))
    }

    /// Notifies the client of a value of at most ATT_MTU - 3 octets. Throws
    /// ``UsageError/notSubscribed`` unless the client asked for it, on a link that is protected as the
    /// subscription demands; `ignoringConfiguration` does not look. Core Vol 3, Part G, 4.10.1.
    public mutating func notify(
        _ value: [UInt8], of handle: AttributeHandle, table: AttributeTable,
        security: LinkSecurity = .none, ignoringConfiguration: Bool = false
    ) throws(UsageError) {
        guard isOpen else { throw .closed }
        try server.notify(
            value, of: handle, ignoringConfiguration: ignoringConfiguration,
            scene: scene(table, security), outputs: &outputs)
    }

    /// Indicates a value of at most ATT_MTU - 3 octets; the client confirms it. Indications leave
    /// one after the other. Throws ``UsageError/notSubscribed`` unless the client asked for it, on a
    /// link that is protected as the subscription demands; `ignoringConfiguration` does not look. Core
    /// Vol 3, Part G, 4.11.1.
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

    /// The application answers `.readRequested` with the whole value, or `.writeRequested` with
    /// anything that is no error. An error names the attribute that it is `refusing`, or else the first that
    /// was asked about. A token that no question waits for is ignored.
    public mutating func respond(
        to token: RequestToken, with answer: Result<[UInt8], ATTErrorCode>,
        refusing handle: AttributeHandle? = nil, table: inout AttributeTable, security: LinkSecurity
    ) {
        guard isOpen else { return }
        var scene = takeScene(&table, security)
        server.respond(
            to: token, with: answer, refusing: handle, scene: &scene, outputs: &outputs)
        putBack(scene, &table)
    }

    /// A bonded client is back: what was stored for it counts again, and if the table has changed
    /// since (its Database Hash is another one) the client is told so. Core Vol 3, Part G, 2.5.2.
    public mutating func restore(
        _ configuration: ClientConfiguration, table: AttributeTable, at now: MonotonicInstant
    ) {
        guard isOpen else { return }
        server.restore(configuration, scene: scene(table), at: now, outputs: &outputs)
    }

    /// Attributes in a range of the table came, went or changed during the connection; the table is
    /// the new one, its hash updated. Core Vol 3, Part G, 7.1. Without `announcing`, the client is not
    /// told by Service Changed.
    public mutating func tableChanged(
        _ range: AttributeHandleRange, announcing: Bool = true, table: AttributeTable,
        at now: MonotonicInstant
    ) {
        guard isOpen else { return }
        server.tableChanged(
            range, announcing: announcing, scene: scene(table), at: now, outputs: &outputs)
    }

    /// Whether the client has looked for attributes while services were hidden from it.
    var hasMissedServices: Bool { server.hasMissedServices }

    /// The link is encrypted now, and the client sees attributes in a range that were hidden from it.
    mutating func becameVisible(
        _ range: AttributeHandleRange, table: AttributeTable, at now: MonotonicInstant
    ) {
        guard isOpen else { return }
        server.becameVisible(range, scene: scene(table), at: now, outputs: &outputs)
    }

    /// Time has passed. A transaction that took too long ends the bearer.
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

    /// The connection ended: every procedure ends with ``GATTFailure/closed``.
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

    private func scene(
        _ table: AttributeTable, _ security: LinkSecurity = .none
    ) -> ServerScene {
        ServerScene(table: table, security: security, mtu: mtu)
    }

    /// Moves the table into the scene, so that writing to it copies nothing.
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
