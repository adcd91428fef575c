public import ANCS

/// A notification of a phone, received by a ``NotificationConsumer``, with what was fetched of it.
///
/// All texts come from the phone and are untrusted. A text is empty if it is empty on the phone or was not
/// fetched: ``subscript(_:)`` tells the two apart, and ``failure`` says why a fetch failed.
public struct ReceivedNotification: Equatable, Sendable {
    /// The app that posted a notification.
    public struct App: Equatable, Sendable, CustomStringConvertible {
        /// The identifier, such as `com.apple.MobileSMS`; empty if it was not fetched.
        public var identifier: String
        /// The name; `nil` if it was not fetched or the phone did not answer.
        public var displayName: String?

        /// The name or, without one, the identifier.
        public var description: String {
            guard let displayName, !displayName.isEmpty else { return identifier }
            return displayName
        }
    }

    /// The actions of a notification: see ``NotificationConsumer/perform(_:on:)``.
    public struct Actions: Equatable, Sendable {
        /// The label of the positive action, empty if the phone gave none; `nil` without such an action.
        public var positive: String?
        /// The label of the negative action, empty if the phone gave none; `nil` without such an action.
        public var negative: String?
    }

    /// The session in which it was received, and in which its UID is valid.
    public let session: SessionID
    /// The delivery of the session's feed.
    package var delivery: NotificationFeed.Delivery

    package init(_ delivery: NotificationFeed.Delivery, session: SessionID) {
        self.delivery = delivery
        self.session = session
    }

    // MARK: What was announced

    /// The phone.
    public var provider: PhoneID { session.provider }
    /// Whether it was added, modified or removed.
    public var event: EventID { delivery.source.eventID }
    /// Its identifier within the session.
    public var uid: NotificationUID { delivery.source.notificationUID }
    /// Its category.
    public var category: CategoryID { delivery.source.categoryID }
    /// How many notifications of its category the phone shows, including this one (R17).
    public var categoryCount: Int { Int(delivery.source.categoryCount) }
    /// Its flags, as received.
    public var flags: EventFlags { delivery.source.eventFlags }
    /// Whether it was delivered without a sound.
    public var isSilent: Bool { flags.contains(.silent) }
    /// Whether a more intrusive presentation is justified (R20).
    public var isImportant: Bool { flags.contains(.important) }
    /// Whether it existed before the session: the phone says so, or it omits the flag and the date shows it
    /// (S21).
    public var isPreExisting: Bool { delivery.isPreExisting }
    /// Whether an earlier session delivered it; `nil` without ``ConsumerConfiguration/memory``.
    public var wasSeen: Bool? { delivery.wasSeen }
    /// Whether this completes a notification that was delivered before, without an announcement by the phone:
    /// it has something that was missing then, or a newer text. Otherwise it is like a modified one.
    public var isCompletion: Bool { delivery.isCompletion }
    /// Whether ``ConsumerConfiguration/selection`` chose not to fetch its texts.
    public var isWithheld: Bool { delivery.isWithheld }

    // MARK: What was fetched

    /// The app that posted it.
    public var app: App {
        App(identifier: text(.appIdentifier), displayName: delivery.displayName?.text)
    }
    /// The title.
    public var title: String { text(.title) }
    /// The subtitle.
    public var subtitle: String { text(.subtitle) }
    /// The message.
    public var message: String { text(.message) }
    /// When it was posted, in the phone's local time (S12); `nil` if unknown.
    public var date: NotificationDate? { delivery[.date]?.date }
    /// How far the time zone of ``date`` is ahead of UTC. `nil` if the phone did not say
    /// it, or not yet: its clock is read after the first notification.
    public var utcOffset: UTCOffset? { delivery.utcOffset }
    /// Its actions.
    public var actions: Actions {
        Actions(
            positive: flags.contains(.positiveAction) ? text(.positiveActionLabel) : nil,
            negative: flags.contains(.negativeAction) ? text(.negativeActionLabel) : nil)
    }
    /// The texts that have certainly been cut: they end within a character, or the size of the message shows
    /// it (S10, S11). Others may have been cut too.
    public var truncatedTexts: [NotificationAttributeID] { delivery.truncatedTexts }
    /// The attributes that arrived, in the phone's order; empty for a removed notification.
    public var attributes: [AttributeValue] { delivery.attributes }
    /// The attribute as received; `nil` if it did not arrive.
    public subscript(id: NotificationAttributeID) -> AttributeValue? { delivery[id] }
    /// Why attributes are missing; `nil` if none are.
    public var failure: RequestError? { delivery.failure.map { RequestError(failure: $0) } }
    /// Why the name of the app is missing; `nil` if it is not.
    public var displayNameFailure: RequestError? {
        delivery.displayNameFailure.map { RequestError(failure: $0) }
    }

    private func text(_ id: NotificationAttributeID) -> String { delivery[id]?.text ?? "" }
}
