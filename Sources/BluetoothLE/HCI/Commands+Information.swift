public import Octets

extension HCI {
    /// `HCI_Read_Local_Version_Information`. Core Vol 4, Part E, 7.4.1.
    public struct ReadLocalVersionInformation: HCICommand {
        /// `HCI_Read_Local_Version_Information`
        public static let opcode = HCIOpcode.readLocalVersionInformation

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// 6 is Bluetooth 4.0, 9 is 5.0.
            public var hciVersion: UInt8
            /// The manufacturer's own number.
            public var hciSubversion: UInt16
            /// The version of the link layer.
            public var lmpVersion: UInt8
            /// The company identifier.
            public var manufacturer: UInt16
            /// The manufacturer's own number.
            public var lmpSubversion: UInt16

            /// A value of its fields.
            public init(
                status: HCIStatus, hciVersion: UInt8, hciSubversion: UInt16, lmpVersion: UInt8,
                manufacturer: UInt16, lmpSubversion: UInt16
            ) {
                self.status = status
                self.hciVersion = hciVersion
                self.hciSubversion = hciSubversion
                self.lmpVersion = lmpVersion
                self.manufacturer = manufacturer
                self.lmpSubversion = lmpSubversion
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                hciVersion = try rest.takeUInt8()
                hciSubversion = try rest.takeUInt16()
                lmpVersion = try rest.takeUInt8()
                manufacturer = try rest.takeUInt16()
                lmpSubversion = try rest.takeUInt16()
            }

            /// The size of the parameters in octets.
            public var encodedCount: Int { 9 }

            /// Appends the parameters in the order of the specification.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(hciVersion)
                output.append(littleEndian: hciSubversion)
                output.append(lmpVersion)
                output.append(littleEndian: manufacturer)
                output.append(littleEndian: lmpSubversion)
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

    /// `HCI_Read_Local_Supported_Commands`. Core Vol 4, Part E, 7.4.2.
    public struct ReadLocalSupportedCommands: HCICommand {
        /// `HCI_Read_Local_Supported_Commands`
        public static let opcode = HCIOpcode.readLocalSupportedCommands

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// The commands.
            public var commands: SupportedCommands

            /// A value of its fields.
            public init(status: HCIStatus, commands: SupportedCommands) {
                self.status = status
                self.commands = commands
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                commands = try SupportedCommands(decoding: rest)
            }

            /// 65
            public var encodedCount: Int { 65 }

            /// Appends status and mask.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(octets: commands.octets)
            }
        }

        /// The command.
        public init() {}

        /// Decodes the parameters: none.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {}

        /// 0
        public var encodedCount: Int { 0 }

        /// Appends nothing.
        public func encode(into output: inout OutputSpan<UInt8>) {}
    }

    /// `HCI_Read_Local_Supported_Features`. Core Vol 4, Part E, 7.4.3.
    public struct ReadLocalSupportedFeatures: HCICommand {
        /// `HCI_Read_Local_Supported_Features`
        public static let opcode = HCIOpcode.readLocalSupportedFeatures

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// The LMP features. Core Vol 2, Part C, 3.3.
            public var features: UInt64

            /// A value of its fields.
            public init(status: HCIStatus, features: UInt64) {
                self.status = status
                self.features = features
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                features = try rest.takeUInt64()
            }

            /// The size of the parameters in octets.
            public var encodedCount: Int { 9 }

            /// Appends the parameters in the order of the specification.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(littleEndian: features)
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

    /// `HCI_Read_Buffer_Size`. Core Vol 4, Part E, 7.4.5.
    public struct ReadBufferSize: HCICommand {
        /// `HCI_Read_Buffer_Size`
        public static let opcode = HCIOpcode.readBufferSize

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// The size of an ACL buffer in octets, without the header.
            public var aclLength: UInt16
            /// The size of a synchronous buffer in octets.
            public var scoLength: UInt8
            /// How many ACL buffers there are.
            public var aclCount: UInt16
            /// How many synchronous buffers there are.
            public var scoCount: UInt16

            /// A value of its fields.
            public init(
                status: HCIStatus, aclLength: UInt16, scoLength: UInt8, aclCount: UInt16,
                scoCount: UInt16
            ) {
                self.status = status
                self.aclLength = aclLength
                self.scoLength = scoLength
                self.aclCount = aclCount
                self.scoCount = scoCount
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                aclLength = try rest.takeUInt16()
                scoLength = try rest.takeUInt8()
                aclCount = try rest.takeUInt16()
                scoCount = try rest.takeUInt16()
            }

            /// The size of the parameters in octets.
            public var encodedCount: Int { 8 }

            /// Appends the parameters in the order of the specification.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(littleEndian: aclLength)
                output.append(scoLength)
                output.append(littleEndian: aclCount)
                output.append(littleEndian: scoCount)
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

    /// `HCI_Read_BD_ADDR`. Core Vol 4, Part E, 7.4.6.
    public struct ReadBDADDR: HCICommand {
        /// `HCI_Read_BD_ADDR`
        public static let opcode = HCIOpcode.readBDADDR

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// The public address.
            public var address: DeviceAddress

            /// A value of its fields.
            public init(status: HCIStatus, address: DeviceAddress) {
                self.status = status
                self.address = address
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                address = DeviceAddress(try rest.takeUInt48(), kind: .public)
            }

            /// The size of the parameters in octets.
            public var encodedCount: Int { 7 }

            /// Appends the parameters in the order of the specification.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(address: address)
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
}
