internal import BluetoothLE

extension HCI {
    /// `HCI_LE_Read_Advertising_Physical_Channel_Tx_Power`. Core Vol 4, Part E, 7.8.6.
    struct LEReadAdvertisingTransmitPower: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Advertising_Physical_Channel_Tx_Power`
        static let opcode = HCIOpcode.leReadAdvertisingTransmitPower

        /// The return parameters of the command.
        struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            var status: HCIStatus
            /// The transmit power in dBm.
            var transmitPower: Int8

            static let layout = inOrder(Self.init) { ($0.status, $0.transmitPower) }
        }
    }

    /// `HCI_LE_Read_Supported_States`. Core Vol 4, Part E, 7.8.27.
    struct LEReadSupportedStates: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Supported_States`
        static let opcode = HCIOpcode.leReadSupportedStates

        /// The return parameters of the command.
        struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            var status: HCIStatus
            /// One bit per combination of states.
            var states: UInt64

            static let layout = inOrder(Self.init) { ($0.status, $0.states) }
        }
    }

    /// `HCI_LE_Read_Suggested_Default_Data_Length`. Core Vol 4, Part E, 7.8.34.
    struct LEReadSuggestedDefaultDataLength: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Suggested_Default_Data_Length`
        static let opcode = HCIOpcode.leReadSuggestedDefaultDataLength

        /// The return parameters of the command.
        struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            var status: HCIStatus
            /// The suggested length of a packet on air in octets.
            var octets: UInt16
            /// The suggested duration of a packet on air in microseconds.
            var microseconds: UInt16

            static let layout = inOrder(Self.init) { ($0.status, $0.octets, $0.microseconds) }
        }
    }

    /// `HCI_LE_Read_Transmit_Power`. Core Vol 4, Part E, 7.8.74.
    struct LEReadTransmitPower: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Transmit_Power`
        static let opcode = HCIOpcode.leReadTransmitPower

        /// The return parameters of the command.
        struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            var status: HCIStatus
            /// The lowest transmit power in dBm.
            var minimum: Int8
            /// The highest transmit power in dBm.
            var maximum: Int8

            static let layout = inOrder(Self.init) { ($0.status, $0.minimum, $0.maximum) }
        }
    }

    /// `HCI_LE_Read_Buffer_Size [v2]`. Core Vol 4, Part E, 7.8.2.
    struct LEReadBufferSizeV2: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Buffer_Size`
        static let opcode = HCIOpcode.leReadBufferSizeV2

        /// The return parameters of the command.
        struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            var status: HCIStatus
            /// The size of an ACL buffer in octets; 0 if the values of HCI_Read_Buffer_Size apply.
            var aclLength: UInt16
            /// The number of ACL buffers; 0 if the values of HCI_Read_Buffer_Size apply.
            var aclCount: UInt8
            /// The size of an isochronous buffer in octets; 0 for none.
            var isoLength: UInt16
            /// The number of isochronous buffers; 0 for none.
            var isoCount: UInt8

            static let layout = inOrder(Self.init) {
                ($0.status, $0.aclLength, $0.aclCount, $0.isoLength, $0.isoCount)
            }
        }
    }
}
