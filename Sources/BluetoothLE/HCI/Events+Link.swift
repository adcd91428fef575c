public import Octets

extension HCI {
    /// `HCI_Disconnection_Complete`. Core Vol 4, Part E, 7.7.5.
    public struct DisconnectionComplete: HCIEventParameters {
        /// `HCI_Disconnection_Complete`
        public static let code = HCIEventCode.disconnectionComplete

        /// How the command ended.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// Why the link ended.
        public var reason: HCIStatus

        /// A value of its fields.
        public init(status: HCIStatus, handle: ConnectionHandle, reason: HCIStatus) {
            self.status = status
            self.handle = handle
            self.reason = reason
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            status = try rest.takeStatus()
            handle = try rest.takeHandle()
            reason = try rest.takeStatus()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 4 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(status.rawValue)
            output.append(littleEndian: handle.rawValue)
            output.append(reason.rawValue)
        }
    }

    /// `HCI_Encryption_Change` [v1]. Core Vol 4, Part E, 7.7.8.
    public struct EncryptionChange: HCIEventParameters {
        /// `HCI_Encryption_Change`
        public static let code = HCIEventCode.encryptionChange

        /// How the command ended.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// Whether the link is encrypted now.
        public var isEnabled: Bool

        /// A value of its fields.
        public init(status: HCIStatus, handle: ConnectionHandle, isEnabled: Bool) {
            self.status = status
            self.handle = handle
            self.isEnabled = isEnabled
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            status = try rest.takeStatus()
            handle = try rest.takeHandle()
            isEnabled = try rest.takeUInt8() != 0
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 4 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(status.rawValue)
            output.append(littleEndian: handle.rawValue)
            output.append(isEnabled ? 1 : 0)
        }
    }

    /// `HCI_Encryption_Change` [v2]. Core Vol 4, Part E, 7.7.8.
    public struct EncryptionChangeV2: HCIEventParameters {
        /// `HCI_Encryption_Change`
        public static let code = HCIEventCode.encryptionChangeV2

        /// How the command ended.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// Whether the link is encrypted now.
        public var isEnabled: Bool
        /// The size of the key in octets.
        public var keySize: UInt8

        /// A value of its fields.
        public init(status: HCIStatus, handle: ConnectionHandle, isEnabled: Bool, keySize: UInt8) {
            self.status = status
            self.handle = handle
            self.isEnabled = isEnabled
            self.keySize = keySize
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            status = try rest.takeStatus()
            handle = try rest.takeHandle()
            isEnabled = try rest.takeUInt8() != 0
            keySize = try rest.takeUInt8()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 5 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(status.rawValue)
            output.append(littleEndian: handle.rawValue)
            output.append(isEnabled ? 1 : 0)
            output.append(keySize)
        }
    }

    /// `HCI_Read_Remote_Version_Information_Complete`. Core Vol 4, Part E, 7.7.12.
    public struct ReadRemoteVersionInformationComplete: HCIEventParameters {
        /// `HCI_Read_Remote_Version_Information_Complete`
        public static let code = HCIEventCode.readRemoteVersionInformationComplete

        /// How the command ended.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// 6 is Bluetooth 4.0, 9 is 5.0.
        public var version: UInt8
        /// The company identifier.
        public var manufacturer: UInt16
        /// The manufacturer's own number.
        public var subversion: UInt16

        /// A value of its fields.
        public init(
            status: HCIStatus, handle: ConnectionHandle, version: UInt8, manufacturer: UInt16,
            subversion: UInt16
        ) {
            self.status = status
            self.handle = handle
            self.version = version
            self.manufacturer = manufacturer
            self.subversion = subversion
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            status = try rest.takeStatus()
            handle = try rest.takeHandle()
            version = try rest.takeUInt8()
            manufacturer = try rest.takeUInt16()
            subversion = try rest.takeUInt16()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 8 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(status.rawValue)
            output.append(littleEndian: handle.rawValue)
            output.append(version)
            output.append(littleEndian: manufacturer)
            output.append(littleEndian: subversion)
        }
    }

    /// `HCI_Encryption_Key_Refresh_Complete`. Core Vol 4, Part E, 7.7.39.
    public struct EncryptionKeyRefreshComplete: HCIEventParameters {
        /// `HCI_Encryption_Key_Refresh_Complete`
        public static let code = HCIEventCode.encryptionKeyRefreshComplete

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
}
