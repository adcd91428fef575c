/// The cryptography and randomness that pairing and private addresses need. Core Vol 3, Part H, 2.2.
///
/// The core has no implementation: ANCSKit implements it with OpenSSL, a microcontroller with its hardware, a
/// test with fixed values.
///
/// Keys and blocks are numbers as the specification prints them, most significant octet first.
public protocol SecurityToolbox {
    /// The security function *e*: AES-128 of one block. Core Vol 3, Part H, 2.2.1.
    func aes128(key: UInt128, block: UInt128) -> UInt128
    /// AES-CMAC (RFC 4493) of a message. Core Vol 3, Part H, 2.2.5.
    func aesCMAC(key: UInt128, message: [UInt8]) -> UInt128
    /// A new P-256 key pair.
    mutating func makeKeyPair() -> P256KeyPair
    /// The x coordinate of the shared point; `nil` if `publicKey` is not a point on the curve. Core Vol 3,
    /// Part H, 2.3.5.6.1.
    func sharedSecret(privateKey: P256Scalar, publicKey: P256PublicKey) -> P256Scalar?
    /// 128 random bits from a cryptographically secure generator.
    mutating func random128() -> UInt128
}

/// A 256-bit number: a P-256 private key, a coordinate, or a shared secret.
public struct P256Scalar: Equatable, Sendable {
    /// The more significant half.
    public var high: UInt128
    /// The less significant half.
    public var low: UInt128

    /// A number from its halves.
    public init(high: UInt128, low: UInt128) {
        self.high = high
        self.low = low
    }
}

/// A point of P-256, which may not have been checked to lie on the curve.
public struct P256PublicKey: Equatable, Sendable {
    /// The x coordinate.
    public var x: P256Scalar
    /// The y coordinate.
    public var y: P256Scalar

    /// A point from its coordinates.
    public init(x: P256Scalar, y: P256Scalar) {
        self.x = x
        self.y = y
    }
}

/// A private key and the public key that belongs to it.
public struct P256KeyPair: Equatable, Sendable {
    /// The private key.
    public var privateKey: P256Scalar
    /// The public key.
    public var publicKey: P256PublicKey

    /// A private key and its public key.
    public init(privateKey: P256Scalar, publicKey: P256PublicKey) {
        self.privateKey = privateKey
        self.publicKey = publicKey
    }
}
