import BluetoothLE
import Foundation
import JSONText
import Octets
import OpenSSLSecurity
import Testing

/// The functions of Core Vol 3, Part H, 2.2 over OpenSSL, with the specification's sample data and that
/// of other stacks (Vectors/crypto.json).
@Suite struct CryptographyTests {
    static let document = readVectors()
    let toolbox = OpenSSLToolbox()

    static func readVectors() -> JSONValue {
        guard
            let url = Bundle.module.url(
                forResource: "crypto", withExtension: "json", subdirectory: "Vectors"),
            let data = try? Data(contentsOf: url),
            let value = try? JSONValue(parsing: [UInt8](data))
        else { return .null }
        return value
    }

    func rows(_ function: String) throws -> [JSONValue] {
        let functions = Self.document["functions"]
        let rows = try #require((functions?[function] ?? Self.document[function])?.array)
        #expect(!rows.isEmpty)
        return rows
    }

    @Test("AES-CMAC of RFC 4493")
    func aesCMAC() throws {
        for row in try rows("aes_cmac") {
            let mac = toolbox.aesCMAC(key: try row.key("key"), message: try row.octets("msg"))
            #expect(mac == (try row.key("mac")))
        }
    }

    @Test("the security function e is AES-128")
    func aes128() throws {
        for row in try rows("e_aes128") {
            let cipher = toolbox.aes128(key: try row.key("key"), block: try row.key("plain"))
            #expect(cipher == (try row.key("cipher")))
        }
    }

    @Test("c1 confirms a legacy pairing")
    func c1() throws {
        for row in try rows("c1") {
            let confirm = toolbox.c1(
                temporaryKey: try row.key("k"), random: try row.key("r"),
                request: try row.octets("preq").reversed(),
                response: try row.octets("pres").reversed(),
                initiator: DeviceAddress(
                    UInt64(try row.key("ia")), kind: try row.kind("iat")),
                responder: DeviceAddress(
                    UInt64(try row.key("ra")), kind: try row.kind("rat")))
            #expect(confirm == (try row.key("out")))
        }
    }

    @Test("s1 makes the short term key")
    func s1() throws {
        for row in try rows("s1") {
            let key = toolbox.s1(
                temporaryKey: try row.key("k"), responderRandom: try row.key("r1"),
                initiatorRandom: try row.key("r2"))
            #expect(key == (try row.key("out")))
        }
    }

