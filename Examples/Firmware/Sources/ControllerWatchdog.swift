import Octets

/// Notices a controller that has restarted without saying so, as one that lost its power does: it is sent a
/// command after a long silence. It also keeps what failed from being tried at once again.
struct ControllerWatchdog {
    enum Action {
        /// Ask something.
        case ask
        /// It did not answer: set it up again.
        case reset
    }

    private enum State {
        case off
        case listening(askAt: MonotonicInstant)
        case asked(answerBy: MonotonicInstant)
        case resting(until: MonotonicInstant)
    }

    /// How long a controller may be silent.
    private static let patience = Duration.seconds(60)
    /// How long it has for an answer, and how long it rests after it failed.
    private static let answerTime = Duration.seconds(5)
    private var state = State.off

    var nextDeadline: MonotonicInstant? {
        switch state {
        case .off: nil
        case .listening(let instant), .asked(let instant), .resting(let instant): instant
        }
    }

    mutating func started(at now: MonotonicInstant) {
        state = .listening(askAt: now + Self.patience)
    }

    mutating func heard(at now: MonotonicInstant) {
        switch state {
        case .off, .resting: break
        case .listening, .asked: state = .listening(askAt: now + Self.patience)
        }
    }

    mutating func tryLater(at now: MonotonicInstant) {
        state = .resting(until: now + Self.answerTime)
    }

    /// Whether what failed may be tried again.
    func mayAdvertise(at now: MonotonicInstant) -> Bool {
        if case .resting(let until) = state { return until <= now }
        return true
    }

    mutating func handleTimeout(at now: MonotonicInstant) -> Action? {
        guard let deadline = nextDeadline, deadline <= now else { return nil }
        switch state {
        case .off: return nil
        case .listening:
            state = .asked(answerBy: now + Self.answerTime)
            return .ask
        case .asked, .resting:
            state = .asked(answerBy: now + Self.patience)
            return .reset
        }
    }
}
