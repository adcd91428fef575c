internal import Octets

/// The commands of one session: a bounded queue, one in flight until its answer is complete, it is
/// refused, or its deadline passes (S4, S26).
struct ControlPointTransactions: Sendable {
    enum Output: Hashable, Sendable {
        case write([UInt8])
        /// The Control Point took a command, or refused it.
        case writeAnswered(ControlPointError?)
        /// The answer to a command has begun.
        case answering
        /// Nothing came until the deadline: no response to the write, or none of the answer after it.
        case unanswered(ControlPointCommand, isWritten: Bool)
        case ended(ControlPointCommand, [RequestID], RequestOutcome)
        /// A later answer to a command that has been answered says something else.
        case superseded([RequestID], AttributeResponse)
    }

    private enum State: Sendable {
        case idle
        /// The command is on its way.
        case writing(ControlPointTransaction)
        /// The Control Point has accepted the command.
        case awaitingAnswer(ControlPointTransaction)
        /// The request has ended before its write was answered.
        case awaitingWriteResponse(deadline: MonotonicInstant)
    }

    private let configuration: ConsumerSession.Configuration
    private var state = State.idle
    private var isOpen = false
    /// Writes that were given up before they were answered; their answers come first.
    private var unansweredWrites = 0
    private var actions = Queue<(command: ControlPointCommand, request: RequestID)>()
    private var fetches = Queue<ControlPointCommand>()
    private var fetchers: [ControlPointCommand: [RequestID]] = [:]
    private var stream: DataSourceStream
    /// What was answered last, and how: an answer that comes behind it is newer.
    private var answered: (requests: [RequestID], response: AttributeResponse)?
    private var outputs = Queue<Output>()
    /// How many requests wait, the one in flight not counted.
    private(set) var pendingCount = 0
    /// How many octets of the Data Source were nobody's.
    private(set) var discardedOctets = 0

    init(configuration: ConsumerSession.Configuration) {
        self.configuration = configuration
        stream = DataSourceStream(
            limits: configuration.responseLimits,
            maximumLateAnswers: configuration.maximumLateAnswers)
    }

    var nextDeadline: MonotonicInstant? {
        switch state {
        case .idle: nil
        case .writing(let transaction), .awaitingAnswer(let transaction): transaction.deadline
        case .awaitingWriteResponse(let deadline): deadline
        }
    }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// Commands may be written from now on.
    mutating func open(at now: MonotonicInstant) {
        isOpen = true
        proceed(at: now)
    }

    /// Everything that waits or is in flight ends. What is still answered is known to be late, also in
    /// the next session on the same link.
    mutating func close() {
        isOpen = false
        answered = nil
        switch exchange(&state, with: .idle) {
        case .idle:
            break
        case .awaitingWriteResponse:
            unansweredWrites += 1
        case .writing(let transaction):
            unansweredWrites += 1
            abandon(transaction, failure: .sessionEnded)
        case .awaitingAnswer(let transaction):
            abandon(transaction, failure: .sessionEnded)
        }
        cancel(.sessionEnded) { _ in true }
    }

    /// Whether nothing is in flight and nothing waits.
    var isIdle: Bool {
        guard case .idle = state else { return false }
        return pendingCount == 0
    }
}

// MARK: - Requests

extension ControlPointTransactions {
    /// Asks for an action; `false` if the queue is full of actions.
    mutating func perform(
        _ command: PerformNotificationAction, for request: RequestID, at now: MonotonicInstant
    ) -> Bool {
        guard makeRoom() else { return false }
        pendingCount += 1
        actions.append((.performNotificationAction(command), request))
        proceed(at: now)
        return true
    }

    /// Asks for attributes; `false` if the queue is full of actions. A request for what is already
    /// waited for shares its command, except that a notification may have changed since its command
    /// was written.
    mutating func fetch(
        _ command: ControlPointCommand, for request: RequestID, at now: MonotonicInstant
    ) -> Bool {
        if joinInFlight(command, request) { return true }
        guard makeRoom() else { return false }
        pendingCount += 1
        if fetchers[command, default: []].isEmpty { fetches.append(command) }
        fetchers[command, default: []].append(request)
        proceed(at: now)
        return true
    }

