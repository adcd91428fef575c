internal import ANCSEvents
internal import DBus
package import Octets

// How values arrive. Those of the Data Source contain the texts of notifications, and arrive on a socket that
// no other program can read (`AcquireNotify`), because `StartNotify` broadcasts them to every user of the
// machine. Those of the Notification Source contain no texts; after a reconnection, bluetoothd subscribes to
// them again on its own, which it does not do with a socket.
//
// What a companion sends comes as the texts do. It has one subscription to a characteristic, which is not ended before the
// service goes; what is refused, or hangs, ends nothing but that.
//
// Texts are broadcast only if the user allows it. Otherwise, where the socket has ended bluetoothd (``SocketGuard``),
// the session waits; where bluetoothd refuses it, the session has no texts.
extension PhoneLink {
    package mutating func subscribe(to source: Source, at now: MonotonicInstant) {
        self[source].isWanted = true
        switch self[source].machine.state {
        case .none, .pausing, .awaitingPairing: begin(source, at: now)
        case .socket, .notifying: report(source)
        // After an end, it starts again once that is complete.
        case .trying, .acquiring, .starting, .stopping: self[source].isAwaited = true
        }
    }

    private mutating func begin(_ source: Source, at now: MonotonicInstant) {
        self[source].isAwaited = true
        attempt(source, 1, at: now)
    }

    private mutating func attempt(_ source: Source, _ attempt: Int, at now: MonotonicInstant) {
        let means: ValueSubscription.Means
        switch (source, route) {
        case (.ancs(.dataSource), .socket): means = .socket(triesFirst: isUntried)
        case (.ancs(.dataSource), .bus): means = .broadcast(instead: Self.endsDaemon)
        // It was found out since the session began.
        case (.ancs(.dataSource), .closed): return lostService(at: now)
        case (.ancs(.notificationSource), _), (.companion, .bus): means = .broadcast(instead: nil)
        case (.companion, .socket): means = .socket(triesFirst: false)
        case (.companion, .closed): return refuse(source, .unlikelyError)
        }
        let step = self[source].machine.begin(attempt, by: means)
        carryOut(step, of: source, at: now)
    }

    private static var endsDaemon: BusError {
        BusError(BusError.failed, "bluetoothd has ended each time that it was asked to")
    }

    /// The pause is over.
    mutating func retry(_ source: Source, attempt: Int, at now: MonotonicInstant) {
        // Its socket was closed because the LE link ended, while the phone is connected by BR/EDR.
        if !self[source].isAwaited, !device.hasResolvedServices { return lostService(at: now) }
        self.attempt(source, attempt, at: now)
    }

    /// Whether the subscription is no longer wanted.
    private func isGivenUp(_ source: Source) -> Bool { state == .leaving || !self[source].isWanted }

    // MARK: Answers

    mutating func subscriptionReplied(
        _ source: Source, to call: ValueSubscription.Call, _ result: BusResult,
        _ socket: SocketID, at now: MonotonicInstant
    ) {
        // One of a service that has gone: a socket that arrives too late is closed when its descriptor is released.
        guard subscriptions.contains(where: { $0.source == source }) else { return }
        let isWanted = !isGivenUp(source)
        let step = self[source].machine.replied(
            to: call, result, socket, isWanted: isWanted,
            fallback: allowsTextsOnBus ? .broadcast : .none, at: now)
        if source == .data, call == .acquire, case .refused(let error) = step, error.isOfDaemon,
            !error.isAcquired, !error.isOfPhone
        {
            report(.textsRefused(error))
        }
        carryOut(step, of: source, at: now)
    }

    // Not inlined: it is called in several places.
    @inline(never) private mutating func carryOut(
        _ step: ValueSubscription.Step?, of source: Source, at now: MonotonicInstant
    ) {
        switch step {
        case .call(let call):
            let isLast = call == .stop && state == .leaving
            self.call(.subscription(source, call, isLast: isLast))
        case .answered(let attempt):
            isUntried = false
            if isGivenUp(source) { return unsubscribed(source, at: now) }
            self.attempt(source, attempt, at: now)
        case .open(let socket, let descriptor):
            outputs.append(.open(socket, descriptor))
            stands(source, at: now)
        case .stands(let error):
            if source == .data, let error { report(.isBroadcast(error)) }
            stands(source, at: now)
        case .close(let socket):
            outputs.append(.close(socket))
            unsubscribed(source, at: now)
        case .ended: unsubscribed(source, at: now)
        case .hang:
            if source.isOfANCS { return hang() }
            self[source].machine.state = .none
            refuse(source, .unlikelyError)
        case .notConnected(let attempt):
            // It is disconnecting, or connected by BR/EDR. The link will come back; what the phone sends then is for a
            // new session.
            guard self[source].isAwaited else { return lostService(at: now) }
            self[source].machine.state = .pausing(until: now + .seconds(2), attempt: attempt)
        case .refused(let error): refused(source, error, at: now)
        case nil: break
        }
    }

