internal import ANCS
internal import ANCSKit

extension Scenario {
    /// The names of the phone's apps, by identifier: the usual ones; those that notifications mention, named
    /// after the last part of their identifiers; and those that the file lists, which may also declare an app
    /// as not installed.
    var installedApps: [String: String] {
        var apps = Self.usualApps
        let named =
            notifications.compactMap(\.content.app)
            + steps.compactMap { $0.verb.deed?.notificationApp }
        for identifier in named where apps[identifier] == nil {
            apps[identifier] = identifier.split(separator: ".").last.map(String.init) ?? identifier
        }
        for app in self.apps { apps[app.identifier] = app.displayName }
        return apps
    }

    private static let usualApps = [
        "com.apple.MobileSMS": "Messages", "com.apple.mobilephone": "Phone",
        "com.apple.mobilemail": "Mail", "com.apple.mobilecal": "Calendar",
    ]
}

extension NotificationContent {
    /// A new notification. Anything that the scenario does not specify is as in a text message.
    func notification() throws(ControlPointCommand.UsageError) -> ProviderNotification {
        var notification = ProviderNotification(
            appIdentifier: try AppIdentifier("com.apple.MobileSMS"), categoryID: .social,
            date: .now)
        apply(to: &notification)
        return notification
    }

    /// Applies the changes of the scenario.
    func apply(to notification: inout ProviderNotification) {
        if let identifier = app.flatMap({ try? AppIdentifier($0) }) {
            notification.appIdentifier = identifier
        }
        category.map { notification.categoryID = $0 }
        title.map { notification.title = Array($0.utf8) }
        subtitle.map { notification.subtitle = Array($0.utf8) }
        message.map { notification.message = Array($0.utf8) }
        switch date {
        case nil: break
        case .now?: notification.date = .now
        case NotificationContent.DateChoice.none?: notification.date = nil
        case .at(let date)?: notification.date = date
        }
        positive.map { notification.positiveActionLabel = $0.isEmpty ? nil : Array($0.utf8) }
        negative.map { notification.negativeActionLabel = $0.isEmpty ? nil : Array($0.utf8) }
        isSilent.map { notification.isSilent = $0 }
        isImportant.map { notification.isImportant = $0 }
    }

    /// An incoming call.
    var call: IncomingCall {
        IncomingCall(caller: title ?? Self.usualCaller, line: subtitle ?? "")
    }

    static let usualCaller = "Ada Lovelace"
}
