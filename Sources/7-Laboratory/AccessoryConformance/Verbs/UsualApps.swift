package import ANCS

/// The apps of a typical iPhone, so that accessories find names, each with the category of its notifications.
package enum UsualApps {
    private static let all: [(identifier: String, name: String, category: CategoryID)] = [
        ("com.apple.mobilephone", "Phone", .missedCall),
        ("com.apple.MobileSMS", "Messages", .social), ("com.apple.mobilemail", "Mail", .email),
        ("com.apple.mobilecal", "Calendar", .schedule),
        ("com.apple.reminders", "Reminders", .schedule), ("com.apple.news", "News", .news),
        ("com.apple.Health", "Health", .healthAndFitness), ("com.apple.Maps", "Maps", .location),
    ]

    /// Their names, by identifier.
    package static let names = Dictionary(
        uniqueKeysWithValues: all.map { ($0.identifier, $0.name) })

    /// The category of an app's notifications; that of a text message for any other app.
    package static func category(of app: AppIdentifier) -> CategoryID {
        all.first { $0.identifier == app.description }?.category ?? .social
    }
}
