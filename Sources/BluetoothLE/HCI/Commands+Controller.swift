public import Octets

extension HCI {
    /// `HCI_Set_Event_Mask`. Core Vol 4, Part E, 7.3.1.
    public struct SetEventMask: HCICommand {
        /// `HCI_Set_Event_Mask`
        public static let opcode = HCIOpcode.setEventMask

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// One bit per event; see ``EventMask``.
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

    /// `HCI_Reset`. Core Vol 4, Part E, 7.3.2.
    public struct Reset: HCICommand {
        /// `HCI_Reset`
        public static let opcode = HCIOpcode.reset

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

    /// `HCI_Set_Event_Mask_Page_2`. Core Vol 4, Part E, 7.3.69.
    public struct SetEventMaskPage2: HCICommand {
        /// `HCI_Set_Event_Mask_Page_2`
        public static let opcode = HCIOpcode.setEventMaskPage2

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// One bit per event.
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

    /// `HCI_Write_LE_Host_Support`. Core Vol 4, Part E, 7.3.79. A controller that also has BR/EDR
    /// wants to be told.
    public struct WriteLEHostSupport: HCICommand {
        /// `HCI_Write_LE_Host_Support`
        public static let opcode = HCIOpcode.writeLEHostSupport

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The host has LE.
        public var isSupported: Bool
        /// Reserved since Bluetooth 4.1: 0.
        public var simultaneous: UInt8

        /// A value of its fields.
        public init(isSupported: Bool, simultaneous: UInt8) {
            self.isSupported = isSupported
            self.simultaneous = simultaneous
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            isSupported = try rest.takeUInt8() & 1 != 0
            simultaneous = try rest.takeUInt8()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 2 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(isSupported ? 1 : 0)
            output.append(simultaneous)
        }
    }
}
