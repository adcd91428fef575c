public import Octets

/// Connects to an advertising device; one at a time, as controllers do (Core Vol 4, Part E, 7.8.12 and
/// 7.8.66).
///
/// Every accepted ``connect(to:parameters:timeout:at:)`` ends in a link as Central, which the owner reports
/// with ``connected()``, or in one ``Output/failed(_:_:)``. Cancelling takes until the controller confirms
/// it: a link that is established meanwhile is valid.
///
/// While the initiator is held (``setHeld(_:)``), the controller pauses.
public struct Initiator: ~Copyable, Sendable {
    /// What the owner has to do, and what happened.
    public enum Output: Equatable, Sendable {
        /// Submit the command to the ``HCICommandChannel``, for ``HCICommandOwner/initiator``.
        case send(HCICommandPacket)
        /// The attempt to connect to this address has failed.
        case failed(DeviceAddress, Failure)
    }

    /// Why an attempt to connect failed.
    public enum Failure: Error, Equatable, Sendable {
        /// The device was not found before the timeout.
        case timedOut
        /// Because of ``Initiator/cancel()``.
        case cancelled
        /// The controller refused, or could not establish the link.
        case refused(HCIStatus)
        /// The controller did not answer.
        case unanswered
        /// The controller was reset, or has disappeared.
        case controllerLost
    }

    /// Why a call was refused.
    public enum UsageError: Error, Equatable, Sendable {
        /// An attempt for this address is in progress, or being cancelled.
        case busy(DeviceAddress)
        /// The parameters are out of range.
        case invalidParameters(ConnectionParameters.Fault)
    }

    /// How to connect.
    public struct Configuration: Equatable, Sendable {
        /// The features of the controller.
        public var abilities: ControllerAbilities
        /// The kind of address to connect with.
        public var ownAddressType: OwnAddressType
        /// The interval between the starts of two scan windows; at most 0xFFFF units.
        public var scanInterval: AdvertisingInterval
        /// The length of a scan window; at most the interval.
        public var scanWindow: AdvertisingInterval
        /// How long the controller may take to confirm a cancellation.
        public var cancelTimeout: Duration

        /// A configuration; by default a random address, continuous scanning and 2 s.
        public init(
            abilities: ControllerAbilities, ownAddressType: OwnAddressType = .random,
            scanInterval: AdvertisingInterval = .milliseconds(60),
            scanWindow: AdvertisingInterval = .milliseconds(60),
            cancelTimeout: Duration = .seconds(2)
        ) {
            self.abilities = abilities
            self.ownAddressType = ownAddressType
            self.scanInterval = scanInterval
            self.scanWindow = scanWindow
            self.cancelTimeout = cancelTimeout
        }
    }

    private struct Request: Equatable, Sendable {
        var address: DeviceAddress
        var parameters: ConnectionParameters
        var deadline: MonotonicInstant?
        /// Whether the attempt has been restarted once.
        var hasRetried = false
        /// Why the attempt is to end without a link.
        var ending: Failure?
    }

    /// The state of the controller.
    private enum State {
        case idle
        /// The command that starts initiating is in flight.
        case beginning(HCIOpcode)
        /// It is scanning for the device.
        case active
        /// The cancel command is in flight, or was answered and its event is expected.
        case ending(isAnswered: Bool, deadline: MonotonicInstant?)
    }

    private let configuration: Configuration
    private var isExtended: Bool
    private var state = State.idle
    private var request: Request?
    private var isHeld = false
    private var outputs = Queue<Output>()

    /// An initiator for a controller that was just set up.
    public init(configuration: Configuration) {
        self.configuration = configuration
        isExtended = configuration.abilities.hasExtendedScanning
    }

    /// The address of the current attempt; `nil` if there is none.
    public var address: DeviceAddress? { request?.address }

    /// Whether the controller does not initiate, as far as it has reported, and no command is in flight.
    public var isQuiet: Bool { if case .idle = state { true } else { false } }

    /// Connects to a device. Without a timeout, the attempt lasts until ``cancel()``. Throws ``UsageError``.
    public mutating func connect(
        to address: DeviceAddress, parameters: ConnectionParameters = .initial,
        timeout: Duration?, at now: MonotonicInstant
    ) throws(UsageError) {
        if let request { throw .busy(request.address) }
        if let fault = parameters.fault { throw .invalidParameters(fault) }
        request = Request(
            address: address, parameters: parameters, deadline: timeout.map { now + $0 })
        advance()
    }

    /// Cancels the attempt; does nothing if there is none.
    public mutating func cancel() { giveUp(.cancelled) }

    /// Pauses initiating, or continues it.
    public mutating func setHeld(_ isHeld: Bool) {
        guard self.isHeld != isHeld else { return }
        self.isHeld = isHeld
        advance()
    }

