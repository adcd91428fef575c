public import Octets

/// The signalling channel of one LE link. Core Vol 3, Part A, 4.
///
/// A Peripheral asks for connection parameters; a Central is asked. Channels other than the fixed ones
/// are refused the way the specification wants, so that a peer learns at once that there are none.
public struct LESignalling: ~Copyable, Sendable {
    /// What the owner has to do.
    public enum Output: Hashable, Sendable {
        /// Send the payload on ``L2CAPChannelID/leSignalling``.
        case send([UInt8])
        /// The Peripheral asks for parameters, which are valid. Answer with ``answerUpdate(accepting:)``
        /// and, if accepted, change them.
        case updateRequested(ConnectionParameters)
        /// The Central answered ``requestUpdate(_:at:)``; what it then does, the controller tells.
        case updateAnswered(accepted: Bool)
        /// ``requestUpdate(_:at:)`` came to nothing.
        case updateFailed(Failure)
    }

    /// Why a request came to nothing.
    public enum Failure: Error, Hashable, Sendable {
        /// The peer does not know the command, or rejects it for this reason.
        case rejected(reason: UInt16)
        /// The peer said nothing until the response timeout expired.
        case timedOut
    }

    /// Why an input was not taken.
    public enum UsageError: Error, Hashable, Sendable {
        /// Only a Peripheral asks.
        case notPeripheral
        /// A request is outstanding.
        case requestOutstanding
        /// Nothing was asked that could be answered.
        case nothingToAnswer
        /// The parameters are out of range.
        case invalidParameters(ConnectionParameters.Fault)
    }

    /// How the channel works.
    public struct Configuration: Hashable, Sendable {
        /// The largest PDU that is taken: MTUsig, at least 23 on LE. Core Vol 3, Part A, 4.
        public var maximumTransmissionUnit: Int
        /// The response timeout RTX. Core Vol 3, Part A, 6.2.1: 1 s to 60 s.
        public var responseTimeout: Duration

        /// 23 octets and 30 s, unless said otherwise.
        public init(
            maximumTransmissionUnit: Int = 23, responseTimeout: Duration = .seconds(30)
        ) {
            self.maximumTransmissionUnit = maximumTransmissionUnit
            self.responseTimeout = responseTimeout
        }
    }

    private enum State {
        case idle
        /// This Peripheral asked.
        case awaitingResponse(identifier: UInt8, deadline: MonotonicInstant)
        /// The Peripheral asked this Central, whose host decides.
        case deciding(identifier: UInt8)
    }

    /// Why a command is rejected. Core Vol 3, Part A, 4.1.
    private enum Reason {
        static let notUnderstood: UInt16 = 0x0000
        static let mtuExceeded: UInt16 = 0x0001
        static let invalidCID: UInt16 = 0x0002
    }

    private let role: LinkRole
    private let configuration: Configuration
    private var state = State.idle
    private var lastIdentifier: UInt8 = 0
    private var outputs = Queue<Output>()

    /// The channel of a new link on which this device plays `role`.
    public init(role: LinkRole, configuration: Configuration = Configuration()) {
        self.role = role
        self.configuration = configuration
    }

    /// Asks the Central for parameters.
    public mutating func requestUpdate(
        _ parameters: ConnectionParameters, at now: MonotonicInstant
    ) throws(UsageError) {
        guard role == .peripheral else { throw .notPeripheral }
        guard case .idle = state else { throw .requestOutstanding }
        if let fault = parameters.fault { throw .invalidParameters(fault) }
        lastIdentifier = lastIdentifier == 0xFF ? 0x01 : lastIdentifier + 1
        state = .awaitingResponse(
            identifier: lastIdentifier, deadline: now + configuration.responseTimeout)
        send(.updateRequest, lastIdentifier, parameters.octets)
    }

    /// Tells the Peripheral whether its parameters will be used.
    public mutating func answerUpdate(accepting isAccepted: Bool) throws(UsageError) {
        guard case .deciding(let identifier) = state else { throw .nothingToAnswer }
        state = .idle
        send(.updateResponse, identifier, SignallingCommand.words(isAccepted ? 0x0000 : 0x0001))
    }

    /// A PDU came on the channel.
    public mutating func receive(_ pdu: Span<UInt8>, at now: MonotonicInstant) {
        // An identifier of zero is illegal, so there is nothing that an answer could name.
        guard pdu.count >= 2, pdu[1] != 0 else { return }
        let code = SignallingCode(rawValue: pdu[0])
        let identifier = pdu[1]
        guard pdu.count <= configuration.maximumTransmissionUnit else {
            let limit = UInt16(clamping: configuration.maximumTransmissionUnit)
            if !code.isResponse { reject(identifier, Reason.mtuExceeded, [limit]) }
            return
        }
        do throws(DecodingError) {
            let command = try SignallingCommand(decoding: pdu)
            try receive(command)
        } catch {
            if !code.isResponse { reject(identifier, Reason.notUnderstood) }
        }
    }

