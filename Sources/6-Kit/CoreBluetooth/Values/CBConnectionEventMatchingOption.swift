/// Which peripherals are meant by `registerForConnectionEvents(options:)`.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Sendable {
    /// The name of the option.
    public let rawValue: String
    /// An option with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Those with one of these services: an array of `CBUUID`.
    public static let serviceUUIDs = Self(rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
    /// Those with one of these identifiers: an array of `UUID`.
    public static let peripheralUUIDs =
        Self(rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
}
