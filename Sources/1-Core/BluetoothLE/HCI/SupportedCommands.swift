public import Octets

/// The commands that a controller supports. Core Vol 4, Part E, 6.27: 64 octets, one bit per command.
public struct SupportedCommands: Equatable, Sendable {
    /// The bit mask, 64 octets.
    public private(set) var octets: [UInt8]

    /// No commands.
    public init() {
        octets = [UInt8](repeating: 0, count: 64)
    }

    /// These commands; one without a bit is left out.
    public init(_ opcodes: [HCIOpcode]) {
        self.init()
        for opcode in opcodes { insert(opcode) }
    }

    /// Decodes 64 octets.
    public init(decoding value: Span<UInt8>) throws(DecodingError) {
        var rest = value
        octets = try rest.takeOctets(64)
    }

    /// The commands that every controller with LE must support: assumed if the mask cannot be read.
    public static let assumed = SupportedCommands([
        .disconnect, .setEventMask, .reset, .readLocalVersionInformation, .readBDADDR,
        .readLocalSupportedFeatures, .readBufferSize, .leSetEventMask, .leReadBufferSize,
        .leReadLocalSupportedFeatures, .leSetRandomAddress, .leSetAdvertisingParameters,
        .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
        .leSetScanParameters, .leSetScanEnable, .leCreateConnection, .leCreateConnectionCancel,
        .leConnectionUpdate, .leEnableEncryption, .leLongTermKeyRequestReply,
        .leLongTermKeyRequestNegativeReply,
    ])

    /// Whether the bit of a command is set; `false` for a command whose bit is not known here.
    public func contains(_ opcode: HCIOpcode) -> Bool {
        guard let (octet, bit) = Self.position(of: opcode) else { return false }
        return octets[octet] & 1 << bit != 0
    }

    /// Sets the bit of a command.
    public mutating func insert(_ opcode: HCIOpcode) {
        guard let (octet, bit) = Self.position(of: opcode) else { return }
        octets[octet] |= 1 << bit
    }

    /// Clears the bit of a command.
    public mutating func remove(_ opcode: HCIOpcode) {
        guard let (octet, bit) = Self.position(of: opcode) else { return }
        octets[octet] &= ~(1 << bit)
    }

    /// The position of a command in the mask.
    static func position(of opcode: HCIOpcode) -> (octet: Int, bit: Int)? {
        basicPosition(of: opcode) ?? extendedPosition(of: opcode)
    }

    /// The commands up to Bluetooth 4.0.
    private static func basicPosition(of opcode: HCIOpcode) -> (octet: Int, bit: Int)? {
        switch opcode {
        case .disconnect: (0, 5)
        case .readRemoteVersionInformation: (2, 7)
        case .setEventMask: (5, 6)
        case .reset: (5, 7)
        case .readLocalVersionInformation: (14, 3)
        case .readLocalSupportedFeatures: (14, 5)
        case .setControllerToHostFlowControl: (10, 5)
        case .hostBufferSize: (10, 6)
        case .hostNumberOfCompletedPackets: (10, 7)
        case .readBufferSize: (14, 7)
        case .readBDADDR: (15, 1)
        case .readRSSI: (15, 5)
        case .setEventMaskPage2: (22, 2)
        case .writeLEHostSupport: (24, 6)
        case .leSetEventMask: (25, 0)
        case .leReadBufferSize: (25, 1)
        case .leReadLocalSupportedFeatures: (25, 2)
        case .leSetRandomAddress: (25, 4)
        case .leSetAdvertisingParameters: (25, 5)
        case .leReadAdvertisingTransmitPower: (25, 6)
        case .leSetAdvertisingData: (25, 7)
        case .leSetScanResponseData: (26, 0)
        case .leSetAdvertisingEnable: (26, 1)
        case .leSetScanParameters: (26, 2)
        case .leSetScanEnable: (26, 3)
        case .leCreateConnection: (26, 4)
        case .leCreateConnectionCancel: (26, 5)
        case .leReadFilterAcceptListSize: (26, 6)
        case .leClearFilterAcceptList: (26, 7)
        case .leAddDeviceToFilterAcceptList: (27, 0)
        case .leRemoveDeviceFromFilterAcceptList: (27, 1)
        case .leConnectionUpdate: (27, 2)
        case .leSetHostChannelClassification: (27, 3)
        case .leReadChannelMap: (27, 4)
        case .leReadRemoteFeatures: (27, 5)
        case .leEncrypt: (27, 6)
        case .leRand: (27, 7)
        case .leEnableEncryption: (28, 0)
        case .leLongTermKeyRequestReply: (28, 1)
        case .leLongTermKeyRequestNegativeReply: (28, 2)
        case .leReadSupportedStates: (28, 3)
        default: nil
        }
    }

    /// The commands since Bluetooth 4.1.
    private static func extendedPosition(of opcode: HCIOpcode) -> (octet: Int, bit: Int)? {
        switch opcode {
        case .readAuthenticatedPayloadTimeout: (32, 4)
        case .writeAuthenticatedPayloadTimeout: (32, 5)
        case .leRemoteConnectionParameterRequestReply: (33, 4)
        case .leRemoteConnectionParameterRequestNegativeReply: (33, 5)
        case .leSetDataLength: (33, 6)
        case .leReadSuggestedDefaultDataLength: (33, 7)
        case .leWriteSuggestedDefaultDataLength: (34, 0)
        case .leReadLocalP256PublicKey: (34, 1)
        case .leGenerateDHKey: (34, 2)
        case .leAddDeviceToResolvingList: (34, 3)
        case .leRemoveDeviceFromResolvingList: (34, 4)
        case .leClearResolvingList: (34, 5)
        case .leReadResolvingListSize: (34, 6)
        case .leReadPeerResolvableAddress: (34, 7)
        case .leReadLocalResolvableAddress: (35, 0)
        case .leSetAddressResolutionEnable: (35, 1)
        case .leSetResolvablePrivateAddressTimeout: (35, 2)
        case .leReadMaximumDataLength: (35, 3)
        case .leReadPHY: (35, 4)
        case .leSetDefaultPHY: (35, 5)
        case .leSetPHY: (35, 6)
        case .leSetAdvertisingSetRandomAddress: (36, 1)
        case .leSetExtendedAdvertisingParameters: (36, 2)
        case .leSetExtendedAdvertisingData: (36, 3)
        case .leSetExtendedScanResponseData: (36, 4)
        case .leSetExtendedAdvertisingEnable: (36, 5)
        case .leReadMaximumAdvertisingDataLength: (36, 6)
        case .leReadNumberOfSupportedAdvertisingSets: (36, 7)
        case .leRemoveAdvertisingSet: (37, 0)
        case .leClearAdvertisingSets: (37, 1)
        case .leSetExtendedScanParameters: (37, 5)
        case .leSetExtendedScanEnable: (37, 6)
        case .leExtendedCreateConnection: (37, 7)
        case .leReadTransmitPower: (38, 7)
        case .leSetPrivacyMode: (39, 2)
        case .leReadBufferSizeV2: (41, 5)
        default: nil
        }
    }
}
