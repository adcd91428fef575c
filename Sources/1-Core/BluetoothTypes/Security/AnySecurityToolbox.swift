/// A type-erased security toolbox, so that a `Host` and the types built on it need not be generic and are
/// compiled once, in their own module, for Embedded Swift too.
///
/// Copies share one toolbox, and draw from the same random numbers.
public struct AnySecurityToolbox: SecurityToolbox {
    private let box: any ToolboxBox

    /// Wraps a copy of `toolbox`.
    public init(_ toolbox: some SecurityToolbox) { box = Box(toolbox) }

    /// The security function *e* of the wrapped toolbox.
    public func aes128(key: UInt128, block: UInt128) -> UInt128 {
        box.aes128(key: key, block: block)
    }

    /// AES-CMAC of the wrapped toolbox.
    public func aesCMAC(key: UInt128, message: [UInt8]) -> UInt128 {
        box.aesCMAC(key: key, message: message)
    }

    /// A new P-256 key pair of the wrapped toolbox.
    public func makeKeyPair() -> P256KeyPair { box.makeKeyPair() }

    /// The x coordinate of the shared point; `nil` if `publicKey` is not a point on the curve.
    public func sharedSecret(privateKey: P256Scalar, publicKey: P256PublicKey) -> P256Scalar? {
        box.sharedSecret(privateKey: privateKey, publicKey: publicKey)
    }

    /// 128 random bits of the wrapped toolbox.
    public func random128() -> UInt128 { box.random128() }
}

@available(*, unavailable) extension AnySecurityToolbox: Sendable {}

/// ``SecurityToolbox`` for classes: Embedded Swift supports existentials only of class types.
private protocol ToolboxBox: AnyObject {
    func aes128(key: UInt128, block: UInt128) -> UInt128
    func aesCMAC(key: UInt128, message: [UInt8]) -> UInt128
    func makeKeyPair() -> P256KeyPair
    func sharedSecret(privateKey: P256Scalar, publicKey: P256PublicKey) -> P256Scalar?
    func random128() -> UInt128
}

private final class Box<Toolbox: SecurityToolbox>: ToolboxBox {
    private var toolbox: Toolbox

    init(_ toolbox: Toolbox) { self.toolbox = toolbox }

    func aes128(key: UInt128, block: UInt128) -> UInt128 { toolbox.aes128(key: key, block: block) }

    func aesCMAC(key: UInt128, message: [UInt8]) -> UInt128 {
        toolbox.aesCMAC(key: key, message: message)
    }

    func makeKeyPair() -> P256KeyPair { toolbox.makeKeyPair() }

    func sharedSecret(privateKey: P256Scalar, publicKey: P256PublicKey) -> P256Scalar? {
        toolbox.sharedSecret(privateKey: privateKey, publicKey: publicKey)
    }

    func random128() -> UInt128 { toolbox.random128() }
}
