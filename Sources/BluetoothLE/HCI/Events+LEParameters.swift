public import Octets

extension HCI {
    /// `HCI_LE_Remote_Connection_Parameter_Request`. Core Vol 4, Part E, 7.7.65.6.
    public struct LERemoteConnectionParameterRequest: HCIEventParameters {
        /// `HCI_LE_Remote_Connection_Parameter_Request`
        public static let code = HCIEventCode.leRemoteConnectionParameterRequest

        /// The connection.
        public var handle: ConnectionHandle
        /// What the other side asks for.
        public var parameters: ConnectionParameters

        /// A value of its fields.
        public init(handle: ConnectionHandle, parameters: ConnectionParameters) {
            self.handle = handle
            self.parameters = parameters
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            handle = try rest.takeHandle()
            self.parameters = try ConnectionParameters.take(from: &rest)
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 10 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: handle.rawValue)
            parameters.encode(into: &output)
        }
    }

    /// `HCI_LE_Data_Length_Change`. Core Vol 4, Part E, 7.7.65.7.
    public struct LEDataLengthChange: HCIEventParameters {
        /// `HCI_LE_Data_Length_Change`
        public static let code = HCIEventCode.leDataLengthChange

        /// The connection.
        public var handle: ConnectionHandle
        /// 27 to 251.
        public var transmitOctets: UInt16
        /// 328 to 17040.
        public var transmitMicroseconds: UInt16
        /// 27 to 251.
        public var receiveOctets: UInt16
        /// 328 to 17040.
        public var receiveMicroseconds: UInt16

        /// A value of its fields.
        public init(
            handle: ConnectionHandle, transmitOctets: UInt16, transmitMicroseconds: UInt16,
            receiveOctets: UInt16, receiveMicroseconds: UInt16
        ) {
            self.handle = handle
            self.transmitOctets = transmitOctets
            self.transmitMicroseconds = transmitMicroseconds
            self.receiveOctets = receiveOctets
            self.receiveMicroseconds = receiveMicroseconds
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            handle = try rest.takeHandle()
            transmitOctets = try rest.takeUInt16()
            transmitMicroseconds = try rest.takeUInt16()
            receiveOctets = try rest.takeUInt16()
            receiveMicroseconds = try rest.takeUInt16()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 10 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: handle.rawValue)
            output.append(littleEndian: transmitOctets)
            output.append(littleEndian: transmitMicroseconds)
            output.append(littleEndian: receiveOctets)
            output.append(littleEndian: receiveMicroseconds)
        }
    }

    /// `HCI_LE_PHY_Update_Complete`. Core Vol 4, Part E, 7.7.65.12.
    public struct LEPHYUpdateComplete: HCIEventParameters {
        /// `HCI_LE_PHY_Update_Complete`
        public static let code = HCIEventCode.lePHYUpdateComplete

        /// How the command ended.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// How this side sends.
        public var transmitPHY: PHY
        /// How the other side sends.
        public var receivePHY: PHY

        /// A value of its fields.
        public init(status: HCIStatus, handle: ConnectionHandle, transmitPHY: PHY, receivePHY: PHY)
        {
            self.status = status
            self.handle = handle
            self.transmitPHY = transmitPHY
            self.receivePHY = receivePHY
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            status = try rest.takeStatus()
            handle = try rest.takeHandle()
            transmitPHY = PHY(rawValue: try rest.takeUInt8())
            receivePHY = PHY(rawValue: try rest.takeUInt8())
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 5 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(status.rawValue)
            output.append(littleEndian: handle.rawValue)
            output.append(transmitPHY.rawValue)
            output.append(receivePHY.rawValue)
        }
    }

    /// `HCI_LE_Advertising_Set_Terminated`. Core Vol 4, Part E, 7.7.65.18.
    public struct LEAdvertisingSetTerminated: HCIEventParameters {
        /// `HCI_LE_Advertising_Set_Terminated`
        public static let code = HCIEventCode.leAdvertisingSetTerminated

        /// Success where a connection ended it.
        public var status: HCIStatus
        /// The advertising set.
        public var set: UInt8
        /// The connection.
        public var handle: ConnectionHandle
        /// How many extended advertising events there were, where their number was limited.
        public var completedEvents: UInt8

        /// A value of its fields.
        public init(status: HCIStatus, set: UInt8, handle: ConnectionHandle, completedEvents: UInt8)
        {
            self.status = status
            self.set = set
            self.handle = handle
            self.completedEvents = completedEvents
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            status = try rest.takeStatus()
            set = try rest.takeUInt8()
            handle = try rest.takeHandle()
            completedEvents = try rest.takeUInt8()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 5 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(status.rawValue)
            output.append(set)
            output.append(littleEndian: handle.rawValue)
            output.append(completedEvents)
        }
    }

    /// `HCI_LE_Channel_Selection_Algorithm`. Core Vol 4, Part E, 7.7.65.20.
    public struct LEChannelSelectionAlgorithm: HCIEventParameters {
        /// `HCI_LE_Channel_Selection_Algorithm`
        public static let code = HCIEventCode.leChannelSelectionAlgorithm

        /// The connection.
        public var handle: ConnectionHandle
        /// 0 for algorithm #1, 1 for algorithm #2.
        public var algorithm: UInt8

        /// A value of its fields.
        public init(handle: ConnectionHandle, algorithm: UInt8) {
            self.handle = handle
            self.algorithm = algorithm
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            handle = try rest.takeHandle()
            algorithm = try rest.takeUInt8()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 3 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: handle.rawValue)
            output.append(algorithm)
        }
    }
}
