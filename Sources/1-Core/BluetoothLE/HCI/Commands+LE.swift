extension HCI {
    /// `HCI_LE_Set_Event_Mask`. Core Vol 4, Part E, 7.8.1.
    public struct LESetEventMask: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Event_Mask`
        public static let opcode = HCIOpcode.leSetEventMask

        /// One bit per subevent; see ``EventMask``.
        public var mask: UInt64

        package static let layout = inOrder(Self.init) { $0.mask }
    }

    /// `HCI_LE_Read_Buffer_Size` [v1]. Core Vol 4, Part E, 7.8.2.
    public struct LEReadBufferSize: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Buffer_Size`
        public static let opcode = HCIOpcode.leReadBufferSize

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            public var status: HCIStatus
            /// The size of a buffer in octets, without the header; 0 if the values of
            /// HCI_Read_Buffer_Size apply.
            public var aclLength: UInt16
            /// The number of buffers; 0 if the values of HCI_Read_Buffer_Size apply.
            public var aclCount: UInt8

            package static let layout = inOrder(Self.init) {
                ($0.status, $0.aclLength, $0.aclCount)
            }
        }

        /// Creates `HCI_LE_Read_Buffer_Size`, for a host to send.
        public init() {}
    }

    /// `HCI_LE_Read_Local_Supported_Features`. Core Vol 4, Part E, 7.8.3.
    public struct LEReadLocalSupportedFeatures: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Local_Supported_Features`
        public static let opcode = HCIOpcode.leReadLocalSupportedFeatures

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            public var status: HCIStatus
            /// The features of the link layer.
            public var features: LEFeatures

            package static let layout = inOrder(Self.init) { ($0.status, $0.features) }
        }

        /// Creates `HCI_LE_Read_Local_Supported_Features`, for a host to send.
        public init() {}
    }

    /// `HCI_LE_Set_Random_Address`. Core Vol 4, Part E, 7.8.4.
    public struct LESetRandomAddress: HCICommand, PDUStructure {
        /// `HCI_LE_Set_Random_Address`
        public static let opcode = HCIOpcode.leSetRandomAddress

        /// The random address.
        public var address: DeviceAddress

        package static let layout = inOrder({ Self(address: $0.address(.random)) }) {
            $0.address.untyped
        }
    }
}
