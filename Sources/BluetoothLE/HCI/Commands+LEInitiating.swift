public import Octets

extension HCI {
    /// `HCI_LE_Create_Connection`. Core Vol 4, Part E, 7.8.12. Answered by HCI_Command_Status.
    public struct LECreateConnection: HCICommand {
        /// `HCI_LE_Create_Connection`
        public static let opcode = HCIOpcode.leCreateConnection

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// How often to look.
        public var scanInterval: AdvertisingInterval
        /// How long to look.
        public var scanWindow: AdvertisingInterval
        /// 0: this peer; 1: whoever is on the filter accept list.
        public var filterPolicy: UInt8
        /// The peer, unless the filter accept list decides.
        public var peerAddress: DeviceAddress
        /// Under which address.
        public var ownAddressType: OwnAddressType
        /// The parameters of the connection.
        public var parameters: ConnectionParameters
        /// A hint in units of 0.625 ms.
        public var eventLengthMinimum: UInt16
        /// A hint in units of 0.625 ms.
        public var eventLengthMaximum: UInt16

        /// A value of its fields.
        public init(
            scanInterval: AdvertisingInterval, scanWindow: AdvertisingInterval, filterPolicy: UInt8,
            peerAddress: DeviceAddress, ownAddressType: OwnAddressType,
            parameters: ConnectionParameters, eventLengthMinimum: UInt16, eventLengthMaximum: UInt16
        ) {
            self.scanInterval = scanInterval
            self.scanWindow = scanWindow
            self.filterPolicy = filterPolicy
            self.peerAddress = peerAddress
            self.ownAddressType = ownAddressType
            self.parameters = parameters
            self.eventLengthMinimum = eventLengthMinimum
            self.eventLengthMaximum = eventLengthMaximum
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            scanInterval = AdvertisingInterval(rawValue: UInt32(try rest.takeUInt16()))
            scanWindow = AdvertisingInterval(rawValue: UInt32(try rest.takeUInt16()))
            filterPolicy = try rest.takeUInt8()
            peerAddress = try rest.takeTypedAddress()
            ownAddressType = OwnAddressType(rawValue: try rest.takeUInt8())
            self.parameters = try ConnectionParameters.take(from: &rest)
            eventLengthMinimum = try rest.takeUInt16()
            eventLengthMaximum = try rest.takeUInt16()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 25 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: scanInterval.rawValue, octets: 2)
            output.append(littleEndian: scanWindow.rawValue, octets: 2)
            output.append(filterPolicy)
            output.append(typedAddress: peerAddress)
            output.append(ownAddressType.rawValue)
            parameters.encode(into: &output)
            output.append(littleEndian: eventLengthMinimum)
            output.append(littleEndian: eventLengthMaximum)
        }
    }

    /// `HCI_LE_Create_Connection_Cancel`. Core Vol 4, Part E, 7.8.13.
    public struct LECreateConnectionCancel: HCICommand {
        /// `HCI_LE_Create_Connection_Cancel`
        public static let opcode = HCIOpcode.leCreateConnectionCancel

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The command.
        public init() {}

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 0 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
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

extension HCI {
    /// Bit mask of PHYs on which to scan or to initiate, as it precedes one entry per set bit.
    static func phys(in mask: UInt8) -> [PHY] {
        [PHY.le1M, .le2M, .leCoded].filter { mask & 1 << ($0.rawValue - 1) != 0 }
    }
}

extension PHY {
    /// The bit that stands for the PHY in a mask; none for an unknown one.
    var bit: UInt8 { (1...3).contains(rawValue) ? 1 << (rawValue - 1) : 0 }
}
