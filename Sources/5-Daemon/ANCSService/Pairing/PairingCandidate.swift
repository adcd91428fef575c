internal import ANCSReceiver

/// A phone that a ``PairingDialogue`` waits for, and how far it has come.
struct PairingCandidate: Equatable, Sendable {
    /// How far a phone has come.
    enum Progress: Equatable, Sendable {
        case paired, noService, consentMissing, silent, left, unaccepted
        case subscribed(since: MonotonicInstant)
        /// Its notifications arrive; its name may follow.
        case ready(since: MonotonicInstant)
    }

    /// How long a subscribed phone may leave open whether it allows access: one without a Control Point never
    /// says (R8).
    static let settlingTime = Duration.seconds(10)
    /// How long the end of the dialogue waits for the name of the phone.
    static let namingTime = Duration.seconds(2)

    var phone: PhoneName
    /// Its link; `nil` if it is not connected.
    var link: PhoneID?
    private(set) var progress: Progress
    /// Whether it was paired before the dialogue began.
    let isOld: Bool
    /// Whether it refuses access in its current session.
    private(set) var lacksConsent = false

    /// A phone that is paired.
    init(_ phone: PhoneName, at link: PhoneID, isOld: Bool) {
        (self.phone, self.link, self.isOld) = (phone, link, isOld)
        progress = .paired
    }

    mutating func advance(to progress: Progress) {
        self.progress = progress
        switch progress {
        case .consentMissing: lacksConsent = true
        case .paired, .noService, .left, .unaccepted, .subscribed, .ready: lacksConsent = false
        case .silent: break
        }
    }

    /// Its link has ended.
    mutating func disconnected() {
        link = nil
        switch progress {
        case .paired, .silent, .subscribed, .ready: advance(to: .left)
        // It is what its user has to do, and perhaps the reason that it went.
        case .noService, .consentMissing, .left, .unaccepted: break
        }
    }

    /// When the time of its progress is over; `nil` for never.
    var due: MonotonicInstant? {
        switch progress {
        case .subscribed(let since): since + Self.settlingTime
        case .ready(let since): since + Self.namingTime
        case .paired, .noService, .consentMissing, .silent, .left, .unaccepted: nil
        }
    }

    /// Whether its notifications arrive.
    var isReady: Bool { if case .ready = progress { true } else { false } }

    /// What it lacks.
    var cause: PairingCause {
        switch progress {
        case .noService: .noService
        case .consentMissing: .consentMissing
        case .silent: .silent
        case .left: .left
        case .unaccepted: .unaccepted
        case .paired, .subscribed, .ready: .unfinished
        }
    }
}
