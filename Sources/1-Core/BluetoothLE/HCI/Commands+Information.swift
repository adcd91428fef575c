extension HCI {
    /// `HCI_Read_Local_Version_Information`. Core Vol 4, Part E, 7.4.1.
    public struct ReadLocalVersionInformation: HCICommand, HCIParameterless {
        /// `HCI_Read_Local_Version_Information`
        public static let opcode = HCIOpcode.readLocalVersionInformation

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            public var status: HCIStatus
            /// The version: 6 is Bluetooth 4.0, 9 is 5.0.
            public var hciVersion: UInt8
            /// A version number assigned by the manufacturer.
            public var hciSubversion: UInt16
            /// The version of the link layer.
            public var lmpVersion: UInt8
            /// The company identifier of the manufacturer.
            public var manufacturer: UInt16
            /// A version number assigned by the manufacturer.
            public var lmpSubversion: UInt16

            package static let layout = inOrder(Self.init) {
                (
                    $0.status, $0.hciVersion, $0.hciSubversion, $0.lmpVersion, $0.manufacturer,
                    $0.lmpSubversion
                )
            }
        }

        /// Creates `HCI_Read_Local_Version_Information`, for a host to send.
        public init() {}
    }

    /// `HCI_Read_Local_Supported_Commands`. Core Vol 4, Part E, 7.4.2.
    public struct ReadLocalSupportedCommands: HCICommand, HCIParameterless {
        /// `HCI_Read_Local_Supported_Commands`
        public static let opcode = HCIOpcode.readLocalSupportedCommands

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            public var status: HCIStatus
            /// The commands.
            public var commands: SupportedCommands

            package static let layout = inOrder(Self.init) { ($0.status, $0.commands) }
        }

        /// Creates `HCI_Read_Local_Supported_Commands`, for a host to send.
        public init() {}
    }

    /// `HCI_Read_Local_Supported_Features`. Core Vol 4, Part E, 7.4.3.
    public struct ReadLocalSupportedFeatures: HCICommand, HCIParameterless {
        /// `HCI_Read_Local_Supported_Features`
        public static let opcode = HCIOpcode.readLocalSupportedFeatures

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            public var status: HCIStatus
            /// The LMP features. Core Vol 2, Part C, 3.3.
            public var features: UInt64

            package static let layout = inOrder(Self.init) { ($0.status, $0.features) }
        }

        /// Creates `HCI_Read_Local_Supported_Features`, for a host to send.
        public init() {}
    }

    /// `HCI_Read_Buffer_Size`. Core Vol 4, Part E, 7.4.5.
    public struct ReadBufferSize: HCICommand, HCIParameterless {
        /// `HCI_Read_Buffer_Size`
        public static let opcode = HCIOpcode.readBufferSize

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            public var status: HCIStatus
            /// The size of an ACL buffer in octets, without the header.
            public var aclLength: UInt16
            /// The size of a synchronous buffer in octets.
            public var scoLength: UInt8
            /// The number of ACL buffers.
            public var aclCount: UInt16
            /// The number of synchronous buffers.
            public var scoCount: UInt16

            package static let layout = inOrder(Self.init) {
                ($0.status, $0.aclLength, $0.scoLength, $0.aclCount, $0.scoCount)
            }
        }

        /// Creates `HCI_Read_Buffer_Size`, for a host to send.
        public init() {}
    }

    /// `HCI_Read_BD_ADDR`. Core Vol 4, Part E, 7.4.6.
    public struct ReadBDADDR: HCICommand, HCIParameterless {
        /// `HCI_Read_BD_ADDR`
        public static let opcode = HCIOpcode.readBDADDR

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            public var status: HCIStatus
            /// The public address.
            public var address: DeviceAddress

            package static let layout = inOrder({ Self(status: $0, address: $1.address(.public)) })
            { ($0.status, $0.address.untyped) }
        }

        /// Creates `HCI_Read_BD_ADDR`, for a host to send.
        public init() {}
    }
}
