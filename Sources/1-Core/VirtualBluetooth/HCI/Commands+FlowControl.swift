internal import BluetoothLE

extension HCI {
    /// `HCI_Set_Controller_To_Host_Flow_Control`. Core Vol 4, Part E, 7.3.38.
    struct SetControllerToHostFlowControl: HCICommand, PDUStructure {
        /// `HCI_Set_Controller_To_Host_Flow_Control`
        static let opcode = HCIOpcode.setControllerToHostFlowControl

        /// Bit 0: for ACL data; bit 1: for synchronous data.
        var mode: UInt8

        static let layout = inOrder(Self.init) { $0.mode }
    }

    /// `HCI_Host_Buffer_Size`. Core Vol 4, Part E, 7.3.39.
    struct HostBufferSize: HCICommand, PDUStructure {
        /// `HCI_Host_Buffer_Size`
        static let opcode = HCIOpcode.hostBufferSize

        /// The size of an ACL buffer of the host in octets.
        var aclLength: UInt16
        /// The size of a synchronous buffer of the host in octets.
        var scoLength: UInt8
        /// The number of the host's ACL buffers.
        var aclCount: UInt16
        /// The number of the host's synchronous buffers.
        var scoCount: UInt16

        static let layout = inOrder(Self.init) {
            ($0.aclLength, $0.scoLength, $0.aclCount, $0.scoCount)
        }
    }

    /// `HCI_Host_Number_Of_Completed_Packets`. Core Vol 4, Part E, 7.3.40. Answered only if it is invalid.
    struct HostNumberOfCompletedPackets: HCICommand, PDUStructure {
        /// `HCI_Host_Number_Of_Completed_Packets`
        static let opcode = HCIOpcode.hostNumberOfCompletedPackets

        /// The freed buffers, one entry per connection.
        var entries: [NumberOfCompletedPackets.Entry]

        static let layout = inOrder(Self.init) { $0.entries }
    }
}
