internal import BluetoothLE

extension HCI {
    /// `HCI_LE_Read_PHY`. Core Vol 4, Part E, 7.8.47.
    struct LEReadPHY: HCICommand, PDUStructure {
        /// `HCI_LE_Read_PHY`
        static let opcode = HCIOpcode.leReadPHY

        /// The return parameters of the command.
        struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            var status: HCIStatus
            /// The connection.
            var handle: ConnectionHandle
            /// The PHY for sending.
            var transmitPHY: PHY
            /// The PHY for receiving.
            var receivePHY: PHY

            static let layout = inOrder(Self.init) {
                ($0.status, $0.handle, $0.transmitPHY, $0.receivePHY)
            }
        }

        /// The connection.
        var handle: ConnectionHandle

        static let layout = inOrder(Self.init) { $0.handle }
    }

    /// `HCI_LE_Set_Default_PHY`. Core Vol 4, Part E, 7.8.48.
    struct LESetDefaultPHY: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Default_PHY`
        static let opcode = HCIOpcode.leSetDefaultPHY

        /// Bit 0: no preference for sending; bit 1: no preference for receiving.
        var withoutPreference: UInt8
        /// The preferred PHYs for sending.
        var transmitPHYs: PHYs
        /// The preferred PHYs for receiving.
        var receivePHYs: PHYs

        static let layout = inOrder(Self.init) {
            ($0.withoutPreference, $0.transmitPHYs, $0.receivePHYs)
        }
    }

    /// `HCI_LE_Set_PHY`. Core Vol 4, Part E, 7.8.49. Answered by HCI_Command_Status.
    struct LESetPHY: HCICommand, PDUStructure {
        /// `HCI_LE_Set_PHY`
        static let opcode = HCIOpcode.leSetPHY

        /// The connection.
        var handle: ConnectionHandle
        /// Bit 0: no preference for sending; bit 1: no preference for receiving.
        var withoutPreference: UInt8
        /// The preferred PHYs for sending.
        var transmitPHYs: PHYs
        /// The preferred PHYs for receiving.
        var receivePHYs: PHYs
        /// Bits 0 and 1: the preferred coding.
        var options: UInt16

        static let layout = inOrder(Self.init) {
            ($0.handle, $0.withoutPreference, $0.transmitPHYs, $0.receivePHYs, $0.options)
        }
    }
}
