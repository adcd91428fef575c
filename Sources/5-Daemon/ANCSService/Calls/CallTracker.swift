package import ANCSReceiver

/// The calls of all phones, each one thing from the first ring to the end. No I/O.
///
///     incoming ─▶ ringing ─▶ settling (2 s) ─▶ ended
///                    └───────────┴─▶ answered ─▶ active ─▶ ended
///
/// A phone shows a ringing call, an active call and a missed call as three notifications that say nothing of one
/// another (S15, S19). They are matched one to one: by the caller where both have one, otherwise if there is no
/// other choice. The removal of a notification can be lost, so the phone is asked for a call of which it has said
/// nothing for a while, and for one that still rings when a missed call may be what it became. After a lost link, a
/// call may ring again: it is the same one.
package struct CallTracker: ~Copyable, Sendable {
    package enum Input: Equatable, Sendable {
        /// A record of a call was announced or changed. Of an active or a missed one, the header suffices.
        indirect case appeared(Record)
        /// The phone removed the notification of a record, or does not have it when asked.
        case removed(RecordID)
        /// A record was given up: nothing is known of its notification any more.
        case left(RecordID)
        /// The phone was asked for the notification of a record, and has it.
        case proved(RecordID)
        /// The phone has performed an action at the request of somebody here.
        case performed(ActionID, RecordID)
        case sessionEnded(SessionID)
        /// Nothing of the phone with this digest may be kept; `nil` for all phones.
        case forgotten(phone: String?)
    }

    package enum Output: Equatable, Sendable {
        /// Report what happened to a call: to the record with which it began.
        indirect case report(CallEvent, Record)
        /// Ask the phone for the notification of a record.
        case ask(RecordID, SessionID, NotificationUID)
        /// Give up the record: its call is over, or goes on as another one.
        case leave(RecordID)
    }

    /// What a ringing call of a new session is.
    package enum Continuation: Equatable, Sendable {
        /// A new call.
        case none
        /// The call of this record, which rang when the link was lost.
        case of(RecordID)
        /// One of several calls, or a new one: the caller has to be known.
        case unclear
    }

    /// An active or a missed call that is not yet matched to one that rang.
    private struct Successor: Sendable {
        var record: Record
        var end: MonotonicInstant
        /// Whether the phone was asked if the calls still ring that it may have been.
        var wasAsked = false
        /// Those that it has not been, because they rang on.
        var others: [RecordID] = []

        func fit(_ call: Call) -> Call.Fit? {
            others.contains(call.record.id) ? nil : call.fit(record)
        }
        func mayFollow(_ call: Call) -> Bool {
            !others.contains(call.record.id) && call.mayBecome(record)
        }
    }

    /// How long the phone has to report what became of a call that stopped ringing.
    private static var settling: Duration { .seconds(2) }
    /// How long it has to say whether a call still rings: longer than the session waits for an answer (S26).
    private static var answering: Duration { .seconds(12) }
    /// A phone has two or three calls at once. One with more is announcing without end.
    private static var limit: Int { 16 }

    private var calls: [Call] = []
    private var successors: [Successor] = []
    /// Missed calls that were matched, or are certainly no call of the present.
    private var settled = BoundedDictionary<RecordID, Bool>(limit: 256)
    private var outputs = Queue<Output>()

    package init() {}

    /// The calls that exist: the record with which each began, and whether it is active.
    package var current: [(record: Record, isActive: Bool)] {
        calls.filter { !$0.isSettling }.map { ($0.record, $0.isActive) }
    }

    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    package var nextDeadline: MonotonicInstant? {
        (calls.map(\.deadline) + successors.map(\.end)).min()
    }

    /// Takes the next output. After every input, call it until it returns `nil`.
    package mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// What a call is that rings in a new session of a phone; its caller may not be known yet.
    package func continuation(of phone: PhoneName, caller: String?) -> Continuation {
        let lost = calls.filter { call in
            guard call.isRingingLost, call.record.phone.digest == phone.digest else { return false }
            let own = call.record.notification.caller
            return own == nil || caller == nil || own == caller
        }
        let best = lost.first { $0.record.notification.caller == caller } ?? lost.first
        guard let best else { return .none }
        return caller == nil && lost.count > 1 ? .unclear : .of(best.record.id)
    }

    package mutating func receive(_ input: Input, at now: MonotonicInstant) {
        switch input {
        case .appeared(let record): appeared(record, at: now)
        case .removed(let id): removed(id, at: now)
        case .left(let id):
            successors.removeAll { $0.record.id == id }
            if let index = index(showing: id) { end(index, .unknown) }
        case .proved(let id):
            guard let index = index(showing: id) else { break }
            calls[index].change { $0.prove(at: now) }
            for place in successors.indices where successors[place].wasAsked {
                successors[place].others.append(calls[index].record.id)
            }
        case .performed(let action, let id):
            let index = calls.firstIndex { $0.record.id == id && !$0.isActive }
            if let index { calls[index].performed = action }
        case .sessionEnded(let session): sessionEnded(session, at: now)
        case .forgotten(let phone):
            successors.removeAll { phone == nil || $0.record.phone.digest == phone }
            for index in calls.indices.reversed()
            where phone == nil || calls[index].record.phone.digest == phone { end(index, .unknown) }
        }
        match(at: now)
    }

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
    package mutating func handleTimeout(at now: MonotonicInstant) {
        for id in calls.map(\.record.id) {
            guard let index = calls.firstIndex(where: { $0.record.id == id }) else { continue }
            check(index, at: now)
        }
        for id in successors.filter({ $0.end <= now }).map(\.record.id) {
            guard let place = successors.firstIndex(where: { $0.record.id == id }) else { continue }
            let successor = successors[place]
            if let index = best(for: successor, .possible) {
                successors.remove(at: place)
                follow(index, successor.record, at: now)
            } else if !ask(place, at: now) {
                successors.remove(at: place)
                begin(successor.record, at: now)
            }
        }
        match(at: now)
    }
}

