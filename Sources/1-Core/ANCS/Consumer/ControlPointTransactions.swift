internal import Octets

/// The commands of one session: a bounded queue, of which one is in flight until its answer is complete, it
/// is refused, or its deadline passes (S4, S26).
///
/// The response to the write and the answer to the command arrive in any order, and either may never arrive.
/// Nothing is in flight once neither is expected.
///
/// A response is that of the command that it names, so a lost one costs no other command anything. An answer
/// proves that its command was accepted, and ends the request, but no more: ATT allows no other request before
/// the response (Core Vol 3, Part F, 3.3.2), so the next command waits for it, up to the deadline. A command
/// whose response is missing by then is given up; while it may still be answered, the next one may not have
/// been sent, and has time until no response to the first can come any more.
struct ControlPointTransactions: ~Copyable, Sendable {
    enum Output: Sendable {
        case write([UInt8])
        /// The Control Point accepted a command, or refused it.
        case writeAnswered(ControlPointError?)
        /// The answer to a command has begun to arrive.
        case answering
        /// Nothing arrived before the deadline: no response to the write, or no answer after it.
        case unanswered(WrittenCommand, isWritten: Bool)
        /// No response has arrived for so long that the link is about to be ended.
        case mute
        case ended(ControlPointTransaction, RequestOutcome)
        /// A later answer to a command that was already answered differs from the first.
        case superseded([RequestID], AttributeResponse)
        /// The answer about an app whose request has ended.
        case late(AttributeResponse)
    }

    /// A command that was written, and whose response has not arrived.
    struct Write: Sendable {
        let command: WrittenCommand
        /// Since when it may be on its way.
        let since: MonotonicInstant
        /// The action that its response decides, once it is no longer in flight.
        var action: ControlPointTransaction?

        /// When its response can no longer come.
        var end: MonotonicInstant { since + ControlPointTransactions.transactionTimeout }
    }

    /// How long a response may take. Core Vol 3, Part F, 3.3.3.
    static let transactionTimeout = Duration.seconds(30)
    /// How long nothing at all may follow after a command was given up without a response: with the 10 s before,
    /// it ends before the link does.
    static let muteTime = Duration.seconds(15)

    /// That of the session, which has no copy of its own.
    let configuration: ConsumerSession.Configuration
    /// The command that was written last, while its response is expected.
    private(set) var writing: Write?
    /// The command that was given up without a response, which may still arrive. There is only one: the next
    /// one is not given up as long as this one keeps it from being sent.
    private(set) var unanswered: Write?
    /// When the provider counts as mute; `nil` once anything has arrived since that command was given up.
    private var muteAt: MonotonicInstant?
    /// The command in flight.
    private var current: ControlPointTransaction?
    /// The pace of the answer in progress.
    private var pace: AnswerPace?
    /// When the deadline for response and answer passes.
    private var deadline = MonotonicInstant.zero
    /// Since when there has been no progress.
    private var quietSince = MonotonicInstant.zero
    private var isOpen = false
    private var actions = Queue<ControlPointTransaction>()
    /// Since when the first of them has been waiting.
    private var actionSince = MonotonicInstant.zero
    private var fetches = Queue<ControlPointTransaction>(keepingOctets: 128)
    private var stream: DataSourceStream
    /// The last answer and the requests that it answered. One that follows with the same identity is newer.
    private var answered: (requests: [RequestID], response: AttributeResponse)?
    private var outputs = Queue<Output>(keepingOctets: 512)
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

    private var isInFlight: Bool { writing != nil || current != nil }

    var nextDeadline: MonotonicInstant? {
        let decision = unanswered?.action == nil ? nil : unanswered?.end
        let next = MonotonicInstant.earliest(
            isInFlight ? .earliest(deadline, pace?.deadline) : nil, decision)
        return .earliest(.earliest(next, muteAt), .earliest(actionDeadline, nameDeadline))
    }

    /// When the answer about an app has kept another command waiting for too long.
    private var nameDeadline: MonotonicInstant? {
        guard let current, current.command.commandID == .getAppAttributes, writing == nil,
            pendingCount > 0
        else { return nil }
        return quietSince + configuration.namePatience
    }

    /// When the answer in progress has kept an action waiting for too long: a person waits for it, and it waits
    /// behind an answer that goes on and on no longer than behind one that does not come. A slow answer of 64 KiB
    /// may take most of an hour.
    private var actionDeadline: MonotonicInstant? {
        guard awaited != nil, !actions.isEmpty else { return nil }
        return actionSince + configuration.deadline
    }

    /// Whether a command for the attributes of a notification was given up without a response, so that it may
    /// not have been delivered.
    func mayBeUndelivered(_ uid: NotificationUID) -> Bool {
        unanswered?.command.commandID == .getNotificationAttributes
            && unanswered?.command.notificationUID == uid
    }

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
        writing = nil
        muteAt = nil
        if let write = exchange(&unanswered, with: nil) { decide(write, .sessionEnded) }
        abandonCurrent(.sessionEnded)
        cancel(.sessionEnded, about: nil)
    }

    /// Whether nothing is in flight and nothing is queued.
    var isIdle: Bool { !isInFlight && pendingCount == 0 }
}

// MARK: - Requests

