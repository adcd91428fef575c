package import ANCSKit

extension NotificationContent {
    /// A new notification. Anything that is not specified is as in a text message, but for the category,
    /// which is that of the app, and the negative action, which is *Clear*, as an iPhone offers it.
    package func notification() throws(ControlPointCommand.UsageError) -> ProviderNotification {
        let app = try AppIdentifier(app ?? Self.usualApp)
        var notification = ProviderNotification(
            appIdentifier: app, categoryID: UsualApps.category(of: app), date: .now,
            negativeActionLabel: "Clear")
        apply(to: &notification)
        return notification
    }

    /// Applies the changes.
    package func apply(to notification: inout ProviderNotification) {
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
    package var call: IncomingCall {
        IncomingCall(caller: title ?? Self.usualCaller, line: subtitle ?? "")
    }

    static let usualApp = "com.apple.MobileSMS"
    static let usualCaller = "Ada Lovelace"
}
