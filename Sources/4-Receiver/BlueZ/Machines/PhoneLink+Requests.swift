internal import ANCSEvents
internal import DBus

// Reads and writes, one at a time for each user, so that a reply is that of its request. A second `WriteValue` would get
// `InProgress`.
extension PhoneLink {
    /// A command of the session. If one is being written, this one waits for its reply, and takes the place of
    /// another that waits, which the session has given up.
    mutating func writeCommand(
        _ value: [UInt8], to controlPoint: ObjectPath, at now: MonotonicInstant
    ) {
        self[.session].removeWaiting()
        enqueue(.write(value, .request), at: controlPoint, of: .session, at: now)
    }

    mutating func enqueue(
        _ kind: AttributeQueue.Kind, at path: ObjectPath, of user: ClientID,
        at now: MonotonicInstant
    ) {
        lastNumber += 1
        self[user].append(
            AttributeQueue.Request(
                id: .init(rawValue: lastNumber), client: user, kind: kind, path: path))
        callFirst(of: user, .init(end: now + Self.requestTime))
    }

    mutating func callFirst(of user: ClientID, _ attempt: AttributeQueue.Attempt?) {
        guard let attempt, let request = self[user].callFirst(attempt) else { return }
        call(.request(request))
    }

    mutating func answered(
        _ request: AttributeQueue.Request, _ result: BusResult, at now: MonotonicInstant
    ) {
        let user = request.client
        guard case .called(let attempt) = self[user].state, self[user].first == request else {
            return
        }
        var code: ATTErrorCode?
        if case .failure(let error) = result {
            if error.isMomentary, self[user].pause(attempt, at: now) { return }
            if error.isNoReply, user == .session { return hang() }
            code = ATTErrorCode(rawValue: error.attErrorCode)
        }
        _ = self[user].removeFirst()
        switch request.kind {
        case .write(let value, _) where user == .session:
            report(
                .controlPointWritten(value, code.map { ControlPointError(rawValue: $0.rawValue) }))
        case .write, .read:
            guard let uuid = companion.places.first(where: { $0.value == request.path })?.key
            else { break }
            say(
                request.kind == .read
                    ? .read(uuid, (try? result.get())?.first?.octets) : .written(uuid, code))
        }
        callFirst(of: user, .init(end: now + Self.requestTime))
    }
}

extension ClientID {
    /// The users of a phone's attributes: the session of ANCS, and what uses the service beside it.
    static let session = ClientID(rawValue: 0)
    static let companion = ClientID(rawValue: 1)
}