    /// The controller refused something that initiating depends on.
    public mutating func abandon(_ failure: Failure) { giveUp(failure) }

    /// A link as Central was established: it is the requested one.
    public mutating func connected() {
        state = .idle
        request = nil
    }

    /// HCI_LE_Connection_Complete, or the enhanced event, arrived with an error.
    public mutating func connectionFailed(_ status: HCIStatus) {
        // 0x3C is the end of directed advertising, which is not ours.
        guard status != .advertisingTimeout else { return }
        switch state {
        case .idle: return
        case .beginning: break
        case .active: giveUp(.refused(status))
        case .ending: if status != .unknownConnectionIdentifier { giveUp(.refused(status)) }
        }
        state = .idle
        advance()
    }

    /// A command of this machine has ended.
    public mutating func receive(_ result: HCICommandResult, at now: MonotonicInstant) {
        switch state {
        case .beginning(result.command.opcode): begun(result)
        case .ending(isAnswered: false, _)
        where result.command.opcode == .leCreateConnectionCancel:
            // Refused: a link was established, which an event reports, or no attempt is in progress.
            state = .ending(isAnswered: true, deadline: now + configuration.cancelTimeout)
        case .idle, .beginning, .active, .ending: return
        }
        advance()
    }

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        if case .ending(true, let deadline?) = state, deadline <= now { state = .idle }
        if let deadline = request?.deadline, deadline <= now { giveUp(.timedOut) }
        advance()
    }

    /// Takes the next output. After every input, call it until it returns `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// When ``handleTimeout(at:)`` is due.
    public var nextDeadline: MonotonicInstant? {
        guard case .ending(_, let deadline) = state else { return request?.deadline }
        return .earliest(deadline, request?.deadline)
    }
}

extension Initiator {
    /// Ends the attempt for this reason.
    private mutating func giveUp(_ failure: Failure) {
        decideToEnd(failure)
        advance()
    }

    /// The attempt will end for this reason, unless there was one before; its time no longer counts.
    private mutating func decideToEnd(_ failure: Failure) {
        guard request?.ending == nil else { return }
        request?.ending = failure
        request?.deadline = nil
    }

    /// Sends the next command that brings the controller closer to the request.
    private mutating func advance() {
        guard let request else { return }
        switch state {
        case .idle:
            if let failure = request.ending {
                self.request = nil
                outputs.append(.failed(request.address, failure))
            } else if !isHeld {
                begin(request)
            }
        case .active: if request.ending != nil || isHeld { end() }
        case .beginning, .ending: break
        }
    }

    private mutating func end() {
        state = .ending(isAnswered: false, deadline: nil)
        outputs.append(.send(HCICommandPacket(HCI.LECreateConnectionCancel())))
    }

    private mutating func begin(_ request: Request) {
        let command =
            isExtended
            ? HCICommandPacket(
                HCI.LEExtendedCreateConnection(
                    filterPolicy: 0, ownAddressType: configuration.ownAddressType,
                    peerAddress: request.address,
                    entries: [
                        .init(
                            phy: .le1M, scanInterval: configuration.scanInterval,
                            scanWindow: configuration.scanWindow, parameters: request.parameters)
                    ]))
            : HCICommandPacket(
                HCI.LECreateConnection(
                    scanInterval: configuration.scanInterval,
                    scanWindow: configuration.scanWindow, filterPolicy: 0,
                    peerAddress: request.address, ownAddressType: configuration.ownAddressType,
                    parameters: request.parameters, eventLengthMinimum: 0, eventLengthMaximum: 0))
        state = .beginning(command.opcode)
        outputs.append(.send(command))
    }

    /// The command that starts initiating has ended.
    private mutating func begun(_ result: HCICommandResult) {
        switch result.status {
        case .success: state = .active
        case nil:
            // It may have started; only the answer was lost.
            state = .active
            decideToEnd(.unanswered)
        case .commandDisallowed? where request?.hasRetried == false:
            // It may still be connecting to a device whose attempt was cancelled.
            request?.hasRetried = true
            state = .active
            end()
        case let status?
        where isExtended && (status == .unknownCommand || status == .commandDisallowed):
            isExtended = false
            state = .idle
        case let status?:
            state = .idle
            giveUp(.refused(status))
        }
    }
}

extension ConnectionParameters {
    /// The parameters that an iPhone starts with: an interval of 30 ms, no latency, and a supervision timeout
    /// of 720 ms.
    public static let initial = ConnectionParameters(
        intervalMinimum: ConnectionInterval(rawValue: 24),
        intervalMaximum: ConnectionInterval(rawValue: 24), latency: 0,
        supervisionTimeout: SupervisionTimeout(rawValue: 72))
}
