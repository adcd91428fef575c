public import Octets

/// The origin of a command, so that its result can be passed to the right machine.
public struct HCICommandOwner: RawRepresentable, Hashable, Sendable {
    /// A number that the owner of the channel chooses.
    public var rawValue: UInt8
    /// A number that the owner of the channel chooses.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The host itself.
    public static let host = HCICommandOwner(rawValue: 0)
    /// ``ControllerSetup``
    public static let setup = HCICommandOwner(rawValue: 1)
    /// ``Advertiser``
    public static let advertiser = HCICommandOwner(rawValue: 2)
    /// ``Scanner``
    public static let scanner = HCICommandOwner(rawValue: 3)
    /// ``Initiator``
    public static let initiator = HCICommandOwner(rawValue: 4)
    /// The device address, which all of them use.
    public static let ownAddress = HCICommandOwner(rawValue: 5)
}

/// How a command ended.
public struct HCICommandResult: Equatable, Sendable {
    /// The controller's answer, or its absence.
    public enum Outcome: Equatable, Sendable {
        /// HCI_Command_Complete, with its return parameters.
        case completed([UInt8])
        /// HCI_Command_Status.
        case status(HCIStatus)
        /// No answer before the deadline.
        case timedOut
    }

    /// The machine that sent the command.
    public var owner: HCICommandOwner
    /// The command.
    public var command: HCICommandPacket
    /// How the command ended.
    public var outcome: Outcome

    /// The result of a command.
    public init(owner: HCICommandOwner, command: HCICommandPacket, outcome: Outcome) {
        self.owner = owner
        self.command = command
        self.outcome = outcome
    }

    /// The status in the answer; `nil` if there was no answer, or one without a status.
    public var status: HCIStatus? {
        switch outcome {
        case .completed(let parameters): parameters.first.map { HCIStatus(rawValue: $0) }
        case .status(let status): status
        case .timedOut: nil
        }
    }

    /// Whether the command succeeded, or was started.
    public var isSuccess: Bool { status == .success }

    /// The return parameters of a command that succeeded; `nil` if it failed or if they cannot be decoded.
    public func returnParameters<Command: HCICommand>(
        of command: Command.Type
    ) -> Command.ReturnParameters? {
        guard isSuccess, case .completed(let parameters) = outcome,
            self.command.opcode == Command.opcode
        else { return nil }
        do throws(DecodingError) {
            return try Command.ReturnParameters(decoding: parameters.span)
        } catch { return nil }
    }
}

/// The commands for the controller: sent one at a time, only with credits from the controller, each with a
/// deadline. Core Vol 4, Part E, 4.4.
///
/// Every accepted command ends in exactly one ``Output/ended(_:)``.
public struct HCICommandChannel: ~Copyable, Sendable {
    /// What the owner has to do.
    public enum Output: Equatable, Sendable {
        /// Send the command on the transport.
        case send(HCICommandPacket)
        /// A command ended.
        case ended(HCICommandResult)
    }

    /// Why a command was refused.
    public enum UsageError: Error, Equatable, Sendable {
        /// The queue is full.
        case queueFull
    }

    /// Limits.
    public struct Configuration: Equatable, Sendable {
        /// How many commands may be queued, without the one in flight; 64 by default.
        public var maximumQueued: Int
        /// How long the controller may take to answer, 2 s by default. Core Vol 4, Part E, 4.4 asks for 1 s;
        /// slow serial lines need more.
        public var timeout: Duration

        /// The default limits, unless given.
        public init(maximumQueued: Int = 64, timeout: Duration = .seconds(2)) {
            self.maximumQueued = maximumQueued
            self.timeout = timeout
        }
    }

    private struct Request {
        var owner: HCICommandOwner
        var command: HCICommandPacket
    }

    private enum State {
        /// No command is in flight; one may be sent.
        case ready
        /// No command is in flight, and the controller has granted no credit. There is a deadline only if a
        /// command is queued.
        case withoutCredit(deadline: MonotonicInstant?)
        case awaitingAnswer(Request, deadline: MonotonicInstant)
    }

    private let configuration: Configuration
    private var state = State.ready
    private var waiting = Queue<Request>()
    private var outputs = Queue<Output>()

    /// A channel to a controller that was switched on or reset: it accepts one command.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Queues a command. Throws ``UsageError/queueFull``.
    public mutating func submit<Command: HCICommand>(
        _ command: Command, for owner: HCICommandOwner = .host, at now: MonotonicInstant
    ) throws(UsageError) { try submit(HCICommandPacket(command), for: owner, at: now) }

    /// Queues a command. Throws ``UsageError/queueFull``.
    public mutating func submit(
        _ command: HCICommandPacket, for owner: HCICommandOwner = .host, at now: MonotonicInstant
    ) throws(UsageError) {
        guard waiting.count < configuration.maximumQueued else { throw .queueFull }
        waiting.append(Request(owner: owner, command: command))
        advance(at: now)
    }

    /// HCI_Command_Complete arrived.
    public mutating func receive(_ event: HCI.CommandComplete, at now: MonotonicInstant) {
        answer(event.opcode, .completed(event.returnParameters), event.credits, at: now)
    }

    /// HCI_Command_Status arrived.
    public mutating func receive(_ event: HCI.CommandStatus, at now: MonotonicInstant) {
        answer(event.opcode, .status(event.status), event.credits, at: now)
    }

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        switch state {
        case .awaitingAnswer(let request, let deadline) where deadline <= now:
            // The controller forgot the command. Sending the next one is all that can be done.
            state = .ready
            end(request, .timedOut)
            advance(at: now)
        case .withoutCredit(let deadline?) where deadline <= now:
            state = .ready
            advance(at: now)
        case .awaitingAnswer, .withoutCredit, .ready: break
        }
    }

    /// Takes the next output. After every input, call it until it returns `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// When ``handleTimeout(at:)`` is due.
    public var nextDeadline: MonotonicInstant? {
        switch state {
        case .ready: nil
        case .withoutCredit(let deadline): deadline
        case .awaitingAnswer(_, let deadline): deadline
        }
    }

    /// How many commands are queued or in flight.
    public var outstandingCount: Int {
        switch state {
        case .ready, .withoutCredit: waiting.count
        case .awaitingAnswer: waiting.count + 1
        }
    }

    private mutating func answer(
        _ opcode: HCIOpcode, _ outcome: HCICommandResult.Outcome, _ credits: UInt8,
        at now: MonotonicInstant
    ) {
        let isFree = credits > 0 ? State.ready : .withoutCredit(deadline: nil)
        switch state {
        case .awaitingAnswer(let request, _) where request.command.opcode == opcode:
            state = isFree
            end(request, outcome)
        case .awaitingAnswer:
            // An answer to no command, or one after its deadline.
            break
        case .ready, .withoutCredit: state = isFree
        }
        advance(at: now)
    }

    private mutating func end(_ request: Request, _ outcome: HCICommandResult.Outcome) {
        outputs.append(
            .ended(
                HCICommandResult(owner: request.owner, command: request.command, outcome: outcome)))
    }

    /// Sends the next command if the controller has granted a credit.
    private mutating func advance(at now: MonotonicInstant) {
        switch state {
        case .awaitingAnswer: break
        case .withoutCredit(deadline: nil) where !waiting.isEmpty:
            state = .withoutCredit(deadline: now + configuration.timeout)
        case .withoutCredit: break
        case .ready:
            guard let request = waiting.popFirst() else { return }
            outputs.append(.send(request.command))
            state = .awaitingAnswer(request, deadline: now + configuration.timeout)
        }
    }
}
