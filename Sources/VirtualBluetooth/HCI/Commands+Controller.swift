public import BluetoothLE
package import Octets

extension HCI {
    /// `HCI_Set_Event_Mask_Page_2`. Core Vol 4, Part E, 7.3.69.
    public struct SetEventMaskPage2: HCICommand, HCIFieldSequence {
        /// `HCI_Set_Event_Mask_Page_2`
        public static let opcode = HCIOpcode.setEventMaskPage2

        /// One bit per event.
        public var mask: UInt64

        /// Creates `HCI_Set_Event_Mask_Page_2`, for a host to send.
        public init(mask: UInt64) { self.mask = mask }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(mask: rest.take())
        }

        package var fields: some HCIField { mask }
    }
}
