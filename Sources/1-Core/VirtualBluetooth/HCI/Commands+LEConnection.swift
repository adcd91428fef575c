internal import BluetoothLE

extension HCI {
    /// `HCI_LE_Read_Remote_Features`. Core Vol 4, Part E, 7.8.21. Answered by HCI_Command_Status.
    struct LEReadRemoteFeatures: HCICommand, PDUStructure {
        /// `HCI_LE_Read_Remote_Features`
        static let opcode = HCIOpcode.leReadRemoteFeatures

        /// The connection.
        var handle: ConnectionHandle

        static let layout = inOrder(Self.init) { $0.handle }
    }
}
