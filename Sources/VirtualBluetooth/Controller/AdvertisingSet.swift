internal import BluetoothLE
internal import Octets

/// One advertisement: an advertising set, or what the legacy commands set up.
struct AdvertisingSet {
    /// The Advertising_Handle of a set: 0x00 to 0xEF.
    struct ID: Hashable {
        var rawValue: UInt8

        /// What the legacy commands are about.
        static let legacy = ID(rawValue: 0xFF)
    }

    let id: ID
    var properties: AdvertisingEventProperties = .legacyConnectable
    /// 1.28 s, as the legacy commands have it by default.
    var interval = AdvertisingInterval(rawValue: 0x0800)
    var ownAddressType = OwnAddressType.public
    var peerAddress = DeviceAddress(0, kind: .public)
    /// Bit 0: scan requests only from the filter accept list; bit 1: connections only from it.
    var filterPolicy: UInt8 = 0
    var primaryPHY = PHY.le1M
    var secondaryPHY = PHY.le1M
    var sid: UInt8 = 0xFF
    var notifiesScanRequests = false
    /// The address that the host gave an extended set.
    var randomAddress: DeviceAddress?
    var data: [UInt8] = []
    var scanResponse: [UInt8] = []
    /// More fragments are to come.
    var isDataPartial = false
    var isScanResponsePartial = false

    var isEnabled = false
    /// Tells one time on air from the next, so that what was planned for the last is dropped.
    var generation: UInt32 = 0
    /// When it goes off air by itself.
    var deadline: MonotonicInstant?
    /// 0 for no limit.
    var maximumEvents: UInt8 = 0
    var events = 0

    init(id: ID) { self.id = id }

    var isLegacyCommand: Bool { id == .legacy }
    var isConnectable: Bool { properties.contains(.connectable) }
    var isScannable: Bool { properties.contains(.scannable) }
    var isDirected: Bool { properties.contains(.directed) }
    var hasLegacyPDUs: Bool { properties.contains(.legacy) }

    /// How often it is on air: high duty cycle directed advertising every 3.75 ms at most.
    var period: Duration {
        properties.contains(.highDuty) ? .microseconds(3750) : interval.duration
    }

    /// How many events there were, where their number was limited. Core Vol 4, Part E, 7.7.65.18.
    var completedEvents: UInt8 { maximumEvents == 0 ? 0 : UInt8(min(events, 255)) }
}

/// What an advertiser does at one advertising event.
struct AdvertisingEvent {
    var pdu: AdvertisingPDU
    /// After how long the next one follows, without the random delay.
    var period: Duration
    /// It matters even if nobody listens.
    var isCounted: Bool
}
