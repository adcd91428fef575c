internal import ANCSKit
internal import Foundation

/// A descriptor for a ``CBPeripheralManager`` to publish: a Characteristic User Description with a `String`, or another
/// one with `Data`.
open class CBMutableDescriptor: CBDescriptor {
    /// A descriptor.
    public init(type UUID: CBUUID, value: Any?) { super.init(published: UUID, value) }
}

extension CBDescriptor {
    /// The value on air.
    var octets: [UInt8] {
        switch value {
        case let text as String: Array(text.utf8)
        case let data as Data: [UInt8](data)
        case let number as NSNumber:
            withUnsafeBytes(of: number.uint16Value.littleEndian, Array.init)
        default: []
        }
    }
}
