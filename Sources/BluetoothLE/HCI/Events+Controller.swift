public import Octets

extension HCI {
    /// `HCI_Command_Complete`. Core Vol 4, Part E, 7.7.14.
    public struct CommandComplete: HCIEventParameters {
        /// `HCI_Command_Complete`
        public static let code = HCIEventCode.commandComplete

        /// How many commands the controller takes now.
        public var credits: UInt8
        /// Which command; ``HCIOpcode/none`` where only credits are granted.
        public var opcode: HCIOpcode
        /// The return parameters, beginning with the status.
        public var returnParameters: [UInt8]

        /// A value of its fields.
        public init(credits: UInt8, opcode: HCIOpcode, returnParameters: [UInt8]) {
            self.credits = credits
            self.opcode = opcode
            self.returnParameters = returnParameters
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            credits = try rest.takeUInt8()
            opcode = HCIOpcode(rawValue: try rest.takeUInt16())
            returnParameters = rest.takeRest()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 3 + returnParameters.count }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(credits)
            output.append(littleEndian: opcode.rawValue)
            output.append(octets: returnParameters)
        }
    }

    /// `HCI_Command_Status`. Core Vol 4, Part E, 7.7.15.
    public struct CommandStatus: HCIEventParameters {
        /// `HCI_Command_Status`
        public static let code = HCIEventCode.commandStatus

        /// How the command ended.
        public var status: HCIStatus
        /// How many commands the controller takes now.
        public var credits: UInt8
        /// Which command; ``HCIOpcode/none`` where only credits are granted.
        public var opcode: HCIOpcode

        /// A value of its fields.
        public init(status: HCIStatus, credits: UInt8, opcode: HCIOpcode) {
            self.status = status
            self.credits = credits
            self.opcode = opcode
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            status = try rest.takeStatus()
            credits = try rest.takeUInt8()
            opcode = HCIOpcode(rawValue: try rest.takeUInt16())
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 4 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(status.rawValue)
            output.append(credits)
            output.append(littleEndian: opcode.rawValue)
        }
    }

    /// `HCI_Hardware_Error`. Core Vol 4, Part E, 7.7.16.
    public struct HardwareError: HCIEventParameters {
        /// `HCI_Hardware_Error`
        public static let code = HCIEventCode.hardwareError

        /// The manufacturer's own code.
        public var hardwareCode: UInt8

        /// A value of its fields.
        public init(hardwareCode: UInt8) {
            self.hardwareCode = hardwareCode
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            hardwareCode = try rest.takeUInt8()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 1 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(hardwareCode)
        }
    }

    /// `HCI_Number_Of_Completed_Packets`. Core Vol 4, Part E, 7.7.19.
    public struct NumberOfCompletedPackets: HCIEventParameters {
        /// `HCI_Number_Of_Completed_Packets`
        public static let code = HCIEventCode.numberOfCompletedPackets

        /// What became free on one connection.
        public struct Entry: Hashable, Sendable {
            /// The connection.
            public var handle: ConnectionHandle
            /// How many of its packets have left the controller's buffers.
            public var count: UInt16

            /// A value of its fields.
            public init(handle: ConnectionHandle, count: UInt16) {
                self.handle = handle
                self.count = count
            }
        }

        /// One entry per connection.
        public var entries: [Entry]

        /// A value of its fields.
        public init(entries: [Entry]) { self.entries = entries }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            entries = []
            for _ in 0..<(try rest.takeUInt8()) {
                entries.append(
                    Entry(handle: try rest.takeHandle(), count: try rest.takeUInt16()))
            }
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 1 + 4 * entries.count }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(UInt8(truncatingIfNeeded: entries.count))
            for entry in entries {
                output.append(littleEndian: entry.handle.rawValue)
                output.append(littleEndian: entry.count)
            }
        }
    }

    /// `HCI_Data_Buffer_Overflow`. Core Vol 4, Part E, 7.7.26.
    public struct DataBufferOverflow: HCIEventParameters {
        /// `HCI_Data_Buffer_Overflow`
        public static let code = HCIEventCode.dataBufferOverflow

        /// 1 for ACL.
        public var linkType: UInt8

        /// A value of its fields.
        public init(linkType: UInt8) {
            self.linkType = linkType
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            linkType = try rest.takeUInt8()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 1 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(linkType)
        }
    }
}
