public import Octets

extension HCI {
    /// Bit mask of PHYs on which to scan or to initiate, as it precedes one entry per set bit.
    private static func phys(in mask: UInt8) -> [PHY] {
        [PHY.le1M, .le2M, .leCoded].filter { mask & 1 << ($0.rawValue - 1) != 0 }
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

    /// `HCI_LE_Extended_Create_Connection` [v1]. Core Vol 4, Part E, 7.8.66. Answered by
    /// HCI_Command_Status.
    public struct LEExtendedCreateConnection: HCICommand {
        /// `HCI_LE_Extended_Create_Connection`
        public static let opcode = HCIOpcode.leExtendedCreateConnection
        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// How to look for the peer on one PHY, and what the connection is to be like.
        public struct Entry: Hashable, Sendable {
            /// LE 1M, LE 2M or LE Coded.
            public var phy: PHY
            /// How often to look; at most 0xFFFF units.
            public var scanInterval: AdvertisingInterval
            /// How long to look; at most 0xFFFF units.
            public var scanWindow: AdvertisingInterval
            /// The parameters of the connection.
            public var parameters: ConnectionParameters

            /// A value of its fields.
            public init(
                phy: PHY, scanInterval: AdvertisingInterval, scanWindow: AdvertisingInterval,
                parameters: ConnectionParameters
            ) {
                self.phy = phy
                self.scanInterval = scanInterval
                self.scanWindow = scanWindow
                self.parameters = parameters
            }
        }

        /// 0: this peer; 1: whoever is on the filter accept list.
        public var filterPolicy: UInt8
        /// Under which address.
        public var ownAddressType: OwnAddressType
        /// The peer, unless the filter accept list decides.
        public var peerAddress: DeviceAddress
        /// One entry per PHY, in the order of the PHYs' codes.
        public var entries: [Entry]

        /// A value of its fields.
        public init(
            filterPolicy: UInt8, ownAddressType: OwnAddressType, peerAddress: DeviceAddress,
            entries: [Entry]
        ) {
            self.filterPolicy = filterPolicy
            self.ownAddressType = ownAddressType
            self.peerAddress = peerAddress
            self.entries = entries
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            filterPolicy = try rest.takeUInt8()
            ownAddressType = OwnAddressType(rawValue: try rest.takeUInt8())
            peerAddress = try rest.takeTypedAddress()
            entries = []
            for phy in phys(in: try rest.takeUInt8()) {
                let interval = AdvertisingInterval(rawValue: UInt32(try rest.takeUInt16()))
                let window = AdvertisingInterval(rawValue: UInt32(try rest.takeUInt16()))
                entries.append(
                    Entry(
                        phy: phy, scanInterval: interval, scanWindow: window,
                        parameters: try ConnectionParameters.take(from: &rest)))
                try rest.skip(4)
            }
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 10 + 16 * entries.count }

        /// Appends the parameters in the order of the specification; the hints about the length of
        /// connection events are 0.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(filterPolicy)
            output.append(ownAddressType.rawValue)
            output.append(typedAddress: peerAddress)
            output.append(entries.reduce(0) { $0 | $1.phy.bit })
            for entry in entries {
                output.append(littleEndian: entry.scanInterval.rawValue, octets: 2)
                output.append(littleEndian: entry.scanWindow.rawValue, octets: 2)
                entry.parameters.encode(into: &output)
                output.append(littleEndian: UInt32(0))
            }
        }
    }
}

extension PHY {
    /// The bit that stands for the PHY in a mask; none for an unknown one.
    fileprivate var bit: UInt8 { (1...3).contains(rawValue) ? 1 << (rawValue - 1) : 0 }
}
