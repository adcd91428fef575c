extension HCI {
    /// `HCI_LE_Write_Suggested_Default_Data_Length`. Core Vol 4, Part E, 7.8.35.
    public struct LEWriteSuggestedDefaultDataLength: HCICommand, PDUStructure {
        /// `HCI_LE_Write_Suggested_Default_Data_Length`
        public static let opcode = HCIOpcode.leWriteSuggestedDefaultDataLength

        /// The length of a packet on air in octets, 27 to 251.
        public var octets: UInt16
        /// The duration of a packet on air in microseconds, 328 to 17040.
        public var microseconds: UInt16

        package static let layout = inOrder(Self.init) { ($0.octets, $0.microseconds) }
    }

    /// `HCI_LE_Read_Maximum_Data_Length`. Core Vol 4, Part E, 7.8.46.
    public struct LEReadMaximumDataLength: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Maximum_Data_Length`
        public static let opcode = HCIOpcode.leReadMaximumDataLength

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            public var status: HCIStatus
            /// The length of a packet on air in octets, 27 to 251.
            public var maximumTransmitOctets: UInt16
            /// The duration of a packet on air in microseconds, 328 to 17040.
            public var maximumTransmitMicroseconds: UInt16
            /// The length of a packet on air in octets, 27 to 251.
            public var maximumReceiveOctets: UInt16
            /// The duration of a packet on air in microseconds, 328 to 17040.
            public var maximumReceiveMicroseconds: UInt16

            package static let layout = inOrder(Self.init) {
                (
                    $0.status, $0.maximumTransmitOctets, $0.maximumTransmitMicroseconds,
                    $0.maximumReceiveOctets, $0.maximumReceiveMicroseconds
                )
            }
        }

        /// Creates `HCI_LE_Read_Maximum_Data_Length`, for a host to send.
        public init() {}
    }
}
