internal import BluetoothLE

extension HCI {
    /// `HCI_LE_Set_Data_Length`. Core Vol 4, Part E, 7.8.33.
    struct LESetDataLength: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Data_Length`
        static let opcode = HCIOpcode.leSetDataLength

        /// The status and the connection.
        typealias ReturnParameters = HCIConnectionStatus

        /// The connection.
        var handle: ConnectionHandle
        /// The length of a packet on air in octets, 27 to 251.
        var octets: UInt16
        /// The duration of a packet on air in microseconds, 328 to 17040.
        var microseconds: UInt16

        static let layout = inOrder(Self.init) { ($0.handle, $0.octets, $0.microseconds) }
    }
}
