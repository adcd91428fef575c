import BluetoothLE
import Foundation
import JSONText
import Octets
import OpenSSLSecurity
import Testing

/// Pairings of another stack's tests, octet by octet (Vectors/pairings.json), and what the kinds of the
/// addresses change.
@Suite struct PairingVectorTests {
    struct Case: CustomTestStringConvertible {
        var json: JSONValue
        var testDescription: String { json["name"]?.string ?? "?" }

        static let all: [Case] = {
            guard
                let url = Bundle.module.url(
                    forResource: "pairings", withExtension: "json", subdirectory: "Vectors"),
                let data = try? Data(contentsOf: url),
                let document = try? JSONValue(parsing: [UInt8](data))
            else { return [] }
            return (document["cases"]?.array ?? []).map { Case(json: $0) }
        }()
    }

    @Test("there are vectors") func presence() { #expect(Case.all.count == 20) }

    @Test("a recorded pairing is reproduced octet by octet", arguments: Case.all)
    func replay(_ vector: Case) throws {
        let json = vector.json
        let isInitiator = json["role"]?.string == "initiator"
        var player = try VectorPlayer(json)
        if isInitiator { try player.manager.pair(at: .zero) }
        try player.play("exchange")
        let key = try json.key("key")
        if isInitiator {
            #expect(
                player.take() == .startEncryption(longTermKey: key, ediversifier: 0, random: 0))
        } else {
            player.manager.longTermKeyRequested(random: 0, ediversifier: 0)
            #expect(player.take() == .replyLongTermKey(key))
        }
        player.manager.encryptionChanged(
            status: 0, isEnabled: true, toolbox: player.toolbox, at: .zero)
        guard case .securityChanged(let security) = player.take() else {
            Issue.record("the link is not protected")
            return
        }
        #expect(security.isAuthenticated == json["authenticated"]?.boolean)
        try player.play("distribution")
        guard case .securityChanged = player.take(), case .paired(let bond?) = player.take()
        else {
            Issue.record("no bond")
            return
        }
        #expect(bond.isAuthenticated == json["authenticated"]?.boolean)
        #expect(player.take() == nil)
        #expect(player.manager.bond == bond)
    }

    static let kinds: [(DeviceAddress.Kind, DeviceAddress.Kind, c1: UInt128, ltk: UInt128)] = [
        (
            .random, .public, 0xCE09_6A3E_F9F0_A867_D67A_8D85_6E13_D989,
            0x44D8_3476_424B_B63C_2BE2_4420_3735_452E
        ),
        (
            .public, .random, 0x4945_7738_4FDC_4645_D4D2_AF23_DE75_8FD0,
            0x9736_AF5D_4837_3B72_35A4_9EE0_F57B_8162
        ),
        (
            .random, .random, 0x4A55_53D0_4DF0_303C_2DEA_40A3_5F4E_0895,
            0x4DFD_FEB0_AD77_EA44_48D8_AF25_E123_D1A2
        ),
    ]

    @Test("the kind of each address goes into c1 and f5, as a second implementation computes it")
    func addressKinds() throws {
        let toolbox = OpenSSLToolbox()
        for row in Self.kinds {
            let initiator = DeviceAddress(0xC5F4_F3F2_F1F0, kind: row.0)
            let responder = DeviceAddress(0x5AE4_5B83_CD01, kind: row.1)
            let request = try #require(Hexadecimal.octets("01040005100707"))
            let response = try #require(Hexadecimal.octets("02030009100707"))
            let confirm = toolbox.c1(
                temporaryKey: 0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100,
                random: 0x1F1E_1D1C_1B1A_1918_1716_1514_1312_1110,
                request: request, response: response, initiator: initiator, responder: responder)
            #expect(confirm == row.c1)
            let keys = toolbox.f5(
                sharedSecret: P256Scalar(
                    high: 0x1F1E_1D1C_1B1A_1918_1716_1514_1312_1110,
                    low: 0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100),
                initiatorNonce: 0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100,
                responderNonce: 0x7372_7170_6F6E_6D6C_6B6A_6968_6766_6564,
                initiator: initiator, responder: responder)
            #expect(keys.longTermKey == row.ltk)
        }
    }

    @Test("the kind of each address goes into f6, as a second implementation computes it")
    func checkedAddressKinds() {
        let check = OpenSSLToolbox().f6(
            macKey: 0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100,
            ownNonce: 0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100,
            peerNonce: 0x7372_7170_6F6E_6D6C_6B6A_6968_6766_6564, r: 0,
            ioCapabilities: [0x0D, 0x00, 0x03],
            own: DeviceAddress(0xC5F4_F3F2_F1F0, kind: .random),
            peer: DeviceAddress(0x5AE4_5B83_CD01, kind: .public))
        #expect(check == 0x32E1_F2A9_4E3A_4039_B851_AA05_E10C_00A6)
    }
}

/// Plays one side of a recorded pairing.
struct VectorPlayer: ~Copyable {
    var manager: SecurityManager
    let toolbox: AnySecurityToolbox
    private let json: JSONValue
    private let role: String

