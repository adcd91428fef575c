/// Names a request to a ``ConsumerSession`` until its outcome is there.
public struct RequestID: Hashable, Sendable {
    /// Counts the requests of a session from 1.
    public let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The session's own question whether the provider answers; its outcome is not put out.
    static let probe = RequestID(rawValue: 0)
}

/// How a request ended. Each request ends exactly once.
public enum RequestOutcome: Hashable, Sendable {
    /// The answer to a fetch.
    case answered(AttributeResponse)
    /// The Notification Provider accepted the action; there is no other answer (R42).
    case performed
    /// The request failed; `partial` are the attributes that came before it did.
    case failed(RequestFailure, partial: [AttributeValue])
}

/// Why a request failed, through the peer or the clock.
public enum RequestFailure: Error, Hashable, Sendable {
    /// The Control Point refused the command (R57 to R60, S1).
    case refused(ControlPointError)
    /// There was no progress for as long as ``ConsumerSession/Configuration/deadline`` (S26).
    case timedOut
    /// The notification was removed meanwhile.
    case removed
    /// The session ended; everything it knew is invalid (R51).
    case sessionEnded
    /// More requests waited than ``ConsumerSession/Configuration/maximumPendingRequests``, and this
    /// was the oldest.
    case evicted
    /// The answer went beyond ``ResponseLimits/maximumOctets``.
    case responseTooLong
    /// The Notification Provider has no Control Point or no Data Source (R8).
    case contentUnavailable
}