    @Test("f4 confirms a Secure Connections pairing")
    func f4() throws {
        for row in try rows("f4") {
            let confirm = toolbox.f4(
                u: try row.scalar("u"), v: try row.scalar("v"), x: try row.key("x"),
                z: UInt8(try #require(row["z"]?.integer)))
            #expect(confirm == (try row.key("out")))
        }
    }

    @Test("f5 makes MacKey and long term key")
    func f5() throws {
        for row in try rows("f5") {
            let keys = toolbox.f5(
                sharedSecret: try row.scalar("w"), initiatorNonce: try row.key("n1"),
                responderNonce: try row.key("n2"), initiator: try row.typedAddress("a1"),
                responder: try row.typedAddress("a2"))
            #expect(keys.macKey == (try row.key("mackey")))
            #expect(keys.longTermKey == (try row.key("ltk")))
        }
    }

    @Test("f6 checks the DHKey")
    func f6() throws {
        for row in try rows("f6") {
            let check = toolbox.f6(
                macKey: try row.key("w"), ownNonce: try row.key("n1"), peerNonce: try row.key("n2"),
                r: try row.key("r"), ioCapabilities: try row.octets("iocap"),
                own: try row.typedAddress("a1"), peer: try row.typedAddress("a2"))
            #expect(check == (try row.key("out")))
        }
    }

    @Test("g2 makes the six digits")
    func g2() throws {
        for row in try rows("g2") {
            let value = toolbox.g2(
                u: try row.scalar("u"), v: try row.scalar("v"), x: try row.key("x"),
                y: try row.key("y"))
            #expect(Int(value) == row["out_u32"]?.integer)
            #expect(Int(value % 1_000_000) == row["displayed"]?.integer)
        }
    }

    @Test("h6 and h7 convert keys")
    func h6h7() throws {
        for row in try rows("h6") {
            let identifier = UInt32(try row.key("keyid"))
            let key = toolbox.h6(try row.key("w"), identifier: identifier)
            #expect(key == (try row.key("out")))
        }
        for row in try rows("h7") {
            let key = toolbox.h7(salt: try row.key("salt"), try row.key("w"))
            #expect(key == (try row.key("out")))
        }
    }

    @Test("link keys come from long term keys and back")
    func crossTransport() throws {
        let tmp1: UInt128 = 0x746D_7031
        let tmp2: UInt128 = 0x746D_7032
        for row in try rows("ltk_to_link_key") {
            let key = try row.key("ltk")
            let intermediate =
                row["ct2"]?.boolean == true
                ? toolbox.h7(salt: tmp1, key) : toolbox.h6(key, identifier: 0x746D_7031)
            let linkKey = toolbox.h6(intermediate, identifier: 0x6C65_6272)
            #expect(linkKey == (try row.key("link_key")))
        }
        for row in try rows("link_key_to_ltk") {
            let key = try row.key("link_key")
            let intermediate =
                row["ct2"]?.boolean == true
                ? toolbox.h7(salt: tmp2, key) : toolbox.h6(key, identifier: 0x746D_7032)
            let longTermKey = toolbox.h6(intermediate, identifier: 0x6272_6C65)
            #expect(longTermKey == (try row.key("ltk")))
        }
    }

    @Test("ah hashes the random part of an address, and only its own addresses resolve")
    func privateAddresses() throws {
        for row in try rows("ah") {
            let hash = toolbox.ah(
                irk: try row.key("irk"), prand: UInt32(try row.key("prand")))
            #expect(hash == UInt32(try row.key("hash")))
        }
        for row in try rows("rpa_resolve") {
            let address = DeviceAddress(UInt64(try row.key("rpa")), kind: .random)
            let resolves = toolbox.resolves(address, irk: try row.key("irk"))
            #expect(resolves == row["resolves"]?.boolean)
        }
    }

    @Test("the P-256 samples give the specification's DHKey from both sides")
    func ecdh() throws {
        for row in try rows("ecdh_p256") {
            let pairA = try #require(toolbox.keyPair(privateKey: try row.scalar("private_a")))
            let pairB = try #require(toolbox.keyPair(privateKey: try row.scalar("private_b")))
            #expect(pairA.publicKey == (try row.point("public_a")))
            #expect(pairB.publicKey == (try row.point("public_b")))
            let expected = try row.scalar("dhkey")
            for (own, peer) in [(pairA, pairB), (pairB, pairA)] {
                let secret = toolbox.sharedSecret(
                    privateKey: own.privateKey, publicKey: peer.publicKey)
                #expect(secret == expected)
            }
        }
    }

    @Test("a point off the curve has no shared secret")
    func invalidPoints() throws {
        let rows = try rows("ecdh_p256_invalid_public")
        #expect(rows.count > 10)
        for row in rows {
            let secret = toolbox.sharedSecret(
                privateKey: try row.scalar("private"), publicKey: try row.point("public"))
            #expect(secret == nil, "\(row.text)")
        }
    }

    @Test("the debug key is the specification's")
    func debugKey() throws {
        let row = try #require(
            Self.document["functions"]?["debug_key"] ?? Self.document["debug_key"])
        #expect(P256KeyPair.debug.privateKey == (try row.scalar("private")))
        #expect(P256KeyPair.debug.publicKey == (try row.point("public")))
    }

    @Test("zero and the order of the curve are not private keys")
    func privateKeyRange() {
        #expect(toolbox.keyPair(privateKey: P256Scalar(high: 0, low: 0)) == nil)
        let order = P256Scalar(
            high: 0xFFFF_FFFF_0000_0000_FFFF_FFFF_FFFF_FFFF,
            low: 0xBCE6_FAAD_A717_9E84_F3B9_CAC2_FC63_2551)
        #expect(toolbox.keyPair(privateKey: order) == nil)
        var below = order
        below.low -= 1
        #expect(toolbox.keyPair(privateKey: below) != nil)
    }

    @Test("generated keys and numbers differ, and a generated pair agrees with another")
    func generation() {
        var toolbox = toolbox
        let first = toolbox.makeKeyPair()
        let second = toolbox.makeKeyPair()
        #expect(first != second)
        let secret = toolbox.sharedSecret(
            privateKey: first.privateKey, publicKey: second.publicKey)
        #expect(secret != nil)
        let mirrored = toolbox.sharedSecret(
            privateKey: second.privateKey, publicKey: first.publicKey)
        #expect(secret == mirrored)
        let numbers = (toolbox.random128(), toolbox.random128())
        #expect(numbers.0 != numbers.1)
    }

    @Test("signatures of Signed Write Commands")
    func signatures() throws {
        for row in try rows("att_signature") {
            let key = try row.wireKey("csrk_wire")
            let counter = UInt32(try #require(row["counter"]?.integer))
            let message = try row.octets("msg_wire")
            let signature = toolbox.signature(of: message, key: key, counter: counter)
            #expect(signature == (try row.octets("counter_and_mac_wire")))
        }
        for row in try rows("att_signature_verify") {
            let isValid = toolbox.verifies(
                try row.octets("pdu"), key: try row.wireKey("csrk_wire"))
            #expect(isValid == row["valid"]?.boolean)
        }
    }
}

extension JSONValue {
    func octets(_ name: String) throws -> [UInt8] {
        let text = try #require(self[name]?.string)
        return try #require(Hexadecimal.octets(text))
    }

    func key(_ name: String) throws -> UInt128 {
        try octets(name).reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// The key, where there is one.
    func optionalKey(_ name: String) -> UInt128? {
        self[name]?.string.flatMap { Hexadecimal.octets($0) }?.reduce(0) { $0 << 8 | UInt128($1) }
    }

    func wireKey(_ name: String) throws -> UInt128 {
        try octets(name).reversed().reduce(0) { $0 << 8 | UInt128($1) }
    }

    func kind(_ name: String) throws -> DeviceAddress.Kind {
        let number = try #require(self[name]?.integer)
        return try #require(DeviceAddress.Kind(rawValue: UInt8(number)))
    }

    func typedAddress(_ name: String) throws -> DeviceAddress {
        let octets = try octets(name)
        let kind = try #require(DeviceAddress.Kind(rawValue: octets[0]))
        let number = octets.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return DeviceAddress(number, kind: kind)
    }

    func scalar(_ name: String) throws -> P256Scalar {
        try P256Scalar(text: try #require(self[name]?.string))
    }

    func point(_ name: String) throws -> P256PublicKey {
        let coordinates = try #require(self[name]?.array)
        return P256PublicKey(
            x: try P256Scalar(text: try #require(coordinates[0].string)),
            y: try P256Scalar(text: try #require(coordinates[1].string)))
    }
}

extension P256Scalar {
    init(text: String) throws {
        let octets = try #require(Hexadecimal.octets(text))
        try #require(octets.count == 32)
        self.init(
            high: octets.prefix(16).reduce(0) { $0 << 8 | UInt128($1) },
            low: octets.suffix(16).reduce(0) { $0 << 8 | UInt128($1) })
    }
}