    /// The notification is gone: what was asked about it ends, except for an action in flight, which
    /// may be what removed it.
    mutating func remove(_ uid: NotificationUID, at now: MonotonicInstant) {
        cancel(.removed) { $0.notificationUID == uid }
        if answered?.response.identity == .notification(uid) { answered = nil }
        switch exchange(&state, with: .idle) {
        case .writing(let transaction) where transaction.isFetch(of: uid):
            abandon(transaction, failure: .removed)
            state = .awaitingWriteResponse(deadline: transaction.deadline)
        case .awaitingAnswer(let transaction) where transaction.isFetch(of: uid):
            abandon(transaction, failure: .removed)
        case let other:
            state = other
        }
        proceed(at: now)
    }

    private mutating func joinInFlight(
        _ command: ControlPointCommand, _ request: RequestID
    ) -> Bool {
        guard case .getAppAttributes = command else { return false }
        switch exchange(&state, with: .idle) {
        case .writing(var transaction):
            let joined = transaction.join(
                command, request, limit: configuration.maximumPendingRequests)
            state = .writing(transaction)
            return joined
        case .awaitingAnswer(var transaction):
            let joined = transaction.join(
                command, request, limit: configuration.maximumPendingRequests)
            state = .awaitingAnswer(transaction)
            return joined
        case let other:
            state = other
            return false
        }
    }

    /// The oldest fetch goes if the queue is full; never an action, never what is in flight.
    private mutating func makeRoom() -> Bool {
        guard pendingCount >= configuration.maximumPendingRequests else { return true }
        guard let oldest = fetches.popFirst() else { return false }
        endPending(oldest, failure: .evicted)
        return true
    }

    private mutating func cancel(
        _ failure: RequestFailure, where isAffected: (ControlPointCommand) -> Bool
    ) {
        for action in actions.removeAll(where: { isAffected($0.command) }) {
            pendingCount -= 1
            outputs.append(.ended(action.command, [action.request], .failed(failure, partial: [])))
        }
        for command in fetches.removeAll(where: isAffected) {
            endPending(command, failure: failure)
        }
    }

    private mutating func endPending(_ command: ControlPointCommand, failure: RequestFailure) {
        let requests = fetchers.removeValue(forKey: command) ?? []
        pendingCount -= requests.count
        outputs.append(.ended(command, requests, .failed(failure, partial: [])))
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
        switch exchange(&state, with: .idle) {
        case .idle, .awaitingWriteResponse:
            break
        case .writing(var transaction):
            if let error {
                end(transaction, failure: .refused(error))
                stream.forget()
            } else if transaction.expectation == nil {
                end(transaction, .performed)
            } else {
                transaction.deadline = deadline(of: transaction.command, from: now)
                state = .awaitingAnswer(transaction)
            }
        case .awaitingAnswer(let transaction):
            state = .awaitingAnswer(transaction)
        }
        proceed(at: now)
    }

    /// A value of the Data Source was received.
    mutating func receive(_ value: Span<UInt8>, at now: MonotonicInstant) {
        switch exchange(&state, with: .idle) {
        case .idle:
            receive(value)
        case .awaitingWriteResponse(let deadline):
            receive(value)
            state = .awaitingWriteResponse(deadline: deadline)
        case .writing(var transaction):
            if receive(value, for: &transaction, at: now) {
                state = .awaitingWriteResponse(deadline: transaction.deadline)
            } else {
                state = .writing(transaction)
            }
        case .awaitingAnswer(var transaction):
            if !receive(value, for: &transaction, at: now) { state = .awaitingAnswer(transaction) }
        }
        proceed(at: now)
    }

    /// The deadline has passed.
    mutating func handleTimeout(at now: MonotonicInstant) {
        guard let nextDeadline, nextDeadline <= now else { return }
        switch exchange(&state, with: .idle) {
        case .idle:
            break
        case .awaitingWriteResponse:
            unansweredWrites += 1
        case .writing(let transaction):
            unansweredWrites += 1
            outputs.append(.unanswered(transaction.command, isWritten: false))
            timeOut(transaction)
        case .awaitingAnswer(let transaction):
            if stream.attributesOfCurrent == nil {
                outputs.append(.unanswered(transaction.command, isWritten: true))
            }
            timeOut(transaction)
        }
        proceed(at: now)
    }

