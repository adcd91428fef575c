public import Octets

extension HCI {
    /// `HCI_LE_Connection_Complete`. Core Vol 4, Part E, 7.7.65.1.
    public struct LEConnectionComplete: HCIEventParameters {
        /// `HCI_LE_Connection_Complete`
        public static let code = HCIEventCode.leConnectionComplete

        /// How the command ended.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// Which part this device plays.
        public var role: LinkRole
        /// The other side.
        public var peerAddress: DeviceAddress
        /// The connection interval.
        public var interval: ConnectionInterval
        /// The Peripheral latency in connection events.
        public var latency: UInt16
        /// After how long silence ends the connection.
        public var supervisionTimeout: SupervisionTimeout
        /// Only meaningful to a Peripheral.
        public var centralClockAccuracy: UInt8

        /// A value of its fields.
        public init(
            status: HCIStatus, handle: ConnectionHandle, role: LinkRole, peerAddress: DeviceAddress,
            interval: ConnectionInterval, latency: UInt16, supervisionTimeout: SupervisionTimeout,
            centralClockAccuracy: UInt8
        ) {
            self.status = status
            self.handle = handle
            self.role = role
            self.peerAddress = peerAddress
            self.interval = interval
            self.latency = latency
            self.supervisionTimeout = supervisionTimeout
            self.centralClockAccuracy = centralClockAccuracy
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            status = try rest.takeStatus()
            handle = try rest.takeHandle()
            role = LinkRole(rawValue: try rest.takeUInt8())
            peerAddress = try rest.takeTypedAddress()
            interval = ConnectionInterval(rawValue: try rest.takeUInt16())
            latency = try rest.takeUInt16()
            supervisionTimeout = SupervisionTimeout(rawValue: try rest.takeUInt16())
            centralClockAccuracy = try rest.takeUInt8()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 18 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(status.rawValue)
            output.append(littleEndian: handle.rawValue)
            output.append(role.rawValue)
            output.append(typedAddress: peerAddress)
            output.append(littleEndian: interval.rawValue)
            output.append(littleEndian: latency)
            output.append(littleEndian: supervisionTimeout.rawValue)
            output.append(centralClockAccuracy)
        }
    }

    /// `HCI_LE_Enhanced_Connection_Complete` [v1]. Core Vol 4, Part E, 7.7.65.10.
    public struct LEEnhancedConnectionComplete: HCIEventParameters {
        /// `HCI_LE_Enhanced_Connection_Complete`
        public static let code = HCIEventCode.leEnhancedConnectionComplete

        /// How the command ended.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// Which part this device plays.
        public var role: LinkRole
        /// 0 public, 1 random; bit 1: the controller resolved it to an identity.
        public var peerAddressType: UInt8
        /// The other side.
        public var peerAddressValue: UInt64
        /// The address this side used, where the controller made it; else 0.
        public var localResolvablePrivateAddress: UInt64
        /// The address on air, where the controller resolved it; else 0.
        public var peerResolvablePrivateAddress: UInt64
        /// The connection interval.
        public var interval: ConnectionInterval
        /// The Peripheral latency in connection events.
        public var latency: UInt16
        /// After how long silence ends the connection.
        public var supervisionTimeout: SupervisionTimeout
        /// Only meaningful to a Peripheral.
        public var centralClockAccuracy: UInt8

        /// A value of its fields.
        public init(
            status: HCIStatus, handle: ConnectionHandle, role: LinkRole, peerAddressType: UInt8,
            peerAddressValue: UInt64, localResolvablePrivateAddress: UInt64,
            peerResolvablePrivateAddress: UInt64, interval: ConnectionInterval, latency: UInt16,
            supervisionTimeout: SupervisionTimeout, centralClockAccuracy: UInt8
        ) {
            self.status = status
            self.handle = handle
            self.role = role
            self.peerAddressType = peerAddressType
            self.peerAddressValue = peerAddressValue
            self.localResolvablePrivateAddress = localResolvablePrivateAddress
            self.peerResolvablePrivateAddress = peerResolvablePrivateAddress
            self.interval = interval
            self.latency = latency
            self.supervisionTimeout = supervisionTimeout
            self.centralClockAccuracy = centralClockAccuracy
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            status = try rest.takeStatus()
            handle = try rest.takeHandle()
            role = LinkRole(rawValue: try rest.takeUInt8())
            peerAddressType = try rest.takeUInt8()
            peerAddressValue = try rest.takeUInt48()
            localResolvablePrivateAddress = try rest.takeUInt48()
            peerResolvablePrivateAddress = try rest.takeUInt48()
            interval = ConnectionInterval(rawValue: try rest.takeUInt16())
            latency = try rest.takeUInt16()
            supervisionTimeout = SupervisionTimeout(rawValue: try rest.takeUInt16())
            centralClockAccuracy = try rest.takeUInt8()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 30 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(status.rawValue)
            output.append(littleEndian: handle.rawValue)
            output.append(role.rawValue)
            output.append(peerAddressType)
            output.append(littleEndian: peerAddressValue, octets: 6)
            output.append(littleEndian: localResolvablePrivateAddress, octets: 6)
            output.append(littleEndian: peerResolvablePrivateAddress, octets: 6)
            output.append(littleEndian: interval.rawValue)
            output.append(littleEndian: latency)
            output.append(littleEndian: supervisionTimeout.rawValue)
            output.append(centralClockAccuracy)
        }
    }

