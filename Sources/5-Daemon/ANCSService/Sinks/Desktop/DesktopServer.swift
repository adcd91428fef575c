internal import Printing

/// A notification server, its capabilities, and what it shows of a popup.
package struct DesktopServer: Equatable, Sendable {
    /// Its name. Untrusted.
    package var name: String
    /// Its version. Untrusted.
    package var version: String
    /// Whether popups may have actions.
    package var hasActions: Bool
    /// Whether it interprets markup in the body.
    package var hasMarkup: Bool
    /// Whether it shows the body at all.
    package var hasBody: Bool
    /// Whether it shows icons.
    package var hasIcons: Bool

    /// A server, from its replies. Desktop Notifications Specification, `GetCapabilities`.
    package init(name: String, version: String, capabilities: [String]) {
        self.name = name
        self.version = version
        hasActions = capabilities.contains("actions")
        hasMarkup = capabilities.contains("body-markup")
        hasBody = capabilities.contains("body")
        hasIcons = capabilities.contains("icon-static") || capabilities.contains("icon-multi")
    }

    // MARK: What the capabilities do not say
    //
    // dunst 1.9.0, xfce4-notifyd 0.7.3 and notification-daemon 3.20.0 were looked at; the others are as their
    // sources say.

    /// Servers that have the capabilities `actions` and `icon-static`, and as they are installed show neither
    /// buttons nor the icons of categories: actions are in a menu, and icons are looked for in a theme that few
    /// have.
    private static let bare = ["dunst", "mako"]

    /// Whether it shows the icons of categories.
    var showsIcons: Bool { hasIcons && !Self.bare.contains(name) }
    /// Whether an icon and buttons show that a popup is a call.
    var showsCalls: Bool { hasActions && showsIcons }

    /// Whether it shows the name of the app (`app_name`), which no capability tells: Plasma does, and GNOME
    /// Shell since version 46. LXQt shows it above the heading.
    var showsAppNames: Bool {
        switch name {
        case "Plasma", Self.lxqt: true
        case "gnome-shell":
            version.split(separator: ".").first.flatMap { DecimalText.number($0) }
                .map { $0 >= 46 } ?? false
        default: false
        }
    }

    private static let lxqt = "lxqt-notificationd"

    /// What it makes of the action `default`, which elsewhere is a click on the popup itself, and no button.
    enum DefaultAction: Sendable {
        /// A click. Without one, a click may press the only button.
        case click
        /// A click, and a button if it has a label. Seen at LXQt 1.2.
        case clickAndLabel
        /// A button, in some versions without a label too; a click on the popup only closes it. Seen at Xfce 0.7.3
        /// and 0.9.7.
        case button
    }

    var defaultAction: DefaultAction {
        switch name {
        case "Xfce Notify Daemon": .button
        case Self.lxqt: .clickAndLabel
        default: .click
        }
    }

    /// Whether a new popup covers the others, or is put above them: mako, MATE and GNOME Flashback, whose servers
    /// have one name. dunst sorts by urgency, LXQt and Xfce put new ones below.
    var putsNewestFirst: Bool { name == "mako" || name == "Notification Daemon" }
}
