internal import ANCSEvents
internal import ANCS
internal import BluetoothTypes
package import DBus
package import Octets

// How values arrive. Those of the Data Source contain the texts of notifications, and arrive on a socket that
// no other program can read (`AcquireNotify`), because `StartNotify` broadcasts them to every user of the
// machine. Those of the Notification Source contain no texts; after a reconnection, bluetoothd subscribes to
// them again on its own, which it does not do with a socket.
//
// Texts are broadcast only if the user allows it. Otherwise, where the socket has ended bluetoothd (``SocketGuard``),
// the session waits; where bluetoothd refuses it, the session has no texts.
extension PhoneLink {
    package mutating func subscribe(to characteristic: Characteristic, at now: MonotonicInstant) {
        self[characteristic].isWanted = true
        switch self[characteristic].state {
        case .none, .pausing: begin(characteristic, at: now)
        case .socket, .notifying: report(.subscribed(characteristic))
        case .trying, .acquiring, .starting: self[characteristic].isAwaited = true
        // It starts again once the end is complete.
        case .stopping: self[characteristic].isAwaited = true
        }
    }

    private mutating func begin(_ characteristic: Characteristic, at now: MonotonicInstant) {
        self[characteristic].isAwaited = true
        attempt(characteristic, 1, at: now)
    }

    private mutating func attempt(
        _ characteristic: Characteristic, _ attempt: Int, at now: MonotonicInstant
    ) {
        switch (characteristic, route) {
        case (.dataSource, .socket) where isUntried:
            dataSource.state = .trying(attempt: attempt)
            call(.readConfiguration(.dataSource, isTrial: true))
        case (.dataSource, .socket):
            dataSource.state = .acquiring(attempt: attempt, isRepeated: false)
            call(.acquireNotify(.dataSource))
        case (.dataSource, .bus):
            start(.dataSource, attempt: attempt, instead: Self.endsDaemon)
        // It was found out since the session began.
        case (.dataSource, .closed): lostService(at: now)
        case (.notificationSource, _): start(.notificationSource, attempt: attempt)
        }
    }

    /// The trial has ended. A link on which the phone was paired may hang (``hang()``), and a pending
    /// `AcquireNotify` would outlast it: before 5.84 bluetoothd forgets the call when the link ends, answers every
    /// later one *Notify acquired*, and uses freed memory when it removes the characteristic
    /// (`register_notify_io_cb` in src/gatt-client.c). So bluetoothd first has to answer something that it does
    /// not keep.
    mutating func tried(_ result: Result<[BusValue], BusError>, at now: MonotonicInstant) {
        guard case .trying(let attempt) = dataSource.state else { return }
        if case .failure(let error) = result {
            if error.isNoReply { return hang() }
            if isGivenUp(.dataSource) { return unsubscribed(.dataSource, at: now) }
            // Its end is reported separately.
            guard error.isOfDaemon else { return refused(.dataSource, error, at: now) }
            if error.isNotConnected { return notConnected(.dataSource, attempt, at: now) }
            // The descriptor is being read for another program, perhaps without an answer, or is not there yet.
            if error.isInProgress || error.isGone, attempt < Self.maximumAttempts {
                return pause(.dataSource, after: attempt, at: now)
            }
            if error.isInProgress { return hang() }
        }
        isUntried = false
        if isGivenUp(.dataSource) { return unsubscribed(.dataSource, at: now) }
        self.attempt(.dataSource, attempt, at: now)
    }

    /// The pause is over.
    mutating func retry(
        _ characteristic: Characteristic, attempt: Int, at now: MonotonicInstant
    ) {
        // Its socket was closed because the LE link ended, while the phone is connected by BR/EDR.
        if !self[characteristic].isAwaited, !device.hasResolvedServices {
            return lostService(at: now)
        }
        self.attempt(characteristic, attempt, at: now)
    }

    private mutating func start(
        _ characteristic: Characteristic, attempt: Int, instead error: BusError? = nil
    ) {
        self[characteristic].state = .starting(attempt: attempt, instead: error)
        call(.startNotify(characteristic))
    }

    /// Whether the subscription is no longer wanted.
    private func isGivenUp(_ characteristic: Characteristic) -> Bool {
        state == .leaving || !self[characteristic].isWanted
    }

