internal import LinuxIO
internal import Octets

/// A controller that may be unplugged and come back: when to look for it again, and what of that is news.
struct ReturningDevice {
    /// What to do about a loss.
    struct Step: Hashable {
        /// How long to wait before the device is opened again.
        var pause: Duration
        var news: News?
    }

    /// What the user does not know yet.
    enum News: Hashable {
        /// The device was there, and is gone.
        case lost
        /// It is there again, and something keeps it from being opened.
        case obstacle
    }

    /// USB devices need about a second from being plugged in to being usable.
    static let shortestPause = Duration.milliseconds(500)
    /// Opening what is not there costs next to nothing, and a user who plugs it in waits this long at most.
    static let longestPause = Duration.seconds(30)

    /// Whether it was there once, and is gone.
    private(set) var isAway = false
    private var pause = shortestPause
    private var readySince: MonotonicInstant?
    private var lastObstacle: String?

    /// The controller was set up.
    mutating func ready(at now: MonotonicInstant) {
        isAway = false
        lastObstacle = nil
        readySince = now
    }

    /// It is gone, or was not there; `nil` where it never was: that is a mistake, not a loss.
    mutating func lost(_ error: IOError, at now: MonotonicInstant) -> Step? {
        if let readySince = exchange(&readySince, with: nil) {
            // One that fails soon after each return is not looked for at the pace of one that was fine.
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

    /// That it is still away is no news.
    private mutating func isNews(_ error: IOError) -> Bool {
        guard error.code != .notFound, error.message != lastObstacle else { return false }
        lastObstacle = error.message
        return true
    }
}
