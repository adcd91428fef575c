public import Octets

extension HCI {
    /// `HCI_Disconnect`. Core Vol 4, Part E, 7.1.6. Answered by HCI_Command_Status, later by
    /// HCI_Disconnection_Complete.
    public struct Disconnect: HCICommand {
        /// `HCI_Disconnect`
        public static let opcode = HCIOpcode.disconnect

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The connection.
        public var handle: ConnectionHandle
        /// What the other side is told.
        public var reason: HCIStatus

        /// A value of its fields.
        public init(handle: ConnectionHandle, reason: HCIStatus) {
            self.handle = handle
            self.reason = reason
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            handle = try rest.takeHandle()
            reason = try rest.takeStatus()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 3 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: handle.rawValue)
            output.append(reason.rawValue)
        }
    }

    /// `HCI_Read_Remote_Version_Information`. Core Vol 4, Part E, 7.1.23. Answered by
    /// HCI_Command_Status.
    public struct ReadRemoteVersionInformation: HCICommand {
        /// `HCI_Read_Remote_Version_Information`
        public static let opcode = HCIOpcode.readRemoteVersionInformation

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The connection.
        public var handle: ConnectionHandle

        /// A value of its fields.
        public init(handle: ConnectionHandle) {
            self.handle = handle
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            handle = try rest.takeHandle()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 2 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: handle.rawValue)
        }
    }
}
