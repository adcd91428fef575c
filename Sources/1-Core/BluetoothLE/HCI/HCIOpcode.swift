/// Identifies a command: a group in the upper 6 bits, a command in the lower 10. Core Vol 4, Part E, 5.4.1.
public struct HCIOpcode: RawRepresentable, Hashable, Sendable {
    /// The opcode.
    public var rawValue: UInt16
    /// An opcode.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    private init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// No command: HCI_Command_Complete uses it to grant credits.
    public static let none = HCIOpcode(0x0000)

    // Link control, 7.1
    /// HCI_Disconnect
    public static let disconnect = HCIOpcode(0x0406)
    /// HCI_Read_Remote_Version_Information
    public static let readRemoteVersionInformation = HCIOpcode(0x041D)

    // Controller and baseband, 7.3
    /// HCI_Set_Event_Mask
    public static let setEventMask = HCIOpcode(0x0C01)
    /// HCI_Reset
    public static let reset = HCIOpcode(0x0C03)
    /// HCI_Set_Controller_To_Host_Flow_Control
    public static let setControllerToHostFlowControl = HCIOpcode(0x0C31)
    /// HCI_Host_Buffer_Size
    public static let hostBufferSize = HCIOpcode(0x0C33)
    /// HCI_Host_Number_Of_Completed_Packets
    public static let hostNumberOfCompletedPackets = HCIOpcode(0x0C35)
    /// HCI_Set_Event_Mask_Page_2
    public static let setEventMaskPage2 = HCIOpcode(0x0C63)
    /// HCI_Write_LE_Host_Support
    public static let writeLEHostSupport = HCIOpcode(0x0C6D)
    /// HCI_Read_Authenticated_Payload_Timeout
    public static let readAuthenticatedPayloadTimeout = HCIOpcode(0x0C7B)
    /// HCI_Write_Authenticated_Payload_Timeout
    public static let writeAuthenticatedPayloadTimeout = HCIOpcode(0x0C7C)

    // Informational parameters, 7.4
    /// HCI_Read_Local_Version_Information
    public static let readLocalVersionInformation = HCIOpcode(0x1001)
    /// HCI_Read_Local_Supported_Commands
    public static let readLocalSupportedCommands = HCIOpcode(0x1002)
    /// HCI_Read_Local_Supported_Features
    public static let readLocalSupportedFeatures = HCIOpcode(0x1003)
    /// HCI_Read_Buffer_Size
    public static let readBufferSize = HCIOpcode(0x1005)
    /// HCI_Read_BD_ADDR
    public static let readBDADDR = HCIOpcode(0x1009)

    // Status parameters, 7.5
    /// HCI_Read_RSSI
    public static let readRSSI = HCIOpcode(0x1405)

