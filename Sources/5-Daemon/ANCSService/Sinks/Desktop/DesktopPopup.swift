/// A popup, as a notification server is asked to show it. Desktop Notifications Specification, *Basic
/// Design*.
package struct DesktopPopup: Equatable, Sendable {
    /// A button, or the action for a click on the popup itself.
    package struct Action: Equatable, Sendable {
        /// The identifier that the server reports when it is pressed.
        package var key: String
        /// The label.
        package var label: String
    }

    /// The sound of a popup.
    package enum Sound: Equatable, Sendable {
        /// The desktop's own sound.
        case ofDesktop
        /// A sound of the desktop's theme.
        case named(String)
        /// A file.
        case file(String)
        /// Nothing.
        case none
    }

    /// When a popup disappears.
    package enum Expiry: Equatable, Sendable {
        /// According to the desktop.
        case ofDesktop
        case never
        case after(milliseconds: Int32)
    }

    /// The popup to replace; 0 for none.
    package var replaces: UInt32 = 0
    /// The app, at most 128 octets.
    package var appName: String
    /// The name of an icon, or the path of one.
    package var icon: String
    /// The heading, one line of plain text, at most 256 octets.
    package var summary: String
    /// The text, in the markup of the server where it has one, at most 4096 octets.
    package var body = ""
    /// The actions; one for a click on the popup itself comes first, and is harmless.
    package var actions: [Action] = []
    package var urgency = RuleVerdict.Popup.Urgency.normal
    /// The category, of the specification or our own; `nil` if it must not be shown.
    package var category: String?
    package var sound = Sound.ofDesktop
    /// Whether it stays when an action is pressed.
    package var isResident = false
    package var expiry = Expiry.ofDesktop
}
