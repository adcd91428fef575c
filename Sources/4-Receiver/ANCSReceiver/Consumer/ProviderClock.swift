internal import ANCS

/// The clock of a phone (Current Time Service 1.1, 3), as far as the phone said. Dates in ANCS have no zone
/// (S12), and this machine may be hours apart from the phone: the phone's zone completes its dates, and its
/// time decides what is older than a session (S21).
///
///     session ─▶ due, once a notification is delivered or nothing is to do ─▶ reading ─▶ known
///                 ▲                                                                        │
///                 └───────────── the phone's time has jumped: its zone may be another ◀────┘
///
/// A request of the clock can hold up one of the session, so none is made before the first notification of
/// a session was delivered.
struct ProviderClock: Sendable {
    /// Without a notification, the clock is read this long after the start of a session.
    static let quietTime = Duration.seconds(1)
    /// The time from one reading to the next, however often a phone says that its time has changed.
    static let interval = Duration.seconds(10)
    /// The smallest difference between zones is 15 minutes; clocks are corrected by less.
    static let jump = 10 * 60
    /// Dates before the start of a session by more than this are older: a phone may date a notification some
    /// seconds before it announces it.
    static let tolerance = 60
    /// Local times are at most 14 hours from UTC. If a phone's is further from this machine's time, one of
    /// the two is wrong, and nothing is concluded from it. In seconds.
    static let plausibleDifference = 86_400

    /// A time that the phone has said, in seconds since 1970 as if its local time were UTC.
    private struct Reading {
        var seconds: Int
        var at: MonotonicInstant
        /// Whether it can be the same time as this machine's.
        var isPlausible: Bool

        func seconds(at instant: MonotonicInstant) -> Int {
            seconds + Int((instant - at).components.seconds)
        }
    }

    private var sessionStart: MonotonicInstant?
    private var hasDelivered = false
    /// When to read the clock; `nil` while that is not wanted.
    private var readAt: MonotonicInstant?
    private var lastReadAt: MonotonicInstant?
    /// Whether a reading is under way.
    private(set) var isReading = false
    private var reading: Reading?
    /// How far the phone's local time is ahead of UTC; `nil` if that is not known, or may have changed.
    private(set) var utcOffset: UTCOffset?
    /// Whether the clock is never read.
    private let isIgnored: Bool

    /// A clock that was not read. With `isIgnored`, it never is.
    init(isIgnored: Bool = false) { self.isIgnored = isIgnored }

    /// When ``isDue(isBusy:at:)`` may become true; `nil` for never.
    var nextDeadline: MonotonicInstant? { isReading ? nil : readAt }

    /// When the session started by the phone's clock, less ``tolerance``; `nil` if it is not known.
    var startDate: NotificationDate? {
        guard let reading, reading.isPlausible, let sessionStart else { return nil }
        return .utc(reading.seconds(at: sessionStart) - Self.tolerance)
    }

    /// How long a reading has been under way; `nil` if none is.
    func timeOfReading(at now: MonotonicInstant) -> Duration? {
        guard isReading, let lastReadAt else { return nil }
        return now - lastReadAt
    }

    // MARK: The session

    /// A session starts. What an earlier one read is not followed beyond it.
    mutating func sessionStarted(at now: MonotonicInstant) {
        sessionStart = now
        hasDelivered = false
        isReading = false
        plan(at: now + Self.quietTime)
    }

    /// The session is over, and nothing is read before the next one.
    mutating func sessionEnded() {
        sessionStart = nil
        readAt = nil
    }

    /// A notification was delivered: from now on, none is the first.
    mutating func delivered(at now: MonotonicInstant) {
        guard !exchange(&hasDelivered, with: true), readAt != nil else { return }
        plan(at: now)
    }

    private mutating func plan(at instant: MonotonicInstant) {
        guard !isIgnored else { return }
        readAt = lastReadAt.map { max($0 + Self.interval, instant) } ?? instant
    }

    /// Whether the clock is to be read now; the caller then does it. `isBusy` says that a notification is
    /// being fetched.
    mutating func isDue(isBusy: @autoclosure () -> Bool, at now: MonotonicInstant) -> Bool {
        guard !isReading, let instant = readAt, instant <= now else { return false }
        if !hasDelivered, isBusy() {
            readAt = now + Self.quietTime
            return false
        }
        readAt = nil
        lastReadAt = now
        isReading = true
        return true
    }

    // MARK: What the phone says

    /// The reading is over, with or without values.
    mutating func readingEnded() { isReading = false }

    /// The phone said a value of its Current Time service. `utc` is this machine's time in seconds since
    /// 1970.
    mutating func receive(
        _ value: [UInt8], of characteristic: BluetoothUUID, utc: Int, at now: MonotonicInstant
    ) {
        switch characteristic {
        case .currentTime: receive(time: NotificationDate(currentTime: value), utc: utc, at: now)
        case .localTimeInformation: utcOffset = PhoneTimeZone(localTimeInformation: value).utcOffset
        default: break
        }
    }

    private mutating func receive(
        time date: NotificationDate?, utc: Int, at now: MonotonicInstant
    ) {
        let isPlausible = date.map { abs($0.seconds - utc) <= Self.plausibleDifference } ?? false
        let new = date.map { Reading(seconds: $0.seconds, at: now, isPlausible: isPlausible) }
        let before = exchange(&reading, with: new)
        guard let date, let before, abs(before.seconds(at: now) - date.seconds) >= Self.jump
        else { return }
        // Until it says its zone again, its dates may be of either zone.
        utcOffset = nil
        if readAt == nil, sessionStart != nil { plan(at: now) }
    }
}

extension NotificationDate {
    /// The date in a value of *Current Time*: year, month, day, hours, minutes and seconds, followed by
    /// fields that are not used here; `nil` if it is too short, or a field is unknown (0) or out of range.
    /// Current Time Service 1.1, 3.1; GATT Specification Supplement, *Exact Time 256*.
    init?(currentTime value: [UInt8]) {
        guard value.count >= 7 else { return nil }
        self.init(
            year: Int(value[0]) | Int(value[1]) << 8, month: Int(value[2]), day: Int(value[3]),
            hour: Int(value[4]), minute: Int(value[5]), second: Int(value[6]))
        guard year >= 1582 else { return nil }
    }
}
