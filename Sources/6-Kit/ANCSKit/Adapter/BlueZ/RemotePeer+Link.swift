internal import BlueZ

// The link: what bluetoothd says of it, and who wants it.
extension RemotePeer {
    // MARK: What bluetoothd says

    /// Its object has appeared or changed.
    mutating func changed(_ object: DeviceObject, at now: MonotonicInstant) {
        let wasLinked = isLinked
        let before = exchange(&self.object, with: object)
        if object.isConnected, !isLinked { cameUp(at: now) }
        if !object.isConnected, isLinked { wentDown(ending, at: now) }
        if link == .searching { begin(at: now) }
        guard isLinked else { return }
        if wasLinked, object.isPaired, !before.isPaired { bondAppeared(at: now) }
        switch (before.hasResolvedServices, object.hasResolvedServices) {
        case (false, true): resolved(at: now)
        case (true, false): resolveBy = now + Self.resolutionTime
        case (true, true), (false, false): break
        }
    }

    /// Its object has gone, and with it everything that bluetoothd knew.
    mutating func objectRemoved(at now: MonotonicInstant) {
        forgetObjects(.removed, at: now)
        switch link {
        case .connecting, .pausing, .cancelling: begin(at: now)
        case .down, .searching, .up, .ending: break
        }
    }

    /// The adapter is on.
    mutating func stackCame(at now: MonotonicInstant) {
        if object.isConnected, !isLinked { return cameUp(at: now) }
        begin(at: now)
    }

    /// The adapter or bluetoothd is gone. Requests to connect remain.
    mutating func stackGone(withObjects: Bool, at now: MonotonicInstant) {
        if withObjects {
            forgetObjects(.bluetoothGone, at: now)
        } else if isLinked {
            wentDown(.bluetoothGone, at: now)
        }
        link = .down
    }

    private mutating func forgetObjects(_ ending: DisconnectReason, at now: MonotonicInstant) {
        path = nil
        tree = AttributeTree()
        object = DeviceObject()
        unstopped = []
        if isLinked { wentDown(ending, at: now) }
        unansweredWrites = []
    }

    private mutating func cameUp(at now: MonotonicInstant) {
        guard terms.isPowered else { return }
        switch link {
        case .connecting: link = .up(.own)
        // `Disconnect` is pending, and ends it.
        case .cancelling(let until, isConnecting: true): link = .ending(until: until, Self.released)
        case .down, .searching, .pausing, .cancelling(_, isConnecting: false): link = .up(.other)
        case .up, .ending: return
        }
        linkNumber += 1
        reason = nil
        connectFailures = 0
        report(.up(nil))
        if !object.hasResolvedServices { resolveBy = now + Self.resolutionTime }
        fulfil()
    }

    /// The clients that want the link have it.
    private mutating func fulfil() {
        guard isUp else { return }
        for client in exchange(&wants, with: [:]).keys.sorted(byNumber: \.rawValue) {
            users.insert(client)
            report(.connected, to: client)
        }
    }

    private var ending: DisconnectReason {
        if case .ending(_, let ending) = link { return ending }
        return switch reason {
        case "Remote": .link(.remoteUserTerminatedConnection)
        case "Timeout": .link(.connectionTimeout)
        case "Local": .otherProgram
        case "Authentication": .link(.authenticationFailure)
        case "Suspend": .suspended
        case _: .linkEnded
        }
    }

    private mutating func wentDown(_ ending: DisconnectReason, at now: MonotonicInstant) {
        reportHeard()
        link = .down
        linkNumber += 1
        endRequests(.gatt(.closed))
        endSubscriptions(.gatt(.closed))
        (security, isPairingWanted) = (.resting, false)
        (isHung, isUntried, hasLostKeys) = (false, false, false)
        (resolveBy, change, linkMTU, reportedMTU) = (nil, nil, nil, nil)
        closing = []
        users = []
        report(.down(ending))
        begin(at: now)
    }

    // MARK: What clients want

    /// A client wants the link, until this time or without limit.
    mutating func connect(_ client: ClientID, until: MonotonicInstant?, at now: MonotonicInstant) {
        guard !users.contains(client) || !isUp else { return report(.connected, to: client) }
        wants[client] = .some(until)
        switch link {
        case .up: fulfil()
        case .down: begin(at: now)
        case .searching, .connecting, .pausing, .cancelling, .ending: break
        }
    }

    /// A client does not want the link any more.
    mutating func release(_ client: ClientID, at now: MonotonicInstant) {
        wants[client] = nil
        users.remove(client)
        unsubscribeAll(client, at: now)
        endIfUnused(at: now)
    }

    /// Ends the link, or the attempt to make one, if no client wants it and it is this system's.
    mutating func endIfUnused(at now: MonotonicInstant) {
        guard wants.isEmpty, users.isEmpty else { return }
        switch link {
        case .searching, .pausing: link = .down
        case .connecting:
            link = .cancelling(until: now + Call.disconnect.limit, isConnecting: true)
            call(.disconnect)
        case .up(.own) where subscriptions.isEmpty: end(Self.released, at: now)
        case .down, .cancelling, .up, .ending: break
        }
    }

