internal import ANCSReceiver

/// One call, from the first ring to the end.
struct Call: Sendable {
    enum Phase: Sendable {
        case ringing(CallPresence)
        /// It has stopped ringing. Until then, the phone may report what became of it.
        case settling(until: MonotonicInstant)
        case active(CallPresence)
    }

    /// The notification with which it began, which all its events are about.
    var record: Record
    var phase: Phase
    /// What was performed on it here while it rang.
    var performed: ActionID?
    /// Whether the link was lost before the phone could report what became of it.
    var wasCut = false

    /// The notification with which the phone shows it; `nil` if it shows none.
    var presence: CallPresence? {
        switch phase {
        case .ringing(let presence), .active(let presence): presence
        case .settling: nil
        }
    }

    var deadline: MonotonicInstant {
        switch phase {
        case .ringing(let presence), .active(let presence): presence.deadline
        case .settling(let end): end
        }
    }

    /// Whether it rings, or did when the link was lost.
    var isRinging: Bool { if case .ringing = phase { true } else { false } }
    var isActive: Bool { if case .active = phase { true } else { false } }
    var isSettling: Bool { if case .settling = phase { true } else { false } }
    /// Whether it rang when the link was lost.
    var isRingingLost: Bool { isRinging && presence?.isLost == true }

    /// Changes the notification with which the phone shows it, if it shows one.
    mutating func change(_ body: (inout CallPresence) -> Void) {
        switch phase {
        case .ringing(var presence):
            body(&presence)
            phase = .ringing(presence)
        case .active(var presence):
            body(&presence)
            phase = .active(presence)
        case .settling: break
        }
    }

    /// How it ended, if the phone reports nothing more.
    var outcome: CallOutcome {
        switch (phase, performed) {
        case (.active, _): .hungUp
        case (_, .negative?): .declined
        case (_, .positive?): .answered
        case _: wasCut ? .unknown : .elsewhere
        }
    }

    /// How far a notification may be what the call became.
    enum Fit: Sendable {
        /// It is.
        case certain
        /// It may be.
        case possible
        /// It may be, once the call has stopped ringing, or the caller is known.
        case later
    }

    /// Whether an active or a missed call may be what this one has become.
    func mayBecome(_ record: Record) -> Bool {
        switch fit(record) {
        case .certain, .possible: true
        case .later, nil: false
        }
    }

    /// How far an active or a missed call may be what this one became; `nil` if it is another.
    func fit(_ record: Record) -> Fit? {
        guard record.phone.digest == self.record.phone.digest else { return nil }
        if let same = record.sameAs, same == presence?.id { return .certain }
        let isMissed = record.notification.category == .missedCall
        let isOpen = isSettling || presence?.isLost == true
        guard isOpen || isRinging, !(isActive && isMissed) else { return nil }
        switch (self.record.notification.caller, record.notification.caller) {
        case (let own?, let other?):
            guard own == other, !record.isMissed(before: self.record.id) else { return nil }
            // A call that was missed earlier may be told of late.
            return isOpen || !isMissed ? .certain : .later
        case _:
            // A phone announces the missed calls of the past again: which one it is, only the caller tells.
            let isClear = isOpen && !(isMissed && record.notification.isPreExisting)
            return isClear ? .possible : .later
        }
    }
}

extension ReceivedNotification {
    /// The caller of a call; `nil` if it is not known.
    var caller: String? { title.isEmpty ? nil : title }
}

extension Record {
    /// Whether it is certainly a missed call of an earlier time than the call with this record. What a keeper takes for
    /// that record itself, after a lost link, is what became of the call.
    fileprivate func isMissed(before call: RecordID) -> Bool {
        guard notification.category == .missedCall else { return false }
        if let sameAs { return sameAs != call }
        return notification.isPreExisting && notification.wasSeen == true
    }
}
