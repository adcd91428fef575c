internal import ANCS
internal import ANCSKit

/// One item that a demo shows. All of its text is safe for a terminal.
enum DemoItem: Equatable, Sendable {
    /// A heading for the next part.
    case caption(String)
    /// An event of the link.
    case link(DemoArrow, String)
    /// What a user sees on one side.
    case sight(DemoSide, DemoBlock, about: NotificationID?)
    /// A button that a user presses.
    case press(DemoBlock, about: NotificationID)
    /// Traffic caused by a notification.
    case traffic(DemoArrow, String, about: NotificationID)
    /// Lines that belong to neither side.
    case note([String])
}

/// The two devices.
enum DemoSide: String, Equatable, Sendable {
    case phone
    case accessory
}

/// The direction of traffic.
enum DemoArrow: Equatable, Sendable {
    case toAccessory
    case toPhone
    /// Neither direction.
    case none

    init(from side: DemoSide) {
        self = side == .phone ? .toAccessory : .toPhone
    }
}

/// Text that is shown together: a heading, the texts below it, and details.
struct DemoBlock: Equatable, Sendable {
    var heading: String
    var texts: [String] = []
    var details: [String] = []
}
