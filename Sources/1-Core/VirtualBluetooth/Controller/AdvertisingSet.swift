internal import BluetoothLE

/// An advertising set, or the one advertisement of the legacy commands.
struct AdvertisingSet {
    /// The Advertising_Handle of a set: 0x00 to 0xEF.
    struct ID: Hashable {
        var rawValue: UInt8

        /// The advertisement of the legacy commands.
        static let legacy = ID(rawValue: 0xFF)
    }

    let id: ID
    var properties: AdvertisingEventProperties = .legacyConnectable
    /// 1.28 s, the default of the legacy commands.
    var interval = AdvertisingInterval(rawValue: 0x0800)
    var ownAddressType = OwnAddressType.public
    var peerAddress = DeviceAddress(0, kind: .public)
    /// Bit 0: scan requests only from the filter accept list; bit 1: connections only from it.
    var filterPolicy: UInt8 = 0
    var primaryPHY = PHY.le1M
    var secondaryPHY = PHY.le1M
    var sid: UInt8 = 0xFF
    var notifiesScanRequests = false
    /// The address that the host has set for an extended advertising set.
    var randomAddress: DeviceAddress?
    var data: [UInt8] = []
    var scanResponse: [UInt8] = []
    /// Whether more fragments will follow.
    var isDataPartial = false
    var isScanResponsePartial = false

    var isEnabled = false
    /// Distinguishes periods of advertising, so that events planned for an earlier one are dropped.
    var generation: UInt32 = 0
    /// When advertising ends on its own.
    var deadline: MonotonicInstant?
    /// The limit of events; 0 for none.
    var maximumEvents: UInt8 = 0
    var events = 0

    var isLegacyCommand: Bool { id == .legacy }
    var isConnectable: Bool { properties.contains(.connectable) }
    var isScannable: Bool { properties.contains(.scannable) }
    var isDirected: Bool { properties.contains(.directed) }
    var hasLegacyPDUs: Bool { properties.contains(.legacy) }

    /// The time between advertising events; high duty cycle directed advertising has one at least every 3.75
    /// ms.
    var period: Duration {
        properties.contains(.highDuty) ? .microseconds(3750) : interval.duration
    }

    /// The number of events so far, if it is limited. Core Vol 4, Part E, 7.7.65.18.
    var completedEvents: UInt8 { maximumEvents == 0 ? 0 : UInt8(min(events, 255)) }
}

/// The actions of an advertiser at one advertising event.
struct AdvertisingEvent {
    var pdu: AdvertisingPDU
    /// The time until the next event, without the random delay.
    var period: Duration
    /// Whether it matters even if no device is listening.
    var isCounted: Bool
}
