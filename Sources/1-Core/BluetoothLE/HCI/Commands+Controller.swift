extension HCI {
    /// `HCI_Set_Event_Mask`. Core Vol 4, Part E, 7.3.1.
    public struct SetEventMask: HCICommand, PDUStructure {
        /// `HCI_Set_Event_Mask`
        public static let opcode = HCIOpcode.setEventMask

        /// One bit per event; see ``EventMask``.
        public var mask: UInt64

        package static let layout = inOrder(Self.init) { $0.mask }
    }

    /// `HCI_Reset`. Core Vol 4, Part E, 7.3.2.
    public struct Reset: HCICommand, HCIParameterless {
        /// `HCI_Reset`
        public static let opcode = HCIOpcode.reset

        /// Creates `HCI_Reset`, for a host to send.
        public init() {}
    }

    /// `HCI_Write_LE_Host_Support`. Core Vol 4, Part E, 7.3.79. A controller with BR/EDR and LE needs it.
    public struct WriteLEHostSupport: HCICommand, PDUStructure {
        /// `HCI_Write_LE_Host_Support`
        public static let opcode = HCIOpcode.writeLEHostSupport

        /// Whether the host supports LE.
        public var isSupported: Bool
        /// Reserved since Bluetooth 4.1: 0.
        public var simultaneous: UInt8

        package static let layout = inOrder(Self.init) { ($0.isSupported, $0.simultaneous) }
    }
}
