internal import ANCSEvents
internal import BluetoothTypes
internal import BlueZ
internal import DBus
internal import LinuxIO
internal import Octets

// Subscriptions, which all clients share: the peer sees the first one and the last end.
//
// Of a bonded peer, a socket comes first, because `StartNotify` broadcasts values to every user of the machine; that is
// used where there is no socket, and without a bond. What began without a bond goes on by signals until it ends, though
// the peer is paired meanwhile: values would be lost between the two. `StartNotify` on a dead link succeeds, and
// bluetoothd then subscribes by itself at the next link; a subscription of a Central ends with its link, so it is stopped
// after the end, too.
extension RemotePeer {
    /// A client subscribes, or unsubscribes.
    mutating func subscribe(
        _ isWanted: Bool, to value: AttributeHandle, _ id: RequestID, by client: ClientID,
        at now: MonotonicInstant
    ) {
        guard isUp, users.contains(client) else { return complete(id, .failure(.gatt(.closed))) }
        guard !isHung else { return complete(id, .failure(.gatt(.transactionTimedOut))) }
        guard let characteristic = tree.characteristic(at: value) else {
            return complete(id, .failure(.gatt(.errorResponse(.invalidHandle, value))))
        }
        if subscriptions[value] == nil {
            guard isWanted else { return complete(id, .success(.done)) }
            lastNumber += 1
            subscriptions[value] = ValueSubscription(path: characteristic.path, number: lastNumber)
        }
        subscriptions[value]?.waiters.append(
            ValueSubscription.Waiter(id: id, client: client, subscribes: isWanted))
        advanceSubscription(value, at: now)
    }

    /// A client does not use the link any more.
    mutating func unsubscribeAll(_ client: ClientID, at now: MonotonicInstant) {
        for handle in subscriptions.keys.sorted(byNumber: \.rawValue) {
            guard var subscription = subscriptions[handle] else { continue }
            let gone = subscription.waiters.filter { $0.client == client }
            subscription.waiters.removeAll { $0.client == client }
            subscription.clients.remove(client)
            subscriptions[handle] = subscription
            for waiter in gone { complete(waiter.id, .failure(.gatt(.closed))) }
            advanceSubscription(handle, at: now)
        }
    }

    // MARK: Steps

    /// It is known what other programs use.
    mutating func usageKnown(at now: MonotonicInstant) {
        advanceSubscriptions(at: now)
        endIfUnused(at: now)
    }

    mutating func advanceSubscriptions(at now: MonotonicInstant) {
        for handle in subscriptions.keys.sorted(byNumber: \.rawValue) {
            advanceSubscription(handle, at: now)
        }
    }

    /// Takes the next step that is possible, and answers what is so.
    mutating func advanceSubscription(_ handle: AttributeHandle, at now: MonotonicInstant) {
        guard let subscription = subscriptions[handle] else { return }
        switch subscription.state {
        case .socket, .notifying:
            if subscription.isWanted { settle(handle) } else { stop(handle, at: now) }
        case .none where subscription.isWanted:
            guard mayCall, knowsUsage else { return }
            begin(handle, attempt: 1)
        case .none, .pausing, .awaitingPairing:
            guard !subscription.isWanted else { return }
            subscriptions[handle]?.state = .none
            settle(handle)
            remove(handle, at: now)
        // There is nothing to stop before the reply.
        case .trying, .acquiring, .starting, .stopping: break
        }
    }

    /// Carries out the waiting requests in their order, at an established subscription or without one.
    private mutating func settle(_ handle: AttributeHandle) {
        guard var subscription = subscriptions[handle] else { return }
        for waiter in exchange(&subscription.waiters, with: []) {
            if waiter.subscribes {
                subscription.clients.insert(waiter.client)
            } else {
                subscription.clients.remove(waiter.client)
            }
            complete(waiter.id, .success(.done))
        }
        subscriptions[handle] = subscription
    }

