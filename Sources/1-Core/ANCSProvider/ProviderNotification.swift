public import ANCS

/// A notification as the Notification Provider has it: everything that an accessory can learn about it,
/// before a behavior or a maximum length changes that.
public struct ProviderNotification: Hashable, Sendable {
    /// The app that posted it.
    public var appIdentifier: AppIdentifier
    /// The category.
    public var categoryID: CategoryID
    /// Whether it was delivered without a sound.
    public var isSilent = false
    /// Whether a more intrusive presentation is justified (R20).
    public var isImportant = false
    /// Additional flags to announce it with, such as `EventFlags.observedBit5` (S14).
    public var additionalFlags = EventFlags()
    /// The title, UTF-8.
    public var title: [UInt8]
    /// The subtitle, UTF-8.
    public var subtitle: [UInt8]
    /// The message, UTF-8.
    public var message: [UInt8]
    /// The date in the local time of the Notification Provider; `nil` for none (S12).
    public var date: NotificationDate?
    /// The label of the positive action, UTF-8; `nil` if there is no such action (R43).
    public var positiveActionLabel: [UInt8]?
    /// The label of the negative action, UTF-8; `nil` if there is no such action (R43).
    public var negativeActionLabel: [UInt8]?

    /// A notification with these texts. A label means that there is such an action.
    public init(
        appIdentifier: AppIdentifier, categoryID: CategoryID = .other, title: String = "",
        subtitle: String = "", message: String = "", date: NotificationDate? = nil,
        positiveActionLabel: String? = nil, negativeActionLabel: String? = nil
    ) {
        self.appIdentifier = appIdentifier
        self.categoryID = categoryID
        self.title = Array(title.utf8)
        self.subtitle = Array(subtitle.utf8)
        self.message = Array(message.utf8)
        self.date = date
        self.positiveActionLabel = positiveActionLabel.map { Array($0.utf8) }
        self.negativeActionLabel = negativeActionLabel.map { Array($0.utf8) }
    }

    /// The flags of its announcements, without those that depend on the session (R14).
    public var eventFlags: EventFlags {
        var flags = additionalFlags
        if isSilent { flags.insert(.silent) }
        if isImportant { flags.insert(.important) }
        if positiveActionLabel != nil { flags.insert(.positiveAction) }
        if negativeActionLabel != nil { flags.insert(.negativeAction) }
        return flags
    }

    /// The label of an action; `nil` if there is no such action.
    public func label(of action: ActionID) -> [UInt8]? {
        switch action {
        case .positive: positiveActionLabel
        case .negative: negativeActionLabel
        case _: nil
        }
    }
}
