package import ANCSEvents
package import DBus

/// The life of bluetoothd, as a program sees it: who has its name, whether its objects are known, when it is asked for
/// them again, and when it is given up.
///
///     unknown ─▶ looking ─▶ present        away, from each of them, when the owner of the name changes
///                   └─▶ away, failed
@usableFromInline package struct DaemonLife: Sendable {
    package enum State: Equatable, Sendable {
        /// The owner of the name is unknown.
        case unknown
        /// The objects were requested.
        case looking(CallID)
        case present
        /// It is not running or does not answer; there is another attempt at this time.
        case away(lookAt: MonotonicInstant?)
        /// It cannot be used, and is not waited for.
        case failed
    }

    /// What has come of a look.
    package enum Look: Equatable, Sendable {
        /// These are its objects.
        case objects(BusValue?)
        /// The bus has started it, and will report the owner of the name.
        case starting
        /// They cannot be had for now.
        case unavailable(BluetoothdFailure)
        /// They cannot be had, and never could.
        case failed(BluetoothdFailure)
    }

    /// What is due.
    package enum Due: Equatable, Sendable {
        case look
        /// It has not started.
        case failure
    }

    /// How long it may take to start, and each step of its start: its name appears before its adapters, and an adapter
    /// before its advertising manager.
    package static let patience = Duration.seconds(5)
    private static let pause = Duration.seconds(10)

    package private(set) var state = State.unknown
    /// Whether it is given up.
    @usableFromInline package var hasFailed: Bool { state == .failed }
    /// The unique name of bluetoothd.
    package private(set) var owner: String?
    /// Whether it was of use to this program: then it is waited for without a limit, after its end was reported.
    package var hasServed = false
    private var startsUntil: MonotonicInstant?

    package init() {}

    /// The owner of the name changed. Returns whether a bluetoothd has ended.
    package mutating func ownerChanged(to owner: String?, at now: MonotonicInstant) -> Bool {
        guard exchange(&self.owner, with: owner) != nil else { return false }
        awaitStart(at: now)
        return true
    }

    /// Whether it has to be asked for its objects, after the owner has changed; the bus may start it for the first time.
    package var wantsLook: Bool { owner != nil || state == .unknown }

    /// Its objects were requested.
    package mutating func looks(by call: CallID) { state = .looking(call) }

    /// A look was answered; `nil` if there was another one since.
    package mutating func looked(
        _ result: BusResult, by call: CallID, at now: MonotonicInstant
    ) -> Look? {
        guard state == .looking(call) else { return nil }
        switch result {
        case .success where owner == nil:
            awaitStart(at: now)
            return .starting
        case .success(let values):
            state = .present
            startsUntil = nil
            return .objects(values.first)
        case .failure(let error):
            let failure = BluetoothdFailure(error)
            startsUntil = nil
            // A device whose name cannot be read goes away again.
            guard hasServed || failure == .unreadable else {
                state = .failed
                return .failed(failure)
            }
            state = .away(lookAt: owner == nil ? nil : now + Self.pause)
            return .unavailable(failure)
        }
    }

    private mutating func awaitStart(at now: MonotonicInstant) {
        state = .away(lookAt: nil)
        startsUntil = hasServed ? nil : now + Self.patience
    }

    package mutating func fail() {
        state = .failed
        startsUntil = nil
    }

    package var nextDeadline: MonotonicInstant? {
        if case .away(let instant) = state { .earliest(instant, startsUntil) } else { nil }
    }

    package mutating func handleTimeout(at now: MonotonicInstant) -> Due? {
        // The answer to a look, or its absence, says more.
        guard case .away(let instant) = state else { return nil }
        if let startsUntil, startsUntil <= now {
            fail()
            return .failure
        }
        return instant.map { $0 <= now } == true ? .look : nil
    }
}

extension BluetoothdFailure {
    /// Why bluetoothd's objects could not be requested.
    init(_ error: BusError) {
        self =
            switch error.name {
            case BusError.serviceUnknown, BusError.nameHasNoOwner: .notRunning
            case BusError.accessDenied: .denied
            case BusError.noReply: .noAnswer
            case BusError.inconsistentMessage: .unreadable
            // The bus could not start it, or systemd could not for the bus.
            case let name
            where name.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
                || name.hasPrefix("org.freedesktop.systemd1."):
                .notRunning
            case _: .refused(error.text)
            }
    }
}
