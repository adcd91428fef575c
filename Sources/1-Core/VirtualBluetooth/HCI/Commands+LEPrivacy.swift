internal import BluetoothLE

extension HCI {
    /// `HCI_LE_Add_Device_To_Resolving_List`. Core Vol 4, Part E, 7.8.38.
    struct LEAddDeviceToResolvingList: HCICommand, PDUStructure {
        /// `HCI_LE_Add_Device_To_Resolving_List`
        static let opcode = HCIOpcode.leAddDeviceToResolvingList

        /// The identity address of the peer.
        var peerIdentity: DeviceAddress
        /// The identity resolving key of the peer; 0 for none.
        var peerIRK: UInt128
        /// The identity resolving key that this device uses for the peer; 0 for none.
        var localIRK: UInt128

        static let layout = inOrder(Self.init) { ($0.peerIdentity, $0.peerIRK, $0.localIRK) }
    }

    /// `HCI_LE_Remove_Device_From_Resolving_List`. Core Vol 4, Part E, 7.8.39.
    struct LERemoveDeviceFromResolvingList: HCICommand, PDUStructure {
        /// `HCI_LE_Remove_Device_From_Resolving_List`
        static let opcode = HCIOpcode.leRemoveDeviceFromResolvingList

        /// The identity address of the peer.
        var peerIdentity: DeviceAddress

        static let layout = inOrder(Self.init) { $0.peerIdentity }
    }

    /// `HCI_LE_Clear_Resolving_List`. Core Vol 4, Part E, 7.8.40.
    struct LEClearResolvingList: HCICommand, HCIParameterless {
        /// `HCI_LE_Clear_Resolving_List`
        static let opcode = HCIOpcode.leClearResolvingList
    }

    /// `HCI_LE_Read_Resolving_List_Size`. Core Vol 4, Part E, 7.8.41.
    struct LEReadResolvingListSize: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Resolving_List_Size`
        static let opcode = HCIOpcode.leReadResolvingListSize

        typealias ReturnParameters = LEReadFilterAcceptListSize.ReturnParameters
    }

    /// `HCI_LE_Read_Peer_Resolvable_Address`. Core Vol 4, Part E, 7.8.42.
    struct LEReadPeerResolvableAddress: HCICommand, PDUStructure {
        /// `HCI_LE_Read_Peer_Resolvable_Address`
        static let opcode = HCIOpcode.leReadPeerResolvableAddress

        /// The return parameters of the command.
        struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            var status: HCIStatus
            /// The address that was used last.
            var address: DeviceAddress

            static let layout = inOrder({ Self(status: $0, address: $1.address(.random)) }) {
                ($0.status, $0.address.untyped)
            }
        }

        /// The identity address of the peer.
        var peerIdentity: DeviceAddress

        static let layout = inOrder(Self.init) { $0.peerIdentity }
    }

    /// `HCI_LE_Read_Local_Resolvable_Address`. Core Vol 4, Part E, 7.8.43.
    struct LEReadLocalResolvableAddress: HCICommand, PDUStructure {
        /// `HCI_LE_Read_Local_Resolvable_Address`
        static let opcode = HCIOpcode.leReadLocalResolvableAddress

        /// With the address that this device uses for the peer.
        typealias ReturnParameters = LEReadPeerResolvableAddress.ReturnParameters

        /// The identity address of the peer.
        var peerIdentity: DeviceAddress

        static let layout = inOrder(Self.init) { $0.peerIdentity }
    }

    /// `HCI_LE_Set_Address_Resolution_Enable`. Core Vol 4, Part E, 7.8.44.
    struct LESetAddressResolutionEnable: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Address_Resolution_Enable`
        static let opcode = HCIOpcode.leSetAddressResolutionEnable

        /// Whether the controller resolves addresses.
        var isEnabled: Bool

        static let layout = inOrder(Self.init) { $0.isEnabled }
    }

    /// `HCI_LE_Set_Resolvable_Private_Address_Timeout`. Core Vol 4, Part E, 7.8.45.
    struct LESetResolvablePrivateAddressTimeout: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Resolvable_Private_Address_Timeout`
        static let opcode = HCIOpcode.leSetResolvablePrivateAddressTimeout

        /// The lifetime of a private address: 1 to 3600 seconds.
        var seconds: UInt16

        static let layout = inOrder(Self.init) { $0.seconds }
    }

    /// `HCI_LE_Set_Privacy_Mode`. Core Vol 4, Part E, 7.8.77.
    struct LESetPrivacyMode: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Privacy_Mode`
        static let opcode = HCIOpcode.leSetPrivacyMode

        /// The identity address of the peer.
        var peerIdentity: DeviceAddress
        /// Which addresses of the peer are accepted.
        var mode: PrivacyMode

        static let layout = inOrder(Self.init) { ($0.peerIdentity, $0.mode) }
    }
}
