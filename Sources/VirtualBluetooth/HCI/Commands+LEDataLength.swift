public import BluetoothLE
package import Octets

extension HCI {
    /// `HCI_LE_Set_Data_Length`. Core Vol 4, Part E, 7.8.33.
    public struct LESetDataLength: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Set_Data_Length`
        public static let opcode = HCIOpcode.leSetDataLength

        /// The status and the connection.
        public typealias ReturnParameters = HCIConnectionStatus

        /// The connection.
        public var handle: ConnectionHandle
        /// The length of a packet on air in octets, 27 to 251.
        public var octets: UInt16
        /// The duration of a packet on air in microseconds, 328 to 17040.
        public var microseconds: UInt16

        /// Creates `HCI_LE_Set_Data_Length`, for a host to send.
        public init(handle: ConnectionHandle, octets: UInt16, microseconds: UInt16) {
            self.handle = handle
            self.octets = octets
            self.microseconds = microseconds
        }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(handle: rest.take(), octets: rest.take(), microseconds: rest.take())
        }

        package var fields: some HCIField { inOrder(handle, octets, microseconds) }
    }
}
