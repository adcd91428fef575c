internal import ANCS
internal import ANCSKit

/// One thing of a demo that is shown. All of its text is fit for a terminal.
enum DemoItem: Hashable, Sendable {
    /// What the next part is about.
    case caption(String)
    /// What happens to the link.
    case link(DemoArrow, String)
    /// What somebody sees, about a notification or not.
    case sight(DemoSide, DemoBlock, about: NotificationID?)
    /// What a user presses, about a notification.
    case press(DemoBlock, about: NotificationID)
    /// What goes over the link because of a notification.
    case traffic(DemoArrow, String, about: NotificationID)
    /// Lines of their own.
    case note([String])
}

/// The two that take part.
enum DemoSide: String, Hashable, Sendable {
    case phone
    case accessory
}

/// Who sends.
enum DemoArrow: Hashable, Sendable {
    case toAccessory
    case toPhone
    /// Both.
    case none

    init(from side: DemoSide) {
        self = side == .phone ? .toAccessory : .toPhone
    }
}

/// What is shown together: a heading, texts below it, and details.
struct DemoBlock: Hashable, Sendable {
    var heading: String
    var texts: [String] = []
    var details: [String] = []
}
