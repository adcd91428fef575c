public import BluetoothLE
package import Octets

extension HCI {
    /// `HCI_Read_Remote_Version_Information`. Core Vol 4, Part E, 7.1.23. Answered by
    /// HCI_Command_Status.
    public struct ReadRemoteVersionInformation: HCICommand, HCIFieldSequence {
        /// `HCI_Read_Remote_Version_Information`
        public static let opcode = HCIOpcode.readRemoteVersionInformation

        /// The connection.
        public var handle: ConnectionHandle

        /// Creates `HCI_Read_Remote_Version_Information`, for a host to send.
        public init(handle: ConnectionHandle) { self.handle = handle }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(handle: rest.take())
        }

        package var fields: some HCIField { handle }
    }
}
