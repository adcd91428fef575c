package import ANCSEvents
internal import DBus

// A service of the phone beside ANCS that is used: its media. Whether bluetoothd hangs is found out with ANCS, whose session
// nothing here ends; the same goes the other way: it is there while its objects are.
//
//     absent ◀─▶ settling ─▶ available ──its objects change, or a socket hangs up──▶ absent, settling
extension PhoneLink {
    /// What there is of it.
    struct Companion: Sendable {
        /// Whether a program has asked for it.
        var isUsed = false
        /// The characteristics that may be used.
        var places: [BluetoothUUID: ObjectPath] = [:]
        var isAvailable = false
        /// When its objects count as complete.
        var settleAt: MonotonicInstant?
        /// How often it went: replies to calls from before do not count.
        var era = 0
    }

    /// What there is of the service; nothing while there is no link.
    mutating func companionChanged(
        to places: [BluetoothUUID: ObjectPath], at now: MonotonicInstant
    ) {
        guard companion.isUsed, places != companion.places else { return }
        if exchange(&companion.isAvailable, with: false) { say(.unavailable) }
        loseCompanion()
        companion.places = places
        companion.settleAt = places.isEmpty ? nil : now + Self.completionTime
    }

    mutating func loseCompanion() {
        // bluetoothd would subscribe by itself on the next link.
        for subscription in subscriptions
        where !subscription.source.isOfANCS && subscription.machine.state == .notifying {
            call(.subscription(subscription.source, .stop))
        }
        forgetSubscriptions(ofANCS: false)
        self[.companion] = AttributeQueue()
        companion.era += 1
        companion.settleAt = nil
    }

    mutating func settleCompanion(at now: MonotonicInstant) {
        guard let instant = companion.settleAt, instant <= now else { return }
        companion.settleAt = nil
        companion.isAvailable = true
        say(.available(Array(companion.places.keys)))
    }

    /// Carries out a request about what was found.
    package mutating func request(_ request: CompanionRequest, at now: MonotonicInstant) {
        let (uuid, kind): (BluetoothUUID, AttributeQueue.Kind?) =
            switch request {
            case .find(let uuid), .subscribe(let uuid): (uuid, nil)
            case .write(let uuid, let value): (uuid, .write(value, .request))
            case .read(let uuid): (uuid, .read)
            }
        if case .find(.appleMedia) = request { companion.isUsed = true }
        guard companion.isAvailable, let path = companion.places[uuid] else { return }
        guard let kind else {
            return subscribe(to: .companion(uuid, at: path, era: companion.era), at: now)
        }
        enqueue(kind, at: path, of: .companion, at: now)
    }

    mutating func say(_ event: CompanionEvent) { outputs.append(.companion(event)) }
}