    private mutating func remove(_ handle: AttributeHandle, at now: MonotonicInstant) {
        subscriptions[handle] = nil
        endIfUnused(at: now)
    }

    private mutating func begin(_ handle: AttributeHandle, attempt: Int) {
        guard let subscription = subscriptions[handle] else { return }
        let usesSocket =
            switch sockets {
            case .bonded, .afterAnAnswer: object.isPaired
            case .never: false
            }
        // A program that has subscribed by signals excludes a socket (`characteristic_acquire_notify`).
        let isNotifying = tree.characteristic(at: handle)?.object.isNotifying == true
        guard usesSocket, !isNotifying else { return start(handle, attempt: attempt) }
        // A link on which the peer was paired may hang, and the call would outlast it.
        if isUntried, sockets == .afterAnAnswer, let path = tree.configuration(of: handle) {
            subscriptions[handle]?.state = .trying(attempt: attempt)
            return call(
                .tryReading(
                    Attribute(handle: handle, path: path, number: subscription.number)))
        }
        subscriptions[handle]?.state = .acquiring(attempt: attempt)
        call(.acquireNotify(subscription.attribute(handle)))
    }

    private mutating func start(_ handle: AttributeHandle, attempt: Int) {
        guard let subscription = subscriptions[handle] else { return }
        subscriptions[handle]?.state = .starting(attempt: attempt)
        call(.startNotify(subscription.attribute(handle)))
    }

    private mutating func stop(_ handle: AttributeHandle, at now: MonotonicInstant) {
        guard let subscription = subscriptions[handle] else { return }
        if case .socket(let socket) = subscription.state {
            // bluetoothd ends a subscription when its socket is closed.
            close(socket, of: handle)
            return stopped(handle, at: now)
        }
        subscriptions[handle]?.state = .stopping
        call(.stopNotify(subscription.attribute(handle)))
    }

    private mutating func close(_ socket: SocketID, of handle: AttributeHandle) {
        output(.close(socket))
        closing.insert(handle)
    }

    private mutating func stopped(_ handle: AttributeHandle, at now: MonotonicInstant) {
        subscriptions[handle]?.state = .none
        if subscriptions[handle]?.isWanted == true {
            advanceSubscription(handle, at: now)
        } else {
            settle(handle)
            remove(handle, at: now)
        }
    }

    // MARK: Answers

    /// Whatever the peer says of its descriptor, bluetoothd answers.
    mutating func tried(
        _ attribute: Attribute, _ result: Result<[BusValue], BusError>, at now: MonotonicInstant
    ) {
        let handle = attribute.handle
        guard let subscription = subscriptions[handle], subscription.number == attribute.number,
            case .trying(let attempt) = subscription.state
        else { return }
        if case .failure(let error) = result {
            // A read for another program waits as this one would.
            if error.isInProgress {
                guard attempt < Self.maximumAttempts else { return hang(at: now) }
                return pause(handle, after: attempt, at: now)
            }
            if error.isNotConnected || !error.isOfDaemon {
                return failed(handle, attempt, error, mayStart: false, at: now)
            }
        }
        isUntried = false
        subscriptions[handle]?.state = .none
        advanceSubscription(handle, at: now)
    }

    mutating func acquireReplied(
        _ attribute: Attribute, _ result: Result<[BusValue], BusError>, _ socket: SocketID,
        at now: MonotonicInstant
    ) {
        let handle = attribute.handle
        // A socket that arrives too late is closed when its descriptor is released.
        guard let subscription = subscriptions[handle], subscription.number == attribute.number,
            case .acquiring(let attempt) = subscription.state
        else { return }
        switch result {
        case .success(let values):
            guard let descriptor = values.first?.descriptor else {
                return start(handle, attempt: attempt)
            }
            linkMTU = values.dropFirst().first?.integer ?? linkMTU
            subscriptions[handle]?.state = .socket(socket)
            output(.open(socket, descriptor))
            reportMTU()
            advanceSubscription(handle, at: now)
        case .failure(let error) where error.isAcquired: isTaken(handle, attempt, at: now)
        case .failure(let error): failed(handle, attempt, error, mayStart: true, at: now)
        }
    }

