package import Octets

extension HCI {
    /// `HCI_LE_Set_Scan_Parameters`. Core Vol 4, Part E, 7.8.10.
    public struct LESetScanParameters: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Scan_Parameters`
        public static let opcode = HCIOpcode.leSetScanParameters

        /// Whether scan requests are sent.
        public var isActive: Bool
        /// The interval between the starts of two scan windows.
        public var interval: AdvertisingInterval
        /// The length of the scan window.
        public var window: AdvertisingInterval
        /// The kind of address that this device uses.
        public var ownAddressType: OwnAddressType
        /// The filter policy; 0 reports every device.
        public var filterPolicy: UInt8

        package static let layout = inOrder({
            Self(
                isActive: $0, interval: .init(short: $1), window: .init(short: $2),
                ownAddressType: $3, filterPolicy: $4)
        }) { ($0.isActive, $0.interval.short, $0.window.short, $0.ownAddressType, $0.filterPolicy) }
    }

    /// `HCI_LE_Set_Scan_Enable`. Core Vol 4, Part E, 7.8.11.
    public struct LESetScanEnable: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Scan_Enable`
        public static let opcode = HCIOpcode.leSetScanEnable

        /// Whether to scan.
        public var isEnabled: Bool
        /// Whether each advertiser is reported once.
        public var filtersDuplicates: Bool

        package static let layout = inOrder(Self.init) { ($0.isEnabled, $0.filtersDuplicates) }
    }

    /// `HCI_LE_Set_Extended_Scan_Parameters`. Core Vol 4, Part E, 7.8.64.
    public struct LESetExtendedScanParameters: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Extended_Scan_Parameters`
        public static let opcode = HCIOpcode.leSetExtendedScanParameters

        /// How to scan on one PHY.
        public struct Entry: HCIPHYEntry, Equatable, Sendable {
            /// LE 1M or LE Coded.
            public var phy: PHY
            /// Whether scan requests are sent.
            public var isActive: Bool
            /// The interval between the starts of two scan windows; at most 0xFFFF units.
            public var interval: AdvertisingInterval
            /// The length of the scan window; at most 0xFFFF units.
            public var window: AdvertisingInterval

            package var fields: some PDUField { inOrder(isActive, interval.short, window.short) }
        }

        /// The kind of address that this device uses.
        public var ownAddressType: OwnAddressType
        /// The filter policy; 0 reports every device.
        public var filterPolicy: UInt8
        /// One entry per PHY, in the order of the PHYs' codes.
        public var entries: [Entry]

        package static let layout = inOrder({
            Self(ownAddressType: $0, filterPolicy: $1, entries: $2.entries)
        }) { ($0.ownAddressType, $0.filterPolicy, HCIEntryPerPHY($0.entries)) }
    }

    /// `HCI_LE_Set_Extended_Scan_Enable`. Core Vol 4, Part E, 7.8.65.
    public struct LESetExtendedScanEnable: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Extended_Scan_Enable`
        public static let opcode = HCIOpcode.leSetExtendedScanEnable

        /// Whether to scan.
        public var isEnabled: Bool
        /// 0 reports every advertisement, 1 each advertiser once.
        public var duplicateFilter: UInt8
        /// The duration in units of 10 ms; 0 for no limit.
        public var duration: UInt16
        /// The period in units of 1.28 s; 0 for continuous scanning.
        public var period: UInt16

        package static let layout = inOrder(Self.init) {
            ($0.isEnabled, $0.duplicateFilter, $0.duration, $0.period)
        }
    }
}

extension HCI.LESetExtendedScanParameters.Entry {
    package init(on phy: PHY, from rest: inout Span<UInt8>) throws(DecodingError) {
        try self.init(
            phy: phy, isActive: rest.take(), interval: .init(short: rest.take()),
            window: .init(short: rest.take()))
    }
}
