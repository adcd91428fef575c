internal import Octets

/// Identifies a command of the signalling channel. Core Vol 3, Part A, 4.
struct SignallingCode: RawRepresentable, Hashable, Sendable {
    var rawValue: UInt8

    static let commandReject = SignallingCode(rawValue: 0x01)
    static let connectionResponse = SignallingCode(rawValue: 0x03)
    static let configureResponse = SignallingCode(rawValue: 0x05)
    static let disconnectionRequest = SignallingCode(rawValue: 0x06)
    static let disconnectionResponse = SignallingCode(rawValue: 0x07)
    static let echoResponse = SignallingCode(rawValue: 0x09)
    static let informationResponse = SignallingCode(rawValue: 0x0B)
    static let updateRequest = SignallingCode(rawValue: 0x12)
    static let updateResponse = SignallingCode(rawValue: 0x13)
    static let creditConnectionRequest = SignallingCode(rawValue: 0x14)
    static let creditConnectionResponse = SignallingCode(rawValue: 0x15)
    static let flowControlCredit = SignallingCode(rawValue: 0x16)
    static let enhancedConnectionRequest = SignallingCode(rawValue: 0x17)
    static let enhancedConnectionResponse = SignallingCode(rawValue: 0x18)
    static let reconfigureRequest = SignallingCode(rawValue: 0x19)
    static let reconfigureResponse = SignallingCode(rawValue: 0x1A)

    /// Whether this is a response, which must never be answered.
    var isResponse: Bool {
        switch self {
        case .commandReject, .connectionResponse, .configureResponse, .disconnectionResponse,
            .echoResponse, .informationResponse, .updateResponse, .creditConnectionResponse,
            .enhancedConnectionResponse, .reconfigureResponse:
            true
        default: false
        }
    }
}

/// A C-frame of an LE link, which has exactly one command. Core Vol 3, Part A, 4.
///
///     octet  0     1           2..3         4..
///            Code  Identifier  Data Length  data
struct SignallingCommand: Equatable, OctetEncodable {
    var code: SignallingCode
    var identifier: UInt8
    var data: [UInt8]

    init(_ code: SignallingCode, identifier: UInt8, data: [UInt8]) {
        self.code = code
        self.identifier = identifier
        self.data = data
    }

    init(decoding pdu: Span<UInt8>) throws(DecodingError) {
        var rest = pdu
        code = SignallingCode(rawValue: try rest.takeUInt8())
        identifier = try rest.takeUInt8()
        data = try rest.takeOctets(Int(try rest.takeUInt16()))
        try rest.expectEnd()
    }

    var encodedCount: Int { 4 + data.count }

    func encode(into output: inout OutputSpan<UInt8>) {
        output.append(code.rawValue)
        output.append(identifier)
        output.append(littleEndian: UInt16(truncatingIfNeeded: data.count))
        output.append(octets: data)
    }

    /// Little-endian fields of two octets, the format of all refusals.
    static func words(_ words: UInt16...) -> [UInt8] {
        [UInt8](count: 2 * words.count) { output in
            for word in words { output.append(littleEndian: word) }
        }
    }
}
