public import Octets

extension HCI {
    /// `HCI_LE_Read_Filter_Accept_List_Size`. Core Vol 4, Part E, 7.8.14.
    public struct LEReadFilterAcceptListSize: HCICommand {
        /// `HCI_LE_Read_Filter_Accept_List_Size`
        public static let opcode = HCIOpcode.leReadFilterAcceptListSize

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// How many entries fit.
            public var size: UInt8

            /// A value of its fields.
            public init(status: HCIStatus, size: UInt8) {
                self.status = status
                self.size = size
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                size = try rest.takeUInt8()
            }

            /// The size of the parameters in octets.
            public var encodedCount: Int { 2 }

            /// Appends the parameters in the order of the specification.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(size)
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

    /// `HCI_LE_Clear_Filter_Accept_List`. Core Vol 4, Part E, 7.8.15.
    public struct LEClearFilterAcceptList: HCICommand {
        /// `HCI_LE_Clear_Filter_Accept_List`
        public static let opcode = HCIOpcode.leClearFilterAcceptList

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

    /// `HCI_LE_Add_Device_To_Filter_Accept_List`. Core Vol 4, Part E, 7.8.16.
    public struct LEAddDeviceToFilterAcceptList: HCICommand {
        /// `HCI_LE_Add_Device_To_Filter_Accept_List`
        public static let opcode = HCIOpcode.leAddDeviceToFilterAcceptList

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The device.
        public var address: DeviceAddress

        /// A value of its fields.
        public init(address: DeviceAddress) {
            self.address = address
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            address = try rest.takeTypedAddress()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 7 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(typedAddress: address)
        }
    }

    /// `HCI_LE_Remove_Device_From_Filter_Accept_List`. Core Vol 4, Part E, 7.8.17.
    public struct LERemoveDeviceFromFilterAcceptList: HCICommand {
        /// `HCI_LE_Remove_Device_From_Filter_Accept_List`
        public static let opcode = HCIOpcode.leRemoveDeviceFromFilterAcceptList

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The device.
        public var address: DeviceAddress

        /// A value of its fields.
        public init(address: DeviceAddress) {
            self.address = address
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            address = try rest.takeTypedAddress()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 7 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(typedAddress: address)
        }
    }
}
