extension HCI {
    /// `HCI_LE_Connection_Update`. Core Vol 4, Part E, 7.8.18. Answered by HCI_Command_Status.
    public struct LEConnectionUpdate: HCICommand, PDUStructure {
        /// `HCI_LE_Connection_Update`
        public static let opcode = HCIOpcode.leConnectionUpdate

        /// The connection.
        public var handle: ConnectionHandle
        /// The parameters that the Central wants.
        public var parameters: ConnectionParameters
        /// A hint for the length of connection events, in units of 0.625 ms.
        public var eventLengthMinimum: UInt16
        /// A hint for the length of connection events, in units of 0.625 ms.
        public var eventLengthMaximum: UInt16

        package static let layout = inOrder(Self.init) {
            ($0.handle, $0.parameters, $0.eventLengthMinimum, $0.eventLengthMaximum)
        }
    }

    /// `HCI_LE_Remote_Connection_Parameter_Request_Reply`. Core Vol 4, Part E, 7.8.31.
    public struct LERemoteConnectionParameterRequestReply: HCICommand, PDUStructure {
        /// `HCI_LE_Remote_Connection_Parameter_Request_Reply`
        public static let opcode = HCIOpcode.leRemoteConnectionParameterRequestReply

        /// The status and the connection.
        public typealias ReturnParameters = HCIConnectionStatus

        /// The connection.
        public var handle: ConnectionHandle
        /// The parameters that this side accepts.
        public var parameters: ConnectionParameters
        /// A hint for the length of connection events, in units of 0.625 ms.
        public var eventLengthMinimum: UInt16
        /// A hint for the length of connection events, in units of 0.625 ms.
        public var eventLengthMaximum: UInt16

        package static let layout = inOrder(Self.init) {
            ($0.handle, $0.parameters, $0.eventLengthMinimum, $0.eventLengthMaximum)
        }
    }

    /// `HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply`. Core Vol 4, Part E, 7.8.32.
    public struct LERemoteConnectionParameterRequestNegativeReply: HCICommand, PDUStructure {
        /// `HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply`
        public static let opcode = HCIOpcode.leRemoteConnectionParameterRequestNegativeReply

        /// The status and the connection.
        public typealias ReturnParameters = HCIConnectionStatus

        /// The connection.
        public var handle: ConnectionHandle
        /// The reason for the refusal.
        public var reason: HCIStatus

        package static let layout = inOrder(Self.init) { ($0.handle, $0.reason) }
    }
}
