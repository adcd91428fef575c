public import BluetoothLE
package import Octets

extension HCI {
    /// `HCI_LE_Remove_Advertising_Set`. Core Vol 4, Part E, 7.8.59.
    public struct LERemoveAdvertisingSet: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Remove_Advertising_Set`
        public static let opcode = HCIOpcode.leRemoveAdvertisingSet

        /// The advertising set, 0 to 0xEF.
        public var set: UInt8

        /// Creates `HCI_LE_Remove_Advertising_Set`, for a host to send.
        public init(set: UInt8) { self.set = set }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(set: rest.take())
        }

        package var fields: some HCIField { self.set }
    }

    /// `HCI_LE_Clear_Advertising_Sets`. Core Vol 4, Part E, 7.8.60.
    public struct LEClearAdvertisingSets: HCICommand, HCIParameterless {
        /// `HCI_LE_Clear_Advertising_Sets`
        public static let opcode = HCIOpcode.leClearAdvertisingSets

        /// Creates `HCI_LE_Clear_Advertising_Sets`, for a host to send.
        public init() {}
    }
}
