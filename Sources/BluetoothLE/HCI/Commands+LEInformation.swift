internal import Octets

extension HCI {
    /// `HCI_LE_Read_Advertising_Physical_Channel_Tx_Power`. Core Vol 4, Part E, 7.8.6.
    public struct LEReadAdvertisingTransmitPower: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Advertising_Physical_Channel_Tx_Power`
        public static let opcode = HCIOpcode.leReadAdvertisingTransmitPower

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// How the command ended.
            public var status: HCIStatus
            /// In dBm.
            public var transmitPower: Int8

            /// A value of its fields.
            public init(status: HCIStatus, transmitPower: Int8) {
                self.status = status
                self.transmitPower = transmitPower
            }

            init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), transmitPower: rest.take())
            }

            var fields: some HCIField { inOrder(status, transmitPower) }
        }

        /// The command.
        public init() {}
    }

    /// `HCI_LE_Read_Supported_States`. Core Vol 4, Part E, 7.8.27.
    public struct LEReadSupportedStates: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Supported_States`
        public static let opcode = HCIOpcode.leReadSupportedStates

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// How the command ended.
            public var status: HCIStatus
            /// One bit per combination of states.
            public var states: UInt64

            /// A value of its fields.
            public init(status: HCIStatus, states: UInt64) {
                self.status = status
                self.states = states
            }

            init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), states: rest.take())
            }

            var fields: some HCIField { inOrder(status, states) }
        }

        /// The command.
        public init() {}
    }

    /// `HCI_LE_Read_Suggested_Default_Data_Length`. Core Vol 4, Part E, 7.8.34.
    public struct LEReadSuggestedDefaultDataLength: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Suggested_Default_Data_Length`
        public static let opcode = HCIOpcode.leReadSuggestedDefaultDataLength

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// How the command ended.
            public var status: HCIStatus
            /// What the host wants to send in one packet.
            public var octets: UInt16
            /// How long that may take.
            public var microseconds: UInt16

            /// A value of its fields.
            public init(status: HCIStatus, octets: UInt16, microseconds: UInt16) {
                self.status = status
                self.octets = octets
                self.microseconds = microseconds
            }

            init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), octets: rest.take(), microseconds: rest.take())
            }

            var fields: some HCIField { inOrder(status, octets, microseconds) }
        }

        /// The command.
        public init() {}
    }

    /// `HCI_LE_Read_Transmit_Power`. Core Vol 4, Part E, 7.8.74.
    public struct LEReadTransmitPower: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Transmit_Power`
        public static let opcode = HCIOpcode.leReadTransmitPower

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// How the command ended.
            public var status: HCIStatus
            /// In dBm.
            public var minimum: Int8
            /// In dBm.
            public var maximum: Int8

            /// A value of its fields.
            public init(status: HCIStatus, minimum: Int8, maximum: Int8) {
                self.status = status
                self.minimum = minimum
                self.maximum = maximum
            }

            init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), minimum: rest.take(), maximum: rest.take())
            }

            var fields: some HCIField { inOrder(status, minimum, maximum) }
        }

        /// The command.
        public init() {}
    }

    /// `HCI_LE_Read_Buffer_Size [v2]`. Core Vol 4, Part E, 7.8.2.
    public struct LEReadBufferSizeV2: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Buffer_Size`
        public static let opcode = HCIOpcode.leReadBufferSizeV2

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// How the command ended.
            public var status: HCIStatus
            /// The size of an ACL buffer in octets; 0 where HCI_Read_Buffer_Size counts.
            public var aclLength: UInt16
            /// How many ACL buffers there are; 0 where HCI_Read_Buffer_Size counts.
            public var aclCount: UInt8
            /// The size of an isochronous buffer in octets; 0 for none.
            public var isoLength: UInt16
            /// How many isochronous buffers there are; 0 for none.
            public var isoCount: UInt8

            /// A value of its fields.
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

            init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(
                    status: rest.take(), aclLength: rest.take(),
                    aclCount:
                        rest.take(), isoLength: rest.take(), isoCount: rest.take())
            }

            var fields: some HCIField { inOrder(status, aclLength, aclCount, isoLength, isoCount) }
        }

        /// The command.
        public init() {}
    }
}
