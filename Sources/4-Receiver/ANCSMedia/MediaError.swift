public import AMS

/// Why a command for a player was not sent, or what came of it.
public enum MediaError: Error, Hashable, Sendable {
    /// The configuration does not ask for media.
    case notConfigured
    /// The phone is not connected.
    case notConnected
    /// The phone does not offer the Apple Media Service, or not the part that takes commands.
    case notAvailable
    /// The player does not support the command.
    case notSupported
    /// Too many commands wait for the phone.
    case tooManyCommands
    /// The phone refused the command.
    case refused(MediaServiceError)
    /// The link or the service ended before the phone answered.
    case ended

    /// What happened, for people.
    public var message: String {
        switch self {
        case .notConfigured: "media were not asked for"
        case .notConnected: "the phone is not connected"
        case .notAvailable: "the phone takes no commands for media"
        case .notSupported: "the player does not support this now"
        case .tooManyCommands: "too many commands wait for the phone; try again later"
        case .refused(.invalidCommand):
            "the phone refused the command; its player may not support it"
        case .refused(let error): "the phone refused the command (\(error))"
        case .ended: "the phone's media service ended before it answered"
        }
    }

    init(_ error: MediaRemoteSession.UsageError) {
        self =
            switch error {
            case .notStarted: .notAvailable
            case .notSupported: .notSupported
            case .tooManyCommands: .tooManyCommands
            }
    }
}
