public import Octets

/// The Security Manager of one connection, in either role: pairs, bonds, and has the controller encrypt
/// the link. Core Vol 3, Part H.
///
/// Inputs say what the peer (``receive(_:toolbox:at:)``), the controller
/// (``encryptionChanged(status:isEnabled:toolbox:at:)``, ``longTermKeyRequested(random:ediversifier:)``)
/// and the user (``passkeyEntered(_:toolbox:at:)``, ``userConfirmed(_:toolbox:at:)``) did. After each one,
/// drain ``pollOutput()`` to `nil`. Pairing runs through three phases:
///
///     idle ─▶ awaitingResponse / awaitingConsent ─▶ authenticating ─▶ awaitingEncryption ─▶ distributing
///             features are exchanged (phase 1)      keys are made     the link is encrypted  keys are sent
///                                                   (phase 2)                                (phase 3)
///
/// The bond is replaced only after a pairing has succeeded. After 30 seconds without progress the machine
/// is closed: no command goes out on this connection any more.
public struct SecurityManager: ~Copyable, Sendable {
    /// Who began: the Central is the initiator, the Peripheral the responder.
    public enum Role: Hashable, Sendable {
        /// The Central.
        case initiator
        /// The Peripheral.
        case responder
    }

    /// What is asked of the user, or of the program on the user's behalf.
    public enum Question: Hashable, Sendable {
        /// Enter the six digits that the peer shows: ``passkeyEntered(_:toolbox:at:)``.
        case enterPasskey
        /// Show these six digits; nothing to answer.
        case displayPasskey(UInt32)
        /// Choose the passkey that is to be shown: ``passkeyEntered(_:toolbox:at:)``.
        case choosePasskey
        /// Does the peer show the same six digits? ``userConfirmed(_:toolbox:at:)``.
        case compare(UInt32)
        /// May the peer pair at all? ``userConfirmed(_:toolbox:at:)``.
        case confirmPairing
    }

    /// What the owner has to do, or wants to know. A bond is large and rare, and so it is indirect.
    public enum Output: Hashable, Sendable {
        /// Send a PDU on the Security Manager channel.
        case send([UInt8])
        /// HCI LE Enable Encryption; only the Central.
        case startEncryption(longTermKey: UInt128, ediversifier: UInt16, random: UInt64)
        /// HCI LE Long Term Key Request Reply; only the Peripheral.
        case replyLongTermKey(UInt128)
        /// HCI LE Long Term Key Request Negative Reply; only the Peripheral.
        case rejectLongTermKey
        /// Ask the user.
        case ask(Question)
        /// The link is protected differently from now on.
        case securityChanged(LinkSecurity)
        /// Pairing succeeded. The bond is to be stored, in the place of an earlier one of the same peer;
        /// it is missing where one of the devices does not bond.
        indirect case paired(Bond?)
        /// Pairing or encryption failed; a question that is still open is withdrawn.
        case failed(Failure)
    }

    /// Why pairing or encryption failed.
    public typealias Failure = SecurityFailure

    /// Why a call is not possible.
    public enum UsageError: Error, Hashable, Sendable {
        /// A pairing or an encryption is under way.
        case busy
        /// An earlier pairing on this connection timed out; only a new connection helps.
        case closed
        /// An attempt failed a short while ago. Core Vol 3, Part H, 2.3.6.
        case tooSoon(until: MonotonicInstant)
        /// Nothing of the kind was asked.
        case notAsked
        /// A passkey has at most six digits.
        case passkeyOutOfRange
    }

    /// How long a step may take. Core Vol 3, Part H, 3.4.
    static let timeout = Duration.seconds(30)

    /// What we offer, want and allow; may change at any time, for the next pairing.
    public var configuration: SecurityConfiguration
    /// Whether we begin.
    public let role: Role
    /// Our address as it is used on air.
    public let localAddress: DeviceAddress
    /// The peer's address as it is used on air.
    public let peerAddress: DeviceAddress
    /// What is stored about the peer.
    public internal(set) var bond: Bond?
    /// How long the peer has to wait; to be stored in ``PairingThrottles`` when the connection ends.
    public internal(set) var throttle: PairingThrottle
    /// How the link is protected now.
    public internal(set) var security: LinkSecurity

    var state = State.idle
    /// What the link will be like once the controller says that it is encrypted.
    var expectedSecurity: LinkSecurity?
    private var outputs = Queue<Output>()

