extension NotificationFeed {
    /// A notification, with what could be learnt about it.
    public struct Delivery: Hashable, Sendable {
        /// What the Notification Source said; ``EventID`` tells added, modified and removed apart. Of a
        /// completion it is what was said then, as a modification.
        public var source: NotificationSourceValue
        /// The attributes that came; empty for a removed notification.
        public var attributes: [AttributeValue]
        /// The name of the app; empty if the app has none, `nil` if it was not asked for or not had.
        public var displayName: AttributeValue?
        /// Why attributes are missing.
        public var failure: RequestFailure?
        /// Why the name of the app is missing.
        public var displayNameFailure: RequestFailure?
        /// Whether the provider announced nothing: this is a notification that was delivered before,
        /// and lacked something then that is here now, or had a text that was old. Who does not look
        /// at this takes it for a modification, which is as good.
        public var isCompletion = false
        /// Whether the owner chose not to have its texts fetched: ``NotificationFeed/Selection``.
        public var isWithheld = false
        /// Whether the notification was there before the session: the provider said so, or it forgot
        /// to and the date says so (S21).
        public var isPreExisting: Bool
        /// Which of the texts the provider, or our own limit, has certainly cut: they end within a
        /// character, or the size of the message says so (S10, S11). Others may have been cut too.
        public var truncatedTexts: [NotificationAttributeID] = []
        /// Whether an earlier session delivered the same; `nil` where nobody remembers.
        public var wasSeen: Bool?

        /// A notification of which nothing is known but its announcement.
        public init(source: NotificationSourceValue) {
            self.source = source
            attributes = []
            isPreExisting = source.eventFlags.contains(.preExisting)
        }

        /// The attribute, if it came.
        public subscript(id: NotificationAttributeID) -> AttributeValue? {
            attributes.first { $0.id == id.rawValue }
        }

        /// The texts without the characters that turn their direction:
        /// ``UTF8Text/withoutDirections(_:)``.
        public var withoutDirections: Self {
            var delivery = self
            delivery.attributes = attributes.map { value in
                AttributeValue(id: value.id, octets: UTF8Text.withoutDirections(value.octets))
            }
            return delivery
        }

        /// Which of the texts are certainly not whole.
        var cutTexts: [NotificationAttributeID] {
            [NotificationAttributeID.title, .subtitle, .message].filter { id in
                guard let value = self[id] else { return false }
                if value.isCut || UTF8Text.endsWithinCharacter(value.octets) { return true }
                // Whatever the unit of the size is, a text has at least as many octets (S11).
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

        /// Takes over what was fetched.
        mutating func takeContent(of other: Self) {
            attributes = other.attributes
            displayName = other.displayName
            displayNameFailure = other.displayNameFailure
            isWithheld = other.isWithheld
            truncatedTexts = other.truncatedTexts
        }

        /// The app, if it is known and a command can name it.
        var app: AppIdentifier? {
            guard let octets = self[.appIdentifier]?.octets else { return nil }
            do throws(ControlPointCommand.UsageError) {
                return try AppIdentifier(octets: octets)
            } catch { return nil }
        }

        /// Takes over how the request for the name of the app ended.
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

    /// What becomes of notifications that were there before the session (R53).
    public enum PreExistingPolicy: Hashable, Sendable {
        /// They are delivered like others, and say what they are.
        case deliver
        /// They are delivered as they were announced, without a fetch (R55).
        case headersOnly
        /// They are left out, where the provider says what they are. What the date alone says is too
        /// little to lose a notification for (S12).
        case ignore
    }
}
