extension HCI {
    /// `HCI_LE_Enable_Encryption`. Core Vol 4, Part E, 7.8.24. Answered by HCI_Command_Status.
    public struct LEEnableEncryption: HCICommand, PDUStructure {
        /// `HCI_LE_Enable_Encryption`
        public static let opcode = HCIOpcode.leEnableEncryption

        /// The connection.
        public var handle: ConnectionHandle
        /// Rand, which identifies a key of LE legacy pairing; 0 with Secure Connections.
        public var random: UInt64
        /// EDIV, which identifies a key of LE legacy pairing; 0 with Secure Connections.
        public var encryptedDiversifier: UInt16
        /// The key.
        public var longTermKey: UInt128

        package static let layout = inOrder(Self.init) {
            ($0.handle, $0.random, $0.encryptedDiversifier, $0.longTermKey)
        }
    }

    /// `HCI_LE_Long_Term_Key_Request_Reply`. Core Vol 4, Part E, 7.8.25.
    public struct LELongTermKeyRequestReply: HCICommand, PDUStructure {
        /// `HCI_LE_Long_Term_Key_Request_Reply`
        public static let opcode = HCIOpcode.leLongTermKeyRequestReply

        /// The status and the connection.
        public typealias ReturnParameters = HCIConnectionStatus

        /// The connection.
        public var handle: ConnectionHandle
        /// The key.
        public var longTermKey: UInt128

        package static let layout = inOrder(Self.init) { ($0.handle, $0.longTermKey) }
    }

    /// `HCI_LE_Long_Term_Key_Request_Negative_Reply`. Core Vol 4, Part E, 7.8.26.
    public struct LELongTermKeyRequestNegativeReply: HCICommand, PDUStructure {
        /// `HCI_LE_Long_Term_Key_Request_Negative_Reply`
        public static let opcode = HCIOpcode.leLongTermKeyRequestNegativeReply

        /// The status and the connection.
        public typealias ReturnParameters = HCIConnectionStatus

        /// The connection.
        public var handle: ConnectionHandle

        package static let layout = inOrder(Self.init) { $0.handle }
    }
}