    /// Nothing is waited for.
    private mutating func receive(_ value: Span<UInt8>) {
        let finding = stream.receive(value, current: nil)
        discardedOctets += finding.discarded
        for case .superseding(let response) in finding.results { supersede(response) }
    }

    /// Whether the value ended the transaction.
    private mutating func receive(
        _ value: Span<UInt8>, for transaction: inout ControlPointTransaction,
        at now: MonotonicInstant
    ) -> Bool {
        let finding = stream.receive(value, current: transaction.expectation)
        discardedOctets += finding.discarded
        if finding.isProgress {
            transaction.deadline = deadline(of: transaction.command, from: now)
            outputs.append(.answering)
        }
        var hasEnded = false
        for result in finding.results {
            switch result {
            case .complete(let response):
                answered = (transaction.requests, response)
                end(transaction, .answered(response))
                hasEnded = true
            case .tooLong:
                end(transaction, failure: .responseTooLong)
                hasEnded = true
            case .superseding(let response):
                supersede(response)
            }
        }
        return hasEnded
    }

    private mutating func supersede(_ response: AttributeResponse) {
        guard let (requests, old) = answered, !response.saysTheSame(as: old) else { return }
        answered = (requests, response)
        outputs.append(.superseded(requests, response))
    }

    /// An app of which nothing but the header comes has no attributes: that is an answer (S23).
    private mutating func timeOut(_ transaction: ControlPointTransaction) {
        if case .getAppAttributes(let command) = transaction.command, stream.isAppHeaderOnly {
            let identity = ResponseIdentity.app(command.appIdentifier)
            end(transaction, .answered(AttributeResponse(identity: identity, attributes: [])))
            if let expectation = transaction.expectation { stream.abandon(expectation) }
        } else {
            abandon(transaction, failure: .timedOut)
        }
    }

    private func deadline(
        of command: ControlPointCommand, from now: MonotonicInstant
    ) -> MonotonicInstant {
        guard case .getAppAttributes = command else { return now + configuration.deadline }
        let patience = configuration.appDeadline ?? configuration.deadline
        return now
            + (stream.isAppHeaderOnly ? min(patience, configuration.headerOnlyDeadline) : patience)
    }

    private mutating func abandon(_ transaction: ControlPointTransaction, failure: RequestFailure) {
        end(transaction, failure: failure)
        if let expectation = transaction.expectation { stream.abandon(expectation) }
    }

    private mutating func end(_ transaction: ControlPointTransaction, failure: RequestFailure) {
        end(transaction, .failed(failure, partial: stream.attributesOfCurrent ?? []))
    }

    private mutating func end(_ transaction: ControlPointTransaction, _ outcome: RequestOutcome) {
        outputs.append(.ended(transaction.command, transaction.requests, outcome))
    }

    /// The next command goes out, actions first: a person waits for them.
    private mutating func proceed(at now: MonotonicInstant) {
        guard isOpen, case .idle = state else { return }
        let command: ControlPointCommand
        let requests: [RequestID]
        if let action = actions.popFirst() {
            command = action.command
            requests = [action.request]
        } else if let fetch = fetches.popFirst() {
            command = fetch
            requests = fetchers.removeValue(forKey: fetch) ?? []
        } else {
            return
        }
        pendingCount -= requests.count
        state = .writing(
            ControlPointTransaction(
                command: command, requests: requests, deadline: deadline(of: command, from: now)))
        outputs.append(.write(command.octets))
    }
}

extension ControlPointCommand {
    /// The notification that the command is about, if it is about one.
    fileprivate var notificationUID: NotificationUID? {
        switch self {
        case .getNotificationAttributes(let command): command.notificationUID
        case .performNotificationAction(let command): command.notificationUID
        case .getAppAttributes: nil
        }
    }
}
