/// A connection interval in units of 1.25 ms. Core Vol 4, Part E, 7.8.12: 6 (7.5 ms) to 3200 (4 s).
public struct ConnectionInterval: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number of 1.25 ms units.
    public var rawValue: UInt16
    /// A number of 1.25 ms units.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The interval as a `Duration`.
    public var duration: Duration { .microseconds(Int64(rawValue) * 1250) }

    /// Whether `left` is shorter.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A supervision timeout in units of 10 ms. Core Vol 4, Part E, 7.8.12: 10 (100 ms) to 3200 (32 s).
public struct SupervisionTimeout: RawRepresentable, Hashable, Sendable {
    /// The number of 10 ms units.
    public var rawValue: UInt16
    /// A number of 10 ms units.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The timeout as a `Duration`.
    public var duration: Duration { .milliseconds(Int64(rawValue) * 10) }
}

/// An interval or window of advertising or scanning in units of 0.625 ms. Core Vol 4, Part E, 7.8.5:
/// advertising with legacy commands takes 0x0020 (20 ms) to 0x4000 (10.24 s).
public struct AdvertisingInterval: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number of 0.625 ms units; 24 bits in extended commands, 16 in legacy ones.
    public var rawValue: UInt32
    /// A number of 0.625 ms units.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The shortest interval of legacy advertising: 20 ms.
    public static let minimum = AdvertisingInterval(rawValue: 0x0020)
    /// The longest interval of legacy advertising: 10.24 s.
    public static let maximum = AdvertisingInterval(rawValue: 0x4000)

    /// An interval in whole units, clamped to the limits of legacy advertising.
    public static func milliseconds(_ milliseconds: UInt32) -> Self {
        let units = min(milliseconds, 10_240) * 8 / 5
        return min(max(Self(rawValue: units), .minimum), .maximum)
    }

    /// The interval as a `Duration`.
    public var duration: Duration { .microseconds(Int64(rawValue) * 625) }

    /// Whether `left` is shorter.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