    /// `HCI_LE_Connection_Update_Complete`. Core Vol 4, Part E, 7.7.65.3.
    public struct LEConnectionUpdateComplete: HCIEventParameters {
        /// `HCI_LE_Connection_Update_Complete`
        public static let code = HCIEventCode.leConnectionUpdateComplete

        /// How the command ended.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// The connection interval.
        public var interval: ConnectionInterval
        /// The Peripheral latency in connection events.
        public var latency: UInt16
        /// After how long silence ends the connection.
        public var supervisionTimeout: SupervisionTimeout

        /// A value of its fields.
        public init(
            status: HCIStatus, handle: ConnectionHandle, interval: ConnectionInterval,
            latency: UInt16, supervisionTimeout: SupervisionTimeout
        ) {
            self.status = status
            self.handle = handle
            self.interval = interval
            self.latency = latency
            self.supervisionTimeout = supervisionTimeout
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            status = try rest.takeStatus()
            handle = try rest.takeHandle()
            interval = ConnectionInterval(rawValue: try rest.takeUInt16())
            latency = try rest.takeUInt16()
            supervisionTimeout = SupervisionTimeout(rawValue: try rest.takeUInt16())
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 9 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(status.rawValue)
            output.append(littleEndian: handle.rawValue)
            output.append(littleEndian: interval.rawValue)
            output.append(littleEndian: latency)
            output.append(littleEndian: supervisionTimeout.rawValue)
        }
    }

    /// `HCI_LE_Read_Remote_Features_Complete`. Core Vol 4, Part E, 7.7.65.4.
    public struct LEReadRemoteFeaturesComplete: HCIEventParameters {
        /// `HCI_LE_Read_Remote_Features_Complete`
        public static let code = HCIEventCode.leReadRemoteFeaturesComplete

        /// How the command ended.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// What the other link layer can do.
        public var features: LEFeatures

        /// A value of its fields.
        public init(status: HCIStatus, handle: ConnectionHandle, features: LEFeatures) {
            self.status = status
            self.handle = handle
            self.features = features
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            status = try rest.takeStatus()
            handle = try rest.takeHandle()
            features = LEFeatures(rawValue: try rest.takeUInt64())
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 11 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(status.rawValue)
            output.append(littleEndian: handle.rawValue)
            output.append(littleEndian: features.rawValue)
        }
    }

    /// `HCI_LE_Long_Term_Key_Request`. Core Vol 4, Part E, 7.7.65.5.
    public struct LELongTermKeyRequest: HCIEventParameters {
        /// `HCI_LE_Long_Term_Key_Request`
        public static let code = HCIEventCode.leLongTermKeyRequest

        /// The connection.
        public var handle: ConnectionHandle
        /// The random number that names the key; 0 with Secure Connections.
        public var random: UInt64
        /// The diversifier that names the key; 0 with Secure Connections.
        public var encryptedDiversifier: UInt16

        /// A value of its fields.
        public init(handle: ConnectionHandle, random: UInt64, encryptedDiversifier: UInt16) {
            self.handle = handle
            self.random = random
            self.encryptedDiversifier = encryptedDiversifier
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            handle = try rest.takeHandle()
            random = try rest.takeUInt64()
            encryptedDiversifier = try rest.takeUInt16()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 12 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(littleEndian: handle.rawValue)
            output.append(littleEndian: random)
            output.append(littleEndian: encryptedDiversifier)
        }
    }

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