    private mutating func stands(_ source: Source, at now: MonotonicInstant) {
        if isGivenUp(source) { return stop(source, at: now) }
        guard exchange(&self[source].isAwaited, with: false) else { return }
        report(source)
        if source == .notifications { sessionStands() }
    }

    /// Reports that it stands or, with an error, that it does not.
    mutating func report(_ source: Source, _ error: ATTErrorCode? = nil) {
        switch source {
        case .ancs(let characteristic):
            report(
                error.map { .subscriptionRefused(characteristic, errorCode: $0.rawValue) }
                    ?? .subscribed(characteristic))
        case .companion(let uuid, _, _): say(.subscribed(uuid, error))
        }
    }

    private mutating func refused(_ source: Source, _ error: BusError, at now: MonotonicInstant) {
        let code = ATTErrorCode(rawValue: error.attErrorCode)
        guard source.isOfANCS else {
            return refuse(source, error.isOfPhone ? code : .unlikelyError)
        }
        if error.isAcquired {
            report(isSocketKept ? .textsRefused(error) : .isTaken)
        } else if code == .insufficientAuthentication {
            // bluetoothd treats it as paired, but it does not encrypt: it has forgotten the bond.
            report(.keyTrouble(KeyTrouble(.missing)))
        }
        // An established subscription lost its socket: the session has to start again.
        guard self[source].isAwaited else { return lostService(at: now) }
        refuse(source, code)
    }

    private mutating func refuse(_ source: Source, _ code: ATTErrorCode) {
        self[source].isAwaited = false
        report(source, code)
    }

    mutating func configurationRead(_ characteristic: Characteristic, _ result: BusResult) {
        // An unreadable value means nothing; the session will notice in another way.
        guard case .success(let values) = result, let octets = values.first?.octets else { return }
        report(.subscriptionRead(characteristic, isSubscribed: (octets.first ?? 0) & 0x01 != 0))
    }

    // MARK: Ending

    mutating func unsubscribe(from source: Source, at now: MonotonicInstant) {
        self[source].isWanted = false
        self[source].isAwaited = false
        stop(source, at: now)
    }

    private mutating func stop(_ source: Source, at now: MonotonicInstant) {
        let step = self[source].machine.stop()
        carryOut(step, of: source, at: now)
    }

    private mutating func unsubscribed(_ source: Source, at now: MonotonicInstant) {
        self[source].machine.state = .none
        if state == .leaving { return leftIfUnsubscribed() }
        if case .ancs(let characteristic) = source { report(.unsubscribed(characteristic)) }
        // It was requested again meanwhile.
        if self[source].isAwaited { begin(source, at: now) }
    }

    /// A socket was closed: the link is ending, or bluetoothd has dropped the subscription.
    package mutating func hungUp(_ socket: SocketID, at now: MonotonicInstant) {
        guard let source = source(of: socket) else { return }
        // A companion starts again.
        guard source.isOfANCS else { return companionChanged(to: [:], at: now) }
        outputs.append(.close(socket))
        self[source].machine.hungUp(at: now)
    }

    private func source(of socket: SocketID) -> Source? {
        subscriptions.first { $0.machine.socket == socket }?.source
    }

    // MARK: Values

    /// A value arrived on a socket.
    package mutating func receive(_ value: [UInt8], from socket: SocketID) {
        guard let source = source(of: socket) else { return }
        switch (source, state) {
        case (.ancs(.notificationSource), .available): report(.notificationSource(value))
        case (.ancs(.dataSource), .available): report(.dataSource(value))
        case (.companion(let uuid, _, _), _): say(.value(uuid, value))
        case (.ancs, _): break
        }
    }

    /// A value was broadcast to all programs.
    mutating func receiveBroadcast(_ value: [UInt8], of uuid: BluetoothUUID) {
        switch uuid {
        case .notificationSource: receiveNotificationSource(value)
        case .dataSource:
            if state == .available, self[.data].machine.state == .notifying {
                report(.dataSource(value))
            }
        case .currentTime: receiveClock(value)
        case _:
            guard let path = companion.places[uuid] else { return }
            let source = Source.companion(uuid, at: path, era: companion.era)
            if self[source].machine.state == .notifying { say(.value(uuid, value)) }
        }
    }
}
