package import ANCS

extension DesktopNotifications {
    /// Identifies a call of the server's `Notify`.
    package struct PostToken: Equatable, Sendable { package let rawValue: UInt64 }

    /// Why a popup was not posted.
    package enum PostFailure: Error, Equatable, Sendable {
        /// The server refused, with an error of this name.
        case refused(String)
        /// The server has ended, or its end will be reported soon.
        case lost
    }

    package enum Output: Equatable, Sendable {
        /// Start a server, if one is installed.
        case start
        /// Call `Notify`, and report the result.
        case post(PostToken, DesktopPopup)
        /// Ask the server for anything else, and report when it answers: it owes the result of this call.
        case ask(PostToken)
        /// Call `CloseNotification`. The server may no longer know the identifier.
        case close(UInt32)
        /// The same at a server that may leave a popup on the screen when it closes it: let it expire before.
        case withdraw(UInt32)
        /// Perform an action: the user pressed its button, or closed the popup if that is configured to clear
        /// it.
        case perform(RecordID, ActionID)
        /// Answer the question whether to accept a phone, by its digest.
        case answer(String, PairingAnswer)
        /// Run this command, which opens a program: the user clicked on a popup.
        case open([String])
        /// Copy a one-time code to the clipboard.
        case copy(String)
        /// Log this, once. It contains no text of a notification.
        case log(String)
    }

    /// Why a popup was closed. Desktop Notifications Specification, `NotificationClosed`.
    package struct ClosingReason: RawRepresentable, Hashable, Sendable {
        package var rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let expired = ClosingReason(rawValue: 1)
        /// By the user.
        package static let dismissed = ClosingReason(rawValue: 2)
        /// By a call of `CloseNotification`.
        package static let closed = ClosingReason(rawValue: 3)
        package static let undefined = ClosingReason(rawValue: 4)
    }

    /// Limits.
    package struct Limits: Equatable, Sendable {
        /// Queued popups.
        package var waiting = 64
        /// Visible popups: with 60 of them, dunst takes about 130 ms for each new one.
        package var up = 40
        /// Visible calls.
        package var calls = 8
        /// Remembered popups, including closed ones.
        package var tracked = 256
        /// Pre-existing notifications, and popups of a previous server, that are shown individually.
        package var atOnce = 5
        /// How long the server may take for a reply. After that, it has either stopped, as a desktop that
        /// swaps or is suspended does, or lost the call.
        package var answer = Duration.seconds(10)
        /// Calls that count as lost, whose replies may still come.
        package var lost = 16
    }

    enum Server: Sendable {
        /// No server is running.
        case absent
        /// One is being started.
        case starting
        /// No server could be started.
        case unavailable
        case present(DesktopServer)
    }

    /// The pending call of `Notify`.
    struct Outstanding: Sendable {
        let token: PostToken
        let key: UInt64
        let content: DesktopPopup
        /// The popup that it replaces; 0 for none.
        let replaces: UInt32
        /// When something is done about the missing reply; `nil` while the server answers nothing at all.
        var deadline: MonotonicInstant?
        /// Whether the first limit has passed.
        var isLate = false
    }

    /// A problem that is logged once for each server.
    enum Failure: Equatable, Sendable {
        case refuses
        case isSlow
        case isUnavailable
        case hasNoNumbers
    }
}