// MARK: - What happens

extension CallTracker {
    private func index(showing id: RecordID) -> Int? { calls.firstIndex { $0.presence?.id == id } }

    private mutating func appeared(_ record: Record, at now: MonotonicInstant) {
        if let index = index(showing: record.id) { return changed(index, record, at: now) }
        switch record.notification.category {
        case .incomingCall: add(Call(record: record, phase: .ringing(.init(record, at: now))))
        case .activeCall, .missedCall:
            guard settled[record.id] == nil else { return }
            if let place = successors.firstIndex(where: { $0.record.id == record.id }) {
                successors[place].record = record
            } else {
                successors.append(Successor(record: record, end: now + Self.settling))
            }
            guard successors.count > Self.limit else { return }
            let oldest = successors.firstIndex { $0.record.notification.category == .missedCall }
            begin(successors.remove(at: oldest ?? 0).record, at: now)
        // CategoryID is open: it is no call, or no longer one.
        case _: successors.removeAll { $0.record.id == record.id }
        }
    }

    /// The notification with which the phone shows a call has changed, perhaps its category.
    private mutating func changed(_ index: Int, _ record: Record, at now: MonotonicInstant) {
        if calls[index].record.id == record.id { calls[index].record = record }
        switch (calls[index].phase, record.notification.category) {
        case (.ringing, .incomingCall): calls[index].phase = .ringing(.init(record, at: now))
        case (.active, .activeCall): calls[index].phase = .active(.init(record, at: now))
        case (.ringing, .activeCall):
            calls[index].phase = .active(.init(record, at: now))
            outputs.append(.report(.answered, calls[index].record))
        case (.ringing, .missedCall): missed(index, record.id)
        // CategoryID is open: the call is gone, whatever else the notification is now.
        case _: removed(record.id, at: now)
        }
    }

    private mutating func removed(_ id: RecordID, at now: MonotonicInstant) {
        successors.removeAll { $0.record.id == id }
        guard let index = index(showing: id) else { return }
        if calls[index].isActive { return end(index, .hungUp) }
        calls[index].phase = .settling(until: now + Self.settling)
    }

    private mutating func sessionEnded(_ session: SessionID, at now: MonotonicInstant) {
        successors.removeAll { $0.record.notification.session == session }
        for index in calls.indices {
            if calls[index].presence?.session == session {
                calls[index].change { $0.lose(at: now) }
            } else if calls[index].record.notification.session == session {
                calls[index].wasCut = true
            }
        }
    }