    enum State: Hashable, Sendable {
        case idle
        /// Something is under way, and has until the deadline to make progress. Core Vol 3, Part H, 3.4.
        /// Indirect: a link that rests has no room for the numbers of a pairing.
        indirect case busy(Procedure, deadline: MonotonicInstant)
        /// No command goes out any more.
        case closed
    }

    /// What is under way.
    enum Procedure: Hashable, Sendable {
        /// Responder: waits for what the Central makes of a Security Request.
        case securityRequested
        /// Initiator: the controller encrypts with the key of the bond, because the peer asked for this
        /// protection, or because we did.
        case encrypting(for: AuthenticationRequirements)
        /// Initiator: Pairing Request is out.
        case awaitingResponse(PairingFeatures)
        /// The user has to allow pairing: what the Central offers, whether that is the peer or we.
        case awaitingConsent(PairingFeatures)
        case authenticating(PairingMethod)
        case awaitingEncryption(PairingAgreement, key: UInt128)
        case distributing(KeyExchange)
    }

    /// The second phase, by either method.
    enum PairingMethod: Hashable, Sendable {
        case legacy(LegacyPairing)
        case secureConnections(SecureConnectionsPairing)
    }

    /// The security manager of a new, unprotected connection. `bond` is what is stored about the peer,
    /// found by its address or by resolving it.
    public init(
        configuration: SecurityConfiguration, role: Role, localAddress: DeviceAddress,
        peerAddress: DeviceAddress, bond: Bond? = nil, throttle: PairingThrottle = PairingThrottle()
    ) {
        self.configuration = configuration
        self.role = role
        self.localAddress = localAddress
        self.peerAddress = peerAddress
        self.bond = bond
        self.throttle = throttle
        security = LinkSecurity(isBonded: bond != nil)
    }

    /// What to do next, or `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// When ``handleTimeout(at:)`` is due.
    public var nextDeadline: MonotonicInstant? {
        guard case .busy(_, let deadline) = state else { return nil }
        return deadline
    }

    /// Whether a pairing or an encryption is under way.
    public var isBusy: Bool { procedure != nil }

    var procedure: Procedure? {
        guard case .busy(let procedure, _) = state else { return nil }
        return procedure
    }

    /// Time has passed: a step that is overdue ends everything on this connection.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        guard case .busy(let procedure, let deadline) = state, now >= deadline else { return }
        expectedSecurity = nil
        let isAwaitingBond = isAwaitingBond(procedure)
        finish(.closed, with: .failed(isAwaitingBond ? .encryptionTimedOut : .timedOut))
    }

    /// Whether what is under way is no pairing, but encryption with the keys of the bond.
    private func isAwaitingBond(_ procedure: Procedure) -> Bool {
        switch procedure {
        case .encrypting: true
        case .securityRequested: bond != nil
        case .awaitingResponse, .awaitingConsent, .authenticating, .awaitingEncryption,
            .distributing:
            false
        }
    }

    mutating func put(_ output: Output) { outputs.append(output) }

    /// Sends a command, which restarts the clock. Core Vol 3, Part H, 3.4.
    mutating func send(_ pdu: SecurityManagerPDU, at now: MonotonicInstant) {
        put(.send(pdu.octets))
        if let procedure { begin(procedure, at: now) }
    }

    /// Something begins, and with it the clock.
    mutating func begin(_ procedure: Procedure, at now: MonotonicInstant) {
        state = .busy(procedure, deadline: now + Self.timeout)
    }

    /// What is under way takes its next step; the clock goes on.
    mutating func proceed(to procedure: Procedure, at now: MonotonicInstant) {
        state = .busy(procedure, deadline: nextDeadline ?? now + Self.timeout)
    }

    /// Ends what is under way.
    mutating func finish(_ next: State, with output: Output) {
        state = next
        put(output)
    }

    /// Tells the peer and the owner that pairing ends here.
    mutating func refuse(
        _ reason: PairingFailureReason, as failure: Failure? = nil, at now: MonotonicInstant
    ) {
        if reason.isFailedGuess { throttle.recordFailure(at: now) }
        expectedSecurity = nil
        send(.pairingFailed(reason), at: now)
        finish(.idle, with: .failed(failure ?? .refused(reason)))
    }
}
