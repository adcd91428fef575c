public import ANCS

/// Why a request to a phone failed.
public struct RequestError: Error, Equatable, Sendable {
    /// The kind of failure.
    public enum Code: Equatable, Sendable {
        /// The phone is not connected.
        case notConnected
        /// There is no session, or it ended before the answer arrived (R51).
        case sessionEnded
        /// The phone refused the request, with this error (R57 to R59, S1).
        case refused(ControlPointError)
        /// The phone accepted the action, but did not perform it (R60).
        case notPerformed
        /// The phone made no progress within the deadline (S26).
        case timedOut
        /// The phone no longer has the notification.
        case removed
        /// The notification does not have this action (R43, S29).
        case actionUnavailable
        /// The phone has performed this action, and has not modified the notification since (S19).
        case alreadyPerformed
        /// It was dropped because too many requests were queued after it.
        case evicted
        /// Too many actions are queued; this one was not accepted.
        case tooManyRequests
        /// The answer is longer than the configured limit.
        case responseTooLong
        /// The phone does not offer it: actions need its Control Point, texts its Data Source as well (R8).
        case contentUnavailable
        /// The request cannot be encoded as a command.
        case invalidRequest(ControlPointCommand.UsageError)
    }

    /// The kind of failure.
    public var code: Code
    /// The attributes that arrived before the failure.
    public var partial: [AttributeValue]

    /// An error with this code.
    public init(_ code: Code, partial: [AttributeValue] = []) {
        self.code = code
        self.partial = partial
    }

    /// What happened, for people.
    public var message: String {
        switch code {
        case .notConnected: "the phone is not connected"
        case .sessionEnded: "the session with the phone has ended"
        case .refused(let error): error.message
        case .notPerformed: "the phone could not perform the action"
        case .timedOut: "the phone did not answer in time"
        case .removed: "the phone no longer has the notification"
        case .actionUnavailable: "the notification does not have this action"
        case .alreadyPerformed: "the phone has already performed this action"
        case .evicted, .tooManyRequests:
            "too many requests to the phone are queued; try again later"
        case .responseTooLong: "the phone's answer is too long"
        case .contentUnavailable:
            "the phone does not offer this: actions need its Control Point, texts its Data Source as well"
        case .invalidRequest(let error): error.message
        }
    }
}

extension RequestError {
    /// The error for a fetch that failed in the session.
    package init(failure: RequestFailure, partial: [AttributeValue] = []) {
        let code: Code =
            switch failure {
            case .refused(let error): .refused(error)
            case .timedOut: .timedOut
            case .removed: .removed
            case .sessionEnded: .sessionEnded
            case .evicted: .evicted
            case .responseTooLong: .responseTooLong
            case .contentUnavailable: .contentUnavailable
            }
        self.init(code, partial: partial)
    }

    init(usage error: ConsumerSession.UsageError) {
        let code: Code =
            switch error {
            case .notStarted: .sessionEnded
            case .invalidCommand(let error): .invalidRequest(error)
            case .actionUnavailable: .actionUnavailable
            case .alreadyPerformed: .alreadyPerformed
            case .notificationGone: .removed
            case .tooManyRequests: .tooManyRequests
            }
        self.init(code)
    }
}

extension ControlPointError {
    /// What the phone answered, for people, and what to do about it.
    public var message: String {
        let code =
            "ATT error 0x\(rawValue < 16 ? "0" : "")\(String(rawValue, radix: 16, uppercase: true))"
        return switch self {
        case .invalidParameter: "the phone has no such notification or app (\(code))"
        case _ where isAuthorization:
            "the phone does not share its notifications: allow it in the phone's Bluetooth settings (\(code))"
        default: "the phone refused the request (\(code))"
        }
    }
}

extension ControlPointCommand.UsageError {
    /// What is wrong with the request, for people.
    public var message: String {
        switch self {
        case .invalidMaximumLength:
            "title, subtitle and message need a maximum length from 1 to 65535 octets, others take none"
        case .invalidAppIdentifier: "an app identifier must be text without NUL, and not empty"
        case .noAttributes: "a request needs at least one attribute"
        case .tooLong(let octets):
            "the request has \(octets) octets; the limit is \(ControlPointCommand.maximumCount)"
        }
    }
}
