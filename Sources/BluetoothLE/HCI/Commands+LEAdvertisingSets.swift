public import Octets

extension HCI {
    /// `HCI_LE_Read_Maximum_Advertising_Data_Length`. Core Vol 4, Part E, 7.8.57.
    public struct LEReadMaximumAdvertisingDataLength: HCICommand {
        /// `HCI_LE_Read_Maximum_Advertising_Data_Length`
        public static let opcode = HCIOpcode.leReadMaximumAdvertisingDataLength

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// 31 to 1650 octets.
            public var length: UInt16

            /// A value of its fields.
            public init(status: HCIStatus, length: UInt16) {
                self.status = status
                self.length = length
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                length = try rest.takeUInt16()
            }

            /// The size of the parameters in octets.
            public var encodedCount: Int { 3 }

            /// Appends the parameters in the order of the specification.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(littleEndian: length)
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

    /// `HCI_LE_Read_Number_Of_Supported_Advertising_Sets`. Core Vol 4, Part E, 7.8.58.
    public struct LEReadNumberOfSupportedAdvertisingSets: HCICommand {
        /// `HCI_LE_Read_Number_Of_Supported_Advertising_Sets`
        public static let opcode = HCIOpcode.leReadNumberOfSupportedAdvertisingSets

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// How many sets there can be.
            public var count: UInt8

            /// A value of its fields.
            public init(status: HCIStatus, count: UInt8) {
                self.status = status
                self.count = count
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                count = try rest.takeUInt8()
            }

            /// The size of the parameters in octets.
            public var encodedCount: Int { 2 }

            /// Appends the parameters in the order of the specification.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(count)
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

    /// `HCI_LE_Remove_Advertising_Set`. Core Vol 4, Part E, 7.8.59.
    public struct LERemoveAdvertisingSet: HCICommand {
        /// `HCI_LE_Remove_Advertising_Set`
        public static let opcode = HCIOpcode.leRemoveAdvertisingSet

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The advertising set, 0 to 0xEF.
        public var set: UInt8

        /// A value of its fields.
        public init(set: UInt8) {
            self.set = set
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            set = try rest.takeUInt8()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 1 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(set)
        }
    }

    /// `HCI_LE_Clear_Advertising_Sets`. Core Vol 4, Part E, 7.8.60.
    public struct LEClearAdvertisingSets: HCICommand {
        /// `HCI_LE_Clear_Advertising_Sets`
        public static let opcode = HCIOpcode.leClearAdvertisingSets

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

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
