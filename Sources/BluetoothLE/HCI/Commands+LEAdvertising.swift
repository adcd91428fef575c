internal import Octets

extension HCI {
    /// `HCI_LE_Set_Advertising_Parameters`. Core Vol 4, Part E, 7.8.5.
    public struct LESetAdvertisingParameters: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Set_Advertising_Parameters`
        public static let opcode = HCIOpcode.leSetAdvertisingParameters

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

        init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(
                intervalMinimum: .init(short: rest.take()),
                intervalMaximum: .init(short: rest.take()), type: rest.take(),
                ownAddressType: rest.take(), peerAddress: rest.take(), channels: rest.take(),
                filterPolicy: rest.take())
        }

        var fields: some HCIField {
            inOrder(
                inOrder(intervalMinimum.short, intervalMaximum.short, type, ownAddressType),
                inOrder(peerAddress, channels, filterPolicy))
        }
    }

    /// `HCI_LE_Set_Advertising_Data`. Core Vol 4, Part E, 7.8.7.
    public struct LESetAdvertisingData: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Set_Advertising_Data`
        public static let opcode = HCIOpcode.leSetAdvertisingData

        /// At most 31 octets; padded with zeroes on the wire.
        public var data: [UInt8]

        /// A value of its fields.
        public init(data: [UInt8]) { self.data = data }

        init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(data: LegacyAdvertisingData(from: &rest).octets)
        }

        var fields: some HCIField { LegacyAdvertisingData(data) }
    }

    /// `HCI_LE_Set_Scan_Response_Data`. Core Vol 4, Part E, 7.8.8.
    public struct LESetScanResponseData: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Set_Scan_Response_Data`
        public static let opcode = HCIOpcode.leSetScanResponseData

        /// At most 31 octets; padded with zeroes on the wire.
        public var data: [UInt8]

        /// A value of its fields.
        public init(data: [UInt8]) { self.data = data }

        init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(data: LegacyAdvertisingData(from: &rest).octets)
        }

        var fields: some HCIField { LegacyAdvertisingData(data) }
    }

    /// `HCI_LE_Set_Advertising_Enable`. Core Vol 4, Part E, 7.8.9.
    public struct LESetAdvertisingEnable: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Set_Advertising_Enable`
        public static let opcode = HCIOpcode.leSetAdvertisingEnable

        /// On or off air.
        public var isEnabled: Bool

        /// A value of its fields.
        public init(isEnabled: Bool) { self.isEnabled = isEnabled }

        init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(isEnabled: rest.take())
        }

        var fields: some HCIField { isEnabled }
    }
}
