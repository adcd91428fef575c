extension HCI {
    /// `HCI_Disconnection_Complete`. Core Vol 4, Part E, 7.7.5.
    public struct DisconnectionComplete: HCIEventParameters, PDUStructure {
        /// `HCI_Disconnection_Complete`
        public static let code = HCIEventCode.disconnectionComplete

        /// The status of the command.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// The reason for the disconnection.
        public var reason: HCIStatus

        package static let layout = inOrder(Self.init) { ($0.status, $0.handle, $0.reason) }
    }

    /// `HCI_Encryption_Change` [v1]. Core Vol 4, Part E, 7.7.8.
    public struct EncryptionChange: HCIEventParameters, PDUStructure {
        /// `HCI_Encryption_Change`
        public static let code = HCIEventCode.encryptionChange

        /// The status of the command.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle
        /// Whether the link is encrypted now.
        public var isEnabled: Bool

        package static let layout = inOrder({ Self(status: $0, handle: $1, isEnabled: $2 != 0) }) {
            ($0.status, $0.handle, UInt8($0.isEnabled ? 1 : 0))
        }
    }

    /// `HCI_Encryption_Change` [v2]. Core Vol 4, Part E, 7.7.8.
    public struct EncryptionChangeV2: HCIEventParameters, PDUStructure {
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

        package static let layout = inOrder({
            Self(status: $0, handle: $1, isEnabled: $2 != 0, keySize: $3)
        }) { ($0.status, $0.handle, UInt8($0.isEnabled ? 1 : 0), $0.keySize) }
    }

    /// `HCI_Read_Remote_Version_Information_Complete`. Core Vol 4, Part E, 7.7.12.
    public struct ReadRemoteVersionInformationComplete: HCIEventParameters, PDUStructure {
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

        package static let layout = inOrder(Self.init) {
            ($0.status, $0.handle, $0.version, $0.manufacturer, $0.subversion)
        }
    }

    /// `HCI_Encryption_Key_Refresh_Complete`. Core Vol 4, Part E, 7.7.39.
    public struct EncryptionKeyRefreshComplete: HCIEventParameters, PDUStructure {
        /// `HCI_Encryption_Key_Refresh_Complete`
        public static let code = HCIEventCode.encryptionKeyRefreshComplete

        /// The status of the command.
        public var status: HCIStatus
        /// The connection.
        public var handle: ConnectionHandle

        package static let layout = inOrder(Self.init) { ($0.status, $0.handle) }
    }
}
