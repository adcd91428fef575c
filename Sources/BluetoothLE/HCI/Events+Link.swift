package import Octets

extension HCI {
    /// `HCI_Disconnection_Complete`. Core Vol 4, Part E, 7.7.5.
    public struct DisconnectionComplete: HCIEventParameters, HCIFieldSequence {
        /// `HCI_Disconnection_Complete`
        public static let code = HCIEventCode.disconnectionComplete

        /// The status of the command.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// The reason for the disconnection.
        public var reason: HCIStatus

        /// Creates `HCI_Disconnection_Complete`, for a controller to send.
        public init(status: HCIStatus, handle: ConnectionHandle, reason: HCIStatus) {
            self.status = status
            self.handle = handle
            self.reason = reason
        }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(status: rest.take(), handle: rest.take(), reason: rest.take())
        }

        package var fields: some HCIField { inOrder(status, handle, reason) }
    }

    /// `HCI_Encryption_Change` [v1]. Core Vol 4, Part E, 7.7.8.
    public struct EncryptionChange: HCIEventParameters, HCIFieldSequence {
        /// `HCI_Encryption_Change`
        public static let code = HCIEventCode.encryptionChange

        /// The status of the command.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// Whether the link is encrypted now.
        public var isEnabled: Bool

        /// Creates `HCI_Encryption_Change`, for a controller to send.
        public init(status: HCIStatus, handle: ConnectionHandle, isEnabled: Bool) {
            self.status = status
            self.handle = handle
            self.isEnabled = isEnabled
        }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(
                status: rest.take(), handle: rest.take(), isEnabled: rest.takeUInt8() != 0)
        }

        package var fields: some HCIField { inOrder(status, handle, isEnabled) }
    }

    /// `HCI_Encryption_Change` [v2]. Core Vol 4, Part E, 7.7.8.
    public struct EncryptionChangeV2: HCIEventParameters, HCIFieldSequence {
        /// `HCI_Encryption_Change`
        public static let code = HCIEventCode.encryptionChangeV2

        /// The status of the command.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// Whether the link is encrypted now.
        public var isEnabled: Bool
        /// The size of the key in octets.
        public var keySize: UInt8

        /// Creates `HCI_Encryption_Change`, for a controller to send.
        public init(status: HCIStatus, handle: ConnectionHandle, isEnabled: Bool, keySize: UInt8) {
            self.status = status
            self.handle = handle
            self.isEnabled = isEnabled
            self.keySize = keySize
        }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(
                status: rest.take(), handle: rest.take(), isEnabled: rest.takeUInt8() != 0,
                keySize: rest.take())
        }

        package var fields: some HCIField { inOrder(status, handle, isEnabled, keySize) }
    }

    /// `HCI_Read_Remote_Version_Information_Complete`. Core Vol 4, Part E, 7.7.12.
    public struct ReadRemoteVersionInformationComplete: HCIEventParameters, HCIFieldSequence {
        /// `HCI_Read_Remote_Version_Information_Complete`
        public static let code = HCIEventCode.readRemoteVersionInformationComplete

        /// The status of the command.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// The version: 6 is Bluetooth 4.0, 9 is 5.0.
        public var version: UInt8
        /// The company identifier of the manufacturer.
        public var manufacturer: UInt16
        /// A version number assigned by the manufacturer.
        public var subversion: UInt16

        /// Creates `HCI_Read_Remote_Version_Information_Complete`, for a controller to send.
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

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(
                status: rest.take(), handle: rest.take(), version: rest.take(),
                manufacturer: rest.take(), subversion: rest.take())
        }

        package var fields: some HCIField {
            inOrder(status, handle, version, manufacturer, subversion)
        }
    }

    /// `HCI_Encryption_Key_Refresh_Complete`. Core Vol 4, Part E, 7.7.39.
    public struct EncryptionKeyRefreshComplete: HCIEventParameters, HCIFieldSequence {
        /// `HCI_Encryption_Key_Refresh_Complete`
        public static let code = HCIEventCode.encryptionKeyRefreshComplete

        /// The status of the command.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle

        /// Creates `HCI_Encryption_Key_Refresh_Complete`, for a controller to send.
        public init(status: HCIStatus, handle: ConnectionHandle) {
            self.status = status
            self.handle = handle
        }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(status: rest.take(), handle: rest.take())
        }

        package var fields: some HCIField { inOrder(status, handle) }
    }
}
