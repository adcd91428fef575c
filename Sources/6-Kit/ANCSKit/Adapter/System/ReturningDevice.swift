internal import LinuxIO

/// A controller that may be unplugged and come back: when to open it again, and what to report.
struct ReturningDevice {
    /// What to do after a loss.
    struct Step: Equatable {
        /// How long to wait before opening the device again.
        var pause: Duration
        var news: News?
    }

    /// What has to be reported to the user.
    enum News: Equatable {
        /// The device has disappeared.
        case lost
        /// It is back, but cannot be opened.
        case obstacle
    }

    /// A USB device can be used about a second after it was plugged in.
    static let shortestPause = Duration.milliseconds(500)
    /// Trying to open a missing device costs little, and this is the longest time that a user waits after
    /// plugging it in.
    static let longestPause = Duration.seconds(30)

    /// Whether it was there once and has disappeared.
    private(set) var isAway = false
    private var pause = shortestPause
    private var readySince: MonotonicInstant?
    private var lastObstacle: String?

    /// The controller is ready.
    mutating func ready(at now: MonotonicInstant) {
        isAway = false
        lastObstacle = nil
        readySince = now
    }

    /// It has disappeared, or is missing; `nil` if it was never there, which is a mistake and not a loss.
    mutating func lost(_ error: IOError, at now: MonotonicInstant) -> Step? {
        if let readySince = exchange(&readySince, with: nil) {
            // A device that soon fails again after its return keeps the longer pauses.
            if now - readySince >= Self.longestPause { pause = Self.shortestPause }
            isAway = true
            return Step(pause: nextPause(), news: .lost)
        }
        guard isAway else { return nil }
        return Step(pause: nextPause(), news: isNews(error) ? .obstacle : nil)
    }

    private mutating func nextPause() -> Duration {
        defer { pause = min(pause * 2, Self.longestPause) }
        return pause
    }

    /// That it is still missing is not reported again.
    private mutating func isNews(_ error: IOError) -> Bool {
        guard error.code != .notFound, error.message != lastObstacle else { return false }
        lastObstacle = error.message
        return true
    }
}
