public import Octets

extension HCI {
    /// `HCI_LE_Set_Advertising_Parameters`. Core Vol 4, Part E, 7.8.5.
    public struct LESetAdvertisingParameters: HCICommand {
        /// `HCI_LE_Set_Advertising_Parameters`
        public static let opcode = HCIOpcode.leSetAdvertisingParameters

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The shortest interval that will do.
        public var intervalMinimum: AdvertisingInterval
        /// The longest interval that will do.
        public var intervalMaximum: AdvertisingInterval
        /// What is put on air.
        public var type: AdvertisingType
        /// Under which address.
        public var ownAddressType: OwnAddressType
        /// To whom, for directed advertising.
        public var peerAddress: DeviceAddress
        /// On which channels.
        public var channels: AdvertisingChannels
        /// 0: everybody may scan and connect.
        public var filterPolicy: UInt8

        /// A value of its fields.
        public init(
            intervalMinimum: AdvertisingInterval, intervalMaximum: AdvertisingInterval,
            type: AdvertisingType, ownAddressType: OwnAddressType, peerAddress: DeviceAddress,
            channels: AdvertisingChannels, filterPolicy: UInt8
        ) {
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.type = type
            self.ownAddressType = ownAddressType
            self.peerAddress = peerAddress
            self.channels = channels
            self.filterPolicy = filterPolicy
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            intervalMinimum = AdvertisingInterval(rawValue: UInt32(try rest.takeUInt16()))
            intervalMaximum = AdvertisingInterval(rawValue: UInt32(try rest.takeUInt16()))
            type = AdvertisingType(rawValue: try rest.takeUInt8())
            ownAddressType = OwnAddressType(rawValue: try rest.takeUInt8())
            peerAddress = try rest.takeTypedAddress()
            channels = AdvertisingChannels(rawValue: try rest.takeUInt8())
            filterPolicy = try rest.takeUInt8()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 15 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: intervalMinimum.rawValue, octets: 2)
            output.append(littleEndian: intervalMaximum.rawValue, octets: 2)
            output.append(type.rawValue)
            output.append(ownAddressType.rawValue)
            output.append(typedAddress: peerAddress)
            output.append(channels.rawValue)
            output.append(filterPolicy)
        }
    }

    /// `HCI_LE_Set_Advertising_Data`. Core Vol 4, Part E, 7.8.7.
    public struct LESetAdvertisingData: HCICommand {
        /// `HCI_LE_Set_Advertising_Data`
        public static let opcode = HCIOpcode.leSetAdvertisingData

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// At most 31 octets; padded with zeroes on the wire.
        public var data: [UInt8]

        /// A value of its fields.
        public init(data: [UInt8]) {
            self.data = data
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            data = try rest.takeData(padded: 31)
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 32 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(data: data, padded: 31)
        }
    }

    /// `HCI_LE_Set_Scan_Response_Data`. Core Vol 4, Part E, 7.8.8.
    public struct LESetScanResponseData: HCICommand {
        /// `HCI_LE_Set_Scan_Response_Data`
        public static let opcode = HCIOpcode.leSetScanResponseData

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// At most 31 octets; padded with zeroes on the wire.
        public var data: [UInt8]

        /// A value of its fields.
        public init(data: [UInt8]) {
            self.data = data
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            data = try rest.takeData(padded: 31)
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 32 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(data: data, padded: 31)
        }
    }

    /// `HCI_LE_Set_Advertising_Enable`. Core Vol 4, Part E, 7.8.9.
    public struct LESetAdvertisingEnable: HCICommand {
        /// `HCI_LE_Set_Advertising_Enable`
        public static let opcode = HCIOpcode.leSetAdvertisingEnable

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// On or off air.
        public var isEnabled: Bool

        /// A value of its fields.
        public init(isEnabled: Bool) {
            self.isEnabled = isEnabled
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            isEnabled = try rest.takeUInt8() & 1 != 0
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 1 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(isEnabled ? 1 : 0)
        }
    }
}
