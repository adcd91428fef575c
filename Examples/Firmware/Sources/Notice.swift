import ANCS

/// A notification as the display shows it.
struct Notice {
    var uid: NotificationUID
    var flags: EventFlags
    var category: CategoryID
    /// It was shown before, and has changed.
    var isModified: Bool
    /// The octets of the texts as the phone sent them, cut by it or by the limits of ``Limits``; empty where it
    /// has none.
    var app: [UInt8] = []
    var title: [UInt8] = []
    var message: [UInt8] = []
    var positiveLabel: [UInt8] = []
    var negativeLabel: [UInt8] = []

    /// A notification of which nothing is known but its announcement.
    init(_ announcement: Inbox.Announcement) {
        uid = announcement.uid
        flags = announcement.flags
        category = announcement.category
        isModified = announcement.isModified
    }

    /// Takes the attributes that came.
    mutating func take(_ attributes: [AttributeValue]) {
        for attribute in attributes {
            switch NotificationAttributeID(rawValue: attribute.id) {
            case .appIdentifier: app = attribute.octets
            case .title: title = attribute.octets
            case .message: message = attribute.octets
            case .positiveActionLabel: positiveLabel = attribute.octets
            case .negativeActionLabel: negativeLabel = attribute.octets
            case _: break
            }
        }
    }
}
