package import ANCSReceiver

// Calls: what becomes of a record of one, and what is known of the whole.
extension RecordKeeper {
    /// What a phone answers when it is asked for a notification.
    package enum Proof: Equatable, Sendable {
        case there
        case gone
        /// It did not answer, or not to the question.
        case unknown
    }

    /// A call that rang when the link was lost rings again: it is the same record, with another notification.
    /// Returns whether there is such a record.
    mutating func continueCall(_ id: RecordID, as call: ReceivedNotification) -> Bool {
        guard var entry = entries[id] else { return false }
        keys[Key(entry.record.notification)] = nil
        keys[Key(call)] = id
        entry.record.notification = call.withContent(of: entry.record.notification)
        entry.isContinued = true
        entries[id] = entry
        track(entry.record)
        return true
    }

    /// A call that rings, with its caller: one that rang when the link was lost, if it is that.
    mutating func recognize(_ call: ReceivedNotification, _ key: Key) {
        let known = keys[key].flatMap { entries[$0] }
        if let known, known.isContinued {
            entries[known.record.id]?.isContinued = false
            // It may be another call after all.
            guard let caller = known.record.notification.caller, let other = call.caller,
                caller != other
            else { return }
            take(known.record.id, .away)
        }
        guard known.map({ $0.isContinued || $0.stage == .unclear }) ?? true else { return }
        let phone = phone(call.provider)
        guard case .of(let id) = tracker.continuation(of: phone, caller: call.caller) else {
            return
        }
        if let known { take(known.record.id, .away) }
        guard continueCall(id, as: call) else { return }
        entries[id]?.isContinued = false
    }

    /// The phone has performed an action at the request of somebody here.
    package mutating func performed(_ action: ActionID, on id: RecordID, at now: MonotonicInstant) {
        clock = now
        track(.performed(action, id))
    }

    /// The phone has answered whether it has the notification of a call, in a session.
    package mutating func receive(
        _ proof: Proof, of id: RecordID, in session: SessionID, at now: MonotonicInstant
    ) {
        clock = now
        let known = entries[id]?.record.notification.session
        guard known == nil || known == session else { return }
        switch proof {
        case .there: track(.proved(id))
        case .gone where known != nil: take(id, .removed)
        case .gone: track(.removed(id))
        case .unknown: break
        }
    }

    mutating func track(_ record: Record) {
        guard CategoryID.calls.contains(record.notification.category) else { return }
        track(.appeared(record))
    }

    mutating func track(_ input: CallTracker.Input) {
        tracker.receive(input, at: clock)
        drainTracker()
    }

    mutating func drainTracker() {
        while let output = tracker.pollOutput() {
            switch output {
            case .report(let event, let record): outputs.append(.event(.call(now(record), event)))
            case .ask(let id, let session, let uid): outputs.append(.ask(id, session, uid))
            case .leave(let id): take(id, .away)
            }
        }
    }
}

extension RecordKeeper.Proof {
    /// What a failed request says: the phone does not have it (0xA2, S28), or nothing.
    init(_ error: RequestError) {
        switch error.code {
        case .refused(.invalidParameter), .removed: self = .gone
        case .refused, .notConnected, .sessionEnded, .notPerformed, .timedOut, .actionUnavailable,
            .alreadyPerformed, .evicted, .tooManyRequests, .responseTooLong, .contentUnavailable,
            .invalidRequest:
            self = .unknown
        }
    }
}
