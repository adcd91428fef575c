public import BluetoothLE
package import Octets

extension HCI {
    /// `HCI_Set_Controller_To_Host_Flow_Control`. Core Vol 4, Part E, 7.3.38.
    public struct SetControllerToHostFlowControl: HCICommand, HCIFieldSequence {
        /// `HCI_Set_Controller_To_Host_Flow_Control`
        public static let opcode = HCIOpcode.setControllerToHostFlowControl

        /// Bit 0: for ACL data; bit 1: for synchronous data.
        public var mode: UInt8

        /// Creates `HCI_Set_Controller_To_Host_Flow_Control`, for a host to send.
        public init(mode: UInt8) { self.mode = mode }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(mode: rest.take())
        }

        package var fields: some HCIField { mode }
    }

    /// `HCI_Host_Buffer_Size`. Core Vol 4, Part E, 7.3.39.
    public struct HostBufferSize: HCICommand, HCIFieldSequence {
        /// `HCI_Host_Buffer_Size`
        public static let opcode = HCIOpcode.hostBufferSize

        /// The size of an ACL buffer of the host in octets.
        public var aclLength: UInt16
        /// The size of a synchronous buffer of the host in octets.
        public var scoLength: UInt8
        /// The number of the host's ACL buffers.
        public var aclCount: UInt16
        /// The number of the host's synchronous buffers.
        public var scoCount: UInt16

        /// Creates `HCI_Host_Buffer_Size`, for a host to send.
        public init(aclLength: UInt16, scoLength: UInt8, aclCount: UInt16, scoCount: UInt16) {
            self.aclLength = aclLength
            self.scoLength = scoLength
            self.aclCount = aclCount
            self.scoCount = scoCount
        }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(
                aclLength: rest.take(), scoLength: rest.take(), aclCount: rest.take(),
                scoCount: rest.take())
        }

        package var fields: some HCIField { inOrder(aclLength, scoLength, aclCount, scoCount) }
    }

    /// `HCI_Host_Number_Of_Completed_Packets`. Core Vol 4, Part E, 7.3.40. Answered only if it is invalid.
    public struct HostNumberOfCompletedPackets: HCICommand, HCIFieldSequence {
        /// `HCI_Host_Number_Of_Completed_Packets`
        public static let opcode = HCIOpcode.hostNumberOfCompletedPackets

        /// The freed buffers, one entry per connection.
        public var entries: [NumberOfCompletedPackets.Entry]

        /// Creates `HCI_Host_Number_Of_Completed_Packets`, for a host to send.
        public init(entries: [NumberOfCompletedPackets.Entry]) { self.entries = entries }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(entries: rest.take())
        }

        package var fields: some HCIField { entries }
    }
}
