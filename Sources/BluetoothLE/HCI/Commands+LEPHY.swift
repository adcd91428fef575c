internal import Octets

extension HCI {
    /// `HCI_LE_Read_PHY`. Core Vol 4, Part E, 7.8.47.
    public struct LEReadPHY: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Read_PHY`
        public static let opcode = HCIOpcode.leReadPHY

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// How the command ended.
            public var status: HCIStatus
            /// The connection.
            public var handle: ConnectionHandle
            /// Where this side sends.
            public var transmitPHY: PHY
            /// Where this side receives.
            public var receivePHY: PHY

            /// A value of its fields.
            public init(
                status: HCIStatus, handle: ConnectionHandle, transmitPHY: PHY,
                receivePHY: PHY
            ) {
                self.status = status
                self.handle = handle
                self.transmitPHY = transmitPHY
                self.receivePHY = receivePHY
            }

            init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(
                    status: rest.take(), handle: rest.take(),
                    transmitPHY:
                        rest.take(), receivePHY: rest.take())
            }

            var fields: some HCIField { inOrder(status, handle, transmitPHY, receivePHY) }
        }

        /// The connection.
        public var handle: ConnectionHandle

        /// A value of its fields.
        public init(handle: ConnectionHandle) { self.handle = handle }

        init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(handle: rest.take())
        }

        var fields: some HCIField { handle }
    }

    /// `HCI_LE_Set_Default_PHY`. Core Vol 4, Part E, 7.8.48.
    public struct LESetDefaultPHY: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Set_Default_PHY`
        public static let opcode = HCIOpcode.leSetDefaultPHY

        /// Bit 0: none for sending; bit 1: none for receiving.
        public var withoutPreference: UInt8
        /// Where to send.
        public var transmitPHYs: PHYs
        /// Where to receive.
        public var receivePHYs: PHYs

        /// A value of its fields.
        public init(withoutPreference: UInt8, transmitPHYs: PHYs, receivePHYs: PHYs) {
            self.withoutPreference = withoutPreference
            self.transmitPHYs = transmitPHYs
            self.receivePHYs = receivePHYs
        }

        init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(
                withoutPreference: rest.take(), transmitPHYs: rest.take(),
                receivePHYs: rest.take())
        }

        var fields: some HCIField { inOrder(withoutPreference, transmitPHYs, receivePHYs) }
    }

    /// `HCI_LE_Set_PHY`. Core Vol 4, Part E, 7.8.49. Answered by HCI_Command_Status.
    public struct LESetPHY: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Set_PHY`
        public static let opcode = HCIOpcode.leSetPHY

        /// The connection.
        public var handle: ConnectionHandle
        /// Bit 0: none for sending; bit 1: none for receiving.
        public var withoutPreference: UInt8
        /// Where to send.
        public var transmitPHYs: PHYs
        /// Where to receive.
        public var receivePHYs: PHYs
        /// Bits 0 and 1: the preferred coding.
        public var options: UInt16

        /// A value of its fields.
        public init(
            handle: ConnectionHandle, withoutPreference: UInt8, transmitPHYs: PHYs,
            receivePHYs: PHYs, options: UInt16
        ) {
            self.handle = handle
            self.withoutPreference = withoutPreference
            self.transmitPHYs = transmitPHYs
            self.receivePHYs = receivePHYs
            self.options = options
        }

        init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(
                handle: rest.take(), withoutPreference: rest.take(),
                transmitPHYs:
                    rest.take(), receivePHYs: rest.take(), options: rest.take())
        }

        var fields: some HCIField {
            inOrder(handle, withoutPreference, transmitPHYs, receivePHYs, options)
        }
    }
}
