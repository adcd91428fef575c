public import Octets

extension HCI {
    /// `HCI_LE_Set_Scan_Parameters`. Core Vol 4, Part E, 7.8.10.
    public struct LESetScanParameters: HCICommand {
        /// `HCI_LE_Set_Scan_Parameters`
        public static let opcode = HCIOpcode.leSetScanParameters

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// Whether scan requests are sent.
        public var isActive: Bool
        /// How often to look.
        public var interval: AdvertisingInterval
        /// How long to look.
        public var window: AdvertisingInterval
        /// Under which address.
        public var ownAddressType: OwnAddressType
        /// 0: report everybody.
        public var filterPolicy: UInt8

        /// A value of its fields.
        public init(
            isActive: Bool, interval: AdvertisingInterval, window: AdvertisingInterval,
            ownAddressType: OwnAddressType, filterPolicy: UInt8
        ) {
            self.isActive = isActive
            self.interval = interval
            self.window = window
            self.ownAddressType = ownAddressType
            self.filterPolicy = filterPolicy
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            isActive = try rest.takeUInt8() & 1 != 0
            interval = AdvertisingInterval(rawValue: UInt32(try rest.takeUInt16()))
            window = AdvertisingInterval(rawValue: UInt32(try rest.takeUInt16()))
            ownAddressType = OwnAddressType(rawValue: try rest.takeUInt8())
            filterPolicy = try rest.takeUInt8()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 7 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(isActive ? 1 : 0)
            output.append(littleEndian: interval.rawValue, octets: 2)
            output.append(littleEndian: window.rawValue, octets: 2)
            output.append(ownAddressType.rawValue)
            output.append(filterPolicy)
        }
    }

    /// `HCI_LE_Set_Scan_Enable`. Core Vol 4, Part E, 7.8.11.
    public struct LESetScanEnable: HCICommand {
        /// `HCI_LE_Set_Scan_Enable`
        public static let opcode = HCIOpcode.leSetScanEnable

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// Whether to scan.
        public var isEnabled: Bool
        /// Whether each advertiser is reported once.
        public var filtersDuplicates: Bool

        /// A value of its fields.
        public init(isEnabled: Bool, filtersDuplicates: Bool) {
            self.isEnabled = isEnabled
            self.filtersDuplicates = filtersDuplicates
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            isEnabled = try rest.takeUInt8() & 1 != 0
            filtersDuplicates = try rest.takeUInt8() & 1 != 0
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 2 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(isEnabled ? 1 : 0)
            output.append(filtersDuplicates ? 1 : 0)
        }
    }

    /// `HCI_LE_Set_Extended_Scan_Parameters`. Core Vol 4, Part E, 7.8.64.
    public struct LESetExtendedScanParameters: HCICommand {
        /// `HCI_LE_Set_Extended_Scan_Parameters`
        public static let opcode = HCIOpcode.leSetExtendedScanParameters
        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// How to scan on one PHY.
        public struct Entry: Hashable, Sendable {
            /// LE 1M or LE Coded.
            public var phy: PHY
            /// Whether scan requests are sent.
            public var isActive: Bool
            /// How often to look; at most 0xFFFF units.
            public var interval: AdvertisingInterval
            /// How long to look; at most 0xFFFF units.
            public var window: AdvertisingInterval

            /// A value of its fields.
            public init(
                phy: PHY, isActive: Bool, interval: AdvertisingInterval, window: AdvertisingInterval
            ) {
                self.phy = phy
                self.isActive = isActive
                self.interval = interval
                self.window = window
            }
        }

        /// Under which address.
        public var ownAddressType: OwnAddressType
        /// 0: report everybody.
        public var filterPolicy: UInt8
        /// One entry per PHY, in the order of the PHYs' codes.
        public var entries: [Entry]

        /// A value of its fields.
        public init(ownAddressType: OwnAddressType, filterPolicy: UInt8, entries: [Entry]) {
            self.ownAddressType = ownAddressType
            self.filterPolicy = filterPolicy
            self.entries = entries
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            ownAddressType = OwnAddressType(rawValue: try rest.takeUInt8())
            filterPolicy = try rest.takeUInt8()
            entries = []
            for phy in phys(in: try rest.takeUInt8()) {
                entries.append(
                    Entry(
                        phy: phy, isActive: try rest.takeUInt8() & 1 != 0,
                        interval: AdvertisingInterval(rawValue: UInt32(try rest.takeUInt16())),
                        window: AdvertisingInterval(rawValue: UInt32(try rest.takeUInt16()))))
            }
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 3 + 5 * entries.count }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(ownAddressType.rawValue)
            output.append(filterPolicy)
            output.append(entries.reduce(0) { $0 | $1.phy.bit })
            for entry in entries {
                output.append(entry.isActive ? 1 : 0)
                output.append(littleEndian: entry.interval.rawValue, octets: 2)
                output.append(littleEndian: entry.window.rawValue, octets: 2)
            }
        }
    }

    /// `HCI_LE_Set_Extended_Scan_Enable`. Core Vol 4, Part E, 7.8.65.
    public struct LESetExtendedScanEnable: HCICommand {
        /// `HCI_LE_Set_Extended_Scan_Enable`
        public static let opcode = HCIOpcode.leSetExtendedScanEnable

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// Whether to scan.
        public var isEnabled: Bool
        /// 0: report all; 1: each advertiser once.
        public var duplicateFilter: UInt8
        /// In units of 10 ms; 0 for ever.
        public var duration: UInt16
        /// In units of 1.28 s; 0 for none.
        public var period: UInt16

        /// A value of its fields.
        public init(isEnabled: Bool, duplicateFilter: UInt8, duration: UInt16, period: UInt16) {
            self.isEnabled = isEnabled
            self.duplicateFilter = duplicateFilter
            self.duration = duration
            self.period = period
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            isEnabled = try rest.takeUInt8() & 1 != 0
            duplicateFilter = try rest.takeUInt8()
            duration = try rest.takeUInt16()
            period = try rest.takeUInt16()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 6 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(isEnabled ? 1 : 0)
            output.append(duplicateFilter)
            output.append(littleEndian: duration)
            output.append(littleEndian: period)
        }
    }
}
