public import BluetoothLE
package import Octets

extension HCI {
    /// `HCI_LE_Add_Device_To_Resolving_List`. Core Vol 4, Part E, 7.8.38.
    public struct LEAddDeviceToResolvingList: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Add_Device_To_Resolving_List`
        public static let opcode = HCIOpcode.leAddDeviceToResolvingList

        /// The identity address of the peer.
        public var peerIdentity: DeviceAddress
        /// The identity resolving key of the peer; 0 for none.
        public var peerIRK: UInt128
        /// The identity resolving key that this device uses for the peer; 0 for none.
        public var localIRK: UInt128

        /// Creates `HCI_LE_Add_Device_To_Resolving_List`, for a host to send.
        public init(peerIdentity: DeviceAddress, peerIRK: UInt128, localIRK: UInt128) {
            self.peerIdentity = peerIdentity
            self.peerIRK = peerIRK
            self.localIRK = localIRK
        }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(peerIdentity: rest.take(), peerIRK: rest.take(), localIRK: rest.take())
        }

        package var fields: some HCIField { inOrder(peerIdentity, peerIRK, localIRK) }
    }

    /// `HCI_LE_Remove_Device_From_Resolving_List`. Core Vol 4, Part E, 7.8.39.
    public struct LERemoveDeviceFromResolvingList: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Remove_Device_From_Resolving_List`
        public static let opcode = HCIOpcode.leRemoveDeviceFromResolvingList

        /// The identity address of the peer.
        public var peerIdentity: DeviceAddress

        /// Creates `HCI_LE_Remove_Device_From_Resolving_List`, for a host to send.
        public init(peerIdentity: DeviceAddress) { self.peerIdentity = peerIdentity }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(peerIdentity: rest.take())
        }

        package var fields: some HCIField { peerIdentity }
    }

    /// `HCI_LE_Clear_Resolving_List`. Core Vol 4, Part E, 7.8.40.
    public struct LEClearResolvingList: HCICommand, HCIParameterless {
        /// `HCI_LE_Clear_Resolving_List`
        public static let opcode = HCIOpcode.leClearResolvingList

        /// Creates `HCI_LE_Clear_Resolving_List`, for a host to send.
        public init() {}
    }

    /// `HCI_LE_Read_Resolving_List_Size`. Core Vol 4, Part E, 7.8.41.
    public struct LEReadResolvingListSize: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Resolving_List_Size`
        public static let opcode = HCIOpcode.leReadResolvingListSize

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// The status of the command.
            public var status: HCIStatus
            /// The number of entries that fit.
            public var size: UInt8

            /// Creates the return parameters of `HCI_LE_Read_Resolving_List_Size`, for a controller to send.
            public init(status: HCIStatus, size: UInt8) {
                self.status = status
                self.size = size
            }

            package init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), size: rest.take())
            }

            package var fields: some HCIField { inOrder(status, size) }
        }

        /// Creates `HCI_LE_Read_Resolving_List_Size`, for a host to send.
        public init() {}
    }

    /// `HCI_LE_Read_Peer_Resolvable_Address`. Core Vol 4, Part E, 7.8.42.
    public struct LEReadPeerResolvableAddress: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Read_Peer_Resolvable_Address`
        public static let opcode = HCIOpcode.leReadPeerResolvableAddress

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// The status of the command.
            public var status: HCIStatus
            /// The address that the peer used last.
            public var address: DeviceAddress

            /// Creates the return parameters of `HCI_LE_Read_Peer_Resolvable_Address`, for a controller to send.
            public init(status: HCIStatus, address: DeviceAddress) {
                self.status = status
                self.address = address
            }

            package init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(
                    status: rest.take(),
                    address: DeviceAddress(
                        rest.takeUInt48(),
                        kind: .random))
            }

            package var fields: some HCIField { inOrder(status, address.untyped) }
        }

        /// The identity address of the peer.
        public var peerIdentity: DeviceAddress

        /// Creates `HCI_LE_Read_Peer_Resolvable_Address`, for a host to send.
        public init(peerIdentity: DeviceAddress) { self.peerIdentity = peerIdentity }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(peerIdentity: rest.take())
        }

        package var fields: some HCIField { peerIdentity }
    }

    /// `HCI_LE_Read_Local_Resolvable_Address`. Core Vol 4, Part E, 7.8.43.
    public struct LEReadLocalResolvableAddress: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Read_Local_Resolvable_Address`
        public static let opcode = HCIOpcode.leReadLocalResolvableAddress

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// The status of the command.
            public var status: HCIStatus
            /// The address that this device uses for the peer.
            public var address: DeviceAddress

            /// Creates the return parameters of `HCI_LE_Read_Local_Resolvable_Address`, for a controller to send.
            public init(status: HCIStatus, address: DeviceAddress) {
                self.status = status
                self.address = address
            }

            package init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(
                    status: rest.take(),
                    address: DeviceAddress(
                        rest.takeUInt48(),
                        kind: .random))
            }

            package var fields: some HCIField { inOrder(status, address.untyped) }
        }

        /// The identity address of the peer.
        public var peerIdentity: DeviceAddress

        /// Creates `HCI_LE_Read_Local_Resolvable_Address`, for a host to send.
        public init(peerIdentity: DeviceAddress) { self.peerIdentity = peerIdentity }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(peerIdentity: rest.take())
        }

        package var fields: some HCIField { peerIdentity }
    }

    /// `HCI_LE_Set_Address_Resolution_Enable`. Core Vol 4, Part E, 7.8.44.
    public struct LESetAddressResolutionEnable: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Set_Address_Resolution_Enable`
        public static let opcode = HCIOpcode.leSetAddressResolutionEnable

        /// Whether the controller resolves addresses.
        public var isEnabled: Bool

        /// Creates `HCI_LE_Set_Address_Resolution_Enable`, for a host to send.
        public init(isEnabled: Bool) { self.isEnabled = isEnabled }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(isEnabled: rest.take())
        }

        package var fields: some HCIField { isEnabled }
    }

    /// `HCI_LE_Set_Resolvable_Private_Address_Timeout`. Core Vol 4, Part E, 7.8.45.
    public struct LESetResolvablePrivateAddressTimeout: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Set_Resolvable_Private_Address_Timeout`
        public static let opcode = HCIOpcode.leSetResolvablePrivateAddressTimeout

        /// The lifetime of a private address: 1 to 3600 seconds.
        public var seconds: UInt16

        /// Creates `HCI_LE_Set_Resolvable_Private_Address_Timeout`, for a host to send.
        public init(seconds: UInt16) { self.seconds = seconds }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(seconds: rest.take())
        }

        package var fields: some HCIField { seconds }
    }

    /// `HCI_LE_Set_Privacy_Mode`. Core Vol 4, Part E, 7.8.77.
    public struct LESetPrivacyMode: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Set_Privacy_Mode`
        public static let opcode = HCIOpcode.leSetPrivacyMode

        /// The identity address of the peer.
        public var peerIdentity: DeviceAddress
        /// Which addresses of the peer are accepted.
        public var mode: PrivacyMode

        /// Creates `HCI_LE_Set_Privacy_Mode`, for a host to send.
        public init(peerIdentity: DeviceAddress, mode: PrivacyMode) {
            self.peerIdentity = peerIdentity
            self.mode = mode
        }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(peerIdentity: rest.take(), mode: rest.take())
        }

        package var fields: some HCIField { inOrder(peerIdentity, mode) }
    }
}
