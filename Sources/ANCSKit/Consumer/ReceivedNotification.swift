public import ANCS

/// A notification of a phone, as a ``NotificationConsumer`` received it, with what was fetched of it.
///
/// All texts came over the air and are untrusted. A text is empty where the phone left it empty, and where
/// it was not fetched: ``failure`` says why it could not be, and ``subscript(_:)`` tells the two apart.
public struct ReceivedNotification: Hashable, Sendable {
    /// The app that shows a notification.
    public struct App: Hashable, Sendable, CustomStringConvertible {
        /// What names the app, such as `com.apple.MobileSMS`; empty where it was not fetched.
        public var identifier: String
        /// What the user calls it; `nil` where it was not fetched or the phone does not tell.
        public var displayName: String?

        /// The name, or the identifier where there is no name.
        public var description: String {
            guard let displayName, !displayName.isEmpty else { return identifier }
            return displayName
        }
    }

    /// What can be done with a notification: see ``NotificationConsumer/perform(_:on:)``.
    public struct Actions: Hashable, Sendable {
        /// What the phone calls the positive action, or an empty text; `nil` where there is none.
        public var positive: String?
        /// What the phone calls the negative action, or an empty text; `nil` where there is none.
        public var negative: String?
    }

    /// The session that it belongs to, in which its UID means something.
    public let session: SessionID
    /// What the session said.
    package var delivery: NotificationFeed.Delivery

    package init(_ delivery: NotificationFeed.Delivery, session: SessionID) {
        self.delivery = delivery
        self.session = session
    }

    // MARK: What was announced

    /// The phone.
    public var provider: ProviderID { session.provider }
    /// Whether it was added, modified or removed.
    public var event: EventID { delivery.source.eventID }
    /// What names it in its session.
    public var uid: NotificationUID { delivery.source.notificationUID }
    /// Its kind.
    public var category: CategoryID { delivery.source.categoryID }
    /// How many notifications of its kind the phone shows, this one included (R17).
    public var categoryCount: Int { Int(delivery.source.categoryCount) }
    /// Its flags, as the phone sent them.
    public var flags: EventFlags { delivery.source.eventFlags }
    /// Whether it came without a sound.
    public var isSilent: Bool { flags.contains(.silent) }
    /// Whether a more intrusive presentation may be justified (R20).
    public var isImportant: Bool { flags.contains(.important) }
    /// Whether it was there before the session: the phone said so, or it forgot to and the date says so
    /// (S21).
    public var isPreExisting: Bool { delivery.isPreExisting }
    /// Whether an earlier session delivered the same; `nil` without ``ConsumerConfiguration/memory``.
    public var wasSeen: Bool? { delivery.wasSeen }
    /// Whether the phone announced nothing: this was delivered before, and lacked something that is here
    /// now, or had a text that was old. Otherwise it is like one that was modified.
    public var isCompletion: Bool { delivery.isCompletion }
    /// Whether ``ConsumerConfiguration/selection`` left its texts on the phone.
    public var isWithheld: Bool { delivery.isWithheld }

    // MARK: What was fetched

    /// The app that shows it.
    public var app: App {
        App(identifier: text(.appIdentifier), displayName: delivery.displayName?.text)
    }
    /// The title.
    public var title: String { text(.title) }
    /// The subtitle.
    public var subtitle: String { text(.subtitle) }
    /// The message.
    public var message: String { text(.message) }
    /// When it came, in the local time of the phone (S12); `nil` where that is not known.
    public var date: NotificationDate? { delivery[.date]?.date }
    /// What can be done with it.
    public var actions: Actions {
        Actions(
            positive: flags.contains(.positiveAction) ? text(.positiveActionLabel) : nil,
            negative: flags.contains(.negativeAction) ? text(.negativeActionLabel) : nil)
    }
    /// Which of the texts are certainly not whole: they end within a character, or the size of the message
    /// says so (S10, S11). Others may have been cut too.
    public var truncatedTexts: [NotificationAttributeID] { delivery.truncatedTexts }
    /// The attributes that came, in the phone's order; none of one that was removed.
    public var attributes: [AttributeValue] { delivery.attributes }
    /// The attribute as it came; `nil` where it did not.
    public subscript(id: NotificationAttributeID) -> AttributeValue? { delivery[id] }
    /// Why attributes are missing; `nil` where none is.
    public var failure: RequestError? { delivery.failure.map { RequestError(failure: $0) } }
    /// Why the name of the app is missing; `nil` where it is not.
    public var displayNameFailure: RequestError? {
        delivery.displayNameFailure.map { RequestError(failure: $0) }
    }

    private func text(_ id: NotificationAttributeID) -> String { delivery[id]?.text ?? "" }
}