    mutating func startReplied(
        _ attribute: Attribute, _ result: Result<[BusValue], BusError>, at now: MonotonicInstant
    ) {
        let handle = attribute.handle
        guard let subscription = subscriptions[handle], subscription.number == attribute.number,
            case .starting(let attempt) = subscription.state
        else {
            if case .success = result { strayStart(attribute) }
            return
        }
        switch result {
        case .success: notifies(handle, at: now)
        // It exists since an earlier subscription, which could not be stopped.
        case .failure(let error) where error.isInProgress: notifies(handle, at: now)
        case .failure(let error) where error.isAcquired: isTaken(handle, attempt, at: now)
        case .failure(let error): failed(handle, attempt, error, mayStart: false, at: now)
        }
    }

    private mutating func notifies(_ handle: AttributeHandle, at now: MonotonicInstant) {
        subscriptions[handle]?.state = .notifying
        unstopped.remove(handle)
        advanceSubscription(handle, at: now)
    }

    mutating func stopReplied(
        _ attribute: Attribute, _ result: Result<[BusValue], BusError>, at now: MonotonicInstant
    ) {
        guard let subscription = subscriptions[attribute.handle],
            subscription.number == attribute.number, subscription.state == .stopping
        else { return }
        if case .failure(let error) = result, error.isNoReply {
            unstopped.insert(attribute.handle)
            return hang(at: now)
        }
        stopped(attribute.handle, at: now)
    }

    /// A socket is in use: by another program, or by this one until bluetoothd notices that it was closed, or for an
    /// earlier request of this one that bluetoothd has not answered.
    private mutating func isTaken(
        _ handle: AttributeHandle, _ attempt: Int, at now: MonotonicInstant
    ) {
        guard attempt < Self.maximumAttempts else {
            let failure: Failure = isSocketKept ? .keptByBluetoothd : .takenByAnotherProgram
            return subscriptionFailed(handle, failure, at: now)
        }
        pause(handle, after: attempt, at: now)
    }

    private mutating func pause(
        _ handle: AttributeHandle, after attempt: Int, at now: MonotonicInstant
    ) {
        subscriptions[handle]?.state = .pausing(
            until: now + .milliseconds(100 << attempt), attempt: attempt + 1)
        // Perhaps nobody wants it any more.
        advanceSubscription(handle, at: now)
    }

    private mutating func failed(
        _ handle: AttributeHandle, _ attempt: Int, _ error: BusError, mayStart: Bool,
        at now: MonotonicInstant
    ) {
        if error.isNoReply { return hang(at: now) }
        guard subscriptions[handle]?.isWanted == true else {
            return subscriptionFailed(handle, error.failure(at: handle), at: now)
        }
        if error.asksForProtection {
            guard mayPair, subscriptions[handle]?.hasPaired == false else {
                noteLostKeys()
                return subscriptionFailed(
                    handle, .gatt(.errorResponse(.insufficientAuthentication, handle)), at: now)
            }
            subscriptions[handle]?.state = .awaitingPairing
            return pair()
        }
        // Another program has subscribed by signals, or the socket cannot be had.
        if mayStart, error.isOfDaemon, !error.isOfPhone, !error.isNotConnected, !error.isGone {
            return start(handle, attempt: attempt)
        }
        subscriptionFailed(handle, error.failure(at: handle), at: now)
    }

    /// There is no subscription: the waiting requests fail, and the clients that had one lose it.
    mutating func subscriptionFailed(
        _ handle: AttributeHandle, _ failure: Failure, at now: MonotonicInstant
    ) {
        guard let subscription = subscriptions[handle] else { return }
        end(handle, subscription, failure)
        endIfUnused(at: now)
    }

