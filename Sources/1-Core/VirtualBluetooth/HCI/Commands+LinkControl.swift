internal import BluetoothLE

extension HCI {
    /// `HCI_Read_Remote_Version_Information`. Core Vol 4, Part E, 7.1.23. Answered by
    /// HCI_Command_Status.
    struct ReadRemoteVersionInformation: HCICommand, PDUStructure {
        /// `HCI_Read_Remote_Version_Information`
        static let opcode = HCIOpcode.readRemoteVersionInformation

        /// The connection.
        var handle: ConnectionHandle

        static let layout = inOrder(Self.init) { $0.handle }
    }
}
