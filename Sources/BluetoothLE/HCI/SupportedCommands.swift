public import Octets

/// What a controller says that it can do. Core Vol 4, Part E, 6.27: 64 octets, one bit per command.
public struct SupportedCommands: Hashable, Sendable {
    /// The bit mask, 64 octets.
    public private(set) var octets: [UInt8]

    /// No command at all.
    public init() {
        octets = [UInt8](repeating: 0, count: 64)
    }

    /// These commands; one without a bit of its own is left out.
    public init(_ opcodes: [HCIOpcode]) {
        self.init()
        for opcode in opcodes { insert(opcode) }
    }

    /// Decodes 64 octets.
    public init(decoding value: Span<UInt8>) throws(DecodingError) {
        var rest = value
        octets = try rest.takeOctets(64)
    }

    /// What a controller with LE cannot do without, whatever its mask says: assumed where the mask
    /// cannot be read.
    public static let assumed = SupportedCommands([
        .disconnect, .setEventMask, .reset, .readLocalVersionInformation, .readBDADDR,
        .readLocalSupportedFeatures, .readBufferSize, .leSetEventMask, .leReadBufferSize,
        .leReadLocalSupportedFeatures, .leSetRandomAddress, .leSetAdvertisingParameters,
        .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
        .leSetScanParameters, .leSetScanEnable, .leCreateConnection, .leCreateConnectionCancel,
        .leConnectionUpdate, .leEnableEncryption, .leLongTermKeyRequestReply,
        .leLongTermKeyRequestNegativeReply,
    ])

    /// Whether the bit of a command is set; false for a command without a bit known here.
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

    /// Octet and bit of a command in the mask.
    static func position(of opcode: HCIOpcode) -> (octet: Int, bit: Int)? {
        basicPosition(of: opcode) ?? extendedPosition(of: opcode)
    }

    /// The commands of Bluetooth 4.0 and before.
    private static func basicPosition(of opcode: HCIOpcode) -> (octet: Int, bit: Int)? {
        switch opcode {
        case .disconnect: (0, 5)
        case .readRemoteVersionInformation: (2, 7)
        case .setEventMask: (5, 6)
        case .reset: (5, 7)
        case .readLocalVersionInformation: (14, 3)
        case .readLocalSupportedFeatures: (14, 5)
        case .readBufferSize: (14, 7)
        case .readBDADDR: (15, 1)
        case .setEventMaskPage2: (22, 2)
        case .writeLEHostSupport: (24, 6)
        case .leSetEventMask: (25, 0)
        case .leReadBufferSize: (25, 1)
        case .leReadLocalSupportedFeatures: (25, 2)
        case .leSetRandomAddress: (25, 4)
        case .leSetAdvertisingParameters: (25, 5)
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
        case .leReadRemoteFeatures: (27, 5)
        case .leEnableEncryption: (28, 0)
        case .leLongTermKeyRequestReply: (28, 1)
        case .leLongTermKeyRequestNegativeReply: (28, 2)
        default: nil
        }
    }

    /// The commands since Bluetooth 4.1.
    private static func extendedPosition(of opcode: HCIOpcode) -> (octet: Int, bit: Int)? {
        switch opcode {
        case .leRemoteConnectionParameterRequestReply: (33, 4)
        case .leRemoteConnectionParameterRequestNegativeReply: (33, 5)
        case .leSetDataLength: (33, 6)
        case .leWriteSuggestedDefaultDataLength: (34, 0)
        case .leReadMaximumDataLength: (35, 3)
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
        default: nil
        }
    }
}
