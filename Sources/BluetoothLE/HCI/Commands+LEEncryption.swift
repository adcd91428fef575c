public import Octets

extension HCI {
    /// `HCI_LE_Enable_Encryption`. Core Vol 4, Part E, 7.8.24. Answered by HCI_Command_Status.
    public struct LEEnableEncryption: HCICommand {
        /// `HCI_LE_Enable_Encryption`
        public static let opcode = HCIOpcode.leEnableEncryption

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The connection.
        public var handle: ConnectionHandle
        /// The random number that names the key; 0 with Secure Connections.
        public var random: UInt64
        /// The diversifier that names the key; 0 with Secure Connections.
        public var encryptedDiversifier: UInt16
        /// The key.
        public var longTermKey: UInt128

        /// A value of its fields.
        public init(
            handle: ConnectionHandle, random: UInt64, encryptedDiversifier: UInt16,
            longTermKey: UInt128
        ) {
            self.handle = handle
            self.random = random
            self.encryptedDiversifier = encryptedDiversifier
            self.longTermKey = longTermKey
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            handle = try rest.takeHandle()
            random = try rest.takeUInt64()
            encryptedDiversifier = try rest.takeUInt16()
            longTermKey = try rest.takeUInt128()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 28 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: handle.rawValue)
            output.append(littleEndian: random)
            output.append(littleEndian: encryptedDiversifier)
            output.append(littleEndian: longTermKey)
        }
    }

    /// `HCI_LE_Long_Term_Key_Request_Reply`. Core Vol 4, Part E, 7.8.25.
    public struct LELongTermKeyRequestReply: HCICommand {
        /// `HCI_LE_Long_Term_Key_Request_Reply`
        public static let opcode = HCIOpcode.leLongTermKeyRequestReply

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
        /// The key.
        public var longTermKey: UInt128

        /// A value of its fields.
        public init(handle: ConnectionHandle, longTermKey: UInt128) {
            self.handle = handle
            self.longTermKey = longTermKey
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            handle = try rest.takeHandle()
            longTermKey = try rest.takeUInt128()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 18 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: handle.rawValue)
            output.append(littleEndian: longTermKey)
        }
    }

    /// `HCI_LE_Long_Term_Key_Request_Negative_Reply`. Core Vol 4, Part E, 7.8.26.
    public struct LELongTermKeyRequestNegativeReply: HCICommand {
        /// `HCI_LE_Long_Term_Key_Request_Negative_Reply`
        public static let opcode = HCIOpcode.leLongTermKeyRequestNegativeReply

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
