/// The contents and timing of advertising. Core Vol 3, Part C, 9.2 and 9.3.
public struct Advertisement: Equatable, Sendable {
    /// The advertising data, which every scanner in range receives.
    public var data: AdvertisingData
    /// The scan response data, which only active scanners receive.
    public var scanResponse: AdvertisingData
    /// The shortest acceptable interval.
    public var intervalMinimum: AdvertisingInterval
    /// The longest acceptable interval.
    public var intervalMaximum: AdvertisingInterval
    /// Whether other devices may connect.
    public var isConnectable: Bool
    /// Whether to use legacy PDUs, which every device can receive. Otherwise the controller must support
    /// extended advertising, the data may be longer and there is no scan response.
    public var usesLegacyPDUs: Bool

    /// An advertisement; by default connectable, with legacy PDUs, every 20 ms to 30 ms. The specification
    /// recommends 30 ms to 60 ms while a user is waiting (Core Vol 3, Part C, Appendix A,
    /// TGAP(adv_fast_interval1)), Apple's guidelines 20 ms.
    public init(
        data: AdvertisingData, scanResponse: AdvertisingData = AdvertisingData(),
        intervalMinimum: AdvertisingInterval = .milliseconds(20),
        intervalMaximum: AdvertisingInterval = .milliseconds(30), isConnectable: Bool = true,
        usesLegacyPDUs: Bool = true
    ) {
        self.data = data
        self.scanResponse = scanResponse
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.isConnectable = isConnectable
        self.usesLegacyPDUs = usesLegacyPDUs
    }
}
