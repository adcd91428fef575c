package import Octets

extension HCI {
    /// `HCI_LE_Set_Advertising_Set_Random_Address`. Core Vol 4, Part E, 7.8.52.
    public struct LESetAdvertisingSetRandomAddress: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Advertising_Set_Random_Address`
        public static let opcode = HCIOpcode.leSetAdvertisingSetRandomAddress

        /// The advertising set, 0 to 0xEF.
        public var set: UInt8
        /// Its random address.
        public var address: DeviceAddress

        package static let layout = inOrder({ Self(set: $0, address: $1.address(.random)) }) {
            ($0.set, $0.address.untyped)
        }
    }

    /// `HCI_LE_Set_Extended_Advertising_Parameters` [v1]. Core Vol 4, Part E, 7.8.53.
    public struct LESetExtendedAdvertisingParameters: HCICommand, PDUFieldSequence {
        /// `HCI_LE_Set_Extended_Advertising_Parameters`
        public static let opcode = HCIOpcode.leSetExtendedAdvertisingParameters

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            public var status: HCIStatus
            /// The transmit power that the controller uses, in dBm.
            public var selectedTransmitPower: Int8

            package static let layout = inOrder(Self.init) { ($0.status, $0.selectedTransmitPower) }
        }

        /// The advertising set, 0 to 0xEF.
        public var set: UInt8
        /// The kind of advertising.
        public var properties: AdvertisingEventProperties
        /// The shortest acceptable interval.
        public var intervalMinimum: AdvertisingInterval
        /// The longest acceptable interval.
        public var intervalMaximum: AdvertisingInterval
        /// The primary channels to advertise on.
        public var channels: AdvertisingChannels
        /// The kind of address that this device uses.
        public var ownAddressType: OwnAddressType
        /// The peer of directed advertising.
        public var peerAddress: DeviceAddress
        /// The filter policy; 0 lets every device scan and connect.
        public var filterPolicy: UInt8
        /// The transmit power in dBm; 127 for no preference.
        public var transmitPower: Int8
        /// The PHY of the primary advertising channels.
        public var primaryPHY: PHY
        /// The number of advertising events that may be skipped before the auxiliary packet is sent.
        public var secondaryMaximumSkip: UInt8
        /// The PHY of the auxiliary packet.
        public var secondaryPHY: PHY
        /// The advertising SID, 0 to 15.
        public var sid: UInt8
        /// Whether scan requests are reported.
        public var notifiesScanRequests: Bool

        package var fields: some PDUField {
            inOrder(
                inOrder(set, properties, intervalMinimum, intervalMaximum, channels),
                inOrder(ownAddressType, peerAddress, filterPolicy, transmitPower, primaryPHY),
                inOrder(secondaryMaximumSkip, secondaryPHY, sid, notifiesScanRequests))
        }
    }

    /// `HCI_LE_Set_Extended_Advertising_Data`. Core Vol 4, Part E, 7.8.54.
    public struct LESetExtendedAdvertisingData: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Extended_Advertising_Data`
        public static let opcode = HCIOpcode.leSetExtendedAdvertisingData

        /// The advertising set, 0 to 0xEF.
        public var set: UInt8
        /// The fragment that this is; 3 means the complete data.
        public var operation: UInt8
        /// Whether the controller may fragment the data; 1 means that it should not.
        public var fragmentPreference: UInt8
        /// At most 251 octets.
        public var data: [UInt8]

        package static let layout = inOrder(Self.init) {
            ($0.set, $0.operation, $0.fragmentPreference, $0.data)
        }
    }

    /// `HCI_LE_Set_Extended_Scan_Response_Data`. Core Vol 4, Part E, 7.8.55.
    public struct LESetExtendedScanResponseData: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Extended_Scan_Response_Data`
        public static let opcode = HCIOpcode.leSetExtendedScanResponseData

        /// The advertising set, 0 to 0xEF.
        public var set: UInt8
        /// The fragment that this is; 3 means the complete data.
        public var operation: UInt8
        /// Whether the controller may fragment the data; 1 means that it should not.
        public var fragmentPreference: UInt8
        /// At most 251 octets.
        public var data: [UInt8]

        package static let layout = inOrder(Self.init) {
            ($0.set, $0.operation, $0.fragmentPreference, $0.data)
        }
    }

    /// `HCI_LE_Set_Extended_Advertising_Enable`. Core Vol 4, Part E, 7.8.56.
    public struct LESetExtendedAdvertisingEnable: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Extended_Advertising_Enable`
        public static let opcode = HCIOpcode.leSetExtendedAdvertisingEnable

        /// An advertising set, and limits for its advertising.
        public struct Entry: PDUStructure, Equatable, Sendable {
            /// The advertising set, 0 to 0xEF.
            public var set: UInt8
            /// The duration in units of 10 ms; 0 for no limit.
            public var duration: UInt16 = 0
            /// The maximum number of advertising events; 0 for no limit.
            public var maximumEvents: UInt8 = 0

            package static let layout = inOrder(Self.init) {
                ($0.set, $0.duration, $0.maximumEvents)
            }
        }

        /// Whether to advertise.
        public var isEnabled: Bool
        /// The advertising sets, at most 63. None means all sets if `isEnabled` is false.
        public var sets: [Entry]

        package static let layout = inOrder(Self.init) { ($0.isEnabled, $0.sets) }
    }

    /// `HCI_LE_Read_Maximum_Advertising_Data_Length`. Core Vol 4, Part E, 7.8.57.
    public struct LEReadMaximumAdvertisingDataLength: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Maximum_Advertising_Data_Length`
        public static let opcode = HCIOpcode.leReadMaximumAdvertisingDataLength

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            public var status: HCIStatus
            /// 31 to 1650 octets.
            public var length: UInt16

            package static let layout = inOrder(Self.init) { ($0.status, $0.length) }
        }

        /// Creates `HCI_LE_Read_Maximum_Advertising_Data_Length`, for a host to send.
        public init() {}
    }

    /// `HCI_LE_Read_Number_Of_Supported_Advertising_Sets`. Core Vol 4, Part E, 7.8.58.
    public struct LEReadNumberOfSupportedAdvertisingSets: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Number_Of_Supported_Advertising_Sets`
        public static let opcode = HCIOpcode.leReadNumberOfSupportedAdvertisingSets

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            public var status: HCIStatus
            /// The number of advertising sets.
            public var count: UInt8

            package static let layout = inOrder(Self.init) { ($0.status, $0.count) }
        }

        /// Creates `HCI_LE_Read_Number_Of_Supported_Advertising_Sets`, for a host to send.
        public init() {}
    }
}

extension HCI.LESetExtendedAdvertisingParameters {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        try self.init(
            set: rest.take(), properties: rest.take(), intervalMinimum: rest.take(),
            intervalMaximum: rest.take(), channels: rest.take(), ownAddressType: rest.take(),
            peerAddress: rest.take(), filterPolicy: rest.take(), transmitPower: rest.take(),
            primaryPHY: rest.take(), secondaryMaximumSkip: rest.take(),
            secondaryPHY: rest.take(), sid: rest.take(), notifiesScanRequests: rest.take())
    }
}
