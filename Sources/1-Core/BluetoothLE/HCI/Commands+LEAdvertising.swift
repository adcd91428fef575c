package import Octets

extension HCI {
    /// `HCI_LE_Set_Advertising_Parameters`. Core Vol 4, Part E, 7.8.5.
    public struct LESetAdvertisingParameters: HCICommand, PDUFieldSequence {
        /// `HCI_LE_Set_Advertising_Parameters`
        public static let opcode = HCIOpcode.leSetAdvertisingParameters

        /// The shortest acceptable interval.
        public var intervalMinimum: AdvertisingInterval
        /// The longest acceptable interval.
        public var intervalMaximum: AdvertisingInterval
        /// The kind of advertising.
        public var type: AdvertisingType
        /// The kind of address that this device uses.
        public var ownAddressType: OwnAddressType
        /// The peer of directed advertising.
        public var peerAddress: DeviceAddress
        /// The primary channels to advertise on.
        public var channels: AdvertisingChannels
        /// The filter policy; 0 lets every device scan and connect.
        public var filterPolicy: UInt8

        package var fields: some PDUField {
            inOrder(
                inOrder(intervalMinimum.short, intervalMaximum.short, type, ownAddressType),
                inOrder(peerAddress, channels, filterPolicy))
        }
    }

    /// `HCI_LE_Set_Advertising_Data`. Core Vol 4, Part E, 7.8.7.
    public struct LESetAdvertisingData: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Advertising_Data`
        public static let opcode = HCIOpcode.leSetAdvertisingData

        /// At most 31 octets; padded with zeroes on the wire.
        public var data: [UInt8]

        package static let layout = inOrder({ Self(data: $0.octets) }) {
            LegacyAdvertisingData($0.data)
        }
    }

    /// `HCI_LE_Set_Scan_Response_Data`. Core Vol 4, Part E, 7.8.8.
    public struct LESetScanResponseData: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Scan_Response_Data`
        public static let opcode = HCIOpcode.leSetScanResponseData

        /// At most 31 octets; padded with zeroes on the wire.
        public var data: [UInt8]

        package static let layout = inOrder({ Self(data: $0.octets) }) {
            LegacyAdvertisingData($0.data)
        }
    }

    /// `HCI_LE_Set_Advertising_Enable`. Core Vol 4, Part E, 7.8.9.
    public struct LESetAdvertisingEnable: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Advertising_Enable`
        public static let opcode = HCIOpcode.leSetAdvertisingEnable

        /// Whether to advertise.
        public var isEnabled: Bool

        package static let layout = inOrder(Self.init) { $0.isEnabled }
    }
}

extension HCI.LESetAdvertisingParameters {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        try self.init(
            intervalMinimum: .init(short: rest.take()), intervalMaximum: .init(short: rest.take()),
            type: rest.take(), ownAddressType: rest.take(), peerAddress: rest.take(),
            channels: rest.take(), filterPolicy: rest.take())
    }
}
