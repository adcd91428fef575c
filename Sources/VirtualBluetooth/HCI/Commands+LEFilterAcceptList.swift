public import BluetoothLE
package import Octets

extension HCI {
    /// `HCI_LE_Read_Filter_Accept_List_Size`. Core Vol 4, Part E, 7.8.14.
    public struct LEReadFilterAcceptListSize: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Filter_Accept_List_Size`
        public static let opcode = HCIOpcode.leReadFilterAcceptListSize

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// The status of the command.
            public var status: HCIStatus
            /// The number of entries that fit.
            public var size: UInt8

            /// Creates the return parameters of `HCI_LE_Read_Filter_Accept_List_Size`, for a controller to send.
            public init(status: HCIStatus, size: UInt8) {
                self.status = status
                self.size = size
            }

            package init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), size: rest.take())
            }

            package var fields: some HCIField { inOrder(status, size) }
        }

        /// Creates `HCI_LE_Read_Filter_Accept_List_Size`, for a host to send.
        public init() {}
    }

    /// `HCI_LE_Clear_Filter_Accept_List`. Core Vol 4, Part E, 7.8.15.
    public struct LEClearFilterAcceptList: HCICommand, HCIParameterless {
        /// `HCI_LE_Clear_Filter_Accept_List`
        public static let opcode = HCIOpcode.leClearFilterAcceptList

        /// Creates `HCI_LE_Clear_Filter_Accept_List`, for a host to send.
        public init() {}
    }

    /// `HCI_LE_Add_Device_To_Filter_Accept_List`. Core Vol 4, Part E, 7.8.16.
    public struct LEAddDeviceToFilterAcceptList: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Add_Device_To_Filter_Accept_List`
        public static let opcode = HCIOpcode.leAddDeviceToFilterAcceptList

        /// The device.
        public var address: DeviceAddress

        /// Creates `HCI_LE_Add_Device_To_Filter_Accept_List`, for a host to send.
        public init(address: DeviceAddress) { self.address = address }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(address: rest.take())
        }

        package var fields: some HCIField { address }
    }

    /// `HCI_LE_Remove_Device_From_Filter_Accept_List`. Core Vol 4, Part E, 7.8.17.
    public struct LERemoveDeviceFromFilterAcceptList: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Remove_Device_From_Filter_Accept_List`
        public static let opcode = HCIOpcode.leRemoveDeviceFromFilterAcceptList

        /// The device.
        public var address: DeviceAddress

        /// Creates `HCI_LE_Remove_Device_From_Filter_Accept_List`, for a host to send.
        public init(address: DeviceAddress) { self.address = address }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(address: rest.take())
        }

        package var fields: some HCIField { address }
    }
}