    // LE controller, 7.8
    /// HCI_LE_Set_Event_Mask
    public static let leSetEventMask = HCIOpcode(0x2001)
    /// HCI_LE_Read_Buffer_Size [v1]
    public static let leReadBufferSize = HCIOpcode(0x2002)
    /// HCI_LE_Read_Local_Supported_Features
    public static let leReadLocalSupportedFeatures = HCIOpcode(0x2003)
    /// HCI_LE_Set_Random_Address
    public static let leSetRandomAddress = HCIOpcode(0x2005)
    /// HCI_LE_Set_Advertising_Parameters
    public static let leSetAdvertisingParameters = HCIOpcode(0x2006)
    /// HCI_LE_Read_Advertising_Physical_Channel_Tx_Power
    public static let leReadAdvertisingTransmitPower = HCIOpcode(0x2007)
    /// HCI_LE_Set_Advertising_Data
    public static let leSetAdvertisingData = HCIOpcode(0x2008)
    /// HCI_LE_Set_Scan_Response_Data
    public static let leSetScanResponseData = HCIOpcode(0x2009)
    /// HCI_LE_Set_Advertising_Enable
    public static let leSetAdvertisingEnable = HCIOpcode(0x200A)
    /// HCI_LE_Set_Scan_Parameters
    public static let leSetScanParameters = HCIOpcode(0x200B)
    /// HCI_LE_Set_Scan_Enable
    public static let leSetScanEnable = HCIOpcode(0x200C)
    /// HCI_LE_Create_Connection
    public static let leCreateConnection = HCIOpcode(0x200D)
    /// HCI_LE_Create_Connection_Cancel
    public static let leCreateConnectionCancel = HCIOpcode(0x200E)
    /// HCI_LE_Read_Filter_Accept_List_Size
    public static let leReadFilterAcceptListSize = HCIOpcode(0x200F)
    /// HCI_LE_Clear_Filter_Accept_List
    public static let leClearFilterAcceptList = HCIOpcode(0x2010)
    /// HCI_LE_Add_Device_To_Filter_Accept_List
    public static let leAddDeviceToFilterAcceptList = HCIOpcode(0x2011)
    /// HCI_LE_Remove_Device_From_Filter_Accept_List
    public static let leRemoveDeviceFromFilterAcceptList = HCIOpcode(0x2012)
    /// HCI_LE_Connection_Update
    public static let leConnectionUpdate = HCIOpcode(0x2013)
    /// HCI_LE_Set_Host_Channel_Classification
    public static let leSetHostChannelClassification = HCIOpcode(0x2014)
    /// HCI_LE_Read_Channel_Map
    public static let leReadChannelMap = HCIOpcode(0x2015)
    /// HCI_LE_Read_Remote_Features
    public static let leReadRemoteFeatures = HCIOpcode(0x2016)
    /// HCI_LE_Encrypt
    public static let leEncrypt = HCIOpcode(0x2017)
    /// HCI_LE_Rand
    public static let leRand = HCIOpcode(0x2018)
    /// HCI_LE_Enable_Encryption
    public static let leEnableEncryption = HCIOpcode(0x2019)
    /// HCI_LE_Long_Term_Key_Request_Reply
    public static let leLongTermKeyRequestReply = HCIOpcode(0x201A)
    /// HCI_LE_Long_Term_Key_Request_Negative_Reply
    public static let leLongTermKeyRequestNegativeReply = HCIOpcode(0x201B)
    /// HCI_LE_Read_Supported_States
    public static let leReadSupportedStates = HCIOpcode(0x201C)
    /// HCI_LE_Remote_Connection_Parameter_Request_Reply
    public static let leRemoteConnectionParameterRequestReply = HCIOpcode(0x2020)
    /// HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply
    public static let leRemoteConnectionParameterRequestNegativeReply = HCIOpcode(0x2021)
    /// HCI_LE_Set_Data_Length
    public static let leSetDataLength = HCIOpcode(0x2022)
    /// HCI_LE_Read_Suggested_Default_Data_Length
    public static let leReadSuggestedDefaultDataLength = HCIOpcode(0x2023)
    /// HCI_LE_Write_Suggested_Default_Data_Length
    public static let leWriteSuggestedDefaultDataLength = HCIOpcode(0x2024)
    /// HCI_LE_Read_Local_P-256_Public_Key
    public static let leReadLocalP256PublicKey = HCIOpcode(0x2025)
    /// HCI_LE_Generate_DHKey [v1]
    public static let leGenerateDHKey = HCIOpcode(0x2026)
    /// HCI_LE_Add_Device_To_Resolving_List
    public static let leAddDeviceToResolvingList = HCIOpcode(0x2027)
    /// HCI_LE_Remove_Device_From_Resolving_List
    public static let leRemoveDeviceFromResolvingList = HCIOpcode(0x2028)
    /// HCI_LE_Clear_Resolving_List
    public static let leClearResolvingList = HCIOpcode(0x2029)
    /// HCI_LE_Read_Resolving_List_Size
    public static let leReadResolvingListSize = HCIOpcode(0x202A)
    /// HCI_LE_Read_Peer_Resolvable_Address
    public static let leReadPeerResolvableAddress = HCIOpcode(0x202B)
    /// HCI_LE_Read_Local_Resolvable_Address
    public static let leReadLocalResolvableAddress = HCIOpcode(0x202C)
    /// HCI_LE_Set_Address_Resolution_Enable
    public static let leSetAddressResolutionEnable = HCIOpcode(0x202D)
    /// HCI_LE_Set_Resolvable_Private_Address_Timeout
    public static let leSetResolvablePrivateAddressTimeout = HCIOpcode(0x202E)
    /// HCI_LE_Read_Maximum_Data_Length
    public static let leReadMaximumDataLength = HCIOpcode(0x202F)
    /// HCI_LE_Read_PHY
    public static let leReadPHY = HCIOpcode(0x2030)
    /// HCI_LE_Set_Default_PHY
    public static let leSetDefaultPHY = HCIOpcode(0x2031)
    /// HCI_LE_Set_PHY
    public static let leSetPHY = HCIOpcode(0x2032)
    /// HCI_LE_Set_Advertising_Set_Random_Address
    public static let leSetAdvertisingSetRandomAddress = HCIOpcode(0x2035)
    /// HCI_LE_Set_Extended_Advertising_Parameters [v1]
    public static let leSetExtendedAdvertisingParameters = HCIOpcode(0x2036)
    /// HCI_LE_Set_Extended_Advertising_Data
    public static let leSetExtendedAdvertisingData = HCIOpcode(0x2037)
    /// HCI_LE_Set_Extended_Scan_Response_Data
    public static let leSetExtendedScanResponseData = HCIOpcode(0x2038)
    /// HCI_LE_Set_Extended_Advertising_Enable
    public static let leSetExtendedAdvertisingEnable = HCIOpcode(0x2039)
    /// HCI_LE_Read_Maximum_Advertising_Data_Length
    public static let leReadMaximumAdvertisingDataLength = HCIOpcode(0x203A)
    /// HCI_LE_Read_Number_Of_Supported_Advertising_Sets
    public static let leReadNumberOfSupportedAdvertisingSets = HCIOpcode(0x203B)
    /// HCI_LE_Remove_Advertising_Set
    public static let leRemoveAdvertisingSet = HCIOpcode(0x203C)
    /// HCI_LE_Clear_Advertising_Sets
    public static let leClearAdvertisingSets = HCIOpcode(0x203D)
    /// HCI_LE_Set_Extended_Scan_Parameters
    public static let leSetExtendedScanParameters = HCIOpcode(0x2041)
    /// HCI_LE_Set_Extended_Scan_Enable
    public static let leSetExtendedScanEnable = HCIOpcode(0x2042)
    /// HCI_LE_Extended_Create_Connection [v1]
    public static let leExtendedCreateConnection = HCIOpcode(0x2043)
    /// HCI_LE_Read_Transmit_Power
    public static let leReadTransmitPower = HCIOpcode(0x204B)
    /// HCI_LE_Set_Privacy_Mode
    public static let leSetPrivacyMode = HCIOpcode(0x204E)
    /// HCI_LE_Read_Buffer_Size [v2]
    public static let leReadBufferSizeV2 = HCIOpcode(0x2060)

    // Vendor-specific, 5.4.1: the group 0x3F
    /// What virtual controllers have besides: ``HCI/VirtualFade``
    public static let virtualFade = HCIOpcode(0xFFFA)
}
