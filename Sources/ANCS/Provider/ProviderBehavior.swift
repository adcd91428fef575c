/// How a Notification Provider behaves where the specification leaves it open, or where real ones go
/// wrong: every lasting knob. The default is what iOS is known or said to do; each member says which
/// rule (R…) or silence (S…) of ANCS it is about. See ``AnswerFault`` for what goes wrong once.
public struct ProviderBehavior: Hashable, Sendable {
    // MARK: The service

    /// Whether accessories see ANCS only once the link is encrypted, as on iOS (S2): one that looks for
    /// it before has to look again. Without it they find out by what they are refused (R7). It is about
    /// the phone, and not about one accessory.
    public var hidesServiceUntilEncrypted = false

    // MARK: Announcements

    /// Which notifications that exist when announcing begins are announced (R53, S21).
    public var announcedExisting = ExistingNotifications.all
    /// Further flags of those; without ``EventFlags/preExisting`` they look new, as iOS 8 made mail
    /// look (S21). iOS 26 is also seen to add ``EventFlags/silent``.
    public var existingFlags: EventFlags = .preExisting
    /// Flags that every announcement has, such as ``EventFlags/observedBit5`` (S14).
    public var additionalFlags: EventFlags = []
    /// The category that every announcement shows, such as ``CategoryID/activeCall`` (S15); `nil` for
    /// its own.
    public var categoryOverride: CategoryID?
    /// Whether announcements go out although the user has not consented and commands are refused (S1).
    public var announcesWithoutConsent = false
    /// The identifier of the first notification of a session (S18).
    public var firstUID = NotificationUID(rawValue: 0)
    /// Whether the next session over the same link starts at ``firstUID`` again, as iOS does (S18),
    /// or counts on.
    public var restartsUIDs = true

    // MARK: Answers

    /// What becomes of a text that is longer than the maximum asked for (S10).
    public var truncation = Truncation.characters
    /// What *Message Size* counts (S11).
    public var messageSizeUnit = MessageSizeUnit.octets
    /// Which notifications have a date (S12).
    public var dates = Dates.all
    /// In which order an answer has its attributes (S5).
    public var attributeOrder = AttributeOrder.asRequested
    /// What becomes of a request for a reserved attribute (S7).
    public var reservedAttribute = ReservedAttribute.emptyValue
    /// What becomes of a request for a text of at most 0 octets (S9). It is well-formed, so the
    /// default is a text of 0 octets.
    public var zeroMaximum = DegenerateRequest.answered
    /// What becomes of a command that asks for no attribute of something that exists (S8). The answer
    /// to it has every attribute asked for (R32), so the default is a header without attributes.
    public var noAttributes = DegenerateRequest.answered
    /// What becomes of a request for attributes of an app that is not installed (S23).
    public var unknownApp = UnknownApp.headerOnly

    // MARK: Actions

    /// The error for an ActionID that the specification does not know: a parameter that refers to
    /// nothing (R59, S29).
    public var reservedAction = ControlPointError.invalidParameter
    /// The error for an action that the notification does not have: it was not performed (R60, S29).
    public var absentAction = ControlPointError.actionFailed

    // MARK: Sending

    /// Where an answer is cut into values of the Data Source (R30, S6).
    public var fragmentSizes = FragmentSizes.full
    /// Whether an answer that waits already begins in the last value of the one before it (S4).
    public var joinsAnswers = false
    /// Whether and how the Control Point answers at all (S26, S27).
    public var responsiveness = Responsiveness.normal
    /// The error for every command as long as the user has not consented (R7, S1).
    public var missingConsent = ControlPointError.writeNotPermitted

    /// What iOS does.
    public init() {}
}

extension ProviderBehavior {
    /// Which notifications that exist already are announced: "best effort" (R53).
    public enum ExistingNotifications: Hashable, Sendable {
        /// All of them.
        case all
        /// So many of those that were posted last.
        case newest(Int)
        /// None of them; they are never announced in this session.
        case none
    }

    /// What becomes of a text that is too long (S10).
    public enum Truncation: Hashable, Sendable {
        /// As many whole characters (Unicode scalars) as fit.
        case characters
        /// Exactly the maximum, wherever that cuts, as iOS 7 and 8 did.
        case octets
        /// As many whole characters as fit, and then U+2026 beyond the maximum, as iOS 9 did.
        case ellipsisBeyond
    }

    /// What *Message Size* counts (S11).
    public enum MessageSizeUnit: Hashable, Sendable {
        /// Octets of UTF-8, as iOS 26 does.
        case octets
        /// Unicode scalars.
        case scalars
        /// Units of UTF-16, as iOS 8 seems to.
        case utf16
    }

    /// Which notifications have a date (S12).
    public enum Dates: Hashable, Sendable {
        /// All that have one.
        case all
        /// All but ringing calls, as on iOS up to 9.
        case allButIncomingCalls
        /// None.
        case none
    }

    /// In which order an answer has its attributes (S5).
    public enum AttributeOrder: Hashable, Sendable {
        /// As the command asks for them.
        case asRequested
        /// By identifier.
        case ascending
        /// The other way round.
        case reversed
        /// In an order that follows from a seed and changes with every answer.
        case shuffled(seed: UInt64)
    }

    /// What becomes of a request for a reserved attribute (S7).
    public enum ReservedAttribute: Hashable, Sendable {
        /// An attribute of length 0, as for a missing one (R29).
        case emptyValue
        /// Nothing in the answer, which is then never complete.
        case omitted
        /// An error for the whole command.
        case refused(ControlPointError)
    }

    /// What becomes of a request that is well-formed and asks for nothing.
    public enum DegenerateRequest: Hashable, Sendable {
        /// An answer with as little as was asked for.
        case answered
        /// An error for the whole command.
        case refused(ControlPointError)
    }

    /// What becomes of a request for attributes of an app that is not installed (S23).
    public enum UnknownApp: Hashable, Sendable {
        /// An answer without attributes, as seen of iOS.
        case headerOnly
        /// An answer whose attributes have length 0.
        case emptyValues
        /// An error, such as ``ControlPointError/invalidParameter`` (R59).
        case refused(ControlPointError)
    }

    /// Whether and how the Control Point answers.
    public enum Responsiveness: Hashable, Sendable {
        /// Writes and commands are answered.
        case normal
        /// Writes are answered, and nothing follows.
        case responsesOnly
        /// Not even writes are answered.
        case none
    }
}