    /// Does what is due for a call.
    private mutating func check(_ index: Int, at now: MonotonicInstant) {
        guard let presence = calls[index].presence else {
            guard calls[index].deadline <= now else { return }
            // What may still become of another call is not taken for what became of this one.
            let place = successors.firstIndex { successor in
                successor.mayFollow(calls[index]) && calls.count { successor.fit($0) != nil } == 1
            }
            guard let place else { return end(index, calls[index].outcome) }
            return follow(index, successors.remove(at: place).record, at: now)
        }
        if presence.isOver(at: now) {
            end(index, .unknown)
            outputs.append(.leave(presence.id))
        } else {
            var isDue = false
            calls[index].change { isDue = $0.takeQuestion(at: now) }
            if isDue { outputs.append(.ask(presence.id, presence.session, presence.uid)) }
        }
    }
}

// MARK: - What calls become

extension CallTracker {
    /// Matches active and missed calls to those that rang, as far as there is no doubt.
    private mutating func match(at now: MonotonicInstant) {
        var place = 0
        while place < successors.count {
            let successor = successors[place]
            let fits = calls.compactMap { successor.fit($0) }
            let index = best(for: successor, .certain) ?? sole(for: successor)
            guard index != nil || fits.isEmpty else {
                place += 1
                continue
            }
            successors.remove(at: place)
            let record = successor.record
            if let index { follow(index, record, at: now) } else { begin(record, at: now) }
            place = 0
        }
    }

    /// Asks the phone whether the calls that a notification fits still ring: the removal of one may be lost. Once for
    /// each notification, and not about those of the past. Returns whether it was asked.
    private mutating func ask(_ place: Int, at now: MonotonicInstant) -> Bool {
        let successor = successors[place]
        guard !successor.wasAsked, !successor.record.notification.isPreExisting else {
            return false
        }
        let doubts = calls.filter { $0.isRinging && successor.fit($0) == .later }.compactMap(
            \.presence)
        for presence in doubts { outputs.append(.ask(presence.id, presence.session, presence.uid)) }
        successors[place].wasAsked = true
        successors[place].end = now + Self.answering
        return !doubts.isEmpty
    }

    /// A call that a notification fits this well, best one that has stopped ringing.
    private func best(for successor: Successor, _ fit: Call.Fit) -> Int? {
        let indices = calls.indices.filter { successor.fit(calls[$0]) == fit }
        return indices.first { calls[$0].isSettling } ?? indices.first
    }

    /// The call that a notification fits, if no other call and no other notification comes into question.
    private func sole(for successor: Successor) -> Int? {
        let indices = calls.indices.filter { successor.fit(calls[$0]) != nil }
        guard indices.count == 1, let index = indices.first,
            successor.fit(calls[index]) == .possible
        else { return nil }
        let rivals = successors.count { $0.mayFollow(calls[index]) }
        return rivals == 1 ? index : nil
    }

    /// A call has become an active or a missed one.
    private mutating func follow(_ index: Int, _ record: Record, at now: MonotonicInstant) {
        let earlier = calls[index].isRinging ? calls[index].presence?.id : nil
        if record.notification.category == .missedCall {
            missed(index, record.id)
        } else {
            if !calls[index].isActive { outputs.append(.report(.answered, calls[index].record)) }
            calls[index].phase = .active(.init(record, at: now))
        }
        if let earlier { outputs.append(.leave(earlier)) }
    }

    private mutating func missed(_ index: Int, _ id: RecordID) {
        settled.set(true, for: id)
        end(index, calls[index].performed == .negative ? .declined : .missed)
    }

    /// An active or a missed call follows none that is known.
    private mutating func begin(_ record: Record, at now: MonotonicInstant) {
        guard record.notification.category == .activeCall else {
            return settled.set(true, for: record.id)
        }
        add(Call(record: record, phase: .active(.init(record, at: now))))
    }

    private mutating func add(_ call: Call) {
        calls.append(call)
        outputs.append(.report(call.isActive ? .answered : .incoming, call.record))
        guard calls.count > Self.limit else { return }
        let oldest = calls[0].presence
        end(0, .unknown)
        if let oldest { outputs.append(.leave(oldest.id)) }
    }

    private mutating func end(_ index: Int, _ outcome: CallOutcome) {
        var record = calls.remove(at: index).record
        record.outcome = outcome
        outputs.append(.report(.ended, record))
    }
}
