/// How to scan. Core Vol 3, Part C, 9.2.6.
public struct ScanParameters: Equatable, Sendable {
    /// Whether to request scan responses; otherwise nothing is sent.
    public var isActive: Bool
    /// The interval between the starts of two scan windows; at most 0xFFFF units.
    public var interval: AdvertisingInterval
    /// The length of a scan window; at most the interval.
    public var window: AdvertisingInterval
    /// Whether a known device is reported again only if its data have changed.
    public var filtersDuplicates: Bool

    /// Scan parameters; by default active scanning for 30 ms of every 60 ms, which leaves time for
    /// advertising and links, without duplicates. Core Vol 3, Part C, Appendix A recommends 30 ms to 60 ms
    /// and 30 ms while a user is waiting.
    public init(
        isActive: Bool = true, interval: AdvertisingInterval = .milliseconds(60),
        window: AdvertisingInterval = .milliseconds(30), filtersDuplicates: Bool = true
    ) {
        self.isActive = isActive
        self.interval = interval
        self.window = window
        self.filtersDuplicates = filtersDuplicates
    }
}
