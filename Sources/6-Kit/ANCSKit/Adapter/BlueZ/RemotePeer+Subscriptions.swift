internal import BlueZ

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
            subscriptions[value] = ClientSubscription(
                attribute: Attribute(
                    handle: value, path: characteristic.path, number: lastNumber))
        }
        subscriptions[value]?.waiters.append((id, client, isWanted))
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

    /// It is known what other programs use, or cannot be.
    mutating func usageReplied(at now: MonotonicInstant) {
        if exchange(&endAwaitsUsage, with: false), isEnding { return endUnlessUsed(at: now) }
        guard terms.knowsUsage == true else { return }
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
        guard subscription.isWanted else {
            return carryOut(subscriptions[handle]?.machine.stop(), of: handle, at: now)
        }
        if subscription.machine.stands { settle(handle) }
        if subscription.machine.state == .none { begin(handle, attempt: 1, at: now) }
    }

    /// Carries out the waiting requests in their order, at an established subscription or without one.
    private mutating func settle(_ handle: AttributeHandle) {
        guard var subscription = subscriptions[handle] else { return }
        subscription.clients = subscription.clientsToBe
        let waiters = exchange(&subscription.waiters, with: [])
        subscriptions[handle] = subscription
        for waiter in waiters { complete(waiter.id, .success(.done)) }
    }

    /// There is none, and it begins again if it is wanted meanwhile.
    private mutating func ended(_ handle: AttributeHandle, at now: MonotonicInstant) {
        subscriptions[handle]?.machine.state = .none
        guard subscriptions[handle]?.isWanted == false else {
            return advanceSubscription(handle, at: now)
        }
        settle(handle)
        subscriptions[handle] = nil
        endIfUnused(at: now)
    }

    private mutating func begin(_ handle: AttributeHandle, attempt: Int, at now: MonotonicInstant) {
        guard mayCall, terms.knowsUsage == true else { return }
        // A program that has subscribed by signals excludes a socket (`characteristic_acquire_notify`).
        let isNotifying = tree.characteristic(at: handle)?.object.isNotifying == true
        let triesFirst =
            isUntried && terms.sockets == .afterAnAnswer && tree.configuration(of: handle) != nil
        let step = subscriptions[handle]?.machine.begin(
            attempt,
            by: terms.sockets != .never && object.isPaired && !isNotifying
                ? .socket(triesFirst: triesFirst) : .broadcast(instead: nil))
        carryOut(step, of: handle, at: now)
    }

    private mutating func close(_ socket: SocketID, of handle: AttributeHandle) {
        output(.close(socket))
        closing.insert(handle)
    }

    // MARK: Answers

    mutating func subscriptionReplied(
        _ attribute: Attribute, to call: ValueSubscription.Call,
        _ result: BusResult, _ socket: SocketID, at now: MonotonicInstant
    ) {
        let handle = attribute.handle
        // A socket that arrives too late is closed when its descriptor is released.
        guard let subscription = subscriptions[handle],
            subscription.attribute.number == attribute.number
        else { return noteStart(attribute, by: call, result) }
        let step = subscriptions[handle]?.machine.replied(
            to: call, result, socket, isWanted: subscription.isWanted,
            fallback: .broadcastIfAnswered, at: now)
        if case .open = step, let mtu = (try? result.get())?.dropFirst().first?.integer {
            linkMTU = mtu
        }
        if call == .stop, step == .hang { unstopped.insert(handle) }
        carryOut(step, of: handle, at: now)
    }

    private mutating func carryOut(
        _ step: ValueSubscription.Step?, of handle: AttributeHandle, at now: MonotonicInstant
    ) {
        switch step {
        case .call(let call):
            guard var attribute = subscriptions[handle]?.attribute else { return }
            if call == .tryReading, let path = tree.configuration(of: handle) {
                attribute.path = path
            }
            self.call(.subscription(attribute, call))
        case .answered:
            isUntried = false
            advanceSubscription(handle, at: now)
        case .open(let socket, let descriptor):
            output(.open(socket, descriptor))
            reportMTU()
            advanceSubscription(handle, at: now)
        case .stands:
            unstopped.remove(handle)
            advanceSubscription(handle, at: now)
        case .close(let socket):
            close(socket, of: handle)
            ended(handle, at: now)
        case .ended: ended(handle, at: now)
        case .hang: hang(at: now)
        case .notConnected: subscriptionFailed(handle, .gatt(.closed), at: now)
        case .refused(let error): refused(handle, error, at: now)
        case nil: break
        }
    }

    private mutating func refused(
        _ handle: AttributeHandle, _ error: BusError, at now: MonotonicInstant
    ) {
        // The socket is another program's, or bluetoothd keeps it for an earlier request of this one.
        if error.isAcquired {
            return subscriptionFailed(
                handle, isSocketKept ? .keptByBluetoothd : .takenByAnotherProgram, at: now)
        }
        guard error.asksForProtection else {
            return subscriptionFailed(handle, error.failure(at: handle), at: now)
        }
        guard mayPair, subscriptions[handle]?.hasPaired == false else {
            noteLostKeys()
            return subscriptionFailed(handle, .unprotected(handle), at: now)
        }
        subscriptions[handle]?.machine.state = .awaitingPairing
        pair()
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
        _ handle: AttributeHandle, _ subscription: ClientSubscription, _ failure: Failure
    ) {
        subscriptions[handle] = nil
        if let socket = subscription.machine.socket { close(socket, of: handle) }
        for waiter in subscription.waiters {
            complete(waiter.id, waiter.subscribes ? .failure(failure) : .success(.done))
        }
        if !subscription.clients.isEmpty, isUp { report(.unsubscribed(handle)) }
    }

    // MARK: Ends

    /// All subscriptions end. Those of `StartNotify` are stopped, where they would return with the next link.
    mutating func endSubscriptions(_ failure: Failure) {
        for handle in subscriptions.keys.sorted(byNumber: \.rawValue) {
            guard let subscription = subscriptions[handle] else { continue }
            end(handle, subscription, failure)
            if subscription.machine.state == .notifying, tree.characteristic(at: handle) != nil {
                call(.subscription(subscription.attribute, .stop))
            }
        }
    }

    /// A call was answered after the end of the link, or of the subscription: a `StartNotify` that has succeeded is undone.
    mutating func noteStart(
        _ attribute: Attribute, by made: ValueSubscription.Call, _ result: BusResult
    ) {
        guard made == .start, case .success = result, subscriptions[attribute.handle] == nil,
            tree.characteristic(at: attribute.handle)?.path == attribute.path
        else { return }
        call(.subscription(attribute, .stop))
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

    /// A value arrived on a socket.
    mutating func received(_ value: [UInt8], from socket: SocketID) {
        if let handle = handle(of: socket) { report(value, of: handle) }
    }

    /// A value was broadcast: it was notified, or another program has read it, which bluetoothd does not tell apart. What
    /// this one reads is left out.
    mutating func broadcast(_ value: [UInt8], of handle: AttributeHandle) {
        guard isBroadcast(handle), value.count <= Self.maximumValueLength else { return }
        guard queues[handle] != nil else { return report(value, of: handle) }
        if let value = queues[handle]?.hear(value) { report(value, of: handle) }
    }

    /// Whether values of a characteristic that are broadcast are those of a subscription.
    func isBroadcast(_ handle: AttributeHandle) -> Bool {
        isUp && subscriptions[handle].map { $0.mayHaveValues && $0.isWanted } ?? false
    }

    /// A socket was closed by bluetoothd: the link is ending, or the subscription was dropped.
    mutating func hungUp(_ socket: SocketID, at now: MonotonicInstant) {
        guard let handle = handle(of: socket) else { return }
        close(socket, of: handle)
        subscriptions[handle]?.machine.hungUp(at: now)
        advanceSubscription(handle, at: now)
    }

    private func handle(of socket: SocketID) -> AttributeHandle? {
        subscriptions.first { $0.value.machine.socket == socket }?.key
    }

    mutating func handleSubscriptionTimeout(at now: MonotonicInstant) {
        for handle in subscriptions.keys.sorted(byNumber: \.rawValue) {
            guard let attempt = subscriptions[handle]?.machine.attempt(at: now) else { continue }
            subscriptions[handle]?.machine.state = .none
            begin(handle, attempt: attempt, at: now)
        }
    }
}

/// The subscriptions of all clients to a characteristic, which are one at bluetoothd.
struct ClientSubscription: Sendable {
    /// What it is about, in calls.
    let attribute: RemotePeer.Attribute
    var machine = ValueSubscription()
    /// The clients that are subscribed.
    var clients: Set<ClientID> = []
    /// The requests that wait for a change, in order.
    var waiters: [(id: RemotePeer.RequestID, client: ClientID, subscribes: Bool)] = []
    /// Whether the peer was paired for it.
    var hasPaired = false

    /// Whether values are broadcast, or may be.
    var mayHaveValues: Bool {
        switch machine.state {
        case .starting, .notifying: true
        case .none, .trying, .acquiring, .socket, .stopping, .pausing, .awaitingPairing: false
        }
    }

    /// The clients, once the waiting requests are carried out.
    var clientsToBe: Set<ClientID> {
        waiters.reduce(into: clients) { clients, waiter in
            if waiter.subscribes {
                clients.insert(waiter.client)
            } else {
                clients.remove(waiter.client)
            }
        }
    }

    /// Whether any client wants it, once they are.
    var isWanted: Bool { !clientsToBe.isEmpty }
}
