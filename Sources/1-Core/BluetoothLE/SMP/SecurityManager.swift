public import Octets

/// The Security Manager of one connection, in either role: pairs, bonds, and starts encryption. Core Vol 3,
/// Part H.
///
/// Inputs come from the peer (``receive(_:toolbox:at:)``), the controller
/// (``encryptionChanged(status:isEnabled:toolbox:at:)``, ``longTermKeyRequested(random:ediversifier:)``) and
/// the user (``passkeyEntered(_:toolbox:at:)``, ``userConfirmed(_:toolbox:at:)``). After each one, call
/// ``pollOutput()`` until it returns `nil`. Pairing has three phases:
///
///     idle ─▶ awaitingResponse / awaitingConsent ─▶ authenticating ─▶ awaitingEncryption ─▶ distributing
///             features are exchanged (phase 1)      keys are made     the link is encrypted  keys are sent
///                                                   (phase 2)                                (phase 3)
///
/// The bond is replaced only after a successful pairing. After 30 seconds without progress the machine is
/// closed: no command is sent on this connection any more.
public struct SecurityManager: ~Copyable, Sendable {
    /// The role in pairing.
    public enum Role: Equatable, Sendable {
        /// The Central.
        case initiator
        /// The Peripheral.
        case responder
    }

    /// A question to the user, answered by ``passkeyEntered(_:toolbox:at:)`` or ``userConfirmed(_:toolbox:at:)``.
    public typealias Question = SecurityQuestion

    /// What the owner has to do, and what happened. A bond is large and rare, so its case is indirect.
    public enum Output: Equatable, Sendable {
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
        /// The protection of the link has changed.
        case securityChanged(LinkSecurity)
        /// Pairing succeeded. Store the bond in place of an earlier one of the same peer; it is `nil` if one
        /// of the devices does not bond.
        indirect case paired(Bond?)
        /// Pairing or encryption failed; a pending question is withdrawn.
        case failed(Failure)
    }

    /// Why pairing or encryption failed.
    public typealias Failure = SecurityFailure

    /// A call that is not allowed now, or not with these arguments.
    public enum UsageError: Error, Equatable, Sendable {
        /// A pairing or an encryption is in progress.
        case busy
        /// An earlier pairing on this connection timed out; a new connection is needed.
        case closed
        /// An attempt failed recently; wait until this time. Core Vol 3, Part H, 2.3.6.
        case tooSoon(until: MonotonicInstant)
        /// The question was not asked.
        case notAsked
        /// A passkey has at most six digits.
        case passkeyOutOfRange
    }

    /// The time limit of a step. Core Vol 3, Part H, 3.4.
    static let timeout = Duration.seconds(30)
    /// How many requests of the peer for keys, or to pair, are considered on one link. A user who mistypes a
    /// passkey needs a few; the specification sets no limit.
    static let maximumRequests = 10

    /// What this device supports, requires and allows. Changes apply to the next pairing.
    public var configuration: SecurityConfiguration
    /// Whether this device is the initiator.
    public let role: Role
    /// Our address on air.
    public let localAddress: DeviceAddress
    /// The peer's address on air.
    public let peerAddress: DeviceAddress
    /// The stored bond of the peer.
    public internal(set) var bond: Bond?
    /// The peer's delay after failures; store it in ``PairingThrottles`` when the connection ends.
    public internal(set) var throttle: PairingThrottle
    /// The current protection of the link.
    public internal(set) var security: LinkSecurity

    var state = State.idle
    /// The protection of the link once the controller reports that it is encrypted.
    var expectedSecurity: LinkSecurity?
    /// How many requests of the peer were considered.
    var requests = 0
    /// Whether that there were too many was reported.
    var hadTooManyRequests = false
    private var outputs = Queue<Output>()

    enum State: Equatable, Sendable {
        case idle
        /// A procedure is in progress, with a deadline for its next progress. Core Vol 3, Part H, 3.4.
        case busy(Procedure, deadline: MonotonicInstant)
        /// No more commands are sent.
        case closed
    }

