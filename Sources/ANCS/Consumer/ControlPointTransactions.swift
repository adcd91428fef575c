internal import Octets

/// The commands of one session: a bounded queue, of which one is in flight until its answer is complete, it
/// is refused, or its deadline passes (S4, S26).
///
/// The response to the write and the answer to the command arrive in any order, and either may never arrive.
/// Nothing is in flight once neither is expected.
struct ControlPointTransactions: Sendable {
    enum Output: Sendable {
        case write([UInt8])
        /// The Control Point accepted a command, or refused it.
        case writeAnswered(ControlPointError?)
        /// The answer to a command has begun to arrive.
        case answering
        /// Nothing arrived before the deadline: no response to the write, or no answer after it.
        case unanswered(WrittenCommand, isWritten: Bool)
        case ended(ControlPointTransaction, RequestOutcome)
        /// A later answer to a command that was already answered differs from the first.
        case superseded([RequestID], AttributeResponse)
    }

    /// That of the session, which has no copy of its own.
    let configuration: ConsumerSession.Configuration
    /// Whether a command was written whose response is expected.
    private var isWriting = false
    /// The command in flight.
    private var current: ControlPointTransaction?
    /// When the deadline for response and answer passes.
    private var deadline = MonotonicInstant.zero
    private var isOpen = false
    /// Writes that were abandoned before their response arrived; those responses arrive first.
    private var unansweredWrites = 0
    private var actions = Queue<ControlPointTransaction>()
    private var fetches = Queue<ControlPointTransaction>()
    private var stream: DataSourceStream
    /// The last answer and the requests that it answered. One that follows with the same identity is newer.
    private var answered: (requests: [RequestID], response: AttributeResponse)?
    private var outputs = Queue<Output>()
    /// How many requests are queued, without the one in flight.
    private(set) var pendingCount = 0

    init(configuration: ConsumerSession.Configuration) {
        self.configuration = configuration
        stream = DataSourceStream(
            limits: configuration.responseLimits,
            maximumLateAnswers: configuration.maximumLateAnswers)
    }

    /// How many octets of the Data Source belonged to no answer.
    var discardedOctets: Int { stream.discardedOctets }

    private var isInFlight: Bool { isWriting || current != nil }

    var nextDeadline: MonotonicInstant? { isInFlight ? deadline : nil }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// Commands may be written from now on.
    mutating func open(at now: MonotonicInstant) {
        isOpen = true
        proceed(at: now)
    }

    /// Ends all requests. Answers that arrive later are recognized as late, also in the next session on the
    /// same link.
    mutating func close() {
        isOpen = false
        answered = nil
        giveUpWrite()
        abandonCurrent(.sessionEnded)
        cancel(.sessionEnded, about: nil)
    }

    /// Whether nothing is in flight and nothing is queued.
    var isIdle: Bool { !isInFlight && pendingCount == 0 }
}

// MARK: - Requests

extension ControlPointTransactions {
    /// Queues an action; `false` if the queue is full of actions.
    mutating func perform(
        _ command: WrittenCommand, for request: RequestID, at now: MonotonicInstant
    ) -> Bool {
        guard makeRoom() else { return false }
        pendingCount += 1
        actions.append(ControlPointTransaction(command: command, requests: [request]))
        proceed(at: now)
        return true
    }

    /// Queues a fetch; `false` if the queue is full of actions. A fetch of the same attributes shares the
    /// command that is queued; one in flight is shared only about an app, because a notification may have
    /// changed since the command was written.
    mutating func fetch(
        _ command: WrittenCommand, for request: RequestID, at now: MonotonicInstant
    ) -> Bool {
        if joinCurrent(command, request) { return true }
        guard makeRoom() else { return false }
        pendingCount += 1
        let isJoined = fetches.changeFirst(where: { $0.command.octets == command.octets }) {
            $0.requests.append(request)
        }
        if !isJoined {
            fetches.append(ControlPointTransaction(command: command, requests: [request]))
        }
        proceed(at: now)
        return true
    }

    /// The notification was removed: requests about it end, except an action in flight, which may be the
    /// cause of the removal.
    mutating func remove(_ uid: NotificationUID, at now: MonotonicInstant) {
        cancel(.removed, about: uid)
        if case .notification(uid) = answered?.response.identity { answered = nil }
        if let current, current.isFetch(of: uid) { abandonCurrent(.removed) }
        proceed(at: now)
    }

    private mutating func joinCurrent(_ command: WrittenCommand, _ request: RequestID) -> Bool {
        guard command.commandID == .getAppAttributes, let current,
            current.command.octets == command.octets,
            current.requests.count < configuration.maximumPendingRequests
        else { return false }
        self.current?.requests.append(request)
        return true
    }

    /// Drops the oldest fetch if the queue is full; never an action, never the command in flight.
    private mutating func makeRoom() -> Bool {
        guard pendingCount >= configuration.maximumPendingRequests else { return true }
        guard let oldest = fetches.popFirst() else { return false }
        endPending(oldest, failure: .evicted)
        return true
    }

    /// Ends the queued requests about a notification, or all of them for `nil`.
    private mutating func cancel(_ failure: RequestFailure, about uid: NotificationUID?) {
        for action in Self.take(from: &actions, about: uid) { endPending(action, failure: failure) }
        for fetch in Self.take(from: &fetches, about: uid) { endPending(fetch, failure: failure) }
    }

