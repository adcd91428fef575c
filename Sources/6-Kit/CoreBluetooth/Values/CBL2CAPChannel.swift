// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// The streams are Apple's.
public import Foundation

/// The number of a service of L2CAP.
public typealias CBL2CAPPSM = UInt16

/// A channel of L2CAP. There are none on Linux: `openL2CAPChannel(_:)` is answered with an error.
open class CBL2CAPChannel: NSObject {
    /// The device at the other end.
    public let peer: CBPeer
    /// What the device sends.
    public var inputStream: InputStream! { nil }
    /// What is sent to it.
    public var outputStream: OutputStream! { nil }
    /// The number of its service.
    public let psm: CBL2CAPPSM

    init(_ psm: CBL2CAPPSM, to peer: CBPeer) {
        (self.psm, self.peer) = (psm, peer)
        super.init()
    }
}
