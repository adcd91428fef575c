public import BluetoothLE

/// The order in which the packets of a controller reach its host.
public enum PacketOrder: Equatable, Sendable {
    /// The order in which the controller sent them.
    case kept
    /// As on USB, where events and ACL data have an endpoint each: each kind keeps its order, and either may be
    /// ahead of the other by up to 30 ms.
    case usb
}

/// The properties and features of a virtual controller. Start with a preset and change any field.
public struct VirtualControllerAbilities: Equatable, Sendable {
    /// The version of HCI and of the link layer: 6 is Bluetooth 4.0, 8 is 4.2, 9 is 5.0, 12 is 5.3.
    public var version: UInt8
    /// The company identifier; 0xFFFF is not assigned.
    public var manufacturer: UInt16
    /// The features of the link layer.
    public var features: LEFeatures
    /// Commands that it refuses, although a controller with its features supports them.
    public var refusedCommands: [HCIOpcode]
    /// The buffers for ACL data from the host. If they are shared, HCI_LE_Read_Buffer_Size returns 0.
    public var buffers: ControllerAbilities.Buffers
    /// The longest data PDU of the link layer in octets: 27 to 251.
    public var maximumDataLength: UInt16
    /// The maximum number of links.
    public var maximumConnections: Int
    /// The number of advertising sets.
    public var advertisingSets: Int
    /// The longest advertising data of a set in octets: 31 to 1650.
    public var maximumAdvertisingDataLength: Int
    /// The size of the filter accept list.
    public var filterAcceptListSize: Int
    /// The size of the resolving list.
    public var resolvingListSize: Int
    /// The order in which its packets reach its host.
    public var packetOrder = PacketOrder.kept

    /// The features of a Bluetooth 4.2 controller, except LL Privacy.
    private static let features4: LEFeatures = [
        .encryption, .connectionParametersRequest, .extendedRejectIndication,
        .peripheralInitiatedFeaturesExchange, .ping, .dataPacketLengthExtension,
    ]

    /// Bluetooth 4.0: PDUs of 27 octets, legacy advertising, no privacy.
    public static let bluetooth4_0 = VirtualControllerAbilities(
        version: 6, manufacturer: 0xFFFF, features: [.encryption], refusedCommands: [],
        buffers: .init(length: 27, count: 8), maximumDataLength: 27, maximumConnections: 4,
        advertisingSets: 0, maximumAdvertisingDataLength: 31, filterAcceptListSize: 8,
        resolvingListSize: 0)

    /// Bluetooth 4.2: adds longer PDUs, privacy and P-256 in the controller.
    public static let bluetooth4_2 = VirtualControllerAbilities(
        version: 8, manufacturer: 0xFFFF, features: features4.union(.privacy), refusedCommands: [],
        buffers: .init(length: 251, count: 8), maximumDataLength: 251, maximumConnections: 8,
        advertisingSets: 0, maximumAdvertisingDataLength: 31, filterAcceptListSize: 16,
        resolvingListSize: 16)

    /// Bluetooth 5.3: adds extended advertising and more PHYs.
    public static let bluetooth5_3 = VirtualControllerAbilities(
        version: 12, manufacturer: 0xFFFF,
        features: features4.union([
            .privacy, .le2MPHY, .leCodedPHY, .extendedAdvertising, .channelSelectionAlgorithm2,
        ]), refusedCommands: [], buffers: .init(length: 251, count: 8), maximumDataLength: 251,
        maximumConnections: 16, advertisingSets: 8, maximumAdvertisingDataLength: 1650,
        filterAcceptListSize: 32, resolvingListSize: 32)

    /// The preset with a name, `4.0`, `4.2` or `5.3`; `nil` for any other name.
    public static func preset(named name: String) -> VirtualControllerAbilities? {
        switch name {
        case "4.0": bluetooth4_0
        case "4.2": bluetooth4_2
        case "5.3": bluetooth5_3
        default: nil
        }
    }
}

// MARK: - Commands

extension VirtualControllerAbilities {
    /// The supported commands; those for cryptography need a toolbox.
    func commands(hasToolbox: Bool) -> SupportedCommands {
        var commands = SupportedCommands(Self.basicCommands)
        if hasToolbox { commands.insert(.leEncrypt) }
        if version >= 7 {
            insert([.readAuthenticatedPayloadTimeout, .writeAuthenticatedPayloadTimeout])
        }
        if version >= 8, hasToolbox { insert([.leReadLocalP256PublicKey, .leGenerateDHKey]) }
        if version >= 12 {
            insert([.setEventMaskPage2, .leReadBufferSizeV2, .leReadTransmitPower])
        }
        if buffers.isShared { commands.insert(.writeLEHostSupport) }
        if features.contains(.connectionParametersRequest) {
            insert([
                .leRemoteConnectionParameterRequestReply,
                .leRemoteConnectionParameterRequestNegativeReply,
            ])
        }
        if features.contains(.dataPacketLengthExtension) {
            insert([
                .leSetDataLength, .leReadSuggestedDefaultDataLength,
                .leWriteSuggestedDefaultDataLength, .leReadMaximumDataLength,
            ])
        }
        if features.contains(.privacy), hasToolbox { insert(Self.privacyCommands) }
        if features.contains(.le2MPHY) || features.contains(.leCodedPHY) {
            insert([.leReadPHY, .leSetDefaultPHY, .leSetPHY])
        }
        if features.contains(.extendedAdvertising) { insert(Self.extendedCommands) }
        for opcode in refusedCommands { commands.remove(opcode) }
        return commands

        func insert(_ opcodes: [HCIOpcode]) { for opcode in opcodes { commands.insert(opcode) } }
    }

    /// The features for the host: without a toolbox there is no privacy.
    func features(hasToolbox: Bool) -> LEFeatures {
        hasToolbox ? features : features.subtracting(.privacy)
    }

    private static let basicCommands: [HCIOpcode] = [
        .disconnect, .readRemoteVersionInformation, .setEventMask, .reset,
        .setControllerToHostFlowControl, .hostBufferSize, .hostNumberOfCompletedPackets,
        .readLocalVersionInformation, .readLocalSupportedCommands, .readLocalSupportedFeatures,
        .readBufferSize, .readBDADDR, .readRSSI, .leSetEventMask, .leReadBufferSize,
        .leReadLocalSupportedFeatures, .leSetRandomAddress, .leSetAdvertisingParameters,
        .leReadAdvertisingTransmitPower, .leSetAdvertisingData, .leSetScanResponseData,
        .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable, .leCreateConnection,
        .leCreateConnectionCancel, .leReadFilterAcceptListSize, .leClearFilterAcceptList,
        .leAddDeviceToFilterAcceptList, .leRemoveDeviceFromFilterAcceptList, .leConnectionUpdate,
        .leSetHostChannelClassification, .leReadChannelMap, .leReadRemoteFeatures, .leRand,
        .leEnableEncryption, .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply,
        .leReadSupportedStates,
    ]

    private static let privacyCommands: [HCIOpcode] = [
        .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList,
        .leReadResolvingListSize, .leReadPeerResolvableAddress, .leReadLocalResolvableAddress,
        .leSetAddressResolutionEnable, .leSetResolvablePrivateAddressTimeout, .leSetPrivacyMode,
    ]

    private static let extendedCommands: [HCIOpcode] = [
        .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters,
        .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData,
        .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
        .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
        .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
    ]
}
