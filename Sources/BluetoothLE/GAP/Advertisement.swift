/// What is to be on air. Core Vol 3, Part C, 9.3 and 9.2.
public struct Advertisement: Hashable, Sendable {
    /// What every device in range hears.
    public var data: AdvertisingData
    /// What a device hears that asks for more.
    public var scanResponse: AdvertisingData
    /// The shortest interval that will do.
    public var intervalMinimum: AdvertisingInterval
    /// The longest interval that will do.
    public var intervalMaximum: AdvertisingInterval
    /// Whether others may connect.
    public var isConnectable: Bool
    /// Whether PDUs are used that every device can receive. Otherwise the controller must have
    /// extended advertising, the data may be longer and there is no scan response.
    public var usesLegacyPDUs: Bool

    /// Connectable legacy advertising every 20 ms to 30 ms, unless said otherwise: what the
    /// specification recommends for a device that a user waits for (Core Vol 3, Part C, Appendix A,
    /// TGAP(adv_fast_interval1) is 30 ms to 60 ms) and what Apple's guidelines ask for (20 ms).
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