    /// The procedure in progress. Indirect, so that an idle link does not reserve memory for pairing.
    indirect enum Procedure: Equatable, Sendable {
        /// Responder: a Security Request was sent; the Central has yet to react.
        case securityRequested
        /// Initiator: the controller encrypts with the key of the bond, for requirements of the peer or our
        /// own.
        case encrypting(for: AuthenticationRequirements)
        /// Initiator: a Pairing Request was sent.
        case awaitingResponse(PairingFeatures)
        /// The user has to allow pairing; these are the features of the Central, on either side.
        case awaitingConsent(PairingFeatures)
        case authenticating(PairingMethod)
        /// The keys were made. Those that the peer distributes may be ahead of the controller's event.
        case awaitingEncryption(KeyExchange)
        case distributing(KeyExchange)
    }

    /// The second phase, by either method.
    enum PairingMethod: Equatable, Sendable {
        case legacy(LegacyPairing)
        case secureConnections(SecureConnectionsPairing)
    }

    /// The Security Manager of a new, unprotected connection. `bond` is the peer's stored bond, found by its
    /// address or by resolving it.
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

    /// Takes the next output. After every input, call it until it returns `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// When ``handleTimeout(at:)`` is due.
    public var nextDeadline: MonotonicInstant? {
        guard case .busy(_, let deadline) = state else { return nil }
        return deadline
    }

    /// Whether a pairing or an encryption is in progress.
    public var isBusy: Bool { procedure != nil }

    /// Whether the controller has a key, and has yet to report whether the link is encrypted with it.
    var isEncryptionChanging: Bool { expectedSecurity != nil }

    var procedure: Procedure? {
        guard case .busy(let procedure, _) = state else { return nil }
        return procedure
    }

    /// Call it when ``nextDeadline`` has passed. An overdue step closes the machine.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        guard case .busy(let procedure, let deadline) = state, now >= deadline else { return }
        expectedSecurity = nil
        let failure: Failure =
            isAwaitingBond(procedure)
            ? .encryptionTimedOut : isAwaitingUser(procedure) ? .notAnswered : .timedOut
        finish(.closed, with: .failed(failure))
    }

    /// Whether the procedure waits for an answer of this device's own user, and not for the peer.
    private func isAwaitingUser(_ procedure: Procedure) -> Bool {
        switch procedure {
        case .awaitingConsent: true
        case .authenticating(.legacy(let pairing)): pairing.awaitsPasskey
        case .authenticating(.secureConnections(let pairing)):
            pairing.awaitsPasskey || pairing.awaitsComparison
        case .securityRequested, .encrypting, .awaitingResponse, .awaitingEncryption,
            .distributing:
            false
        }
    }

    /// Whether the procedure is encryption with the keys of the bond.
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

    /// Sends a command, which restarts the timeout. Core Vol 3, Part H, 3.4.
    mutating func send(_ pdu: SecurityManagerPDU, at now: MonotonicInstant) {
        put(.send(pdu.octets))
        if let procedure { begin(procedure, at: now) }
    }

    /// Starts a procedure and its timeout.
    mutating func begin(_ procedure: Procedure, at now: MonotonicInstant) {
        state = .busy(procedure, deadline: now + Self.timeout)
    }

    /// Continues with the next step, with the same timeout.
    mutating func proceed(to procedure: Procedure, at now: MonotonicInstant) {
        state = .busy(procedure, deadline: nextDeadline ?? now + Self.timeout)
    }

    /// Ends the procedure.
    mutating func finish(_ next: State, with output: Output) {
        state = next
        put(output)
    }

    /// Ends pairing and informs the peer and the owner.
    mutating func refuse(
        _ reason: PairingFailureReason, as failure: Failure? = nil, at now: MonotonicInstant
    ) {
        if reason.isFailedGuess { throttle.recordFailure(at: now) }
        expectedSecurity = nil
        send(.pairingFailed(reason), at: now)
        finish(.idle, with: .failed(failure ?? .refused(reason)))
    }
}
