public import BluetoothLE
package import Octets

extension HCI {
    /// `HCI_LE_Read_PHY`. Core Vol 4, Part E, 7.8.47.
    public struct LEReadPHY: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Read_PHY`
        public static let opcode = HCIOpcode.leReadPHY

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// The status of the command.
            public var status: HCIStatus
            /// The connection.
            public var handle: ConnectionHandle
            /// The PHY for sending.
            public var transmitPHY: PHY
            /// The PHY for receiving.
            public var receivePHY: PHY

            /// Creates the return parameters of `HCI_LE_Read_PHY`, for a controller to send.
            public init(
                status: HCIStatus, handle: ConnectionHandle, transmitPHY: PHY,
                receivePHY: PHY
            ) {
                self.status = status
                self.handle = handle
                self.transmitPHY = transmitPHY
                self.receivePHY = receivePHY
            }

            package init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(
                    status: rest.take(), handle: rest.take(),
                    transmitPHY:
                        rest.take(), receivePHY: rest.take())
            }

            package var fields: some HCIField { inOrder(status, handle, transmitPHY, receivePHY) }
        }

        /// The connection.
        public var handle: ConnectionHandle

        /// Creates `HCI_LE_Read_PHY`, for a host to send.
        public init(handle: ConnectionHandle) { self.handle = handle }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(handle: rest.take())
        }

        package var fields: some HCIField { handle }
    }

    /// `HCI_LE_Set_Default_PHY`. Core Vol 4, Part E, 7.8.48.
    public struct LESetDefaultPHY: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Set_Default_PHY`
        public static let opcode = HCIOpcode.leSetDefaultPHY

        /// Bit 0: no preference for sending; bit 1: no preference for receiving.
        public var withoutPreference: UInt8
        /// The preferred PHYs for sending.
        public var transmitPHYs: PHYs
        /// The preferred PHYs for receiving.
        public var receivePHYs: PHYs

        /// Creates `HCI_LE_Set_Default_PHY`, for a host to send.
        public init(withoutPreference: UInt8, transmitPHYs: PHYs, receivePHYs: PHYs) {
            self.withoutPreference = withoutPreference
            self.transmitPHYs = transmitPHYs
            self.receivePHYs = receivePHYs
        }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(
                withoutPreference: rest.take(), transmitPHYs: rest.take(),
                receivePHYs: rest.take())
        }

        package var fields: some HCIField { inOrder(withoutPreference, transmitPHYs, receivePHYs) }
    }

    /// `HCI_LE_Set_PHY`. Core Vol 4, Part E, 7.8.49. Answered by HCI_Command_Status.
    public struct LESetPHY: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Set_PHY`
        public static let opcode = HCIOpcode.leSetPHY

        /// The connection.
        public var handle: ConnectionHandle
        /// Bit 0: no preference for sending; bit 1: no preference for receiving.
        public var withoutPreference: UInt8
        /// The preferred PHYs for sending.
        public var transmitPHYs: PHYs
        /// The preferred PHYs for receiving.
        public var receivePHYs: PHYs
        /// Bits 0 and 1: the preferred coding.
        public var options: UInt16

        /// Creates `HCI_LE_Set_PHY`, for a host to send.
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

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(
                handle: rest.take(), withoutPreference: rest.take(),
                transmitPHYs:
                    rest.take(), receivePHYs: rest.take(), options: rest.take())
        }

        package var fields: some HCIField {
            inOrder(handle, withoutPreference, transmitPHYs, receivePHYs, options)
        }
    }
}