    /// Ends the link, whichever clients use it, if it is this system's alone.
    mutating func endOwnLink(at now: MonotonicInstant) {
        if link == .up(.own) { end(Self.released, at: now) }
    }

    /// No client wants a link any more that there is not.
    mutating func giveUpConnecting(at now: MonotonicInstant) {
        guard !isLinked else { return }
        wants = [:]
        endIfUnused(at: now)
    }

    /// No client uses it any more.
    private static let released = DisconnectReason.link(.connectionTerminatedByLocalHost)

    /// Ends a link that this system made, unless it shows that another program uses it.
    mutating func end(_ ending: DisconnectReason, at now: MonotonicInstant) {
        link = .ending(until: now + Call.disconnect.limit, ending)
        endAwaitsUsage = terms.knowsUsage == nil && !hasSystemService
        if !endAwaitsUsage { endUnlessUsed(at: now) }
    }

    /// Where it cannot be known whether another program uses it, the link stays.
    mutating func endUnlessUsed(at now: MonotonicInstant) {
        if hasSystemService || terms.knowsUsage != true || isUsedByOthers {
            staysUp(at: now)
        } else {
            call(.disconnect)
        }
    }

    /// Begins to connect, if a client wants that.
    private mutating func begin(at now: MonotonicInstant) {
        guard terms.isPowered, !wants.isEmpty else {
            link = .down
            return
        }
        guard path != nil else {
            link = .searching
            return
        }
        link = .connecting
        call(.connect)
    }

    // MARK: Answers

    /// A call that was made on the link with this number was answered. `socket` identifies the socket in the reply.
    mutating func replied(
        to call: Call, on link: UInt64, _ result: BusResult, socket: SocketID,
        at now: MonotonicInstant
    ) {
        guard link == linkNumber || !call.isOfLink else {
            switch call {
            case .subscription(let attribute, let call): noteStart(attribute, by: call, result)
            case .request(let handle, let request): noteWrite(request, to: handle, result)
            case .connect, .disconnect, .pair, .readMTU: break
            }
            return
        }
        switch call {
        case .connect: connectReplied(result, at: now)
        case .disconnect: disconnectReplied(result, at: now)
        case .pair: pairReplied(result, at: now)
        case .request(let handle, let request):
            noteWrite(request, to: handle, result)
            replied(to: request, about: handle, result, at: now)
        case .readMTU: mtuReplied(result)
        case .subscription(let attribute, let call):
            subscriptionReplied(attribute, to: call, result, socket, at: now)
        }
    }

    private mutating func connectReplied(_ result: BusResult, at now: MonotonicInstant) {
        switch (link, result) {
        // Another program's `Connect` made the link.
        case (.up(.own), .failure(let error)) where error.isInProgress: link = .up(.other)
        // The link has ended before this system learned of it.
        case (.connecting, .success), (.connecting, .failure): pause(at: now)
        case (.cancelling(let until, isConnecting: true), _):
            link = .cancelling(until: until, isConnecting: false)
        case (_, _): break
        }
    }

    private mutating func pause(at now: MonotonicInstant) {
        let pause = min(
            Self.firstConnectPause * (1 << min(connectFailures, 5)), Self.connectPauseLimit)
        connectFailures += 1
        link = .pausing(until: now + pause)
    }

    private mutating func disconnectReplied(_ result: BusResult, at now: MonotonicInstant) {
        switch (link, result) {
        case (.cancelling, _): begin(at: now)
        // The property follows, or is late.
        case (.ending, .success): break
        case (.ending, .failure(let error)) where error.isNotConnected: break
        case (.ending, .failure): staysUp(at: now)
        case (_, _): break
        }
    }

    /// The link could not be ended, or another program uses it.
    mutating func staysUp(at now: MonotonicInstant) {
        guard isEnding else { return }
        link = .up(.own)
        fulfil()
        advanceAll(at: now)
    }

    // MARK: Time

    var nextDeadline: MonotonicInstant? {
        var deadline = MonotonicInstant.earliest(resolveBy, change?.at)
        switch link {
        case .pausing(let until), .cancelling(let until, _), .ending(let until, _):
            deadline = .earliest(deadline, until)
        case .down, .searching, .connecting, .up: break
        }
        if case .pairedByOther(let until) = security { deadline = .earliest(deadline, until) }
        for until in wants.values { deadline = .earliest(deadline, until) }
        guard isUp else { return deadline }
        for queue in queues.values { deadline = .earliest(deadline, queue.nextDeadline) }
        for subscription in subscriptions.values {
            deadline = .earliest(deadline, subscription.machine.deadline)
        }
        return deadline
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        switch link {
        case .pausing(let until) where until <= now: begin(at: now)
        case .cancelling(let until, _) where until <= now: begin(at: now)
        case .ending(let until, _) where until <= now: staysUp(at: now)
        case .down, .searching, .connecting, .pausing, .cancelling, .up, .ending: break
        }
        for client in wants.keys.sorted(byNumber: \.rawValue) {
            guard case .some(.some(let until)) = wants[client], until <= now else { continue }
            wants[client] = nil
            report(.connectFailed(.timedOut(nil)), to: client)
            endIfUnused(at: now)
        }
        handleAttributeTimeout(at: now)
    }
}
