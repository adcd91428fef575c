public import Octets

extension HCI {
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

    /// `HCI_LE_Create_Connection_Cancel`. Core Vol 4, Part E, 7.8.13.
    public struct LECreateConnectionCancel: HCICommand {
        /// `HCI_LE_Create_Connection_Cancel`
        public static let opcode = HCIOpcode.leCreateConnectionCancel

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

    /// `HCI_LE_Create_Connection`. Core Vol 4, Part E, 7.8.12. Answered by HCI_Command_Status.
    public struct LECreateConnection: HCICommand {
        /// `HCI_LE_Create_Connection`
        public static let opcode = HCIOpcode.leCreateConnection

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// How often to look.
        public var scanInterval: AdvertisingInterval
        /// How long to look.
        public var scanWindow: AdvertisingInterval
        /// 0: this peer; 1: whoever is on the filter accept list.
        public var filterPolicy: UInt8
        /// The peer, unless the filter accept list decides.
        public var peerAddress: DeviceAddress
        /// Under which address.
        public var ownAddressType: OwnAddressType
        /// The parameters of the connection.
        public var parameters: ConnectionParameters
        /// A hint in units of 0.625 ms.
        public var eventLengthMinimum: UInt16
        /// A hint in units of 0.625 ms.
        public var eventLengthMaximum: UInt16

        /// A value of its fields.
        public init(
            scanInterval: AdvertisingInterval, scanWindow: AdvertisingInterval, filterPolicy: UInt8,
            peerAddress: DeviceAddress, ownAddressType: OwnAddressType,
            parameters: ConnectionParameters, eventLengthMinimum: UInt16, eventLengthMaximum: UInt16
        ) {
            self.scanInterval = scanInterval
            self.scanWindow = scanWindow
            self.filterPolicy = filterPolicy
            self.peerAddress = peerAddress
            self.ownAddressType = ownAddressType
            self.parameters = parameters
            self.eventLengthMinimum = eventLengthMinimum
            self.eventLengthMaximum = eventLengthMaximum
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            scanInterval = AdvertisingInterval(rawValue: UInt32(try rest.takeUInt16()))
            scanWindow = AdvertisingInterval(rawValue: UInt32(try rest.takeUInt16()))
            filterPolicy = try rest.takeUInt8()
            peerAddress = try rest.takeTypedAddress()
            ownAddressType = OwnAddressType(rawValue: try rest.takeUInt8())
            self.parameters = try ConnectionParameters.take(from: &rest)
            eventLengthMinimum = try rest.takeUInt16()
            eventLengthMaximum = try rest.takeUInt16()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 25 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: scanInterval.rawValue, octets: 2)
            output.append(littleEndian: scanWindow.rawValue, octets: 2)
            output.append(filterPolicy)
            output.append(typedAddress: peerAddress)
            output.append(ownAddressType.rawValue)
            parameters.encode(into: &output)
            output.append(littleEndian: eventLengthMinimum)
            output.append(littleEndian: eventLengthMaximum)
        }
    }
}
