public import Octets

extension HCI {
    /// `HCI_Command_Complete`. Core Vol 4, Part E, 7.7.14.
    public struct CommandComplete: HCIEventParameters {
        /// `HCI_Command_Complete`
        public static let code = HCIEventCode.commandComplete

        /// How many more commands the host may send.
        public var credits: UInt8
        /// The opcode of the command; ``HCIOpcode/none`` if the event only grants credits.
        public var opcode: HCIOpcode
        /// The return parameters, beginning with the status.
        public var returnParameters: [UInt8]

        /// Creates `HCI_Command_Complete`, for a controller to send.
        public init(credits: UInt8, opcode: HCIOpcode, returnParameters: [UInt8]) {
            self.credits = credits
            self.opcode = opcode
            self.returnParameters = returnParameters
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            credits = try rest.take()
            opcode = try rest.take()
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
    public struct CommandStatus: HCIEventParameters, PDUStructure {
        /// `HCI_Command_Status`
        public static let code = HCIEventCode.commandStatus

        /// The status of the command.
        public var status: HCIStatus
        /// How many more commands the host may send.
        public var credits: UInt8
        /// The opcode of the command; ``HCIOpcode/none`` if the event only grants credits.
        public var opcode: HCIOpcode

        package static let layout = inOrder(Self.init) { ($0.status, $0.credits, $0.opcode) }
    }

    /// `HCI_Hardware_Error`. Core Vol 4, Part E, 7.7.16.
    public struct HardwareError: HCIEventParameters, PDUStructure {
        /// `HCI_Hardware_Error`
        public static let code = HCIEventCode.hardwareError

        /// The manufacturer's own code.
        public var hardwareCode: UInt8

        package static let layout = inOrder(Self.init) { $0.hardwareCode }
    }

    /// `HCI_Number_Of_Completed_Packets`. Core Vol 4, Part E, 7.7.19.
    public struct NumberOfCompletedPackets: HCIEventParameters, PDUStructure {
        /// `HCI_Number_Of_Completed_Packets`
        public static let code = HCIEventCode.numberOfCompletedPackets

        /// The freed buffers of one connection.
        public struct Entry: PDUStructure, Equatable, Sendable {
            /// The connection.
            public var handle: ConnectionHandle
            /// How many of its packets have left the controller's buffers.
            public var count: UInt16

            package static let layout = inOrder(Self.init) { ($0.handle, $0.count) }
        }

        /// One entry per connection.
        public var entries: [Entry]

        package static let layout = inOrder(Self.init) { $0.entries }
    }

    /// `HCI_Data_Buffer_Overflow`. Core Vol 4, Part E, 7.7.26.
    public struct DataBufferOverflow: HCIEventParameters, PDUStructure {
        /// `HCI_Data_Buffer_Overflow`
        public static let code = HCIEventCode.dataBufferOverflow

        /// 1 for ACL.
        public var linkType: UInt8

        package static let layout = inOrder(Self.init) { $0.linkType }
    }
}