    init(_ json: JSONValue) throws {
        let role = try #require(json["role"]?.string)
        let isInitiator = role == "initiator"
        let peer = json[isInitiator ? "responder" : "initiator"]
        let configuration = try Self.configuration(json, role: role)
        let localAddress = try #require(try Self.address(json[role], "address"))
        let peerAddress = try #require(try Self.address(peer, "address"))
        self.init(
            json: json, role: role, toolbox: try Self.toolbox(json, role: role),
            manager: SecurityManager(
                configuration: configuration, role: isInitiator ? .initiator : .responder,
                localAddress: localAddress, peerAddress: peerAddress))
    }

    private init(
        json: JSONValue, role: String, toolbox: AnySecurityToolbox,
        manager: consuming SecurityManager
    ) {
        self.json = json
        self.role = role
        self.toolbox = toolbox
        self.manager = manager
    }

    private static func toolbox(_ json: JSONValue, role: String) throws -> AnySecurityToolbox {
        var toolbox = FixedToolbox()
        for pdu in try recorded(json, "exchange") where pdu.sender == role && pdu.octets[0] == 4 {
            toolbox.randoms.append(
                pdu.octets.dropFirst().reversed().reduce(0) { $0 << 8 | UInt128($1) })
        }
        if let text = json["private_key"]?.string {
            toolbox.keyPair = toolbox.base.keyPair(privateKey: try P256Scalar(text: text))
        }
        return AnySecurityToolbox(toolbox)
    }

    private static func configuration(
        _ json: JSONValue, role: String
    ) throws -> SecurityConfiguration {
        let own = try recorded(json, "exchange").filter { $0.sender == role }
        let features = try #require(own.first).octets
        var configuration = SecurityConfiguration(IOCapability(rawValue: features[1]))
        configuration.announcesOutOfBandData = features[2] == 1
        configuration.outOfBandKey = json.optionalKey("tk")
        configuration.authentication = AuthenticationRequirements(rawValue: features[3])
        configuration.initiatorKeys = KeyDistribution(rawValue: features[5])
        configuration.responderKeys = KeyDistribution(rawValue: features[6])
        configuration.passkeySource = .chosenByOwner
        let keys = try #require(json["keys"])
        configuration.localKeys = SecurityConfiguration.LocalKeys(
            identityAddress: try address(json[role], "identity"),
            identityResolvingKey: keys.optionalKey("irk") ?? 0,
            longTermKey: keys.optionalKey("ltk"),
            ediversifier: keys["ediv"]?.integer.map { UInt16($0) },
            random: keys.optionalKey("rand").map { UInt64($0) },
            signatureResolvingKey: keys.optionalKey("csrk"))
        return configuration
    }

    private static func address(_ json: JSONValue?, _ name: String) throws -> DeviceAddress? {
        guard let text = json?[name]?.string else { return nil }
        return DeviceAddress(text: text, kind: json?["random"]?.boolean == true ? .random : .public)
    }

    struct PDU {
        var sender: String
        var octets: [UInt8]
    }

    static func recorded(_ json: JSONValue, _ phase: String) throws -> [PDU] {
        try #require(json[phase]?.array).map { row in
            let text = try #require(row.array?[1].string)
            return PDU(
                sender: try #require(row.array?[0].string),
                octets: try #require(Hexadecimal.octets(text)))
        }
    }

    /// Feeds what the peer sent and expects what we sent, in turn.
    mutating func play(_ phase: String) throws {
        for pdu in try Self.recorded(json, phase) {
            if pdu.sender == role {
                let output = take()
                #expect(output == .send(pdu.octets))
            } else {
                manager.receive(pdu.octets.span, toolbox: toolbox, at: .zero)
            }
        }
    }

    /// The next output; questions are answered as they were in the recording.
    mutating func take() -> SecurityManager.Output? {
        while let output = manager.pollOutput() {
            guard case .ask(let question) = output else { return output }
            switch question {
            case .enterPasskey, .choosePasskey:
                let passkey = UInt32(json["passkey"]?.integer ?? -1)
                try? manager.passkeyEntered(passkey, toolbox: toolbox, at: .zero)
            case .compare(let number):
                #expect(Int(number) == json["comparison"]?.integer)
                try? manager.userConfirmed(true, toolbox: toolbox, at: .zero)
            case .displayPasskey, .confirmPairing: Issue.record("nothing of the kind is recorded")
            }
        }
        return nil
    }
}

/// OpenSSL with recorded random values and key pair.
struct FixedToolbox: SecurityToolbox {
    var base = OpenSSLToolbox()
    var keyPair: P256KeyPair?
    var randoms: [UInt128] = []

    func aes128(key: UInt128, block: UInt128) -> UInt128 { base.aes128(key: key, block: block) }
    func aesCMAC(key: UInt128, message: [UInt8]) -> UInt128 {
        base.aesCMAC(key: key, message: message)
    }
    mutating func makeKeyPair() -> P256KeyPair { keyPair ?? base.makeKeyPair() }
    func sharedSecret(privateKey: P256Scalar, publicKey: P256PublicKey) -> P256Scalar? {
        base.sharedSecret(privateKey: privateKey, publicKey: publicKey)
    }
    mutating func random128() -> UInt128 {
        randoms.isEmpty ? base.random128() : randoms.removeFirst()
    }
}
