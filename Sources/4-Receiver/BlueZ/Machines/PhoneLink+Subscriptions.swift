internal import ANCSEvents
internal import ANCS
internal import BluetoothTypes
internal import DBus
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
        switch self[characteristic].machine.state {
        case .none, .pausing, .awaitingPairing: begin(characteristic, at: now)
        case .socket, .notifying: report(.subscribed(characteristic))
        // After an end, it starts again once that is complete.
        case .trying, .acquiring, .starting, .stopping: self[characteristic].isAwaited = true
        }
    }

    private mutating func begin(_ characteristic: Characteristic, at now: MonotonicInstant) {
        self[characteristic].isAwaited = true
        attempt(characteristic, 1, at: now)
    }

    private mutating func attempt(
        _ characteristic: Characteristic, _ attempt: Int, at now: MonotonicInstant
    ) {
        let means: ValueSubscription.Means
        switch (characteristic, route) {
        case (.dataSource, .socket): means = .socket(triesFirst: isUntried)
        case (.dataSource, .bus): means = .broadcast(instead: Self.endsDaemon)
        // It was found out since the session began.
        case (.dataSource, .closed): return lostService(at: now)
        case (.notificationSource, _): means = .broadcast(instead: nil)
        }
        let step = self[characteristic].machine.begin(attempt, by: means)
        carryOut(step, of: characteristic, at: now)
    }

    private static var endsDaemon: BusError {
        BusError(BusError.failed, "bluetoothd has ended each time that it was asked to")
    }

    /// The pause is over.
    mutating func retry(_ characteristic: Characteristic, attempt: Int, at now: MonotonicInstant) {
        // Its socket was closed because the LE link ended, while the phone is connected by BR/EDR.
        if !self[characteristic].isAwaited, !device.hasResolvedServices {
            return lostService(at: now)
        }
        self.attempt(characteristic, attempt, at: now)
    }

    /// Whether the subscription is no longer wanted.
    private func isGivenUp(_ characteristic: Characteristic) -> Bool {
        state == .leaving || !self[characteristic].isWanted
    }

    // MARK: Answers

    mutating func subscriptionReplied(
        _ characteristic: Characteristic, to call: ValueSubscription.Call,
        _ result: Result<[BusValue], BusError>, _ socket: SocketID, at now: MonotonicInstant
    ) {
        let isWanted = !isGivenUp(characteristic)
        let step = self[characteristic].machine.replied(
            to: call, result, socket, isWanted: isWanted,
            fallback: allowsTextsOnBus ? .broadcast : .none, at: now)
        if call == .acquire, case .refused(let error) = step, error.isOfDaemon, !error.isAcquired,
            !error.isOfPhone
        {
            report(.textsRefused(error))
        }
        carryOut(step, of: characteristic, at: now)
    }

    // Not inlined: it is called in several places.
    @inline(never) private mutating func carryOut(
        _ step: ValueSubscription.Step?, of characteristic: Characteristic,
        at now: MonotonicInstant
    ) {
        switch step {
        case .call(let call):
            let isLast = call == .stop && state == .leaving
            self.call(.subscription(characteristic, call, isLast: isLast))
        case .answered(let attempt):
            isUntried = false
            if isGivenUp(characteristic) { return unsubscribed(characteristic, at: now) }
            self.attempt(characteristic, attempt, at: now)
        case .open(let socket, let descriptor):
            outputs.append(.open(socket, descriptor))
            stands(characteristic, at: now)
        case .stands(let error):
            if characteristic == .dataSource, let error { report(.isBroadcast(error)) }
            stands(characteristic, at: now)
        case .close(let socket):
            outputs.append(.close(socket))
            unsubscribed(characteristic, at: now)
        case .ended: unsubscribed(characteristic, at: now)
        case .hang: hang()
        case .notConnected(let attempt):
            // It is disconnecting, or connected by BR/EDR. The link will come back; what the phone sends then is for a
            // new session.
            guard self[characteristic].isAwaited else { return lostService(at: now) }
            self[characteristic].machine.state = .pausing(
                until: now + .seconds(2), attempt: attempt)
        case .refused(let error): refused(characteristic, error, at: now)
        case nil: break
        }
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
        report(.subscriptionRead(characteristic, isSubscribed: (octets.first ?? 0) & 0x01 != 0))
    }

    // MARK: Ending

    mutating func unsubscribe(from characteristic: Characteristic, at now: MonotonicInstant) {
        self[characteristic].isWanted = false
        self[characteristic].isAwaited = false
        switch self[characteristic].machine.state {
        case .none, .pausing, .awaitingPairing: unsubscribed(characteristic, at: now)
        case .socket, .notifying: stop(characteristic, at: now)
        // There is nothing to stop before the reply.
        case .trying, .acquiring, .starting, .stopping: break
        }
    }

    private mutating func stop(_ characteristic: Characteristic, at now: MonotonicInstant) {
        let step = self[characteristic].machine.stop()
        carryOut(step, of: characteristic, at: now)
    }

    private mutating func unsubscribed(_ characteristic: Characteristic, at now: MonotonicInstant) {
        self[characteristic].machine.state = .none
        if state == .leaving { return leftIfUnsubscribed() }
        report(.unsubscribed(characteristic))
        // It was requested again meanwhile.
        if self[characteristic].isAwaited { begin(characteristic, at: now) }
    }

    /// A socket was closed: the link is ending, or bluetoothd has dropped the subscription.
    package mutating func hungUp(_ socket: SocketID, at now: MonotonicInstant) {
        guard let characteristic = characteristic(of: socket) else { return }
        outputs.append(.close(socket))
        self[characteristic].machine.hungUp(at: now)
    }

    /// The characteristic whose values arrive on a socket.
    package func characteristic(of socket: SocketID) -> Characteristic? {
        [Characteristic.dataSource, .notificationSource].first {
            self[$0].machine.state == .socket(socket)
        }
    }
}