extension ControlPointTransactions {
    /// Queues an action; `false` if the queue is full of actions. If the same action is undecided, its response
    /// decides both: it must not be performed twice.
    mutating func perform(
        _ command: WrittenCommand, for request: RequestID, at now: MonotonicInstant
    ) -> Bool {
        if var write = unanswered, let action = write.action,
            write.command.octets == command.octets,
            action.requests.count < configuration.maximumPendingRequests
        {
            write.action?.requests.append(request)
            unanswered = write
            return true
        }
        guard makeRoom() else { return false }
        pendingCount += 1
        if actions.isEmpty { actionSince = now }
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
    /// The write of a command was answered.
    ///
    /// A response that is missing may be that of an equal command, which has the same result.
    mutating func writeAnswered(
        _ octets: [UInt8], _ error: ControlPointError?, at now: MonotonicInstant
    ) {
        let isExpected = writing?.command.octets == octets
        let isLate = unanswered?.command.octets == octets
        guard isExpected || isLate else { return }
        muteAt = nil
        outputs.append(.writeAnswered(error))
        if isLate, let write = exchange(&unanswered, with: nil) {
            if error != nil { stream.forget(write.command) }
            decide(write, error.map { .refused($0) })
            // The command behind it is sent only now.
            if writing != nil { extendDeadline(from: now) }
        }
        if isExpected { responseArrived(error, at: now) }
        proceed(at: now)
    }

    /// The response that was expected next arrived.
    private mutating func responseArrived(_ error: ControlPointError?, at now: MonotonicInstant) {
        writing = nil
        guard let current else { return }
        if let error {
            endCurrent(.failed(.refused(error), partial: partial))
            stream.forgetCurrent()
        } else if current.isAction {
            endCurrent(.performed)
        } else {
            extendDeadline(from: now)
        }
    }

    /// Ends the action of a write that was given up: `nil` if it was performed.
    private mutating func decide(_ write: Write, _ failure: RequestFailure?) {
        guard let action = write.action else { return }
        outputs.append(.ended(action, failure.map { .failed($0, partial: []) } ?? .performed))
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
        if let muteAt, muteAt <= now {
            self.muteAt = nil
            outputs.append(.mute)
        }
        if let write = unanswered, write.end <= now {
            unanswered = nil
            decide(write, .timedOut)
        }
        if isInFlight, deadline <= now {
            giveUp(at: now)
        } else if let actionDeadline, actionDeadline <= now {
            abandonCurrent(.timedOut)
        } else if let pace, pace.deadline <= now {
            keepPace(pace, at: now)
        }
        proceed(at: now)
    }

    /// The command in flight has had enough time.
    private mutating func giveUp(at now: MonotonicInstant) {
        if let current, stream.attributesOfCurrent == nil {
            outputs.append(.unanswered(current.command, isWritten: writing == nil))
        }
        if var write = exchange(&writing, with: nil) {
            // An action cannot be taken back, and may yet be performed.
            if let current, current.isAction { write.action = exchange(&self.current, with: nil) }
            unanswered = write
            muteAt = now + Self.muteTime
        }
        if let current { timeOut(current.command) }
    }

    /// An answer that goes on is given up only if it is slower than any link.
    private mutating func keepPace(_ pace: AnswerPace, at now: MonotonicInstant) {
        if pace.isTooSlow {
            abandonCurrent(.timedOut)
        } else {
            self.pace = AnswerPace(since: now)
        }
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
            let count = rest.count
            // After its answer is complete, another one with the same identity is a late one.
            switch stream.take(&rest, awaited) {
            case .nothing: break
            case .superseding(let response): supersede(response)
            case .late(let response): outputs.append(.late(response))
            case .progress: progressed(by: count - rest.count, &hasBegun, at: now)
            case .complete(let response):
                progressed(by: count - rest.count, &hasBegun, at: now)
                if let current { answered = (current.requests, response) }
                endCurrent(.answered(response))
            case .tooLong:
                progressed(by: count - rest.count, &hasBegun, at: now)
                endCurrent(.failed(.responseTooLong, partial: []))
            }
        }
    }

    @inline(never) private mutating func progressed(
        by count: Int, _ hasBegun: inout Bool, at now: MonotonicInstant
    ) {
        extendDeadline(from: now)
        muteAt = nil
        var pace = pace ?? AnswerPace(since: now)
        pace.octets += count
        self.pace = pace
        if !hasBegun { outputs.append(.answering) }
        hasBegun = true
    }

    @inline(never) private mutating func supersede(_ response: AttributeResponse) {
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
        quietSince = now
        deadline = now + patience
        if writing != nil, let unanswered { deadline = max(deadline, unanswered.end) }
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
        pace = nil
        outputs.append(.ended(transaction, outcome))
    }

    /// Writes the next command, for which an app's name has to make room in time; actions first, because a person is
    /// waiting for them.
    private mutating func proceed(at now: MonotonicInstant) {
        if let current, let nameDeadline, nameDeadline <= now { timeOut(current.command) }
        guard isOpen, !isInFlight, let next = actions.popFirst() ?? fetches.popFirst() else {
            return
        }
        pendingCount -= next.requests.count
        current = next
        writing = Write(command: next.command, since: now)
        extendDeadline(from: now)
        outputs.append(.write(next.command.octets))
    }
}

/// How fast an answer arrives, in intervals of 30 s. At the smallest ATT_MTU, a slow link carries some hundred
/// octets a second.
struct AnswerPace: Sendable {
    private static let interval = Duration.seconds(30)
    /// 20 octets a second.
    private static let least = 600

    /// When the interval began.
    let since: MonotonicInstant
    /// How many octets of the answer have arrived in it.
    var octets = 0

    /// When the interval ends.
    var deadline: MonotonicInstant { since + Self.interval }
    /// Whether the interval, which has ended, was too slow.
    var isTooSlow: Bool { octets < Self.least }
}
