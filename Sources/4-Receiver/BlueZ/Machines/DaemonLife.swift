package import ANCSEvents
public import DBus

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

    /// A look was answered. Returns its objects, or why they cannot be had: for now or, if it ``hasFailed`` then, at
    /// all. Returns `nil` if there was another look since, or if the bus has started it, and will report the owner of
    /// the name.
    package mutating func looked(
        _ result: BusResult, by call: CallID, at now: MonotonicInstant
    ) -> Result<BusValue?, BluetoothdFailure>? {
        guard state == .looking(call) else { return nil }
        switch result {
        case .success where owner == nil:
            awaitStart(at: now)
            return nil
        case .success(let values):
            state = .present
            startsUntil = nil
            return .success(values.first)
        case .failure(let error):
            let failure = BluetoothdFailure(error)
            startsUntil = nil
            // A device whose name cannot be read goes away again.
            let isAwaited = hasServed || failure == .unreadable
            state = isAwaited ? .away(lookAt: owner == nil ? nil : now + Self.pause) : .failed
            return .failure(failure)
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

    /// Returns whether it is to be asked for its objects. If it has not started in time, it ``hasFailed`` then.
    package mutating func handleTimeout(at now: MonotonicInstant) -> Bool {
        // The answer to a look, or its absence, says more.
        guard case .away(let instant) = state else { return false }
        if let startsUntil, startsUntil <= now {
            fail()
            return false
        }
        return instant.map { $0 <= now } == true
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

/// What every machine at bluetoothd keeps of it.
///
/// What each message passes through is inlinable here, too, as in ``BlueZRunner``.
@usableFromInline
package struct DaemonDesk<Own: Equatable & Sendable, Report: Equatable & Sendable>: Sendable {
    /// The purpose of a pending call.
    @usableFromInline package enum Purpose: Equatable, Sendable {
        case look
        case registerAgent
        /// One that only the machine knows.
        case own(Own)
        /// Its reply is ignored.
        case nothing
    }

    @usableFromInline package var daemon = DaemonLife()
    @usableFromInline package var agent: PairingAgent
    /// The adapter in use.
    @usableFromInline package var adapter: ObjectPath?
    /// What `AcquireNotify` has done to bluetoothd.
    @usableFromInline package var sockets = SocketGuard()
    package var selinux = SELinuxState()
    @usableFromInline package var pending: [CallID: Purpose] = [:]
    @usableFromInline package var lastID: UInt64 = 0
    @usableFromInline package var outputs = Queue<BlueZOutput<Report>>(keepingOctets: 1_024)
    /// The adapter that was made pairable while something pairs: the kernel makes no bond otherwise.
    @usableFromInline var pairable: ObjectPath?

    package init(agent: PairingAgent) { self.agent = agent }
}
