public import Octets

/// Who asked for a command, so that the owner of the channel can hand the result on.
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
    /// The address that all of them share.
    public static let ownAddress = HCICommandOwner(rawValue: 5)
}

/// How a command ended.
public struct HCICommandResult: Hashable, Sendable {
    /// What the controller said, or that it said nothing.
    public enum Outcome: Hashable, Sendable {
        /// HCI_Command_Complete, with its return parameters.
        case completed([UInt8])
        /// HCI_Command_Status.
        case status(HCIStatus)
        /// Nothing, until the deadline.
        case timedOut
    }

    /// Who asked.
    public var owner: HCICommandOwner
    /// The command.
    public var command: HCICommandPacket
    /// How it ended.
    public var outcome: Outcome

    /// A result.
    public init(owner: HCICommandOwner, command: HCICommandPacket, outcome: Outcome) {
        self.owner = owner
        self.command = command
        self.outcome = outcome
    }

    /// The status, whichever way it came; `nil` where no answer came, or one without a status.
    public var status: HCIStatus? {
        switch outcome {
        case .completed(let parameters):
            parameters.first.map { HCIStatus(rawValue: $0) }
        case .status(let status): status
        case .timedOut: nil
        }
    }

    /// Whether the controller did, or began to do, what it was told.
    public var isSuccess: Bool { status == .success }

    /// The return parameters of a command that succeeded, or `nil` where it did not or where they do
    /// not decode.
    public func returnParameters<Command: HCICommand>(
        of command: Command.Type
    ) -> Command.ReturnParameters? {
        guard isSuccess, case .completed(let parameters) = outcome,
            self.command.opcode == Command.opcode
        else { return nil }
        do throws(DecodingError) {
            return try Command.ReturnParameters(decoding: parameters.span)
        } catch {
            return nil
        }
    }
}

/// The commands on their way to the controller: one at a time, never more than the controller gives
/// credits for, each with a deadline. Core Vol 4, Part E, 4.4.
///
/// Every command that was taken ends in exactly one ``Output/ended(_:)``.
public struct HCICommandChannel: ~Copyable, Sendable {
    /// What the owner has to do.
    public enum Output: Hashable, Sendable {
        /// Give the command to the transport.
        case send(HCICommandPacket)
        /// A command ended.
        case ended(HCICommandResult)
    }

    /// Why a command was not taken.
    public enum UsageError: Error, Hashable, Sendable {
        /// So many commands wait that there is no room for another.
        case queueFull
    }

    /// The limits of the channel.
    public struct Configuration: Hashable, Sendable {
        /// How many commands may wait, the one in flight not counted.
        public var maximumQueued: Int
        /// How long the controller may take. Core Vol 4, Part E, 4.4 asks it for 1 s; slow serial
        /// lines get the double.
        public var timeout: Duration

        /// Room for 64 commands and 2 s, unless said otherwise.
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
        /// Nothing is in flight; a command may be sent.
        case ready
        /// Nothing is in flight, but the controller grants no credit. With a deadline only while a
        /// command waits.
        case withoutCredit(deadline: MonotonicInstant?)
        case awaitingAnswer(Request, deadline: MonotonicInstant)
    }

    private let configuration: Configuration
    private var state = State.ready
    private var waiting = Queue<Request>()
    private var outputs = Queue<Output>()

    /// A channel to a controller that was switched on or reset: it takes one command.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Takes a command for the controller.
    public mutating func submit<Command: HCICommand>(
        _ command: Command, for owner: HCICommandOwner = .host, at now: MonotonicInstant
    ) throws(UsageError) {
        try submit(HCICommandPacket(command), for: owner, at: now)
    }

    /// Takes a command for the controller.
    public mutating func submit(
        _ command: HCICommandPacket, for owner: HCICommandOwner = .host, at now: MonotonicInstant
    ) throws(UsageError) {
        guard waiting.count < configuration.maximumQueued else { throw .queueFull }
        waiting.append(Request(owner: owner, command: command))
        advance(at: now)
    }

    /// HCI_Command_Complete came.
    public mutating func receive(_ event: HCI.CommandComplete, at now: MonotonicInstant) {
        answer(event.opcode, .completed(event.returnParameters), event.credits, at: now)
    }

    /// HCI_Command_Status came.
    public mutating func receive(_ event: HCI.CommandStatus, at now: MonotonicInstant) {
        answer(event.opcode, .status(event.status), event.credits, at: now)
    }

    /// Time passed.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        switch state {
        case .awaitingAnswer(let request, let deadline) where deadline <= now:
            // A controller that forgot a command is asked the next one: it cannot be told otherwise.
            state = .ready
            end(request, .timedOut)
            advance(at: now)
        case .withoutCredit(let deadline?) where deadline <= now:
            state = .ready
            advance(at: now)
        case .awaitingAnswer, .withoutCredit, .ready: break
        }
    }

    /// What to do next, or `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// When ``handleTimeout(at:)`` is due.
    public var nextDeadline: MonotonicInstant? {
        switch state {
        case .ready: nil
        case .withoutCredit(let deadline): deadline
        case .awaitingAnswer(_, let deadline): deadline
        }
    }

    /// How many commands wait or are in flight.
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
            // An answer to nothing, or one that came after its deadline.
            break
        case .ready, .withoutCredit:
            state = isFree
        }
        advance(at: now)
    }

    private mutating func end(_ request: Request, _ outcome: HCICommandResult.Outcome) {
        outputs.append(
            .ended(
                HCICommandResult(owner: request.owner, command: request.command, outcome: outcome)))
    }

    /// Sends the next command if the controller takes one.
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
