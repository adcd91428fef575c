import BluetoothLE
import Octets
import Testing

/// Each PDU once, as octets and as a value.
struct ATTPDUTests {
    private static let range = AttributeHandleRange(
        AttributeHandle(0x0102), AttributeHandle(0x0304))
    private static let handle = AttributeHandle(0x0102)
    private static let long = BluetoothUUID(UInt128(0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100))

    static let fromClient: [(String, ATTClientPDU)] = [
        ("02 1702", .exchangeMTURequest(clientReceiveMTU: 0x0217)),
        ("04 0201 0403", .findInformationRequest(range)),
        (
            "06 0201 0403 0028 0018",
            .findByTypeValueRequest(range, type: 0x2800, value: [0x00, 0x18])
        ),
        ("08 0201 0403 0328", .readByTypeRequest(range, type: .characteristic)),
        (
            "08 0201 0403 000102030405060708090a0b0c0d0e0f",
            .readByTypeRequest(range, type: long)
        ),
        ("0a 0201", .readRequest(handle)),
        ("0c 0201 1600", .readBlobRequest(handle, offset: 22)),
        ("0e 0201 0403", .readMultipleRequest([handle, AttributeHandle(0x0304)])),
        ("10 0201 0403 0028", .readByGroupTypeRequest(range, type: .primaryService)),
        ("20 0201 0403", .readMultipleVariableRequest([handle, AttributeHandle(0x0304)])),
        ("12 0201 aabb", .writeRequest(handle, value: [0xAA, 0xBB])),
        ("12 0201", .writeRequest(handle, value: [])),
        ("52 0201 aa", .writeCommand(handle, value: [0xAA])),
        (
            "d2 0201 aa 0102030405060708090a0b0c",
            .signedWriteCommand(handle, value: [0xAA], signature: Array(1...12))
        ),
        ("16 0201 1200 aa", .prepareWriteRequest(handle, offset: 18, value: [0xAA])),
        ("18 00", .executeWriteRequest(isCommit: false)),
        ("18 01", .executeWriteRequest(isCommit: true)),
        ("1e", .handleValueConfirmation),
    ]

    static let fromServer: [(String, ATTServerPDU)] = [
        (
            "01 0a 0201 a0",
            .errorResponse(
                request: .readRequest, handle: handle, ATTErrorCode(rawValue: 0xA0))
        ),
        ("03 1702", .exchangeMTUResponse(serverReceiveMTU: 0x0217)),
        (
            "05 01 0201 0029 0403 0129",
            .findInformationResponse([
                .init(handle: handle, type: .characteristicExtendedProperties),
                .init(handle: AttributeHandle(0x0304), type: .characteristicUserDescription),
            ])
        ),
        (
            "05 02 0201 000102030405060708090a0b0c0d0e0f",
            .findInformationResponse([.init(handle: handle, type: long)])
        ),
        ("07 0201 0403", .findByTypeValueResponse([range])),
        (
            "09 04 0201 aabb 0403 ccdd",
            .readByTypeResponse([
                .init(handle: handle, value: [0xAA, 0xBB]),
                .init(handle: AttributeHandle(0x0304), value: [0xCC, 0xDD]),
            ])
        ),
        ("09 02 0201", .readByTypeResponse([.init(handle: handle, value: [])])),
        ("0b", .readResponse([])),
        ("0b aa", .readResponse([0xAA])),
        ("0d aa", .readBlobResponse([0xAA])),
        ("0f aabb", .readMultipleResponse([0xAA, 0xBB])),
        (
            "11 06 0201 0403 0018",
            .readByGroupTypeResponse([.init(range: range, value: [0x00, 0x18])])
        ),
        (
            "21 0100 aa 0500 bbcc",
            .readMultipleVariableResponse([
                .init(length: 1, value: [0xAA]), .init(length: 5, value: [0xBB, 0xCC]),
            ])
        ),
        ("13", .writeResponse),
        ("17 0201 1200 aa", .prepareWriteResponse(handle, offset: 18, value: [0xAA])),
        ("19", .executeWriteResponse),
        ("1b 0201 aa", .handleValueNotification(.init(handle: handle, value: [0xAA]))),
        ("1d 0201 aa", .handleValueIndication(.init(handle: handle, value: [0xAA]))),
        (
            "23 0201 0100 aa 0403 0000",
            .multipleHandleValueNotification([
                .init(handle: handle, value: [0xAA]),
                .init(handle: AttributeHandle(0x0304), value: []),
            ])
        ),
    ]

    @Test("a client's PDU is its octets, both ways")
    func clientPDUs() throws {
        for (text, pdu) in Self.fromClient {
            #expect(pdu.octets == (try hex(text)))
            #expect(pdu.encodedCount == (try hex(text).count))
            let decoded = try ATTClientPDU.decoded(try hex(text))
            #expect(decoded == pdu)
        }
    }

    @Test("a server's PDU is its octets, both ways")
    func serverPDUs() throws {
        for (text, pdu) in Self.fromServer {
            #expect(pdu.octets == (try hex(text)))
            #expect(pdu.encodedCount == (try hex(text).count))
            let decoded = try ATTServerPDU.decoded(try hex(text))
            #expect(decoded == pdu)
        }
    }

    @Test("a prefix of a client's PDU is another PDU of its kind, or none at all")
    func clientPrefixes() throws {
        for (text, pdu) in Self.fromClient {
            let octets = try hex(text)
            for count in 0..<octets.count {
                let prefix = Array(octets.prefix(count))
                guard let decoded = try? ATTClientPDU.decoded(prefix) else { continue }
                #expect(decoded.opcode == pdu.opcode)
                #expect(decoded.octets == prefix)
            }
        }
    }

    @Test("a prefix of a server's PDU is another PDU of its kind, or none at all")
    func serverPrefixes() throws {
        for (text, pdu) in Self.fromServer {
            let octets = try hex(text)
            for count in 0..<octets.count {
                let prefix = Array(octets.prefix(count))
                guard let decoded = try? ATTServerPDU.decoded(prefix) else { continue }
                #expect(decoded.opcode == pdu.opcode)
                #expect(decoded.octets == prefix)
            }
        }
    }

    @Test(
        "a list that is empty or whose tuples do not fill it is refused",
        arguments: [
            "05", "0501", "0502", "050301000028", "0501010000", "050201000028", "07", "070100",
            "0701000200ff", "09", "0900", "09010100", "0904", "09040100aa", "1100", "1103010002",
            "1106", "1106010002000018ff", "210100aa00", "23010001", "2301000200aa",
        ])
    func brokenLists(text: String) throws {
        let octets = try hex(text)
        #expect(throws: DecodingError.self) { try ATTServerPDU.decoded(octets) }
    }

    @Test("opcodes that only the other side sends are not decoded")
    func otherSide() throws {
        for (text, _) in Self.fromServer {
            let octets = try hex(text)
            let decoded = try ATTClientPDU.decoded([octets[0]])
            #expect(decoded == nil)
        }
        for (text, _) in Self.fromClient {
            let octets = try hex(text)
            let decoded = try ATTServerPDU.decoded([octets[0]])
            #expect(decoded == nil)
        }
    }
}

extension ATTClientPDU {
    fileprivate static func decoded(_ octets: [UInt8]) throws -> ATTClientPDU? {
        try ATTClientPDU(decoding: octets.span)
    }
}

extension ATTServerPDU {
    fileprivate static func decoded(_ octets: [UInt8]) throws -> ATTServerPDU? {
        try ATTServerPDU(decoding: octets.span)
    }
}
