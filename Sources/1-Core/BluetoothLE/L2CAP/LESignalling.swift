public import Octets

/// The signalling channel of an LE link. Core Vol 3, Part A, 4.
///
/// A Peripheral requests connection parameters from the Central. Requests for other channels are refused as
/// the specification requires, so that a peer learns at once that there are none.
public struct LESignalling: ~Copyable, Sendable {
    /// What the owner has to do.
    public enum Output: Equatable, Sendable {
        /// Send the payload on ``L2CAPChannelID/leSignalling``.
        case send([UInt8])
        /// The Peripheral requests parameters. Answer with ``answerUpdate(accepting:)``, and refuse those that are
        /// out of range (`ConnectionParameters.fault`); if accepted, update the connection.
        case updateRequested(ConnectionParameters)
        /// The Central answered ``requestUpdate(_:at:)``. The controller reports whether the connection
        /// changes.
        case updateAnswered(accepted: Bool)
        /// ``requestUpdate(_:at:)`` failed.
        case updateFailed(Failure)
    }

    /// Why a request failed.
    public enum Failure: Error, Equatable, Sendable {
        /// The peer rejected the command, with a reason code.
        case rejected(reason: UInt16)
        /// The peer did not answer within the response timeout.
        case timedOut
    }

    /// A call that is not allowed now, or not with these arguments.
    public enum UsageError: Error, Equatable, Sendable {
        /// Only a Peripheral may request an update.
        case notPeripheral
        /// A request is outstanding.
        case requestOutstanding
        /// There is no request to answer.
        case nothingToAnswer
        /// The parameters are out of range.
        case invalidParameters(ConnectionParameters.Fault)
    }

    /// How the channel works.
    public struct Configuration: Equatable, Sendable {
        /// The longest PDU that is accepted in octets: MTUsig, at least 23 on LE. Core Vol 3, Part A, 4.
        public var maximumTransmissionUnit: Int
        /// The response timeout RTX, 1 s to 60 s. Core Vol 3, Part A, 6.2.1.
        public var responseTimeout: Duration

        /// A configuration; by default 23 octets and 30 s.
        public init(maximumTransmissionUnit: Int = 23, responseTimeout: Duration = .seconds(30)) {
            self.maximumTransmissionUnit = maximumTransmissionUnit
            self.responseTimeout = responseTimeout
        }
    }

    private enum State {
        case idle
        /// This Peripheral has sent a request.
        case awaitingResponse(identifier: UInt8, deadline: MonotonicInstant)
        /// The Peripheral has sent a request, which the host has to answer.
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

    /// The channel of a new link; `role` is that of this device.
    public init(role: LinkRole, configuration: Configuration = Configuration()) {
        self.role = role
        self.configuration = configuration
    }

    /// Requests connection parameters from the Central. Throws ``UsageError``.
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

    /// Answers the request of the Peripheral; for `nil` it is left without an answer. Throws
    /// ``UsageError/nothingToAnswer``.
    public mutating func answerUpdate(accepting isAccepted: Bool?) throws(UsageError) {
        guard case .deciding(let identifier) = state else { throw .nothingToAnswer }
        state = .idle
        guard let isAccepted else { return }
        send(.updateResponse, identifier, SignallingCommand.words(isAccepted ? 0x0000 : 0x0001))
    }

    /// A PDU arrived on the channel.
    public mutating func receive(_ pdu: Span<UInt8>, at now: MonotonicInstant) {
        // An identifier of zero is invalid, so an answer could not refer to the command.
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
        } catch { if !code.isResponse { reject(identifier, Reason.notUnderstood) } }
    }

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        guard case .awaitingResponse(_, let deadline) = state, deadline <= now else { return }
        state = .idle
        outputs.append(.updateFailed(.timedOut))
    }

    /// Takes the next output. After every input, call it until it returns `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// When ``handleTimeout(at:)`` is due.
    public var nextDeadline: MonotonicInstant? {
        switch state {
        case .idle, .deciding: nil
        case .awaitingResponse(_, let deadline): deadline
        }
    }

    private mutating func send(_ code: SignallingCode, _ identifier: UInt8, _ data: [UInt8]) {
        outputs.append(.send(SignallingCommand(code, identifier: identifier, data: data).octets))
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
            // Destination and source are the peer's view: the first endpoint is ours.
            let (local, remote) = (try rest.takeUInt16(), try rest.takeUInt16())
            try rest.expectEnd()
            reject(command.identifier, Reason.invalidCID, [local, remote])
        case .flowControlCredit:
            // The command has only the peer's endpoint; ours is the null identifier.
            let (remote, _) = (try rest.takeUInt16(), try rest.takeUInt16())
            try rest.expectEnd()
            reject(command.identifier, Reason.invalidCID, [0x0000, remote])
        case .creditConnectionRequest, .enhancedConnectionRequest, .reconfigureRequest:
            try refuse(command)
        default: if !command.code.isResponse { reject(command.identifier, Reason.notUnderstood) }
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
        // Only a Central may receive a request. Core Vol 3, Part A, 4.20.
        guard role == .central else {
            reject(identifier, Reason.notUnderstood)
            return
        }
        switch state {
        case .deciding(identifier):
            // A repeated request, because the answer takes time.
            break
        case .idle:
            state = .deciding(identifier: identifier)
            outputs.append(.updateRequested(parameters))
        case .deciding, .awaitingResponse:
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
            // One null Destination CID for each requested channel.
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

extension LESignalling {
    /// What a PDU of the signalling channel says of connection parameters. Core Vol 3, Part A, 4.20 and 4.21.
    package enum ParameterMessage: Equatable, Sendable {
        /// A Peripheral requests them.
        case request(ConnectionParameters)
        /// The Central has answered.
        case response(isAccepted: Bool)
    }

    /// The message in a PDU that somebody else exchanged; `nil` if it is another one, or malformed.
    package static func parameterMessage(in pdu: Span<UInt8>) -> ParameterMessage? {
        guard let command = try? SignallingCommand(decoding: pdu) else { return nil }
        var rest = command.data.span
        switch command.code {
        case .updateRequest:
            let parameters: ConnectionParameters? = try? rest.take()
            return parameters.map { .request($0) }
        case .updateResponse:
            guard let result = try? rest.takeUInt16() else { return nil }
            return .response(isAccepted: result == 0)
        default: return nil
        }
    }
}
