public import Octets

extension HCI {
    /// `HCI_LE_Connection_Update`. Core Vol 4, Part E, 7.8.18. Answered by HCI_Command_Status.
    public struct LEConnectionUpdate: HCICommand {
        /// `HCI_LE_Connection_Update`
        public static let opcode = HCIOpcode.leConnectionUpdate

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The connection.
        public var handle: ConnectionHandle
        /// What the Central wants.
        public var parameters: ConnectionParameters
        /// A hint in units of 0.625 ms.
        public var eventLengthMinimum: UInt16
        /// A hint in units of 0.625 ms.
        public var eventLengthMaximum: UInt16

        /// A value of its fields.
        public init(
            handle: ConnectionHandle, parameters: ConnectionParameters, eventLengthMinimum: UInt16,
            eventLengthMaximum: UInt16
        ) {
            self.handle = handle
            self.parameters = parameters
            self.eventLengthMinimum = eventLengthMinimum
            self.eventLengthMaximum = eventLengthMaximum
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            handle = try rest.takeHandle()
            self.parameters = try ConnectionParameters.take(from: &rest)
            eventLengthMinimum = try rest.takeUInt16()
            eventLengthMaximum = try rest.takeUInt16()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 14 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: handle.rawValue)
            parameters.encode(into: &output)
            output.append(littleEndian: eventLengthMinimum)
            output.append(littleEndian: eventLengthMaximum)
        }
    }

    /// `HCI_LE_Read_Remote_Features`. Core Vol 4, Part E, 7.8.21. Answered by HCI_Command_Status.
    public struct LEReadRemoteFeatures: HCICommand {
        /// `HCI_LE_Read_Remote_Features`
        public static let opcode = HCIOpcode.leReadRemoteFeatures

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

    /// `HCI_LE_Remote_Connection_Parameter_Request_Reply`. Core Vol 4, Part E, 7.8.31.
    public struct LERemoteConnectionParameterRequestReply: HCICommand {
        /// `HCI_LE_Remote_Connection_Parameter_Request_Reply`
        public static let opcode = HCIOpcode.leRemoteConnectionParameterRequestReply

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// The connection.
            public var handle: ConnectionHandle

            /// A value of its fields.
            public init(status: HCIStatus, handle: ConnectionHandle) {
                self.status = status
                self.handle = handle
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                handle = try rest.takeHandle()
            }

            /// The size of the parameters in octets.
            public var encodedCount: Int { 3 }

            /// Appends the parameters in the order of the specification.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(littleEndian: handle.rawValue)
            }
        }

        /// The connection.
        public var handle: ConnectionHandle
        /// What this side accepts.
        public var parameters: ConnectionParameters
        /// A hint in units of 0.625 ms.
        public var eventLengthMinimum: UInt16
        /// A hint in units of 0.625 ms.
        public var eventLengthMaximum: UInt16

        /// A value of its fields.
        public init(
            handle: ConnectionHandle, parameters: ConnectionParameters, eventLengthMinimum: UInt16,
            eventLengthMaximum: UInt16
        ) {
            self.handle = handle
            self.parameters = parameters
            self.eventLengthMinimum = eventLengthMinimum
            self.eventLengthMaximum = eventLengthMaximum
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            handle = try rest.takeHandle()
            self.parameters = try ConnectionParameters.take(from: &rest)
            eventLengthMinimum = try rest.takeUInt16()
            eventLengthMaximum = try rest.takeUInt16()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 14 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: handle.rawValue)
            parameters.encode(into: &output)
            output.append(littleEndian: eventLengthMinimum)
            output.append(littleEndian: eventLengthMaximum)
        }
    }

    /// `HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply`. Core Vol 4, Part E, 7.8.32.
    public struct LERemoteConnectionParameterRequestNegativeReply: HCICommand {
        /// `HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply`
        public static let opcode = HCIOpcode.leRemoteConnectionParameterRequestNegativeReply

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// The connection.
            public var handle: ConnectionHandle

            /// A value of its fields.
            public init(status: HCIStatus, handle: ConnectionHandle) {
                self.status = status
                self.handle = handle
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                handle = try rest.takeHandle()
            }

            /// The size of the parameters in octets.
            public var encodedCount: Int { 3 }

            /// Appends the parameters in the order of the specification.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(littleEndian: handle.rawValue)
            }
        }

        /// The connection.
        public var handle: ConnectionHandle
        /// Why not.
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
}
