import BluetoothLE
import Octets
import Testing

/// The commands of Core Vol 3, Part H, 3.5 and 3.6, both ways.
@Suite struct SecurityManagerPDUTests {
    struct Row: CustomTestStringConvertible {
        var text: String
        var pdu: SecurityManagerPDU
        var testDescription: String { text }
    }

    static let number = "100f0e0d0c0b0a090807060504030201"
    static let value: UInt128 = 0x0102_0304_0506_0708_090A_0B0C_0D0E_0F10
    static let scalar = P256Scalar(high: value, low: value &+ 1)
    static let features = PairingFeatures(
        ioCapability: .keyboardDisplay, outOfBandFlag: 1,
        authentication: [.bonding, .mitmProtection, .secureConnections, .keypress, .ct2],
        maximumKeySize: 7, initiatorKeys: [.identityKey, .linkKey],
        responderKeys: [.encryptionKey, .signingKey])

    static let rows = [
        Row(text: "0104013d070a05", pdu: .pairingRequest(features)),
        Row(text: "0204013d070a05", pdu: .pairingResponse(features)),
        Row(text: "03" + number, pdu: .pairingConfirm(value)),
        Row(text: "04" + number, pdu: .pairingRandom(value)),
        Row(text: "0509", pdu: .pairingFailed(.repeatedAttempts)),
        Row(text: "06" + number, pdu: .encryptionInformation(value)),
        Row(
            text: "0734120807060504030201",
            pdu: .centralIdentification(ediversifier: 0x1234, random: 0x0102_0304_0506_0708)),
        Row(text: "08" + number, pdu: .identityInformation(value)),
        Row(
            text: "0901f5f4f3f2f1f0",
            pdu: .identityAddressInformation(DeviceAddress(0xF0F1_F2F3_F4F5, kind: .random))),
        Row(text: "0a" + number, pdu: .signingInformation(value)),
        Row(text: "0b05", pdu: .securityRequest([.bonding, .mitmProtection])),
        Row(
            text: "0c11" + number.dropFirst(2) + number + "11" + number.dropFirst(2) + number,
            pdu: .pairingPublicKey(P256PublicKey(x: scalar, y: scalar))),
        Row(text: "0d" + number, pdu: .pairingDHKeyCheck(value)),
        Row(text: "0e04", pdu: .keypressNotification(4)),
    ]

    @Test("a command and its octets are the same", arguments: rows)
    func bothWays(_ row: Row) throws {
        let octets = try #require(Hexadecimal.octets(row.text))
        #expect(row.pdu.octets == octets)
        #expect(row.pdu.code.length == octets.count)
        #expect(try SecurityManagerPDU(decoding: octets.span) == row.pdu)
    }

    @Test("every prefix of a command is too short, and one octet more too long", arguments: rows)
    func lengths(_ row: Row) {
        let octets = row.pdu.octets
        for count in 0..<octets.count {
            #expect(throws: DecodingError.self) {
                try SecurityManagerPDU(decoding: Array(octets.prefix(count)).span)
            }
        }
        #expect(throws: DecodingError.excess(count: 1)) {
            try SecurityManagerPDU(decoding: (octets + [0]).span)
        }
    }

    @Test("reserved bits of the features survive")
    func reservedBits() throws {
        let octets: [UInt8] = [0x01, 0x04, 0x00, 0xC1, 0x10, 0xF0, 0xF7]
        #expect(try SecurityManagerPDU(decoding: octets.span).octets == octets)
    }

    @Test("an address of neither kind is invalid")
    func addressKind() {
        #expect(throws: DecodingError.invalid(available: 0)) {
            try SecurityManagerPDU(decoding: ([0x09, 0x02, 1, 2, 3, 4, 5, 6] as [UInt8]).span)
        }
    }
}
