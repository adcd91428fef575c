public import Foundation

/// A device at the other end: a peripheral or a central.
open class CBPeer: NSObject, NSCopying {
    /// Identifies the device on this machine for this program, in every run. Pairing may reveal that a device with a
    /// private address is one that was known before; it then takes over the identifier of that one.
    open internal(set) var identifier: UUID

    init(_ identifier: UUID) {
        self.identifier = identifier
        super.init()
    }

    /// The object itself.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
