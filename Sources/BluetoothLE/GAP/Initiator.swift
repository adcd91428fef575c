public import Octets

/// Has the controller connect to a device that advertises: one at a time, as the controller does it
/// (Core Vol 4, Part E, 7.8.12 and 7.8.66).
///
/// Every ``connect(to:parameters:timeout:at:)`` that was taken ends in one link as Central, which the
/// owner learns of before this machine does (``connected()``), or in one ``Output/failed(_:_:)``. Giving
/// up takes until the controller confirms it: a link that is made meanwhile counts.
///
/// While it is held (``setHeld(_:)``), the controller is told to stop, and to begin again afterwards.
public struct Initiator: ~Copyable, Sendable {
    /// What the owner has to do or know.
    public enum Output: Hashable, Sendable {
        /// Submit the command to the ``HCICommandChannel``, for ``HCICommandOwner/initiator``.
        case send(HCICommandPacket)
        /// There will be no link to this address.
        case failed(DeviceAddress, Failure)
    }

    /// Why there is no link.
    public enum Failure: Error, Hashable, Sendable {
        /// The device was not heard in time.
        case timedOut
        /// ``Initiator/cancel()``
        case cancelled
        /// The controller refused, or could not make the link.
        case refused(HCIStatus)
        /// The controller did not answer.
        case unanswered
        /// The controller was reset, or is gone.
        case controllerLost
    }

    /// Why a connection was not begun.
    public enum UsageError: Error, Hashable, Sendable {
        /// Another one is being made, or given up.
        case busy(DeviceAddress)
        /// The parameters are out of range.
        case invalidParameters(ConnectionParameters.Fault)
    }

    /// How to connect.
    public struct Configuration: Hashable, Sendable {
        /// What the controller can do.
        public var abilities: ControllerAbilities
        /// Under which address.
        public var ownAddressType: OwnAddressType
        /// How often to listen for the device; at most 0xFFFF units.
        public var scanInterval: AdvertisingInterval
        /// How long to listen; at most the interval.
        public var scanWindow: AdvertisingInterval
        /// How long the controller may take to confirm that it gave up.
        public var cancelTimeout: Duration

        /// A random address, listening all the time, and 2 s, unless said otherwise.
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

    private struct Request: Hashable, Sendable {
        var address: DeviceAddress
        var parameters: ConnectionParameters
        var deadline: MonotonicInstant?
        /// Whether the attempt has begun from scratch once already.
        var hasRetried = false
        /// Why it is to end without a link.
        var ending: Failure?
    }

    /// What the controller does.
    private enum State {
        case idle
        /// The command that makes it begin is in flight.
        case beginning(HCIOpcode)
        /// It listens for the device.
        case active
        /// The command that makes it stop is in flight, or was answered: the event follows.
        case ending(isAnswered: Bool, deadline: MonotonicInstant?)
    }

    private let configuration: Configuration
    private var isExtended: Bool
    private var state = State.idle
    private var request: Request?
    private var isHeld = false
    private var outputs = Queue<Output>()

    /// An initiator at a controller that was just set up.
    public init(configuration: Configuration) {
        self.configuration = configuration
        isExtended = configuration.abilities.hasExtendedScanning
    }

    /// The address that the owner wants a link to, or that is being given up.
    public var address: DeviceAddress? { request?.address }

    /// Whether the controller does not initiate, as far as it has said, and no command is in flight.
    public var isQuiet: Bool {
        if case .idle = state { true } else { false }
    }

    /// Connects to a device. Without a timeout it is waited for until ``cancel()``.
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

    /// Gives up; without a connection that is being made nothing happens.
    public mutating func cancel() { giveUp(.cancelled) }

    /// Takes initiating off air for a while, or back on.
    public mutating func setHeld(_ isHeld: Bool) {
        guard self.isHeld != isHeld else { return }
        self.isHeld = isHeld
        advance()
    }

    /// The controller refused something that has to be done before it initiates.
    public mutating func abandon(_ failure: Failure) { giveUp(failure) }

    /// A link as Central was made: it is the one that was asked for.
    public mutating func connected() {
        state = .idle
        request = nil
    }

    /// HCI_LE_Connection_Complete, or the enhanced one, came with a status other than success.
    public mutating func connectionFailed(_ status: HCIStatus) {
        // 0x3C is the end of directed advertising, which is none of our business.
        guard status != .advertisingTimeout else { return }
        switch state {
        case .idle: return
        case .beginning: break
        case .active: giveUp(.refused(status))
        case .ending:
            if status != .unknownConnectionIdentifier { giveUp(.refused(status)) }
        }
        state = .idle
        advance()
    }

    /// A command that was sent for this machine ended.
    public mutating func receive(_ result: HCICommandResult, at now: MonotonicInstant) {
        switch state {
        case .beginning(result.command.opcode): begun(result)
        case .ending(isAnswered: false, _)
        where result.command.opcode == .leCreateConnectionCancel:
            // Refused: a link was made, of which an event tells, or nothing is being made.
            state = .ending(isAnswered: true, deadline: now + configuration.cancelTimeout)
        case .idle, .beginning, .active, .ending: return
        }
        advance()
    }

    /// Time passed.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        if case .ending(true, let deadline?) = state, deadline <= now { state = .idle }
        if let deadline = request?.deadline, deadline <= now { giveUp(.timedOut) }
        advance()
    }

    /// What to do next, or `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// When ``handleTimeout(at:)`` is due.
    public var nextDeadline: MonotonicInstant? {
        guard case .ending(_, let deadline) = state else { return request?.deadline }
        return .earliest(deadline, request?.deadline)
    }
}

extension Initiator {
    /// Nobody waits for the link any more, for this reason.
    private mutating func giveUp(_ failure: Failure) {
        guard request != nil, request?.ending == nil else { return }
        request?.ending = failure
        request?.deadline = nil
        advance()
    }

    /// Brings the controller nearer to what is wanted.
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
        case .active:
            if request.ending != nil || isHeld { end() }
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

    /// The controller took or refused the command that makes it begin.
    private mutating func begun(_ result: HCICommandResult) {
        switch result.status {
        case .success: state = .active
        case nil:
            // It may have begun; the answer is all that was lost.
            state = .active
            if request?.ending == nil { request?.ending = .unanswered }
        case .commandDisallowed? where request?.hasRetried == false:
            // It may still be connecting to a device that was given up.
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
    /// What an iPhone connects with: an interval of 30 ms, no latency, and a supervision timeout of
    /// 720 ms.
    public static let initial = ConnectionParameters(
        intervalMinimum: ConnectionInterval(rawValue: 24),
        intervalMaximum: ConnectionInterval(rawValue: 24), latency: 0,
        supervisionTimeout: SupervisionTimeout(rawValue: 72))
}
