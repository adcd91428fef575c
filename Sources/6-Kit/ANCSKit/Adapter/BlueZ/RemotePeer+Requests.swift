internal import BlueZ

// Reads and writes.
extension RemotePeer {
    /// Starts a procedure. It is completed once.
    mutating func start(
        _ procedure: GATTProcedure, _ id: RequestID, by client: ClientID, at now: MonotonicInstant
    ) {
        guard isUp else { return complete(id, .failure(.gatt(.closed))) }
        guard !isHung else { return complete(id, .failure(.gatt(.transactionTimedOut))) }
        switch procedure {
        case .exchangeMTU: complete(id, .success(.mtu(mtu)))
        case .discoverPrimaryServices, .discoverPrimaryServicesByUUID, .discoverIncludedServices,
            .discoverCharacteristics, .discoverDescriptors:
            discoveries.append((id, client, procedure))
            if !object.hasResolvedServices { resolveBy = resolveBy ?? now + Self.resolutionTime }
            answerDiscoveries()
        case .readValue(let handle), .readLongValue(let handle):
            enqueue(.read, handle, id, client, at: now)
        case .writeValue(let handle, let value):
            enqueue(.write(value, .request), handle, id, client, at: now)
        case .writeLongValue(let handle, let value, let verifies):
            enqueue(.write(value, verifies ? .reliable : .request), handle, id, client, at: now)
        // No manager asks for these.
        case .discoverSecondaryServices, .discoverDatabase, .readPart, .readByUUID, .readMultiple,
            .readMultipleVariable:
            complete(id, .failure(.notSupported))
        }
    }

    /// Writes a value without a response; completed when bluetoothd has taken it.
    mutating func writeWithoutResponse(
        _ value: [UInt8], to handle: AttributeHandle, _ id: RequestID, by client: ClientID,
        at now: MonotonicInstant
    ) {
        guard isUp else { return complete(id, .failure(.gatt(.closed))) }
        guard !isHung else { return complete(id, .failure(.gatt(.transactionTimedOut))) }
        guard hasRoom else {
            isFull = true
            return complete(id, .failure(.tooManyRequests))
        }
        enqueue(.write(value, .command), handle, id, client, at: now)
        // Whoever asks for room before the next write waits for it too.
        if !hasRoom { isFull = true }
    }

    /// Whether there is room for a write without a response.
    var hasRoom: Bool {
        queues.values.reduce(0) { $0 + $1.requests.count { $0.kind.isCommand } }
            < Self.maximumCommands
    }

    private mutating func enqueue(
        _ kind: AttributeQueue.Kind, _ handle: AttributeHandle, _ id: RequestID,
        _ client: ClientID, at now: MonotonicInstant
    ) {
        guard let attribute = tree.attribute(at: handle) else {
            return refuse(id, .invalidHandle, handle)
        }
        let isOfDescriptor = if case .descriptor = attribute.kind { true } else { false }
        if case .write(let value, let how) = kind {
            // bluetoothd writes it for `StartNotify` and `AcquireNotify` only.
            if isOfDescriptor, attribute.object.uuid == .clientCharacteristicConfiguration {
                return refuse(id, .writeNotPermitted, handle)
            }
            if isOfDescriptor, how == .command { return complete(id, .failure(.notSupported)) }
            let limit = how == .command ? mtu - 3 : Self.maximumValueLength
            guard value.count <= limit else {
                return refuse(id, .invalidAttributeValueLength, handle)
            }
        }
        queues[handle, default: AttributeQueue()].append(
            AttributeQueue.Request(id: id, client: client, kind: kind, path: attribute.path))
        advance(handle, at: now)
    }

    private mutating func refuse(_ id: RequestID, _ code: ATTErrorCode, _ handle: AttributeHandle) {
        complete(id, .failure(.gatt(.errorResponse(code, handle))))
    }

    // MARK: One after the other

    /// Calls for all first requests that may be called.
    mutating func advanceAll(at now: MonotonicInstant) {
        for handle in queues.keys.sorted(byNumber: \.rawValue) { advance(handle, at: now) }
        advanceSubscriptions(at: now)
    }

    private mutating func advance(_ handle: AttributeHandle, at now: MonotonicInstant) {
        let isTrusted = object.isPaired || security == .failed
        callFirst(
            of: handle,
            AttributeQueue.Attempt(
                suspectAt: isTrusted ? nil : now + Self.suspicionTime,
                end: now + Self.transactionTime))
    }

    private mutating func callFirst(of handle: AttributeHandle, _ attempt: AttributeQueue.Attempt) {
        // In its place, where `?.` would take it out and put it back.
        guard mayCall, let index = queues.index(forKey: handle),
            let request = queues.values[index].callFirst(attempt)
        else { return }
        call(.request(handle, request))
    }

    mutating func replied(
        to request: AttributeQueue.Request, about handle: AttributeHandle,
        _ result: BusResult, at now: MonotonicInstant
    ) {
        guard let queue = queues[handle], case .called(let attempt) = queue.state,
            queue.requests.first?.id == request.id
        else { return }
        if !queue.heard.isEmpty { reportHeard(handle, without: (try? result.get())?.first?.octets) }
        switch result {
        case .success(let values): finish(handle, Self.result(of: request, values), at: now)
        // The bearer is dead, and what waits behind the request is never answered either.
        case .failure(let error) where error.isNoReply: hang(at: now)
        case .failure(let error)
        where error.isOutOfSync && queues[handle]?.pause(attempt, at: now) == true: break
        case .failure(let error) where error.isInProgress:
            guard queues[handle]?.pause(attempt, at: now) == false else { return }
            let isOwn = unansweredWrites.contains(handle)
            finish(handle, .failure(isOwn ? .keptByBluetoothd : .takenByAnotherProgram), at: now)
        case .failure(let error) where error.asksForProtection:
            refusedForSecurity(request, handle, at: now)
        case .failure(let error): finish(handle, .failure(error.failure(at: handle)), at: now)
        }
    }

