package import ANCS
internal import Octets

extension DesktopNotifications {
    /// Names one call of the server's `Notify`.
    package struct PostToken: Hashable, Sendable {
        package let rawValue: UInt64
    }

    /// Why a popup was not posted.
    package enum PostFailure: Error, Hashable, Sendable {
        /// The server refused, with an error of this name.
        case refused(String)
        /// The server has gone, or is about to be said to have.
        case lost
    }

    package enum Output: Hashable, Sendable {
        /// Start a server, if there is one to be started.
        case start
        /// Call `Notify`, and say what came of it.
        case post(PostToken, DesktopPopup)
        /// Call `CloseNotification`. That the server does not know the number is normal.
        case close(UInt32)
        /// Perform an action: a person pressed its button, or closed the popup where that means it.
        case perform(RecordID, ActionID)
        /// Put a one-time code on the clipboard.
        case copy(String)
        /// Say this, once. No text of a notification is in it.
        case log(String)
    }

    /// Why a popup was closed. Desktop Notifications Specification, `NotificationClosed`. Open.
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

    /// How much there may be of everything.
    package struct Limits: Hashable, Sendable {
        /// How many popups wait to be posted.
        package var waiting = 64
        /// How many are on the screen: dunst takes about 130 ms for each new one when 60 are.
        package var up = 40
        /// How many calls.
        package var calls = 8
        /// How many popups are remembered, those that were closed included.
        package var tracked = 256
        /// How many of those that were there before are shown one by one, and how many that the server of
        /// before showed.
        package var atOnce = 5
        /// How long the server may take for a popup.
        package var answer = Duration.seconds(10)

        package init() {}
    }

    enum Server: Sendable {
        /// None runs.
        case absent
        /// One is being started.
        case starting
        /// None could be started.
        case unavailable
        case present(DesktopServer)
    }

    /// The call of `Notify` that the server has not answered.
    struct Outstanding: Sendable {
        let token: PostToken
        let key: UInt64
        let content: DesktopPopup
        let deadline: MonotonicInstant
    }

    /// What is said once for each server.
    enum Trouble: Hashable, Sendable {
        case refuses
        case isSlow
        case isUnavailable
        case hasNoNumbers
    }
}
