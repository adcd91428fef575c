/// The flags of a notification (R14). Reserved bits are kept (S14).
@frozen public struct EventFlags: OptionSet, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8

    /// The flags of an octet.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `EventFlagSilent`
    public static let silent = EventFlags(rawValue: 1 << 0)
    /// `EventFlagImportant`
    public static let important = EventFlags(rawValue: 1 << 1)
    /// `EventFlagPreExisting`: the notification existed before the session started.
    public static let preExisting = EventFlags(rawValue: 1 << 2)
    /// `EventFlagPositiveAction`: a positive action can be performed.
    public static let positiveAction = EventFlags(rawValue: 1 << 3)
    /// `EventFlagNegativeAction`: a negative action can be performed.
    public static let negativeAction = EventFlags(rawValue: 1 << 4)
    /// Reserved by the specification; observed on iOS 9 and iOS 26, meaning unknown (S14).
    public static let observedBit5 = EventFlags(rawValue: 1 << 5)

    /// The names of the flags that are set, from bit 0 on; reserved bits are called `reserved5` to
    /// `reserved7`.
    public var names: [String] {
        let known = ["silent", "important", "preExisting", "positiveAction", "negativeAction"]
        var names: [String] = []
        names.reserveCapacity(rawValue.nonzeroBitCount)
        for bit in 0..<8 where rawValue & (1 << UInt8(bit)) != 0 {
            names.append(bit < known.count ? known[bit] : "reserved\(bit)")
        }
        return names
    }
}
