package import DBus

/// A subscription to a characteristic, and the ways in which bluetoothd is not ready for one.
///
///     none ─▶ trying ─▶ acquiring ─▶ socket ───────────────▶ none
///               │           └──▶ starting ─▶ notifying ─▶ stopping ─▶ none
///               └─▶ pausing, awaitingPairing ◀─ from each that is refused
///
/// Values arrive on a socket that no other program can read (`AcquireNotify`), or are broadcast to every user of the machine
/// (`StartNotify`). The owner carries out each step, and says which of the two there may be and whether it is wanted.
@usableFromInline package struct ValueSubscription: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        case none
        /// `AcquireNotify` is called as soon as bluetoothd has answered something else.
        case trying(attempt: Int)
        /// `AcquireNotify` is pending; `isRepeated` if the one before got no reply.
        case acquiring(attempt: Int, isRepeated: Bool)
        /// `StartNotify` is pending; `instead` is the error of `AcquireNotify`.
        case starting(attempt: Int, instead: BusError?)
        case socket(SocketID)
        case notifying
        /// `StopNotify` is pending.
        case stopping
        /// There is another attempt at this time: bluetoothd has not noticed the end of the previous subscription yet,
        /// another program has the socket, the object is being replaced, or there is no link.
        case pausing(until: MonotonicInstant, attempt: Int)
        /// It was refused for want of security, and begins again when the peer is paired.
        case awaitingPairing
    }

    /// A call of bluetoothd.
    @usableFromInline package enum Call: Equatable, Sendable {
        /// Reads the configuration, to see whether bluetoothd answers. A link on which the peer was paired may hang, and
        /// a pending `AcquireNotify` would outlast it: before 5.84 bluetoothd forgets the call when the link ends,
        /// answers every later one *Notify acquired*, and uses freed memory when it removes the characteristic
        /// (`register_notify_io_cb` in src/gatt-client.c). So it first has to answer something that it does not keep.
        case tryReading
        case acquire
        case start
        case stop

        /// How long bluetoothd may take: it may hang.
        package static let limit = Duration.seconds(5)

        /// Whether its success means that the peer accepts the subscription.
        package var subscribes: Bool { self == .acquire || self == .start }

        /// The call, for a characteristic and its configuration; `nil` if there is no such object.
        package func bus(_ characteristic: ObjectPath?, _ configuration: ObjectPath?) -> BusCall? {
            switch self {
            case .tryReading: configuration.map { .read($0) }
            case .acquire: characteristic.map { .attribute($0, "AcquireNotify", [.options()]) }
            case .start: characteristic.map { .attribute($0, "StartNotify") }
            case .stop: characteristic.map { .attribute($0, "StopNotify") }
            }
        }
    }

    /// How values are to come.
    package enum Means: Equatable, Sendable {
        /// By a socket; `triesFirst` on the link of a pairing, until bluetoothd has answered there.
        case socket(triesFirst: Bool)
        /// By broadcasts, instead of a socket that cannot be had for this reason.
        case broadcast(instead: BusError?)
    }

    /// What follows if there is no socket.
    package enum Fallback: Equatable, Sendable {
        /// Nothing. A call that gets no reply is repeated once: bluetoothd hangs, or is ending, and that shows which.
        case none
        /// Broadcasts, whatever the reason.
        case broadcast
        /// Broadcasts, unless the peer has refused or bluetoothd does not answer.
        case broadcastIfAnswered
    }

    /// What the owner has to do.
    package enum Step: Equatable, Sendable {
        case call(Call)
        /// bluetoothd has answered the trial: it may begin, with this attempt.
        case answered(attempt: Int)
        /// It stands, on this socket.
        case open(SocketID, BusDescriptor)
        /// It stands, by broadcasts; the error of `AcquireNotify`.
        case stands(instead: BusError?)
        /// It has ended with its socket: bluetoothd ends a subscription when that is closed.
        case close(SocketID)
        /// It has ended, or was given up before it stood.
        case ended
        /// bluetoothd does not answer.
        case hang
        /// The peer is not connected any more, or not by LE.
        case notConnected(attempt: Int)
        case refused(BusError)
    }

    /// How many attempts there are for a subscription that bluetoothd is not ready for.
    package static let maximumAttempts = 6

    package var state = State.none

    package init() {}

    /// Whether values arrive.
    package var stands: Bool {
        switch state {
        case .socket, .notifying: true
        case .none, .trying, .acquiring, .starting, .stopping, .pausing, .awaitingPairing: false
        }
    }

    /// The socket on which they do.
    package var socket: SocketID? { if case .socket(let socket) = state { socket } else { nil } }

    package var deadline: MonotonicInstant? {
        if case .pausing(let instant, _) = state { instant } else { nil }
    }

    /// The attempt that is due after a pause.
    package func attempt(at now: MonotonicInstant) -> Int? {
        guard case .pausing(let until, let attempt) = state, until <= now else { return nil }
        return attempt
    }

    // MARK: What is wanted

    package mutating func begin(_ attempt: Int, by means: Means) -> Step {
        switch means {
        case .broadcast(let error): return start(attempt, instead: error)
        case .socket(triesFirst: true):
            state = .trying(attempt: attempt)
            return .call(.tryReading)
        case .socket(triesFirst: false):
            state = .acquiring(attempt: attempt, isRepeated: false)
            return .call(.acquire)
        }
    }

    private mutating func start(_ attempt: Int, instead error: BusError?) -> Step {
        state = .starting(attempt: attempt, instead: error)
        return .call(.start)
    }

    /// Ends it; `nil` while a reply is awaited: there is nothing to stop before.
    package mutating func stop() -> Step? {
        switch state {
        case .none, .pausing, .awaitingPairing: return end()
        case .socket(let socket):
            state = .none
            return .close(socket)
        case .notifying:
            state = .stopping
            return .call(.stop)
        case .trying, .acquiring, .starting, .stopping: return nil
        }
    }

    /// bluetoothd has closed the socket: the link is ending, or the subscription was dropped.
    package mutating func hungUp(at now: MonotonicInstant) {
        state = .pausing(until: now + .seconds(1), attempt: 1)
    }

    // MARK: What bluetoothd answers

    /// A call was answered; `nil` if nothing follows for now. `socket` identifies the socket in the reply.
    package mutating func replied(
        to call: Call, _ result: BusResult, _ socket: SocketID, isWanted: Bool,
        fallback: Fallback, at now: MonotonicInstant
    ) -> Step? {
        switch (call, state) {
        case (.tryReading, .trying(let attempt)):
            return tried(attempt, result, isWanted: isWanted, at: now)
        case (.acquire, .acquiring(let attempt, let isRepeated)):
            guard case .failure(let error) = result else {
                return acquired(attempt, result, socket, fallback)
            }
            guard isWanted else { return end() }
            if isRepeated, error.isNoReply || error.isAcquired { return .hang }
            return noSocket(attempt, error, fallback, at: now)
        case (.start, .starting(let attempt, let reason)):
            return started(attempt, instead: reason, result, isWanted: isWanted, at: now)
        case (.stop, .stopping):
            // It may still be there, and then the peer would not send the next subscriber what it sends first.
            if case .failure(let error) = result, error.isNoReply { return .hang }
            return end()
        case (.tryReading, _), (.acquire, _), (.start, _), (.stop, _): return nil
        }
    }

    private mutating func end() -> Step {
        state = .none
        return .ended
    }

    private mutating func refuse(_ error: BusError) -> Step {
        state = .none
        return .refused(error)
    }

    /// Whatever the peer says of its descriptor, bluetoothd answers.
    private mutating func tried(
        _ attempt: Int, _ result: BusResult, isWanted: Bool, at now: MonotonicInstant
    ) -> Step? {
        if case .failure(let error) = result {
            if error.isNoReply { return .hang }
            guard isWanted else { return end() }
            // Its end is reported separately.
            guard error.isOfDaemon else { return refuse(error) }
            if error.isNotConnected { return .notConnected(attempt: attempt) }
            // The descriptor is being read for another program, perhaps without an answer, or is not there yet.
            if error.isInProgress || error.isGone, pause(after: attempt, at: now) { return nil }
            if error.isInProgress { return .hang }
        }
        state = .none
        return .answered(attempt: attempt)
    }

    private mutating func acquired(
        _ attempt: Int, _ result: BusResult, _ socket: SocketID, _ fallback: Fallback
    ) -> Step {
        guard let descriptor = (try? result.get())?.first?.descriptor else {
            let error = BusError(BusError.invalidArguments, "there was no socket in the answer")
            return fallback == .none ? refuse(error) : start(attempt, instead: error)
        }
        state = .socket(socket)
        return .open(socket, descriptor)
    }

    private mutating func noSocket(
        _ attempt: Int, _ error: BusError, _ fallback: Fallback, at now: MonotonicInstant
    ) -> Step? {
        if error.isNotConnected { return .notConnected(attempt: attempt) }
        if error.isNoReply {
            switch fallback {
            case .none:
                state = .acquiring(attempt: attempt, isRepeated: true)
                return .call(.acquire)
            // Before 5.84 there is no reply if the peer refuses.
            case .broadcast: return start(attempt, instead: error)
            case .broadcastIfAnswered: return .hang
            }
        }
        if isPassing(error) { return pause(after: attempt, at: now) ? nil : refuse(error) }
        switch fallback {
        case .none: return refuse(error)
        case .broadcast: return start(attempt, instead: error)
        // Another program has subscribed by signals, or the socket cannot be had.
        case .broadcastIfAnswered:
            let isItsOwn = error.isOfDaemon && !error.isOfPhone
            return isItsOwn ? start(attempt, instead: error) : refuse(error)
        }
    }

    private mutating func started(
        _ attempt: Int, instead reason: BusError?, _ result: BusResult,
        isWanted: Bool, at now: MonotonicInstant
    ) -> Step? {
        switch result {
        // In progress: it exists since before the link was lost, or could not be stopped.
        case .failure(let error) where !error.isInProgress:
            if error.isNoReply { return .hang }
            // The requested socket is still pending: it is the same hang.
            if error.isAcquired, reason?.isNoReply == true { return .hang }
            guard isWanted else { return end() }
            if error.isNotConnected { return .notConnected(attempt: attempt) }
            if isPassing(error), pause(after: attempt, at: now) { return nil }
            return refuse(error)
        case .success, .failure:
            state = .notifying
            return .stands(instead: reason)
        }
    }

    /// Whether it may be over soon: another program has the socket, or bluetoothd has yet to notice that it was closed;
    /// or the object is being removed, which is reported separately; or the phone had to say that others have changed.
    private func isPassing(_ error: BusError) -> Bool {
        error.isAcquired || error.isGone || error.isOutOfSync
    }

    /// Waits for another attempt; `false` if there were enough.
    private mutating func pause(after attempt: Int, at now: MonotonicInstant) -> Bool {
        guard attempt < Self.maximumAttempts else { return false }
        state = .pausing(until: now + .milliseconds(100 << attempt), attempt: attempt + 1)
        return true
    }
}