    package mutating func acquired(
        _ characteristic: Characteristic, _ result: Result<[BusValue], BusError>,
        _ socket: SocketID,
        at now: MonotonicInstant
    ) {
        guard case .acquiring(let attempt, let isRepeated) = self[characteristic].state else {
            return
        }
        switch result {
        case .success(let values):
            guard let descriptor = values.first?.descriptor else {
                return noSocket(characteristic, attempt, Self.noDescriptor, at: now)
            }
            self[characteristic].state = .socket(socket)
            outputs.append(.open(socket, descriptor))
            stands(characteristic, at: now)
        case .failure where isGivenUp(characteristic): unsubscribed(characteristic, at: now)
        // The requested socket is still pending: it is the same hang.
        case .failure(let error) where isRepeated && (error.isNoReply || error.isAcquired): hang()
        case .failure(let error) where error.isNotConnected:
            notConnected(characteristic, attempt, at: now)
        // The previous socket is closed, which bluetoothd has yet to notice.
        case .failure(let error) where error.isAcquired && attempt < Self.maximumAttempts:
            pause(characteristic, after: attempt, at: now)
        case .failure(let error): noSocket(characteristic, attempt, error, at: now)
        }
    }

    /// There is no socket. Before 5.84 there is no reply if the phone refuses. Another program may also have
    /// subscribed.
    /// Not inlined: it is called in two places.
    @inline(never)
    private mutating func noSocket(
        _ characteristic: Characteristic, _ attempt: Int, _ error: BusError,
        at now: MonotonicInstant
    ) {
        if allowsTextsOnBus { return start(characteristic, attempt: attempt, instead: error) }
        if error.isNoReply {
            // bluetoothd hangs, or is ending: the reply to another call shows which.
            self[characteristic].state = .acquiring(attempt: attempt, isRepeated: true)
            return call(.acquireNotify(characteristic))
        }
        // The service is being removed, which is reported separately.
        if error.isGone, attempt < Self.maximumAttempts {
            return pause(characteristic, after: attempt, at: now)
        }
        // That bluetoothd is gone is reported separately, too.
        if error.isOfDaemon, !error.isAcquired, !error.isOfPhone { report(.textsRefused(error)) }
        refused(characteristic, error, at: now)
    }

    /// The phone is connected, but not by LE: it is disconnecting, or connected by BR/EDR. The link will come
    /// back; what the phone sends then is for a new session.
    private mutating func notConnected(
        _ characteristic: Characteristic, _ attempt: Int, at now: MonotonicInstant
    ) {
        guard self[characteristic].isAwaited else { return lostService(at: now) }
        self[characteristic].state = .pausing(until: now + .seconds(2), attempt: attempt)
    }

    private mutating func pause(
        _ characteristic: Characteristic, after attempt: Int, at now: MonotonicInstant
    ) {
        self[characteristic].state = .pausing(
            until: now + .milliseconds(100 << attempt), attempt: attempt + 1)
    }

    private static var noDescriptor: BusError {
        BusError(BusError.invalidArguments, "there was no socket in the answer")
    }

    private static var endsDaemon: BusError {
        BusError(BusError.failed, "bluetoothd has ended each time that it was asked to")
    }

    mutating func started(
        _ characteristic: Characteristic, _ result: Result<[BusValue], BusError>,
        at now: MonotonicInstant
    ) {
        guard case .starting(let attempt, let reason) = self[characteristic].state else { return }
        switch result {
        case .success: notifies(characteristic, instead: reason, at: now)
        // It exists since before the link was lost.
        case .failure(let error) where error.isInProgress:
            notifies(characteristic, instead: reason, at: now)
        case .failure(let error) where error.isNoReply: hang()
        // The requested socket is still pending: it is the same hang.
        case .failure(let error) where error.isAcquired && reason?.isNoReply == true: hang()
        case .failure where isGivenUp(characteristic): unsubscribed(characteristic, at: now)
        case .failure(let error) where error.isNotConnected:
            notConnected(characteristic, attempt, at: now)
        // The service is being removed, which is reported separately.
        case .failure(let error) where error.isGone && attempt < Self.maximumAttempts:
            pause(characteristic, after: attempt, at: now)
        case .failure(let error): refused(characteristic, error, at: now)
        }
    }

