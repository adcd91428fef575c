public import Octets

extension HCI {
    /// `HCI_LE_Set_Event_Mask`. Core Vol 4, Part E, 7.8.1.
    public struct LESetEventMask: HCICommand {
        /// `HCI_LE_Set_Event_Mask`
        public static let opcode = HCIOpcode.leSetEventMask

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// One bit per subevent; see ``EventMask``.
        public var mask: UInt64

        /// A value of its fields.
        public init(mask: UInt64) {
            self.mask = mask
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            mask = try rest.takeUInt64()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 8 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: mask)
        }
    }

    /// `HCI_LE_Read_Buffer_Size` [v1]. Core Vol 4, Part E, 7.8.2.
    public struct LEReadBufferSize: HCICommand {
        /// `HCI_LE_Read_Buffer_Size`
        public static let opcode = HCIOpcode.leReadBufferSize

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// The size of a buffer in octets, without the header; 0 where HCI_Read_Buffer_Size
            /// counts.
            public var aclLength: UInt16
            /// How many buffers there are; 0 where HCI_Read_Buffer_Size counts.
            public var aclCount: UInt8

            /// A value of its fields.
            public init(status: HCIStatus, aclLength: UInt16, aclCount: UInt8) {
                self.status = status
                self.aclLength = aclLength
                self.aclCount = aclCount
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                aclLength = try rest.takeUInt16()
                aclCount = try rest.takeUInt8()
            }

            /// The size of the parameters in octets.
            public var encodedCount: Int { 4 }

            /// Appends the parameters in the order of the specification.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(littleEndian: aclLength)
                output.append(aclCount)
            }
        }

        /// The command.
        public init() {}

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 0 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
        }
    }

    /// `HCI_LE_Read_Local_Supported_Features`. Core Vol 4, Part E, 7.8.3.
    public struct LEReadLocalSupportedFeatures: HCICommand {
        /// `HCI_LE_Read_Local_Supported_Features`
        public static let opcode = HCIOpcode.leReadLocalSupportedFeatures

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// What the link layer can do.
            public var features: LEFeatures

            /// A value of its fields.
            public init(status: HCIStatus, features: LEFeatures) {
                self.status = status
                self.features = features
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                features = LEFeatures(rawValue: try rest.takeUInt64())
            }

            /// The size of the parameters in octets.
            public var encodedCount: Int { 9 }

            /// Appends the parameters in the order of the specification.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(littleEndian: features.rawValue)
            }
        }

        /// The command.
        public init() {}

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 0 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
        }
    }

    /// `HCI_LE_Set_Random_Address`. Core Vol 4, Part E, 7.8.4.
    public struct LESetRandomAddress: HCICommand {
        /// `HCI_LE_Set_Random_Address`
        public static let opcode = HCIOpcode.leSetRandomAddress

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The random address.
        public var address: DeviceAddress

        /// A value of its fields.
        public init(address: DeviceAddress) {
            self.address = address
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            address = DeviceAddress(try rest.takeUInt48(), kind: .random)
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 6 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(address: address)
        }
    }
}
