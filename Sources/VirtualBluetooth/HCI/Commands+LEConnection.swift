public import BluetoothLE
package import Octets

extension HCI {
    /// `HCI_LE_Read_Remote_Features`. Core Vol 4, Part E, 7.8.21. Answered by HCI_Command_Status.
    public struct LEReadRemoteFeatures: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Read_Remote_Features`
        public static let opcode = HCIOpcode.leReadRemoteFeatures

        /// The connection.
        public var handle: ConnectionHandle

        /// Creates `HCI_LE_Read_Remote_Features`, for a host to send.
        public init(handle: ConnectionHandle) { self.handle = handle }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(handle: rest.take())
        }

        package var fields: some HCIField { handle }
    }
}
