public import Octets

extension HCI {
    /// `HCI_LE_Set_Data_Length`. Core Vol 4, Part E, 7.8.33.
    public struct LESetDataLength: HCICommand {
        /// `HCI_LE_Set_Data_Length`
        public static let opcode = HCIOpcode.leSetDataLength

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
        /// 27 to 251.
        public var octets: UInt16
        /// 328 to 17040.
        public var microseconds: UInt16

        /// A value of its fields.
        public init(handle: ConnectionHandle, octets: UInt16, microseconds: UInt16) {
            self.handle = handle
            self.octets = octets
            self.microseconds = microseconds
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            handle = try rest.takeHandle()
            octets = try rest.takeUInt16()
            microseconds = try rest.takeUInt16()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 6 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: handle.rawValue)
            output.append(littleEndian: octets)
            output.append(littleEndian: microseconds)
        }
    }

    /// `HCI_LE_Write_Suggested_Default_Data_Length`. Core Vol 4, Part E, 7.8.35.
    public struct LEWriteSuggestedDefaultDataLength: HCICommand {
        /// `HCI_LE_Write_Suggested_Default_Data_Length`
        public static let opcode = HCIOpcode.leWriteSuggestedDefaultDataLength

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// 27 to 251.
        public var octets: UInt16
        /// 328 to 17040.
        public var microseconds: UInt16

        /// A value of its fields.
        public init(octets: UInt16, microseconds: UInt16) {
            self.octets = octets
            self.microseconds = microseconds
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            octets = try rest.takeUInt16()
            microseconds = try rest.takeUInt16()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 4 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: octets)
            output.append(littleEndian: microseconds)
        }
    }

    /// `HCI_LE_Read_Maximum_Data_Length`. Core Vol 4, Part E, 7.8.46.
    public struct LEReadMaximumDataLength: HCICommand {
        /// `HCI_LE_Read_Maximum_Data_Length`
        public static let opcode = HCIOpcode.leReadMaximumDataLength

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// 27 to 251.
            public var maximumTransmitOctets: UInt16
            /// 328 to 17040.
            public var maximumTransmitMicroseconds: UInt16
            /// 27 to 251.
            public var maximumReceiveOctets: UInt16
            /// 328 to 17040.
            public var maximumReceiveMicroseconds: UInt16

            /// A value of its fields.
            public init(
                status: HCIStatus, maximumTransmitOctets: UInt16,
                maximumTransmitMicroseconds: UInt16, maximumReceiveOctets: UInt16,
                maximumReceiveMicroseconds: UInt16
            ) {
                self.status = status
                self.maximumTransmitOctets = maximumTransmitOctets
                self.maximumTransmitMicroseconds = maximumTransmitMicroseconds
                self.maximumReceiveOctets = maximumReceiveOctets
                self.maximumReceiveMicroseconds = maximumReceiveMicroseconds
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                maximumTransmitOctets = try rest.takeUInt16()
                maximumTransmitMicroseconds = try rest.takeUInt16()
                maximumReceiveOctets = try rest.takeUInt16()
                maximumReceiveMicroseconds = try rest.takeUInt16()
            }

            /// The size of the parameters in octets.
            public var encodedCount: Int { 9 }

            /// Appends the parameters in the order of the specification.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(littleEndian: maximumTransmitOctets)
                output.append(littleEndian: maximumTransmitMicroseconds)
                output.append(littleEndian: maximumReceiveOctets)
                output.append(littleEndian: maximumReceiveMicroseconds)
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
