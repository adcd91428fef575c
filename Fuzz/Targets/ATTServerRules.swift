import Octets

@testable import BluetoothLE

/// The rules that an ATT server must keep with any client.
struct ATTServerRules {
    /// Whether the bearer has failed.
    var isDead = false
    /// The request that has not been answered yet.
    private var request: ATTOpcode?
    private var isIndicationOnAir = false

    /// A client sent a PDU.
    mutating func received(_ pdu: [UInt8], isDeferred: Bool) throws {
        guard !isDead, let first = pdu.first else { return }
        let opcode = ATTOpcode(rawValue: first)
        if opcode == .handleValueConfirmation {
            isIndicationOnAir = false
        } else if !isDeferred, !opcode.isCommand, !Self.serverOpcodes.contains(opcode) {
            request = opcode
        }
    }

    /// A request must be followed by its response, or by a question to the application.
    func endOfRequest(isDeferred: Bool) throws {
        try check(request == nil || isDeferred || isDead, "a request has no response")
    }

    mutating func sent(_ octets: [UInt8], mtu: Int) throws {
        try check(!isDead, "a dead bearer sends")
        try check(octets.count <= mtu, "a PDU of \(octets.count) octets, more than \(mtu)")
        guard let pdu = try ATTServerPDU(decoding: octets.span) else {
            // Arbitrary octets may be an indication to the client half.
            return try check(octets == [0x1E], "the server sends what no server sends")
        }
        try check(pdu.octets == octets, "a PDU does not decode to what it was made of")
        switch pdu {
        case .handleValueNotification, .multipleHandleValueNotification: break
        case .handleValueIndication:
            try check(!isIndicationOnAir, "an indication leaves before the last is confirmed")
            isIndicationOnAir = true
        case .errorResponse(let refused, _, _):
            try check(refused == request, "an error in response to no request")
            request = nil
        default:
            try check(
                request.map { $0.rawValue + 1 } == pdu.opcode.rawValue, "a response to no request")
            request = nil
        }
    }

    private static let serverOpcodes: [ATTOpcode] = [
        .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
        .readByTypeResponse, .readResponse, .readBlobResponse, .readMultipleResponse,
        .readByGroupTypeResponse, .writeResponse, .prepareWriteResponse, .executeWriteResponse,
        .readMultipleVariableResponse, .handleValueNotification, .handleValueIndication,
        .multipleHandleValueNotification,
    ]

    /// A client must discover exactly what the table holds.
    static func compare(_ database: RemoteDatabase?, _ table: AttributeTable) throws {
        guard let database else { throw BrokenRule(description: "a discovery does not end") }
        let found = database.services.map { "\($0.range) \($0.uuid) \($0.isPrimary)" }
        let expected = table.services.map { "\($0.range) \($0.uuid) \($0.isPrimary)" }
        try check(found == expected, "discovered \(found), not \(expected)")
        let characteristics = database.services.flatMap(\.characteristics)
        let declarations = table.attributes.filter { $0.type == .characteristic }
        try check(
            characteristics.map(\.declaration) == declarations.map(\.handle),
            "the characteristics that are discovered are not those of the table")
    }
}
