public import BluetoothLE
package import Octets

extension HCI {
    /// `HCI_Read_Authenticated_Payload_Timeout`. Core Vol 4, Part E, 7.3.93.
    public struct ReadAuthenticatedPayloadTimeout: HCICommand, HCIFieldSequence {
        /// `HCI_Read_Authenticated_Payload_Timeout`
        public static let opcode = HCIOpcode.readAuthenticatedPayloadTimeout

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// The status of the command.
            public var status: HCIStatus
            /// The connection.
            public var handle: ConnectionHandle
            /// The timeout in units of 10 ms.
            public var timeout: UInt16

            /// Creates the return parameters of `HCI_Read_Authenticated_Payload_Timeout`, for a controller to send.
            public init(status: HCIStatus, handle: ConnectionHandle, timeout: UInt16) {
                self.status = status
                self.handle = handle
                self.timeout = timeout
            }

            package init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), handle: rest.take(), timeout: rest.take())
            }

            package var fields: some HCIField { inOrder(status, handle, timeout) }
        }

        /// The connection.
        public var handle: ConnectionHandle

        /// Creates `HCI_Read_Authenticated_Payload_Timeout`, for a host to send.
        public init(handle: ConnectionHandle) { self.handle = handle }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(handle: rest.take())
        }

        package var fields: some HCIField { handle }
    }

    /// `HCI_Write_Authenticated_Payload_Timeout`. Core Vol 4, Part E, 7.3.94.
    public struct WriteAuthenticatedPayloadTimeout: HCICommand, HCIFieldSequence {
        /// `HCI_Write_Authenticated_Payload_Timeout`
        public static let opcode = HCIOpcode.writeAuthenticatedPayloadTimeout

        /// The return parameters of the command.
        public typealias ReturnParameters = HCIConnectionStatus

        /// The connection.
        public var handle: ConnectionHandle
        /// The timeout in units of 10 ms.
        public var timeout: UInt16

        /// Creates `HCI_Write_Authenticated_Payload_Timeout`, for a host to send.
        public init(handle: ConnectionHandle, timeout: UInt16) {
            self.handle = handle
            self.timeout = timeout
        }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(handle: rest.take(), timeout: rest.take())
        }

        package var fields: some HCIField { inOrder(handle, timeout) }
    }

    /// `HCI_LE_Set_Host_Channel_Classification`. Core Vol 4, Part E, 7.8.19.
    public struct LESetHostChannelClassification: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Set_Host_Channel_Classification`
        public static let opcode = HCIOpcode.leSetHostChannelClassification

        /// The channels that are not known to be bad.
        public var channels: DataChannels

        /// Creates `HCI_LE_Set_Host_Channel_Classification`, for a host to send.
        public init(channels: DataChannels) { self.channels = channels }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(channels: rest.take())
        }

        package var fields: some HCIField { channels }
    }

    /// `HCI_LE_Read_Channel_Map`. Core Vol 4, Part E, 7.8.20.
    public struct LEReadChannelMap: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Read_Channel_Map`
        public static let opcode = HCIOpcode.leReadChannelMap

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// The status of the command.
            public var status: HCIStatus
            /// The connection.
            public var handle: ConnectionHandle
            /// The channels in use.
            public var channels: DataChannels

            /// Creates the return parameters of `HCI_LE_Read_Channel_Map`, for a controller to send.
            public init(status: HCIStatus, handle: ConnectionHandle, channels: DataChannels) {
                self.status = status
                self.handle = handle
                self.channels = channels
            }

            package init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), handle: rest.take(), channels: rest.take())
            }

            package var fields: some HCIField { inOrder(status, handle, channels) }
        }

        /// The connection.
        public var handle: ConnectionHandle

        /// Creates `HCI_LE_Read_Channel_Map`, for a host to send.
        public init(handle: ConnectionHandle) { self.handle = handle }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(handle: rest.take())
        }

        package var fields: some HCIField { handle }
    }
}
