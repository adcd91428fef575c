/// A popup, as a notification server is asked to show it. Desktop Notifications Specification, *Basic Design*.
package struct DesktopPopup: Hashable, Sendable {
    /// A button, or what a click on the popup itself does.
    package struct Action: Hashable, Sendable {
        /// What the server says when it is pressed.
        package var key: String
        /// What stands on it.
        package var label: String
    }

    /// What is heard.
    package enum Sound: Hashable, Sendable {
        /// What the desktop does by itself.
        case ofDesktop
        /// A sound of the desktop's theme.
        case named(String)
        /// A file.
        case file(String)
        /// Nothing.
        case none
    }

    /// When it goes by itself.
    package enum Expiry: Hashable, Sendable {
        /// When the desktop says.
        case ofDesktop
        case never
        case after(milliseconds: Int32)
    }

    /// The popup that this one takes the place of; 0 for none.
    package var replaces: UInt32 = 0
    /// The app, at most 128 octets.
    package var appName: String
    /// The name of an icon, or the path of one.
    package var icon: String
    /// The heading, one line of plain text, at most 256 octets.
    package var summary: String
    /// The text, in the markup of the server where it has one, at most 4096 octets.
    package var body = ""
    /// What can be pressed, the harmless one first.
    package var actions: [Action] = []
    package var urgency = Verdict.Popup.Urgency.normal
    /// The kind, as the specification or this program names it; `nil` where it is not to be told.
    package var category: String?
    package var sound = Sound.ofDesktop
    /// Whether it stays when something is pressed.
    package var isResident = false
    package var expiry = Expiry.ofDesktop

    package init(appName: String, icon: String, summary: String) {
        self.appName = appName
        self.icon = icon
        self.summary = summary
    }
}

/// What a notification server is and can do.
package struct DesktopServer: Hashable, Sendable {
    /// What it calls itself. Untrusted text.
    package var name: String
    /// Its version. Untrusted text.
    package var version: String
    /// Whether it shows buttons.
    package var hasActions: Bool
    /// Whether it takes markup in the body for markup.
    package var hasMarkup: Bool

    /// A server by what it said of itself. Desktop Notifications Specification, `GetCapabilities`.
    package init(name: String, version: String, capabilities: [String]) {
        self.name = name
        self.version = version
        hasActions = capabilities.contains("actions")
        hasMarkup = capabilities.contains("body-markup")
    }
}
