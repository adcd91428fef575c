internal import BluetoothLE

extension HCI {
    /// `HCI_Set_Event_Mask_Page_2`. Core Vol 4, Part E, 7.3.69.
    struct SetEventMaskPage2: HCICommand, PDUStructure {
        /// `HCI_Set_Event_Mask_Page_2`
        static let opcode = HCIOpcode.setEventMaskPage2

        /// One bit per event.
        var mask: UInt64

        static let layout = inOrder(Self.init) { $0.mask }
    }
}
