internal import ANCSKit
internal import Foundation

/// A descriptor of a characteristic.
open class CBDescriptor: CBAttribute {
    /// The characteristic.
    open internal(set) weak var characteristic: CBCharacteristic?
    /// The value that was read last: an `NSNumber` for 2900, 2902 and 2903, a `String` for 2901, otherwise `Data`.
    open internal(set) var value: Any?

    let origin: Descriptor?

    init(_ descriptor: Descriptor, of characteristic: CBCharacteristic) {
        origin = descriptor
        self.characteristic = characteristic
        super.init(CBUUID(descriptor.uuid))
    }

    init(published uuid: CBUUID, _ value: Any?) {
        (origin, self.value) = (nil, value)
        super.init(uuid)
    }

    /// Takes over a value that was read.
    func update(_ octets: [UInt8]) {
        switch uuid.uuidString {
        case CBUUIDCharacteristicUserDescriptionString:
            value = String(decoding: octets, as: UTF8.self)
        case CBUUIDCharacteristicExtendedPropertiesString,
            CBUUIDClientCharacteristicConfigurationString,
            CBUUIDServerCharacteristicConfigurationString:
            let number = octets.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            value = NSNumber(value: number)
        default: value = Data(octets)
        }
    }
}