    /// Time passed.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        guard case .awaitingResponse(_, let deadline) = state, deadline <= now else { return }
        state = .idle
        outputs.append(.updateFailed(.timedOut))
    }

    /// What to do next, or `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// When ``handleTimeout(at:)`` is due.
    public var nextDeadline: MonotonicInstant? {
        switch state {
        case .idle, .deciding: nil
        case .awaitingResponse(_, let deadline): deadline
        }
    }

    private mutating func send(_ code: SignallingCode, _ identifier: UInt8, _ data: [UInt8]) {
        outputs.append(
            .send(SignallingCommand(code, identifier: identifier, data: data).octets))
    }

    private mutating func reject(_ identifier: UInt8, _ reason: UInt16, _ words: [UInt16] = []) {
        var data = SignallingCommand.words(reason)
        for word in words { data += SignallingCommand.words(word) }
        send(.commandReject, identifier, data)
    }
}

// MARK: Commands of the peer

extension LESignalling {
    private mutating func receive(_ command: SignallingCommand) throws(DecodingError) {
        var rest = command.data.span
        switch command.code {
        case .commandReject: receiveReject(command.identifier, reason: try rest.takeUInt16())
        case .updateRequest:
            let parameters: ConnectionParameters = try rest.take()
            try rest.expectEnd()
            receiveUpdateRequest(command.identifier, parameters)
        case .updateResponse:
            let result = try rest.takeUInt16()
            try rest.expectEnd()
            receiveUpdateResponse(command.identifier, result)
        case .disconnectionRequest:
            // Destination and source as the peer sees them: the first endpoint is ours.
            let (local, remote) = (try rest.takeUInt16(), try rest.takeUInt16())
            try rest.expectEnd()
            reject(command.identifier, Reason.invalidCID, [local, remote])
        case .flowControlCredit:
            // The command names the peer's endpoint alone; ours is the null identifier.
            let (remote, _) = (try rest.takeUInt16(), try rest.takeUInt16())
            try rest.expectEnd()
            reject(command.identifier, Reason.invalidCID, [0x0000, remote])
        case .creditConnectionRequest, .enhancedConnectionRequest, .reconfigureRequest:
            try refuse(command)
        default:
            if !command.code.isResponse { reject(command.identifier, Reason.notUnderstood) }
        }
    }

    private mutating func receiveReject(_ identifier: UInt8, reason: UInt16) {
        guard case .awaitingResponse(identifier, _) = state else { return }
        state = .idle
        outputs.append(.updateFailed(.rejected(reason: reason)))
    }

    private mutating func receiveUpdateResponse(_ identifier: UInt8, _ result: UInt16) {
        guard case .awaitingResponse(identifier, _) = state else { return }
        state = .idle
        outputs.append(.updateAnswered(accepted: result == 0x0000))
    }

    private mutating func receiveUpdateRequest(
        _ identifier: UInt8, _ parameters: ConnectionParameters
    ) {
        // Only a Central may be asked. Core Vol 3, Part A, 4.20.
        guard role == .central else {
            reject(identifier, Reason.notUnderstood)
            return
        }
        switch state {
        case .deciding(identifier):
            // The same request again, because the answer takes time.
            break
        case .idle where parameters.fault == nil:
            state = .deciding(identifier: identifier)
            outputs.append(.updateRequested(parameters))
        case .idle, .deciding, .awaitingResponse:
            send(.updateResponse, identifier, SignallingCommand.words(0x0001))
        }
    }

    /// Refuses connection-oriented channels. Core Vol 3, Part A, 4.22, 4.25 and 4.27.
    private mutating func refuse(_ command: SignallingCommand) throws(DecodingError) {
        var rest = command.data.span
        let spsmNotSupported: UInt16 = 0x0002
        switch command.code {
        case .creditConnectionRequest:
            try rest.skip(10)
            try rest.expectEnd()
            send(
                .creditConnectionResponse, command.identifier,
                SignallingCommand.words(0, 0, 0, 0, spsmNotSupported))
        case .enhancedConnectionRequest:
            try rest.skip(8)
            guard (1...5).contains(rest.count / 2), rest.count.isMultiple(of: 2) else {
                throw .invalid(available: rest.count)
            }
            // One null Destination CID for each channel that was asked for.
            let refusals = [UInt8](repeating: 0, count: rest.count)
            send(
                .enhancedConnectionResponse, command.identifier,
                SignallingCommand.words(0, 0, 0, spsmNotSupported) + refusals)
        case .reconfigureRequest:
            let oneOrMoreInvalidDestinationCIDs: UInt16 = 0x0003
            try rest.skip(4)
            guard (1...5).contains(rest.count / 2), rest.count.isMultiple(of: 2) else {
                throw .invalid(available: rest.count)
            }
            send(
                .reconfigureResponse, command.identifier,
                SignallingCommand.words(oneOrMoreInvalidDestinationCIDs))
        default: break
        }
    }
}
