public import ANCS

/// How a Notification Provider behaves where the specification leaves room, or where real ones deviate from
/// it. The default is what iOS is known or reported to do; each member cites its requirement (R…, S…). For
/// faults in single answers, see ``AnswerFault``.
public struct ProviderBehavior: Hashable, Sendable {
    // MARK: The service

    /// Whether accessories see ANCS only once the link is encrypted, as on iOS (S2); an accessory that looked
    /// for it earlier has to look again. Otherwise they learn from a refusal that they need encryption (R7).
    /// This is a property of the phone, the same for every accessory.
    public var hidesServiceUntilEncrypted = false

    // MARK: The link

    /// Which of Apple's numbers a request for connection parameters has to keep (L1 to L7). Apple's word is that
    /// others *may be rejected*. This is a property of the phone, the same for every accessory.
    public var link = LinkNumbers.apple
    /// The largest ATT_MTU of later links, at most what the phone is configured for; `nil` for that. This is a
    /// property of the phone, the same for every accessory.
    public var maximumMTU: Int?

    // MARK: Announcements

    /// Which existing notifications are announced when announcing begins (R53, S21).
    public var announcedExisting = ExistingNotifications.all
    /// Additional flags of existing notifications. Without `EventFlags.preExisting` they look new, as mail
    /// did on iOS 8 (S21). iOS 26 has been seen to add `EventFlags.silent`.
    public var existingFlags: EventFlags = .preExisting
    /// Additional flags of every announcement, such as `EventFlags.observedBit5` (S14).
    public var additionalFlags: EventFlags = []
    /// The category of every announcement, such as `CategoryID.activeCall` (S15); `nil` for the
    /// notification's own.
    public var categoryOverride: CategoryID?
    /// Whether notifications are announced although the user has not consented and commands are refused (S1).
    public var announcesWithoutConsent = false
    /// The identifier of the first notification of a session (S18).
    public var firstUID = NotificationUID(rawValue: 0)
    /// Whether the next session on the same link starts at ``firstUID`` again, as on iOS (S18), or continues
    /// the count.
    public var restartsUIDs = true

    // MARK: Answers

    /// How a text is cut that is longer than the requested maximum (S10).
    public var truncation = Truncation.characters
    /// The unit of *Message Size* (S11).
    public var messageSizeUnit = MessageSizeUnit.octets
    /// Which notifications have a date (S12).
    public var dates = Dates.all
    /// The order of the attributes in an answer (S5).
    public var attributeOrder = AttributeOrder.asRequested
    /// The answer to a request for a reserved attribute (S7).
    public var reservedAttribute = ReservedAttribute.emptyValue
    /// The answer to a request for a text of at most 0 octets (S9). The request is well-formed, so by default
    /// the text has 0 octets.
    public var zeroMaximum = DegenerateRequest.answered
    /// The answer to a command that asks for no attribute of something that exists (S8). An answer is
    /// complete once it has every requested attribute (R32), so by default it is a header without attributes.
    public var noAttributes = DegenerateRequest.answered
    /// The answer to a request for attributes of an app that is not installed (S23).
    public var unknownApp = UnknownApp.headerOnly

    // MARK: Actions

    /// The error for an unknown ActionID: the parameter refers to nothing (R59, S29).
    public var reservedAction = ControlPointError.invalidParameter
    /// The error for an action that the notification does not have: it was not performed (R60, S29).
    public var absentAction = ControlPointError.actionFailed

    // MARK: Sending

    /// How an answer is cut into values of the Data Source (R30, S6).
    public var fragmentSizes = FragmentSizes.full
    /// Whether the next answer, if it is ready, begins in the last value of the one before (S4).
    public var joinsAnswers = false
    /// Whether and how the Control Point responds (S26, S27).
    public var responsiveness = Responsiveness.normal
    /// The error for every command while the user has not consented (R7, S1).
    public var missingConsent = ControlPointError.writeNotPermitted

    /// The behavior of iOS.
    public init() {}
}

extension ProviderBehavior {
    /// Which of Apple's numbers for connection parameters a phone insists on.
    public enum LinkNumbers: String, CaseIterable, Hashable, Sendable {
        /// It refuses what the editions of 2022 and of 2025 both forbid.
        case apple = "apple"
        /// It refuses what that of 2022 forbids.
        case apple2022 = "apple-2022"
        /// It refuses what that of 2025 forbids.
        case apple2025 = "apple-2025"
        /// It accepts everything that is valid (Core Vol 4, Part E, 7.8.18).
        case lenient = "lenient"
    }

    /// Which existing notifications are announced: the specification asks for "best effort" (R53).
    public enum ExistingNotifications: Hashable, Sendable {
        /// All of them.
        case all
        /// This many, the newest ones.
        case newest(Int)
        /// None; they are not announced later in the session either.
        case none
    }

    /// How a text that is too long is cut (S10).
    public enum Truncation: Hashable, Sendable {
        /// As many whole characters (Unicode scalars) as fit.
        case characters
        /// Exactly the maximum, even within a character, as iOS 7 and 8 did.
        case octets
        /// As many whole characters as fit, followed by U+2026 beyond the maximum, as iOS 9 did.
        case ellipsisBeyond
    }

    /// The unit of *Message Size* (S11).
    public enum MessageSizeUnit: Hashable, Sendable {
        /// Octets of UTF-8, as iOS 26 does.
        case octets
        /// Unicode scalars.
        case scalars
        /// Units of UTF-16, as iOS 8 appears to count.
        case utf16
    }

    /// Which notifications have a date (S12).
    public enum Dates: Hashable, Sendable {
        /// All that have one.
        case all
        /// All but ringing calls, as on iOS 9 and earlier.
        case allButIncomingCalls
        /// None.
        case none
    }

    /// The order of the attributes in an answer (S5).
    public enum AttributeOrder: Hashable, Sendable {
        /// The order of the command.
        case asRequested
        /// By attribute identifier, ascending.
        case ascending
        /// The order of the command, reversed.
        case reversed
        /// A random order that depends on the seed and differs from answer to answer.
        case shuffled(seed: UInt64)
    }

    /// The answer to a request for a reserved attribute (S7).
    public enum ReservedAttribute: Hashable, Sendable {
        /// An attribute of length 0, as for a missing one (R29).
        case emptyValue
        /// No such attribute in the answer, which is then never complete.
        case omitted
        /// An error for the whole command.
        case refused(ControlPointError)
    }

    /// The answer to a request that is well-formed and asks for nothing.
    public enum DegenerateRequest: Hashable, Sendable {
        /// An answer with nothing in it.
        case answered
        /// An error for the whole command.
        case refused(ControlPointError)
    }

    /// The answer to a request for attributes of an app that is not installed (S23).
    public enum UnknownApp: Hashable, Sendable {
        /// An answer without attributes, as observed on iOS.
        case headerOnly
        /// An answer whose attributes have length 0.
        case emptyValues
        /// An error, such as `ControlPointError.invalidParameter` (R59).
        case refused(ControlPointError)
    }

    /// Whether and how the Control Point responds.
    public enum Responsiveness: Hashable, Sendable {
        /// Writes get responses, and commands get answers.
        case normal
        /// Writes get responses, but commands get no answers.
        case responsesOnly
        /// Not even writes get responses.
        case none
    }
}
