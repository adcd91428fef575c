public import BluetoothLE
package import Octets

extension HCI {
    /// `HCI_LE_Read_Advertising_Physical_Channel_Tx_Power`. Core Vol 4, Part E, 7.8.6.
    public struct LEReadAdvertisingTransmitPower: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Advertising_Physical_Channel_Tx_Power`
        public static let opcode = HCIOpcode.leReadAdvertisingTransmitPower

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// The status of the command.
            public var status: HCIStatus
            /// The transmit power in dBm.
            public var transmitPower: Int8

            /// Creates the return parameters of `HCI_LE_Read_Advertising_Physical_Channel_Tx_Power`, for a controller to send.
            public init(status: HCIStatus, transmitPower: Int8) {
                self.status = status
                self.transmitPower = transmitPower
            }

            package init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), transmitPower: rest.take())
            }

            package var fields: some HCIField { inOrder(status, transmitPower) }
        }

        /// Creates `HCI_LE_Read_Advertising_Physical_Channel_Tx_Power`, for a host to send.
        public init() {}
    }

    /// `HCI_LE_Read_Supported_States`. Core Vol 4, Part E, 7.8.27.
    public struct LEReadSupportedStates: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Supported_States`
        public static let opcode = HCIOpcode.leReadSupportedStates

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// The status of the command.
            public var status: HCIStatus
            /// One bit per combination of states.
            public var states: UInt64

            /// Creates the return parameters of `HCI_LE_Read_Supported_States`, for a controller to send.
            public init(status: HCIStatus, states: UInt64) {
                self.status = status
                self.states = states
            }

            package init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), states: rest.take())
            }

            package var fields: some HCIField { inOrder(status, states) }
        }

        /// Creates `HCI_LE_Read_Supported_States`, for a host to send.
        public init() {}
    }

    /// `HCI_LE_Read_Suggested_Default_Data_Length`. Core Vol 4, Part E, 7.8.34.
    public struct LEReadSuggestedDefaultDataLength: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Suggested_Default_Data_Length`
        public static let opcode = HCIOpcode.leReadSuggestedDefaultDataLength

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// The status of the command.
            public var status: HCIStatus
            /// The suggested length of a packet on air in octets.
            public var octets: UInt16
            /// The suggested duration of a packet on air in microseconds.
            public var microseconds: UInt16

            /// Creates the return parameters of `HCI_LE_Read_Suggested_Default_Data_Length`, for a controller to send.
            public init(status: HCIStatus, octets: UInt16, microseconds: UInt16) {
                self.status = status
                self.octets = octets
                self.microseconds = microseconds
            }

            package init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), octets: rest.take(), microseconds: rest.take())
            }

            package var fields: some HCIField { inOrder(status, octets, microseconds) }
        }

        /// Creates `HCI_LE_Read_Suggested_Default_Data_Length`, for a host to send.
        public init() {}
    }

    /// `HCI_LE_Read_Transmit_Power`. Core Vol 4, Part E, 7.8.74.
    public struct LEReadTransmitPower: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Transmit_Power`
        public static let opcode = HCIOpcode.leReadTransmitPower

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// The status of the command.
            public var status: HCIStatus
            /// The lowest transmit power in dBm.
            public var minimum: Int8
            /// The highest transmit power in dBm.
            public var maximum: Int8

            /// Creates the return parameters of `HCI_LE_Read_Transmit_Power`, for a controller to send.
            public init(status: HCIStatus, minimum: Int8, maximum: Int8) {
                self.status = status
                self.minimum = minimum
                self.maximum = maximum
            }

            package init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), minimum: rest.take(), maximum: rest.take())
            }

            package var fields: some HCIField { inOrder(status, minimum, maximum) }
        }

        /// Creates `HCI_LE_Read_Transmit_Power`, for a host to send.
        public init() {}
    }

    /// `HCI_LE_Read_Buffer_Size [v2]`. Core Vol 4, Part E, 7.8.2.
    public struct LEReadBufferSizeV2: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Buffer_Size`
        public static let opcode = HCIOpcode.leReadBufferSizeV2

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// The status of the command.
            public var status: HCIStatus
            /// The size of an ACL buffer in octets; 0 if the values of HCI_Read_Buffer_Size apply.
            public var aclLength: UInt16
            /// The number of ACL buffers; 0 if the values of HCI_Read_Buffer_Size apply.
            public var aclCount: UInt8
            /// The size of an isochronous buffer in octets; 0 for none.
            public var isoLength: UInt16
            /// The number of isochronous buffers; 0 for none.
            public var isoCount: UInt8

            /// Creates the return parameters of `HCI_LE_Read_Buffer_Size [v2]`, for a controller to send.
            public init(
                status: HCIStatus, aclLength: UInt16, aclCount: UInt8,
                isoLength:
                    UInt16, isoCount: UInt8
            ) {
                self.status = status
                self.aclLength = aclLength
                self.aclCount = aclCount
                self.isoLength = isoLength
                self.isoCount = isoCount
            }

            package init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(
                    status: rest.take(), aclLength: rest.take(),
                    aclCount:
                        rest.take(), isoLength: rest.take(), isoCount: rest.take())
            }

            package var fields: some HCIField {
                inOrder(status, aclLength, aclCount, isoLength, isoCount)
            }
        }

        /// Creates `HCI_LE_Read_Buffer_Size [v2]`, for a host to send.
        public init() {}
    }
}
