internal import BluetoothLE

extension HCI {
    /// `HCI_LE_Read_Filter_Accept_List_Size`. Core Vol 4, Part E, 7.8.14.
    struct LEReadFilterAcceptListSize: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Filter_Accept_List_Size`
        static let opcode = HCIOpcode.leReadFilterAcceptListSize

        /// The return parameters of the command.
        struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            var status: HCIStatus
            /// The number of entries that fit.
            var size: UInt8

            static let layout = inOrder(Self.init) { ($0.status, $0.size) }
        }
    }

    /// `HCI_LE_Clear_Filter_Accept_List`. Core Vol 4, Part E, 7.8.15.
    struct LEClearFilterAcceptList: HCICommand, HCIParameterless {
        /// `HCI_LE_Clear_Filter_Accept_List`
        static let opcode = HCIOpcode.leClearFilterAcceptList
    }

    /// `HCI_LE_Add_Device_To_Filter_Accept_List`. Core Vol 4, Part E, 7.8.16.
    struct LEAddDeviceToFilterAcceptList: HCICommand, PDUStructure {
        /// `HCI_LE_Add_Device_To_Filter_Accept_List`
        static let opcode = HCIOpcode.leAddDeviceToFilterAcceptList

        /// The device.
        var address: DeviceAddress

        static let layout = inOrder(Self.init) { $0.address }
    }

    /// `HCI_LE_Remove_Device_From_Filter_Accept_List`. Core Vol 4, Part E, 7.8.17.
    struct LERemoveDeviceFromFilterAcceptList: HCICommand, PDUStructure {
        /// `HCI_LE_Remove_Device_From_Filter_Accept_List`
        static let opcode = HCIOpcode.leRemoveDeviceFromFilterAcceptList

        /// The device.
        var address: DeviceAddress

        static let layout = inOrder(Self.init) { $0.address }
    }
}
