extension HCI {
    /// `HCI_Disconnect`. Core Vol 4, Part E, 7.1.6. Answered by HCI_Command_Status, later by
    /// HCI_Disconnection_Complete.
    public struct Disconnect: HCICommand, PDUStructure {
        /// `HCI_Disconnect`
        public static let opcode = HCIOpcode.disconnect

        /// The connection.
        public var handle: ConnectionHandle
        /// The reason that is reported to the peer.
        public var reason: HCIStatus

        package static let layout = inOrder(Self.init) { ($0.handle, $0.reason) }
    }
}
