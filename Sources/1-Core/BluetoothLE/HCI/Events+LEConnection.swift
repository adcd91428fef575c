package import Octets

extension HCI {
    /// `HCI_LE_Connection_Complete`. Core Vol 4, Part E, 7.7.65.1.
    public struct LEConnectionComplete: HCIEventParameters, PDUFieldSequence {
        /// `HCI_LE_Connection_Complete`
        public static let code = HCIEventCode.leConnectionComplete

        /// The status of the command.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// The role of this device.
        public var role: LinkRole
        /// The address of the peer.
        public var peerAddress: DeviceAddress
        /// The connection interval.
        public var interval: ConnectionInterval
        /// The Peripheral latency in connection events.
        public var latency: UInt16
        /// The time without a packet after which the connection is lost.
        public var supervisionTimeout: SupervisionTimeout
        /// The clock accuracy of the Central; only valid for a Peripheral.
        public var centralClockAccuracy: UInt8

        /// Creates `HCI_LE_Connection_Complete`, for a controller to send.
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

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(
                status: rest.take(), handle: rest.take(), role: rest.take(),
                peerAddress: rest.take(), interval: rest.take(), latency: rest.take(),
                supervisionTimeout: rest.take(), centralClockAccuracy: rest.take())
        }

        package var fields: some PDUField {
            inOrder(
                inOrder(status, handle, role, peerAddress),
                inOrder(interval, latency, supervisionTimeout, centralClockAccuracy))
        }
    }

    /// `HCI_LE_Enhanced_Connection_Complete` [v1]. Core Vol 4, Part E, 7.7.65.10.
    public struct LEEnhancedConnectionComplete: HCIEventParameters, PDUFieldSequence {
        /// `HCI_LE_Enhanced_Connection_Complete`
        public static let code = HCIEventCode.leEnhancedConnectionComplete

        /// The status of the command.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// The role of this device.
        public var role: LinkRole
        /// 0 public, 1 random; bit 1: the controller resolved it to an identity.
        public var peerAddressType: UInt8
        /// The address of the peer.
        public var peerAddressValue: UInt64
        /// The address that this side used, if the controller made it; otherwise 0.
        public var localResolvablePrivateAddress: UInt64
        /// The address on air, if the controller resolved it; otherwise 0.
        public var peerResolvablePrivateAddress: UInt64
        /// The connection interval.
        public var interval: ConnectionInterval
        /// The Peripheral latency in connection events.
        public var latency: UInt16
        /// The time without a packet after which the connection is lost.
        public var supervisionTimeout: SupervisionTimeout
        /// The clock accuracy of the Central; only valid for a Peripheral.
        public var centralClockAccuracy: UInt8

        /// Creates `HCI_LE_Enhanced_Connection_Complete`, for a controller to send.
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

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(
                status: rest.take(), handle: rest.take(), role: rest.take(),
                peerAddressType: rest.take(), peerAddressValue: rest.takeUInt48(),
                localResolvablePrivateAddress: rest.takeUInt48(),
                peerResolvablePrivateAddress: rest.takeUInt48(), interval: rest.take(),
                latency: rest.take(), supervisionTimeout: rest.take(),
                centralClockAccuracy: rest.take())
        }

        package var fields: some PDUField {
            inOrder(
                inOrder(status, handle, role, peerAddressType),
                inOrder(
                    UntypedAddress(rawValue: peerAddressValue),
                    UntypedAddress(rawValue: localResolvablePrivateAddress),
                    UntypedAddress(rawValue: peerResolvablePrivateAddress), interval),
                inOrder(latency, supervisionTimeout, centralClockAccuracy))
        }
    }

    /// `HCI_LE_Connection_Update_Complete`. Core Vol 4, Part E, 7.7.65.3.
    public struct LEConnectionUpdateComplete: HCIEventParameters, PDUStructure {
        /// `HCI_LE_Connection_Update_Complete`
        public static let code = HCIEventCode.leConnectionUpdateComplete

        /// The status of the command.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// The connection interval.
        public var interval: ConnectionInterval
        /// The Peripheral latency in connection events.
        public var latency: UInt16
        /// The time without a packet after which the connection is lost.
        public var supervisionTimeout: SupervisionTimeout

        package static let layout = inOrder(Self.init) {
            ($0.status, $0.handle, $0.interval, $0.latency, $0.supervisionTimeout)
        }
    }

    /// `HCI_LE_Read_Remote_Features_Complete`. Core Vol 4, Part E, 7.7.65.4.
    public struct LEReadRemoteFeaturesComplete: HCIEventParameters, PDUStructure {
        /// `HCI_LE_Read_Remote_Features_Complete`
        public static let code = HCIEventCode.leReadRemoteFeaturesComplete

        /// The status of the command.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// The features of the peer's link layer.
        public var features: LEFeatures

        package static let layout = inOrder(Self.init) { ($0.status, $0.handle, $0.features) }
    }

    /// `HCI_LE_Long_Term_Key_Request`. Core Vol 4, Part E, 7.7.65.5.
    public struct LELongTermKeyRequest: HCIEventParameters, PDUStructure {
        /// `HCI_LE_Long_Term_Key_Request`
        public static let code = HCIEventCode.leLongTermKeyRequest

        /// The connection.
        public var handle: ConnectionHandle
        /// Rand, which identifies a key of LE legacy pairing; 0 with Secure Connections.
        public var random: UInt64
        /// EDIV, which identifies a key of LE legacy pairing; 0 with Secure Connections.
        public var encryptedDiversifier: UInt16

        package static let layout = inOrder(Self.init) {
            ($0.handle, $0.random, $0.encryptedDiversifier)
        }
    }

    /// `HCI_LE_Remote_Connection_Parameter_Request`. Core Vol 4, Part E, 7.7.65.6.
    public struct LERemoteConnectionParameterRequest: HCIEventParameters, PDUStructure {
        /// `HCI_LE_Remote_Connection_Parameter_Request`
        public static let code = HCIEventCode.leRemoteConnectionParameterRequest

        /// The connection.
        public var handle: ConnectionHandle
        /// The requested parameters.
        public var parameters: ConnectionParameters

        package static let layout = inOrder(Self.init) { ($0.handle, $0.parameters) }
    }

    /// `HCI_LE_Data_Length_Change`. Core Vol 4, Part E, 7.7.65.7.
    public struct LEDataLengthChange: HCIEventParameters, PDUStructure {
        /// `HCI_LE_Data_Length_Change`
        public static let code = HCIEventCode.leDataLengthChange

        /// The connection.
        public var handle: ConnectionHandle
        /// The length of a packet on air in octets, 27 to 251.
        public var transmitOctets: UInt16
        /// The duration of a packet on air in microseconds, 328 to 17040.
        public var transmitMicroseconds: UInt16
        /// The length of a packet on air in octets, 27 to 251.
        public var receiveOctets: UInt16
        /// The duration of a packet on air in microseconds, 328 to 17040.
        public var receiveMicroseconds: UInt16

        package static let layout = inOrder(Self.init) {
            (
                $0.handle, $0.transmitOctets, $0.transmitMicroseconds, $0.receiveOctets,
                $0.receiveMicroseconds
            )
        }
    }

    /// `HCI_LE_PHY_Update_Complete`. Core Vol 4, Part E, 7.7.65.12.
    public struct LEPHYUpdateComplete: HCIEventParameters, PDUStructure {
        /// `HCI_LE_PHY_Update_Complete`
        public static let code = HCIEventCode.lePHYUpdateComplete

        /// The status of the command.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// The PHY for sending.
        public var transmitPHY: PHY
        /// The PHY for receiving.
        public var receivePHY: PHY

        package static let layout = inOrder(Self.init) {
            ($0.status, $0.handle, $0.transmitPHY, $0.receivePHY)
        }
    }

    /// `HCI_LE_Channel_Selection_Algorithm`. Core Vol 4, Part E, 7.7.65.20.
    public struct LEChannelSelectionAlgorithm: HCIEventParameters, PDUStructure {
        /// `HCI_LE_Channel_Selection_Algorithm`
        public static let code = HCIEventCode.leChannelSelectionAlgorithm

        /// The connection.
        public var handle: ConnectionHandle
        /// 0 for algorithm #1, 1 for algorithm #2.
        public var algorithm: UInt8

        package static let layout = inOrder(Self.init) { ($0.handle, $0.algorithm) }
    }
}
