import BluetoothLE
import Octets
import OpenSSLSecurity
import Testing

/// OpenSSL's cryptography with random numbers that the test chooses.
struct ChosenRandomToolbox: SecurityToolbox {
    var toolbox = OpenSSLToolbox()
    var random: UInt128

    func aes128(key: UInt128, block: UInt128) -> UInt128 {
        toolbox.aes128(key: key, block: block)
    }
    func aesCMAC(key: UInt128, message: [UInt8]) -> UInt128 {
        toolbox.aesCMAC(key: key, message: message)
    }
    mutating func makeKeyPair() -> P256KeyPair { toolbox.makeKeyPair() }
    func sharedSecret(privateKey: P256Scalar, publicKey: P256PublicKey) -> P256Scalar? {
        toolbox.sharedSecret(privateKey: privateKey, publicKey: publicKey)
    }
    mutating func random128() -> UInt128 { random }
}

@Suite struct PrivateAddressTests {
    static let irk: UInt128 = 0xEC02_34A3_57C8_AD05_3410_10A6_0A39_7D9B

    @Test("a static address is random except for the two bits of its type")
    func staticAddress() {
        var toolbox = ChosenRandomToolbox(random: 0x1234_5678_9ABC)
        let address = PrivateAddress.makeStatic(using: &toolbox)
        #expect(address == DeviceAddress(0xD234_5678_9ABC, kind: .random))
        #expect(address.randomKind == .static)
        #expect(address.canBeIdentity)
    }

    @Test("a resolvable address of the specification's sample data")
    func resolvable() {
        // Core Vol 3, Part H, D.7: prand 708194, hash 0dfbaa.
        var toolbox = ChosenRandomToolbox(random: 0x30_8194)
        let address = PrivateAddress.makeResolvable(irk: Self.irk, using: &toolbox)
        #expect(address == DeviceAddress(0x7081_940D_FBAA, kind: .random))
        #expect(address.randomKind == .resolvablePrivate)
    }

    @Test("only a holder of the key can resolve the address")
    func resolving() {
        var toolbox = OpenSSLToolbox()
        let address = PrivateAddress.makeResolvable(irk: Self.irk, using: &toolbox)
        let keys = [1, 2, Self.irk]
        #expect(PrivateAddress.resolve(address, with: keys, using: toolbox) == 2)
        #expect(PrivateAddress.resolve(address, with: [1, 2], using: toolbox) == nil)
        #expect(PrivateAddress.resolve(address, with: [], using: toolbox) == nil)
        let other = DeviceAddress(address.rawValue, kind: .public)
        #expect(PrivateAddress.resolve(other, with: keys, using: toolbox) == nil)
        let fixed = DeviceAddress(address.rawValue | 0b11 << 46, kind: .random)
        #expect(PrivateAddress.resolve(fixed, with: keys, using: toolbox) == nil)
    }

    @Test("the random part is never all zeroes or all ones", arguments: [0, UInt128.max])
    func brokenGenerator(random: UInt128) {
        var toolbox = ChosenRandomToolbox(random: random)
        let fixed = PrivateAddress.makeStatic(using: &toolbox).rawValue & (1 << 46 - 1)
        #expect(fixed != 0 && fixed != 1 << 46 - 1)
        let resolvable = PrivateAddress.makeResolvable(irk: Self.irk, using: &toolbox)
        #expect(resolvable.randomKind == .resolvablePrivate)
        let prand = resolvable.rawValue >> 24 & (1 << 22 - 1)
        #expect(prand != 0 && prand != 1 << 22 - 1)
    }
}