    private mutating func notifies(
        _ characteristic: Characteristic, instead error: BusError?, at now: MonotonicInstant
    ) {
        self[characteristic].state = .notifying
        if characteristic == .dataSource, let error { report(.isBroadcast(error)) }
        stands(characteristic, at: now)
    }

    private mutating func stands(_ characteristic: Characteristic, at now: MonotonicInstant) {
        if isGivenUp(characteristic) { return stop(characteristic, at: now) }
        guard exchange(&self[characteristic].isAwaited, with: false) else { return }
        report(.subscribed(characteristic))
        if characteristic == .notificationSource { sessionStands() }
    }

    private mutating func refused(
        _ characteristic: Characteristic, _ error: BusError, at now: MonotonicInstant
    ) {
        self[characteristic].state = .none
        if error.isAcquired {
            report(isSocketKept ? .textsRefused(error) : .isTaken)
        } else if error.attErrorCode == 0x05 {
            // bluetoothd treats it as paired, but it does not encrypt: it has forgotten the bond.
            report(.keyTrouble(KeyTrouble(.missing)))
        }
        // An established subscription lost its socket: the session has to start again.
        guard exchange(&self[characteristic].isAwaited, with: false) else {
            return lostService(at: now)
        }
        report(.subscriptionRefused(characteristic, errorCode: error.attErrorCode))
    }

    mutating func configurationRead(
        _ characteristic: Characteristic, _ result: Result<[BusValue], BusError>
    ) {
        // An unreadable value means nothing; the session will notice in another way.
        guard case .success(let values) = result, let octets = values.first?.octets else { return }
        report(
            .subscriptionRead(characteristic, isSubscribed: (octets.first ?? 0) & 0x01 != 0))
    }

    // MARK: Ending

    mutating func unsubscribe(from characteristic: Characteristic, at now: MonotonicInstant) {
        self[characteristic].isWanted = false
        self[characteristic].isAwaited = false
        switch self[characteristic].state {
        case .none, .pausing: unsubscribed(characteristic, at: now)
        case .socket, .notifying: stop(characteristic, at: now)
        // There is nothing to stop before the reply.
        case .trying, .acquiring, .starting, .stopping: break
        }
    }

    private mutating func stop(_ characteristic: Characteristic, at now: MonotonicInstant) {
        if case .socket(let socket) = self[characteristic].state {
            // bluetoothd ends a subscription when its socket is closed.
            outputs.append(.close(socket))
            return unsubscribed(characteristic, at: now)
        }
        self[characteristic].state = .stopping
        call(.stopNotify(characteristic, isLast: state == .leaving))
    }

    package mutating func stopped(
        _ characteristic: Characteristic, _ result: Result<[BusValue], BusError>,
        at now: MonotonicInstant
    ) {
        guard self[characteristic].state == .stopping else { return }
        // It may still be subscribed, and then the phone would not announce to the next session what it shows.
        if case .failure(let error) = result, error.isNoReply { return hang() }
        unsubscribed(characteristic, at: now)
    }

    private mutating func unsubscribed(
        _ characteristic: Characteristic, at now: MonotonicInstant
    ) {
        self[characteristic].state = .none
        if state == .leaving { return leftIfUnsubscribed() }
        report(.unsubscribed(characteristic))
        // It was requested again meanwhile.
        if self[characteristic].isAwaited { begin(characteristic, at: now) }
    }

    /// A socket was closed: the link is ending, or bluetoothd has dropped the subscription.
    package mutating func hungUp(_ socket: SocketID, at now: MonotonicInstant) {
        guard let characteristic = characteristic(of: socket) else { return }
        outputs.append(.close(socket))
        self[characteristic].state = .pausing(until: now + .seconds(1), attempt: 1)
    }

    /// The characteristic whose values arrive on a socket.
    package func characteristic(of socket: SocketID) -> Characteristic? {
        [Characteristic.dataSource, .notificationSource].first { self[$0].state == .socket(socket) }
    }
}

extension PhoneLink.Subscription {
    /// Whether the session was informed that it is established.
    var isStanding: Bool {
        switch state {
        case .socket, .notifying: !isAwaited
        case .none, .trying, .acquiring, .starting, .stopping, .pausing: false
        }
    }

    package var deadline: MonotonicInstant? {
        switch state {
        case .pausing(let instant, _): instant
        case .none, .trying, .acquiring, .starting, .socket, .notifying, .stopping: nil
        }
    }
}