    /// A write was answered. If it was carried out, or is an earlier one, bluetoothd keeps none.
    mutating func noteWrite(
        _ request: AttributeQueue.Request, to handle: AttributeHandle, _ result: BusResult
    ) {
        guard request.kind != .read, unansweredWrites.contains(handle) else { return }
        if case .failure(let error) = result,
            !error.isOfDaemon || queues[handle]?.first?.id == request.id
        {
            return
        }
        unansweredWrites.remove(handle)
    }

    /// Reports the values that were broadcast while a request was under way, without what it has read.
    private mutating func reportHeard(_ handle: AttributeHandle, without read: [UInt8]? = nil) {
        for value in queues[handle]?.takeHeard(without: read) ?? [] where isBroadcast(handle) {
            report(value, of: handle)
        }
    }

    /// Reports the values that were broadcast while requests were under way, which are not answered any more.
    mutating func reportHeard() {
        for handle in queues.keys.sorted(byNumber: \.rawValue) { reportHeard(handle) }
    }

    private static func result(
        of request: AttributeQueue.Request, _ values: [BusValue]
    ) -> Result<GATTResult, Failure> {
        guard case .read = request.kind else { return .success(.done) }
        guard let octets = values.first?.octets, octets.count <= maximumValueLength else {
            return .failure(.gatt(.malformedResponse))
        }
        return .success(.value(octets))
    }

    private mutating func refusedForSecurity(
        _ request: AttributeQueue.Request, _ handle: AttributeHandle, at now: MonotonicInstant
    ) {
        guard mayPair, !request.hasPaired else {
            noteLostKeys()
            return finish(handle, .failure(.unprotected(handle)), at: now)
        }
        queues[handle]?.state = .awaitingPairing
        pair()
    }

    mutating func finish(
        _ handle: AttributeHandle, _ result: Result<GATTResult, Failure>, at now: MonotonicInstant
    ) {
        guard let index = queues.index(forKey: handle),
            let (id, isLast) = queues.values[index].removeFirst()
        else { return }
        if isLast { queues.remove(at: index) }
        complete(id, result)
        reportRoom()
        if !isLast { advance(handle, at: now) }
    }

    private mutating func reportRoom() {
        guard isFull, hasRoom else { return }
        isFull = false
        report(.hasRoom)
    }

    // MARK: Ends

    /// bluetoothd does not answer, or no more (P1 of the notes in BlueZ 5.66): its own read of a protected value was
    /// refused, waits for ever, and everything waits behind it. A new link helps, if this system may end this one.
    mutating func hang(at now: MonotonicInstant) {
        guard isUp, !isHung else { return }
        isHung = true
        reportHeard()
        endRequests(.gatt(.transactionTimedOut))
        endSubscriptions(.gatt(.transactionTimedOut))
        if link == .up(.own) { end(.bluetoothdHung, at: now) }
    }

    /// All requests end, also those that were called.
    mutating func endRequests(_ failure: Failure) {
        for discovery in exchange(&discoveries, with: []) {
            complete(discovery.id, .failure(failure))
        }
        let ended = exchange(&queues, with: [:])
        for handle in ended.keys.sorted(byNumber: \.rawValue) {
            guard let queue = ended[handle] else { continue }
            if queue.isWriting { unansweredWrites.insert(handle) }
            for request in queue.requests { complete(request.id, .failure(failure)) }
        }
        // On a link that stays, there is room now.
        if isUp { reportRoom() }
        isFull = false
    }

    /// The requests about removed attributes end: bluetoothd cancels them, and answers none
    /// (`unregister_characteristic`).
    mutating func endRequests(about range: AttributeHandleRange) {
        for handle in queues.keys.sorted(byNumber: \.rawValue) where range.contains(handle) {
            reportHeard(handle)
            for request in queues.removeValue(forKey: handle)?.requests ?? [] {
                refuse(request.id, .invalidHandle, handle)
            }
        }
        unansweredWrites = unansweredWrites.filter { !range.contains($0) }
        reportRoom()
    }

    /// A client has gone: what it has requested, and was not called, ends.
    mutating func endRequests(of client: ClientID) {
        for discovery in discoveries where discovery.client == client {
            complete(discovery.id, .failure(.gatt(.closed)))
        }
        discoveries.removeAll { $0.client == client }
        for handle in queues.keys.sorted(byNumber: \.rawValue) {
            for request in queues[handle]?.removeWaiting(of: client) ?? [] {
                complete(request.id, .failure(.gatt(.closed)))
            }
            if queues[handle]?.isEmpty == true { queues[handle] = nil }
        }
        reportRoom()
    }

    // MARK: Time

    mutating func handleAttributeTimeout(at now: MonotonicInstant) {
        handleServicesTimeout(at: now)
        if case .pairedByOther(let until) = security, until <= now {
            pairingFailed(.timedOut, at: now)
        }
        guard isUp else { return }
        for handle in queues.keys.sorted(byNumber: \.rawValue) {
            switch queues[handle]?.state {
            case .called(var attempt):
                guard let suspectAt = attempt.suspectAt, suspectAt <= now else { continue }
                attempt.suspectAt = nil
                queues[handle]?.state = .called(attempt)
                // The request stays: bluetoothd repeats it when the link is protected.
                if mayPair { pair() }
            case .pausing(let until, let attempt) where until <= now:
                queues[handle]?.state = .resting
                callFirst(of: handle, attempt)
            case .pausing, .resting, .awaitingPairing, nil: break
            }
        }
        handleSubscriptionTimeout(at: now)
    }
}
