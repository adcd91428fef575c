public import Octets

/// The commands that a controller supports. Core Vol 4, Part E, 6.27: 64 octets, one bit per command.
public struct SupportedCommands: Equatable, Sendable {
    /// The bit mask, 64 octets.
    public private(set) var octets: [UInt8]

    /// No commands.
    public init() { octets = [UInt8](repeating: 0, count: 64) }

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
        case .readAuthenticatedPayloadTimeout: (32, 4)
        case .writeAuthenticatedPayloadTimeout: (32, 5)
        case .leReadBufferSizeV2: (41, 5)
        default:
            position(of: opcode, in: .leSetEventMask, .leReadSupportedStates, from: (25, 0))
                ?? position(
                    of: opcode, in: .leRemoteConnectionParameterRequestReply, .leSetPrivacyMode,
                    from: (33, 4))
        }
    }

    /// The position of a command in a run of commands whose bits are in the order of their opcodes, as those of most
    /// LE commands are; `nil` if it is not in the run.
    private static func position(
        of opcode: HCIOpcode, in first: HCIOpcode, _ last: HCIOpcode,
        from start: (octet: Int, bit: Int)
    ) -> (octet: Int, bit: Int)? {
        guard (first.rawValue...last.rawValue).contains(opcode.rawValue) else { return nil }
        let bit = start.bit + Int(opcode.rawValue - first.rawValue)
        return (start.octet + bit / 8, bit % 8)
    }
}
