internal import ANCSKit
internal import Foundation

/// A device that uses the services of a ``CBPeripheralManager``.
open class CBCentral: CBPeer {
    /// The longest value that it can be sent, in octets; longer ones are cut.
    open var maximumUpdateValueLength: Int { central.maximumUpdateValueLength }

    let central: Central

    init(_ central: Central) {
        self.central = central
        super.init(UUID(central.identifier))
    }
}
