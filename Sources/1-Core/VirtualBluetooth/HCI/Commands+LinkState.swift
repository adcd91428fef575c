internal import BluetoothLE

extension HCI {
    /// `HCI_Read_Authenticated_Payload_Timeout`. Core Vol 4, Part E, 7.3.93.
    struct ReadAuthenticatedPayloadTimeout: HCICommand, PDUStructure {
        /// `HCI_Read_Authenticated_Payload_Timeout`
        static let opcode = HCIOpcode.readAuthenticatedPayloadTimeout

        /// The return parameters of the command.
        struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            var status: HCIStatus
            /// The connection.
            var handle: ConnectionHandle
            /// The timeout in units of 10 ms.
            var timeout: UInt16

            static let layout = inOrder(Self.init) { ($0.status, $0.handle, $0.timeout) }
        }

        /// The connection.
        var handle: ConnectionHandle

        static let layout = inOrder(Self.init) { $0.handle }
    }

    /// `HCI_Write_Authenticated_Payload_Timeout`. Core Vol 4, Part E, 7.3.94.
    struct WriteAuthenticatedPayloadTimeout: HCICommand, PDUStructure {
        /// `HCI_Write_Authenticated_Payload_Timeout`
        static let opcode = HCIOpcode.writeAuthenticatedPayloadTimeout

        /// The return parameters of the command.
        typealias ReturnParameters = HCIConnectionStatus

        /// The connection.
        var handle: ConnectionHandle
        /// The timeout in units of 10 ms.
        var timeout: UInt16

        static let layout = inOrder(Self.init) { ($0.handle, $0.timeout) }
    }

    /// `HCI_LE_Set_Host_Channel_Classification`. Core Vol 4, Part E, 7.8.19.
    struct LESetHostChannelClassification: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Host_Channel_Classification`
        static let opcode = HCIOpcode.leSetHostChannelClassification

        /// The channels that are not known to be bad.
        var channels: DataChannels

        static let layout = inOrder(Self.init) { $0.channels }
    }

    /// `HCI_LE_Read_Channel_Map`. Core Vol 4, Part E, 7.8.20.
    struct LEReadChannelMap: HCICommand, PDUStructure {
        /// `HCI_LE_Read_Channel_Map`
        static let opcode = HCIOpcode.leReadChannelMap

        /// The return parameters of the command.
        struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            var status: HCIStatus
            /// The connection.
            var handle: ConnectionHandle
            /// The channels in use.
            var channels: DataChannels

            static let layout = inOrder(Self.init) { ($0.status, $0.handle, $0.channels) }
        }

        /// The connection.
        var handle: ConnectionHandle

        static let layout = inOrder(Self.init) { $0.handle }
    }
}