    private static func take(
        from queue: inout Queue<ControlPointTransaction>, about uid: NotificationUID?
    ) -> [ControlPointTransaction] {
        queue.removeAll { uid == nil || $0.command.notificationUID == uid }
    }

    private mutating func endPending(
        _ transaction: ControlPointTransaction, failure: RequestFailure
    ) {
        pendingCount -= transaction.requests.count
        outputs.append(.ended(transaction, .failed(failure, partial: [])))
    }
}

// MARK: - What happened

extension ControlPointTransactions {
    /// The write of the command in flight was answered.
    mutating func writeAnswered(_ error: ControlPointError?, at now: MonotonicInstant) {
        outputs.append(.writeAnswered(error))
        guard unansweredWrites == 0 else {
            unansweredWrites -= 1
            return
        }
        if exchange(&isWriting, with: false), let current {
            if let error {
                endCurrent(.failed(.refused(error), partial: partial))
                stream.forget()
            } else if current.isAction {
                endCurrent(.performed)
            } else {
                extendDeadline(from: now)
            }
        }
        proceed(at: now)
    }

    /// A value of the Data Source arrived.
    mutating func receive(_ value: Span<UInt8>, at now: MonotonicInstant) {
        let beginning = stream.synchronize(to: value, awaited)
        read(beginning.span, at: now)
        read(value, at: now)
        proceed(at: now)
    }

    /// The deadline has passed.
    mutating func handleTimeout(at now: MonotonicInstant) {
        guard let nextDeadline, nextDeadline <= now else { return }
        let isWritten = !giveUpWrite()
        if let current {
            if !isWritten || stream.attributesOfCurrent == nil {
                outputs.append(.unanswered(current.command, isWritten: isWritten))
            }
            timeOut(current.command)
        }
        proceed(at: now)
    }

    /// The command whose answer is expected; an action has none (R42).
    private var awaited: WrittenCommand? {
        guard let current, !current.isAction else { return nil }
        return current.command
    }

    private mutating func read(_ value: Span<UInt8>, at now: MonotonicInstant) {
        var rest = value
        var hasBegun = false
        while !rest.isEmpty {
            // After its answer is complete, another one with the same identity is a late one.
            switch stream.take(&rest, awaited) {
            case .nothing: break
            case .superseding(let response): supersede(response)
            case .progress: progressed(&hasBegun, at: now)
            case .complete(let response):
                progressed(&hasBegun, at: now)
                if let current { answered = (current.requests, response) }
                endCurrent(.answered(response))
            case .tooLong:
                progressed(&hasBegun, at: now)
                endCurrent(.failed(.responseTooLong, partial: []))
            }
        }
    }

    @inline(never)
    private mutating func progressed(_ hasBegun: inout Bool, at now: MonotonicInstant) {
        extendDeadline(from: now)
        if !hasBegun { outputs.append(.answering) }
        hasBegun = true
    }

    @inline(never)
    private mutating func supersede(_ response: AttributeResponse) {
        guard let (requests, old) = answered, !response.saysTheSame(as: old) else { return }
        answered = (requests, response)
        outputs.append(.superseded(requests, response))
    }

    /// An answer about an app that consists of nothing but its header means that the app has no attributes
    /// (S23).
    private mutating func timeOut(_ command: WrittenCommand) {
        guard stream.isAppHeaderOnly else { return abandonCurrent(.timedOut) }
        endCurrent(.answered(AttributeResponse(identity: command.identity, attributes: [])))
        stream.abandon(command)
    }

    /// Restarts the deadline: there was progress, or a new command.
    private mutating func extendDeadline(from now: MonotonicInstant) {
        var patience = configuration.deadline
        if current?.command.commandID == .getAppAttributes {
            patience = configuration.appDeadline ?? patience
            if stream.isAppHeaderOnly { patience = min(patience, configuration.headerOnlyDeadline) }
        }
        deadline = now + patience
    }

    /// Stops expecting the response to a write; returns whether one was expected.
    @discardableResult
    private mutating func giveUpWrite() -> Bool {
        guard isWriting else { return false }
        isWriting = false
        unansweredWrites += 1
        return true
    }

    /// The attributes that arrived for the command in flight before it failed.
    private var partial: [AttributeValue] { stream.attributesOfCurrent ?? [] }

    private mutating func abandonCurrent(_ failure: RequestFailure) {
        let awaited = awaited
        endCurrent(.failed(failure, partial: partial))
        if let awaited { stream.abandon(awaited) }
    }

    private mutating func endCurrent(_ outcome: RequestOutcome) {
        guard let transaction = exchange(&current, with: nil) else { return }
        outputs.append(.ended(transaction, outcome))
    }

    /// Writes the next command; actions first, because a person is waiting for them.
    private mutating func proceed(at now: MonotonicInstant) {
        guard isOpen, !isInFlight, let next = actions.popFirst() ?? fetches.popFirst() else {
            return
        }
        pendingCount -= next.requests.count
        current = next
        isWriting = true
        extendDeadline(from: now)
        outputs.append(.write(next.command.octets))
    }
}
