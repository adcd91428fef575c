/// The category of a notification, as far as the Notification Provider knows it (R15, R16). Values without a
/// name here are kept.
@frozen public struct CategoryID: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8

    /// The category with this value on the wire.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `CategoryIDOther`
    public static let other = CategoryID(rawValue: 0)
    /// `CategoryIDIncomingCall`
    public static let incomingCall = CategoryID(rawValue: 1)
    /// `CategoryIDMissedCall`
    public static let missedCall = CategoryID(rawValue: 2)
    /// `CategoryIDVoicemail`
    public static let voicemail = CategoryID(rawValue: 3)
    /// `CategoryIDSocial`
    public static let social = CategoryID(rawValue: 4)
    /// `CategoryIDSchedule`
    public static let schedule = CategoryID(rawValue: 5)
    /// `CategoryIDEmail`
    public static let email = CategoryID(rawValue: 6)
    /// `CategoryIDNews`
    public static let news = CategoryID(rawValue: 7)
    /// `CategoryIDHealthAndFitness`
    public static let healthAndFitness = CategoryID(rawValue: 8)
    /// `CategoryIDBusinessAndFinance`
    public static let businessAndFinance = CategoryID(rawValue: 9)
    /// `CategoryIDLocation`
    public static let location = CategoryID(rawValue: 10)
    /// `CategoryIDEntertainment`
    public static let entertainment = CategoryID(rawValue: 11)
    /// Reserved by the specification; observed on iOS 13 and later for a call in progress (S15).
    public static let activeCall = CategoryID(rawValue: 12)
}

extension CategoryID: CustomStringConvertible {
    /// The name, the observed name, or `reserved13` and so on.
    public var description: String {
        switch rawValue {
        case 0: "other"
        case 1: "incomingCall"
        case 2: "missedCall"
        case 3: "voicemail"
        case 4: "social"
        case 5: "schedule"
        case 6: "email"
        case 7: "news"
        case 8: "healthAndFitness"
        case 9: "businessAndFinance"
        case 10: "location"
        case 11: "entertainment"
        case 12: "activeCall"
        default: "reserved\(rawValue)"
        }
    }
}