    private mutating func end(
        _ handle: AttributeHandle, _ subscription: ValueSubscription, _ failure: Failure
    ) {
        subscriptions[handle] = nil
        if case .socket(let socket) = subscription.state { close(socket, of: handle) }
        for waiter in subscription.waiters {
            complete(waiter.id, waiter.subscribes ? .failure(failure) : .success(.done))
        }
        if !subscription.clients.isEmpty, isUp { report(.unsubscribed(id, handle)) }
    }

    // MARK: Ends

    /// All subscriptions end. Those of `StartNotify` are stopped, where they would return with the next link.
    mutating func endSubscriptions(_ failure: Failure) {
        for handle in subscriptions.keys.sorted(byNumber: \.rawValue) {
            guard let subscription = subscriptions[handle] else { continue }
            end(handle, subscription, failure)
            if subscription.state == .notifying, tree.characteristic(at: handle) != nil {
                call(.stopNotify(subscription.attribute(handle)))
            }
        }
    }

    /// `StartNotify` has succeeded after the end of the link, or of the subscription.
    private mutating func strayStart(_ attribute: Attribute) {
        guard subscriptions[attribute.handle] == nil,
            tree.characteristic(at: attribute.handle)?.path == attribute.path
        else { return }
        call(.stopNotify(attribute))
    }

    /// Characteristics have gone, and their subscriptions with them.
    mutating func endSubscriptions(in range: AttributeHandleRange) {
        for handle in subscriptions.keys.sorted(byNumber: \.rawValue) where range.contains(handle) {
            guard let subscription = subscriptions[handle] else { continue }
            end(handle, subscription, .gatt(.errorResponse(.invalidHandle, handle)))
        }
        unstopped = unstopped.filter { !range.contains($0) }
        closing = closing.filter { !range.contains($0) }
    }

    // MARK: Values

    /// A value arrived on a socket. Returns whether the socket is of this peer.
    mutating func received(_ value: [UInt8], from socket: SocketID) -> Bool {
        guard let handle = handle(of: socket) else { return false }
        report(.value(id, handle, value))
        return true
    }

    /// A value was broadcast: it was notified, or another program has read it, which bluetoothd does not tell apart. What
    /// this one reads is left out.
    mutating func broadcast(_ value: [UInt8], of handle: AttributeHandle) {
        guard isBroadcast(handle), value.count <= Self.maximumValueLength else { return }
        guard queues[handle] != nil else { return report(.value(id, handle, value)) }
        if let value = queues[handle]?.hear(value) { report(.value(id, handle, value)) }
    }

    /// Whether values of a characteristic that are broadcast are those of a subscription.
    func isBroadcast(_ handle: AttributeHandle) -> Bool {
        isUp && subscriptions[handle].map { $0.mayHaveValues && $0.isWanted } ?? false
    }

    /// A socket was closed by bluetoothd: the link is ending, or the subscription was dropped.
    mutating func hungUp(_ socket: SocketID, at now: MonotonicInstant) {
        guard let handle = handle(of: socket) else { return }
        close(socket, of: handle)
        subscriptions[handle]?.state = .pausing(until: now + .seconds(1), attempt: 1)
        advanceSubscription(handle, at: now)
    }

    private func handle(of socket: SocketID) -> AttributeHandle? {
        subscriptions.first { $0.value.state == .socket(socket) }?.key
    }

    mutating func handleSubscriptionTimeout(at now: MonotonicInstant) {
        for handle in subscriptions.keys.sorted(byNumber: \.rawValue) {
            guard case .pausing(let until, let attempt)? = subscriptions[handle]?.state,
                until <= now
            else { continue }
            subscriptions[handle]?.state = .none
            if mayCall, knowsUsage { begin(handle, attempt: attempt) }
        }
    }
}

extension ValueSubscription {
    func attribute(_ handle: AttributeHandle) -> RemotePeer.Attribute {
        RemotePeer.Attribute(handle: handle, path: path, number: number)
    }
}
