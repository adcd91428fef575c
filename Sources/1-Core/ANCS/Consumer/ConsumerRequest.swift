/// Identifies a request to a ``ConsumerSession`` until it ends.
public struct RequestID: Hashable, Sendable {
    /// The number of the request within its session, counted from 1.
    public let rawValue: UInt64

    /// The session's own probe of the provider; its outcome is not reported.
    static let probe = RequestID(rawValue: 0)
}

/// How a request ended. Each request ends exactly once.
public enum RequestOutcome: Hashable, Sendable {
    /// The attributes that were fetched.
    case answered(AttributeResponse)
    /// The Notification Provider accepted the action; it sends no other answer (R42).
    case performed
    /// The request failed; `partial` holds the attributes that arrived before the failure.
    case failed(RequestFailure, partial: [AttributeValue])
}

/// Why a request failed: a fault of the peer, or a timeout.
public enum RequestFailure: Error, Hashable, Sendable {
    /// The Control Point refused the command (R57 to R60, S1).
    case refused(ControlPointError)
    /// No progress within ``ConsumerSession/Configuration/deadline`` (S26).
    case timedOut
    /// The notification was removed before the answer was complete.
    case removed
    /// The session ended, and with it the identifiers and the content that were learned in it (R51).
    case sessionEnded
    /// More requests were queued than ``ConsumerSession/Configuration/maximumPendingRequests``, and this was
    /// the oldest.
    case evicted
    /// The answer was longer than ``ResponseLimits/maximumOctets``.
    case responseTooLong
    /// The Notification Provider has no Control Point or no Data Source (R8).
    case contentUnavailable
}
