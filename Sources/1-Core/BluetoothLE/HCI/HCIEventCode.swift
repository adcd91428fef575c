/// Identifies an event: its code and, for an LE event, its subevent code. Core Vol 4, Part E, 7.7.
public struct HCIEventCode: Equatable, Sendable {
    /// The event code.
    public var code: UInt8
    /// The subevent code if `code` is 0x3E, otherwise `nil`.
    public var subevent: UInt8?

    /// An event.
    public init(_ code: UInt8) {
        self.code = code
        subevent = nil
    }

    /// An LE event.
    public init(le subevent: UInt8) {
        code = Self.leMeta
        self.subevent = subevent
    }

    /// HCI_LE_Meta
    static let leMeta: UInt8 = 0x3E

    /// HCI_Disconnection_Complete
    public static let disconnectionComplete = HCIEventCode(0x05)
    /// HCI_Encryption_Change [v1]
    public static let encryptionChange = HCIEventCode(0x08)
    /// HCI_Encryption_Change [v2]
    public static let encryptionChangeV2 = HCIEventCode(0x59)
    /// HCI_Read_Remote_Version_Information_Complete
    public static let readRemoteVersionInformationComplete = HCIEventCode(0x0C)
    /// HCI_Command_Complete
    public static let commandComplete = HCIEventCode(0x0E)
    /// HCI_Command_Status
    public static let commandStatus = HCIEventCode(0x0F)
    /// HCI_Hardware_Error
    public static let hardwareError = HCIEventCode(0x10)
    /// HCI_Number_Of_Completed_Packets
    public static let numberOfCompletedPackets = HCIEventCode(0x13)
    /// HCI_Data_Buffer_Overflow
    public static let dataBufferOverflow = HCIEventCode(0x1A)
    /// HCI_Encryption_Key_Refresh_Complete
    public static let encryptionKeyRefreshComplete = HCIEventCode(0x30)

    /// HCI_LE_Connection_Complete
    public static let leConnectionComplete = HCIEventCode(le: 0x01)
    /// HCI_LE_Advertising_Report
    public static let leAdvertisingReport = HCIEventCode(le: 0x02)
    /// HCI_LE_Connection_Update_Complete
    public static let leConnectionUpdateComplete = HCIEventCode(le: 0x03)
    /// HCI_LE_Read_Remote_Features_Complete
    public static let leReadRemoteFeaturesComplete = HCIEventCode(le: 0x04)
    /// HCI_LE_Long_Term_Key_Request
    public static let leLongTermKeyRequest = HCIEventCode(le: 0x05)
    /// HCI_LE_Remote_Connection_Parameter_Request
    public static let leRemoteConnectionParameterRequest = HCIEventCode(le: 0x06)
    /// HCI_LE_Data_Length_Change
    public static let leDataLengthChange = HCIEventCode(le: 0x07)
    /// HCI_LE_Read_Local_P-256_Public_Key_Complete
    public static let leReadLocalP256PublicKeyComplete = HCIEventCode(le: 0x08)
    /// HCI_LE_Generate_DHKey_Complete
    public static let leGenerateDHKeyComplete = HCIEventCode(le: 0x09)
    /// HCI_LE_Enhanced_Connection_Complete [v1]
    public static let leEnhancedConnectionComplete = HCIEventCode(le: 0x0A)
    /// HCI_LE_Enhanced_Connection_Complete [v2], whose first fields are those of [v1]
    public static let leEnhancedConnectionCompleteV2 = HCIEventCode(le: 0x29)
    /// HCI_LE_Directed_Advertising_Report
    public static let leDirectedAdvertisingReport = HCIEventCode(le: 0x0B)
    /// HCI_LE_PHY_Update_Complete
    public static let lePHYUpdateComplete = HCIEventCode(le: 0x0C)
    /// HCI_LE_Extended_Advertising_Report
    public static let leExtendedAdvertisingReport = HCIEventCode(le: 0x0D)
    /// HCI_LE_Scan_Timeout
    public static let leScanTimeout = HCIEventCode(le: 0x11)
    /// HCI_LE_Advertising_Set_Terminated
    public static let leAdvertisingSetTerminated = HCIEventCode(le: 0x12)
    /// HCI_LE_Scan_Request_Received
    public static let leScanRequestReceived = HCIEventCode(le: 0x13)
    /// HCI_LE_Channel_Selection_Algorithm
    public static let leChannelSelectionAlgorithm = HCIEventCode(le: 0x14)
}
