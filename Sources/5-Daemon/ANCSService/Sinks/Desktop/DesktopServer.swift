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
    // The daemon's popups were looked at in pictures of dunst 1.9.0, mako 1.7.1, xfce4-notifyd 0.7.3 and 0.9.7, LXQt
    // 1.2, MATE 1.26, notification-daemon 3.20 and GNOME Flashback 3.46; the others are as their sources say.

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
        case "gnome-shell": (major ?? 0) >= 46
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

    /// The order in which it shows popups.
    enum Order: Sendable {
        /// The newest above the others: mako, MATE.
        case newestFirst
        /// One after the other, each for its time: GNOME Flashback and notification-daemon. The name is also MATE's,
        /// whose versions began again at 1.
        case oneAtATime
        /// By urgency, as dunst; or the newest below, without covering any: LXQt and Xfce, where a call stays where it
        /// is, so that no button moves away under the pointer.
        case other
    }

    var order: Order {
        switch name {
        case "mako": .newestFirst
        case "Notification Daemon": (major ?? 0) < 3 ? .newestFirst : .oneAtATime
        default: .other
        }
    }

    private var major: Int? {
        version.split(separator: ".").first.flatMap { DecimalText.number($0) }
    }
}
