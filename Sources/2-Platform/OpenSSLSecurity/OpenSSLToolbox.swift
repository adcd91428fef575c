public import BluetoothTypes
internal import COpenSSL

/// A security toolbox that uses OpenSSL 3. Core Vol 3, Part H, 2.2.
///
/// If OpenSSL fails, because it is broken or out of memory, the process ends with a message: continuing would
/// result in weak keys.
public struct OpenSSLToolbox: SecurityToolbox, Sendable {
    private var generator: SeededGenerator?

    /// A toolbox with random numbers from the kernel.
    public init() {}

    /// A toolbox with predictable keys, which depend on a seed. For simulations only.
    package init(simulatedFrom seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// AES-128 of one block.
    public func aes128(key: UInt128, block: UInt128) -> UInt128 {
        guard let context = EVP_CIPHER_CTX_new() else { Self.fail("EVP_CIPHER_CTX_new") }
        defer { EVP_CIPHER_CTX_free(context) }
        let keyOctets = octets(of: key)
        let input = octets(of: block)
        var output = [UInt8](repeating: 0, count: 32)
        var count: Int32 = 0
        guard EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), nil, keyOctets, nil) == 1,
            EVP_CIPHER_CTX_set_padding(context, 0) == 1,
            EVP_EncryptUpdate(context, &output, &count, input, 16) == 1, count == 16
        else { Self.fail("AES-128") }
        return number(output[..<16])
    }

    /// AES-CMAC of a message.
    public func aesCMAC(key: UInt128, message: [UInt8]) -> UInt128 {
        guard let algorithm = EVP_MAC_fetch(nil, "CMAC", nil) else { Self.fail("CMAC") }
        defer { EVP_MAC_free(algorithm) }
        guard let context = EVP_MAC_CTX_new(algorithm) else { Self.fail("EVP_MAC_CTX_new") }
        defer { EVP_MAC_CTX_free(context) }
        let keyOctets = octets(of: key)
        var output = [UInt8](repeating: 0, count: 16)
        var count = 0
        // OSSL_PARAM has pointers to its name and its value, so both must outlive it.
        let name = OSSL_MAC_PARAM_CIPHER.utf8CString
        var cipher = "AES-128-CBC".utf8CString
        let isInitialized = name.withUnsafeBufferPointer { name in
            cipher.withUnsafeMutableBufferPointer { cipher in
                var parameters = [
                    OSSL_PARAM_construct_utf8_string(name.baseAddress, cipher.baseAddress, 0),
                    OSSL_PARAM_construct_end(),
                ]
                return EVP_MAC_init(context, keyOctets, keyOctets.count, &parameters) == 1
            }
        }
        guard isInitialized, EVP_MAC_update(context, message, message.count) == 1,
            EVP_MAC_final(context, &output, &count, output.count) == 1, count == 16
        else { Self.fail("CMAC") }
        return number(output[...])
    }

    /// A new P-256 key pair.
    public mutating func makeKeyPair() -> P256KeyPair {
        repeat {
            let privateKey = P256Scalar(high: random128(), low: random128())
            // The few numbers above the order of the curve are not valid keys, nor is zero.
            if let pair = keyPair(privateKey: privateKey) { return pair }
        } while true
    }

    /// The key pair of a private key; `nil` if the number is zero or not below the order of the curve.
    public func keyPair(privateKey: P256Scalar) -> P256KeyPair? {
        let curve = Curve()
        guard let scalar = curve.number(privateKey.octets), let point = EC_POINT_new(curve.group)
        else { Self.fail("P-256") }
        defer {
            BN_clear_free(scalar)
            EC_POINT_free(point)
        }
        guard BN_is_zero(scalar) == 0, BN_cmp(scalar, EC_GROUP_get0_order(curve.group)) < 0 else {
            return nil
        }
        guard EC_POINT_mul(curve.group, point, scalar, nil, nil, curve.context) == 1 else {
            Self.fail("P-256")
        }
        var octets = [UInt8](repeating: 0, count: 65)
        let form = POINT_CONVERSION_UNCOMPRESSED
        guard EC_POINT_point2oct(curve.group, point, form, &octets, 65, curve.context) == 65 else {
            Self.fail("P-256")
        }
        let publicKey = P256PublicKey(
            x: Self.scalar(octets[1..<33]), y: Self.scalar(octets[33..<65]))
        return P256KeyPair(privateKey: privateKey, publicKey: publicKey)
    }

    /// The x coordinate of the shared point; `nil` if `publicKey` is not a point on the curve.
    public func sharedSecret(privateKey: P256Scalar, publicKey: P256PublicKey) -> P256Scalar? {
        let curve = Curve()
        guard let scalar = curve.number(privateKey.octets), let peer = EC_POINT_new(curve.group),
            let shared = EC_POINT_new(curve.group)
        else { Self.fail("P-256") }
        defer {
            BN_clear_free(scalar)
            EC_POINT_free(peer)
            EC_POINT_clear_free(shared)
        }
        let encoded = [0x04] + publicKey.x.octets + publicKey.y.octets
        // Refuses coordinates that are not below the prime, and points that are not on the curve.
        guard EC_POINT_oct2point(curve.group, peer, encoded, 65, curve.context) == 1,
            EC_POINT_is_at_infinity(curve.group, peer) == 0
        else {
            ERR_clear_error()
            return nil
        }
        var octets = [UInt8](repeating: 0, count: 65)
        let form = POINT_CONVERSION_UNCOMPRESSED
        guard EC_POINT_mul(curve.group, shared, nil, peer, scalar, curve.context) == 1,
            EC_POINT_point2oct(curve.group, shared, form, &octets, 65, curve.context) == 65
        else {
            ERR_clear_error()
            return nil
        }
        return Self.scalar(octets[1..<33])
    }

    /// 128 random bits from the kernel's generator (getrandom(2)), or from the simulation's.
    public mutating func random128() -> UInt128 {
        // OpenSSL has a generator of its own, which is seeded by the kernel's and has to be set up in each process.
        guard var generator else { return .random(in: .min ... .max) }
        defer { self.generator = generator }
        return .random(in: .min ... .max, using: &generator)
    }

    private static func scalar(_ octets: ArraySlice<UInt8>) -> P256Scalar {
        P256Scalar(high: number(octets.prefix(16)), low: number(octets.suffix(16)))
    }

    private static func fail(_ what: StaticString) -> Never {
        fatalError("OpenSSL failed: \(what); going on would make weak keys")
    }

    /// The group P-256 and memory for computations, freed together.
    private final class Curve {
        let group: OpaquePointer
        let context: OpaquePointer

        init() {
            guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1),
                let context = BN_CTX_secure_new()
            else { OpenSSLToolbox.fail("P-256") }
            self.group = group
            self.context = context
        }

        deinit {
            BN_CTX_free(context)
            EC_GROUP_free(group)
        }

        func number(_ octets: [UInt8]) -> OpaquePointer? {
            BN_bin2bn(octets, Int32(octets.count), nil)
        }
    }
}

private func number(_ octets: ArraySlice<UInt8>) -> UInt128 {
    octets.reduce(0) { $0 << 8 | UInt128($1) }
}

private func octets(of number: UInt128) -> [UInt8] {
    (0..<16).reversed().map { UInt8(truncatingIfNeeded: number >> UInt128(8 * $0)) }
}
