extension NotificationFeed {
    /// A notification, with everything that could be learned about it.
    public struct Delivery: Hashable, Sendable {
        /// The value of the Notification Source; ``EventID`` tells added, modified and removed apart. For a
        /// completion, it is the value that was delivered before, with the event *modified*.
        public var source: NotificationSourceValue
        /// The place of its announcement among all announcements on the link, counted from 1, which is not
        /// the order of delivery: a later one is greater, and the last one tells the state of the phone. 0 for
        /// a ringing call (``NotificationFeed/Output/announced(_:)``).
        public var announcementNumber: UInt64 = 0
        /// The attributes that arrived; empty for a removed notification.
        public var attributes: [AttributeValue]
        /// The name of the app: empty if the app has none, `nil` if it was not requested or did not arrive.
        public var displayName: AttributeValue?
        /// Why attributes are missing; `nil` if none are.
        public var failure: RequestFailure?
        /// Why the name of the app is missing; `nil` if it is not.
        public var displayNameFailure: RequestFailure?
        /// Whether this completes a notification that was delivered before, without an announcement by the
        /// provider: it has something that was missing then, or a newer text. A program that ignores this
        /// property sees a modification, which is a fair description.
        public var isCompletion = false
        /// Whether the owner chose not to fetch its texts: see ``NotificationFeed/Selection``.
        public var isWithheld = false
        /// Whether the notification existed before the session: the provider says so, or it omits the flag
        /// and the date shows it (S21).
        public var isPreExisting: Bool
        /// The texts that have certainly been cut, by the provider or by our own limit: they end within a
        /// character, or the size of the message shows it (S10, S11). Others may have been cut too.
        public var truncatedTexts: [NotificationAttributeID] = []
        /// Whether an earlier session delivered the same notification; `nil` if that is not remembered.
        public var wasSeen: Bool?
        /// How far the provider's local time, and so the date, is ahead of UTC; `nil` if the owner does not
        /// know.
        public var utcOffset: UTCOffset?

        /// A notification of which only the announcement is known.
        public init(source: NotificationSourceValue) {
            self.source = source
            attributes = []
            isPreExisting = source.eventFlags.contains(.preExisting)
        }

        /// Only what was announced.
        init(of announcement: Announcement) {
            self.init(source: announcement.value)
            announcementNumber = announcement.number
        }

        /// The attribute; `nil` if it did not arrive.
        public subscript(id: NotificationAttributeID) -> AttributeValue? {
            attributes.first { $0.id == id.rawValue }
        }

        /// The same with texts that have no characters that change the direction of text: see
        /// `UTF8Text.withoutDirections(_:)`.
        public var withoutDirections: Self {
            var delivery = self
            delivery.attributes = attributes.map { value in
                AttributeValue(id: value.id, octets: UTF8Text.withoutDirections(value.octets))
            }
            return delivery
        }

        /// The texts that are certainly incomplete.
        var cutTexts: [NotificationAttributeID] {
            [NotificationAttributeID.title, .subtitle, .message].filter { id in
                guard let value = self[id] else { return false }
                if value.isCut || UTF8Text.endsWithinCharacter(value.octets) { return true }
                // Whatever unit the size has, a text has at least as many octets (S11).
                guard id == .message, let size = self[.messageSize]?.number else { return false }
                return size > value.octets.count
            }
        }

        /// The same with the attributes of another answer.
        func with(_ response: AttributeResponse) -> Self {
            var delivery = self
            delivery.attributes = response.attributes
            delivery.failure = nil
            delivery.truncatedTexts = delivery.cutTexts
            return delivery
        }

        /// Takes over the fetched content.
        mutating func takeContent(of other: Self) {
            attributes = other.attributes
            displayName = other.displayName
            displayNameFailure = other.displayNameFailure
            isWithheld = other.isWithheld
            truncatedTexts = other.truncatedTexts
        }

        /// The app, if it is known and a command can hold its identifier.
        var app: AppIdentifier? {
            guard let octets = self[.appIdentifier]?.octets else { return nil }
            do throws(ControlPointCommand.UsageError) {
                return try AppIdentifier(octets: octets)
            } catch { return nil }
        }

        /// Takes over the outcome of the request for the app's name.
        mutating func take(displayName outcome: RequestOutcome) {
            switch outcome {
            case .answered(let response):
                displayName = response[AppAttributeID.displayName]
                displayNameFailure = nil
            case .performed: break
            case .failed(let failure, _): displayNameFailure = failure
            }
        }
    }

    /// What to do with notifications that existed before the session (R53).
    public enum PreExistingPolicy: Hashable, Sendable {
        /// Deliver them like others, marked with ``Delivery/isPreExisting``.
        case all
        /// Deliver only their announcements, without a fetch (R55).
        case headers
        /// Leave them out if the provider marks them as such. The date alone is too weak a sign to lose a
        /// notification for (S12).
        case none

        /// ``all``, as version 0.1 called it.
        @available(*, deprecated, renamed: "all")
        public static var deliver: Self { .all }
        /// ``headers``, as version 0.1 called it.
        @available(*, deprecated, renamed: "headers")
        public static var headersOnly: Self { .headers }
        /// ``none``, as version 0.1 called it.
        @available(*, deprecated, renamed: "none")
        public static var ignore: Self { .none }
    }
}
