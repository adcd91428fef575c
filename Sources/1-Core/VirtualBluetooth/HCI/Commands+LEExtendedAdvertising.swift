internal import BluetoothLE

extension HCI {
    /// `HCI_LE_Remove_Advertising_Set`. Core Vol 4, Part E, 7.8.59.
    struct LERemoveAdvertisingSet: HCICommand, PDUStructure {
        /// `HCI_LE_Remove_Advertising_Set`
        static let opcode = HCIOpcode.leRemoveAdvertisingSet

        /// The advertising set, 0 to 0xEF.
        var set: UInt8

        static let layout = inOrder(Self.init) { $0.set }
    }

    /// `HCI_LE_Clear_Advertising_Sets`. Core Vol 4, Part E, 7.8.60.
    struct LEClearAdvertisingSets: HCICommand, HCIParameterless {
        /// `HCI_LE_Clear_Advertising_Sets`
        static let opcode = HCIOpcode.leClearAdvertisingSets
    }
}
