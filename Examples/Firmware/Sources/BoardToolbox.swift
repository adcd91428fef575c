import BluetoothLE
import Cryptography
import Board

/// The Security Manager's cryptography, by BearSSL and the board's random numbers.
struct BoardToolbox: SecurityToolbox {
    func aes128(key: UInt128, block: UInt128) -> UInt128 {
        var result = octets(of: block)
        unsafe aes128_encrypt(octets(of: key), &result)
        return number(result, at: 0)
    }

    func aesCMAC(key: UInt128, message: [UInt8]) -> UInt128 {
        var code = [UInt8](repeating: 0, count: 16)
        unsafe aes128_cmac(octets(of: key), message, message.count, &code)
        return number(code, at: 0)
    }

    mutating func makeKeyPair() -> P256KeyPair {
        var privateKey = [UInt8](repeating: 0, count: 32)
        var publicKey = [UInt8](repeating: 0, count: 64)
        repeat {
            unsafe board_random(&privateKey, privateKey.count)
        } while unsafe !p256_is_private_key(privateKey)
        unsafe p256_public_key(privateKey, &publicKey)
        return P256KeyPair(
            privateKey: scalar(privateKey, at: 0),
            publicKey: P256PublicKey(x: scalar(publicKey, at: 0), y: scalar(publicKey, at: 32)))
    }

    func sharedSecret(privateKey: P256Scalar, publicKey: P256PublicKey) -> P256Scalar? {
        var secret = [UInt8](repeating: 0, count: 32)
        let point = octets(of: publicKey.x) + octets(of: publicKey.y)
        guard unsafe p256_shared_secret(octets(of: privateKey), point, &secret) else { return nil }
        return scalar(secret, at: 0)
    }

    mutating func random128() -> UInt128 {
        var random = [UInt8](repeating: 0, count: 16)
        unsafe board_random(&random, random.count)
        return number(random, at: 0)
    }

    private func octets(of number: UInt128) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(16)
        append(number, to: &octets)
        return octets
    }

    private func octets(of scalar: P256Scalar) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(32)
        append(scalar.high, to: &octets)
        append(scalar.low, to: &octets)
        return octets
    }

    private func append(_ number: UInt128, to octets: inout [UInt8]) {
        for shift in stride(from: 120, through: 0, by: -8) {
            octets.append(UInt8(truncatingIfNeeded: number >> UInt128(shift)))
        }
    }

    private func number(_ octets: [UInt8], at start: Int) -> UInt128 {
        octets[start..<start + 16].reduce(0) { $0 << 8 | UInt128($1) }
    }

    private func scalar(_ octets: [UInt8], at start: Int) -> P256Scalar {
        P256Scalar(high: number(octets, at: start), low: number(octets, at: start + 16))
    }
}
