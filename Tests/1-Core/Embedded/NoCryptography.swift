public import BluetoothLE

/// A toolbox without cryptography.
public struct NoCryptography: SecurityToolbox, Sendable {
    /// A toolbox.
    public init() {}

    /// The block as it is.
    public func aes128(key: UInt128, block: UInt128) -> UInt128 { key ^ block }

    /// The key as it is.
    public func aesCMAC(key: UInt128, message: [UInt8]) -> UInt128 { key }

    /// No keys.
    public mutating func makeKeyPair() -> P256KeyPair {
        let zero = P256Scalar(high: 0, low: 0)
        return P256KeyPair(privateKey: zero, publicKey: P256PublicKey(x: zero, y: zero))
    }

    /// No secret.
    public func sharedSecret(privateKey: P256Scalar, publicKey: P256PublicKey) -> P256Scalar? {
        nil
    }

    /// Zero.
    public mutating func random128() -> UInt128 { 0 }
}
