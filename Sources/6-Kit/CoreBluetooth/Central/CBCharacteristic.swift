internal import ANCSKit
public import Foundation

/// A characteristic of a service: one object as long as the peripheral has it and is connected.
open class CBCharacteristic: CBAttribute {
    /// The service.
    open internal(set) weak var service: CBService?
    /// What can be done with the value.
    open internal(set) var properties: CBCharacteristicProperties
    /// The value that was received last; `nil` if there was none.
    open internal(set) var value: Data?
    /// The descriptors; `nil` before they are discovered.
    open internal(set) var descriptors: [CBDescriptor]?
    /// Whether the manager has subscribed to the value.
    open internal(set) var isNotifying = false

    let origin: Characteristic?

    init(_ characteristic: Characteristic, of service: CBService?) {
        origin = characteristic
        properties = CBCharacteristicProperties(rawValue: UInt(characteristic.properties.rawValue))
        self.service = service
        super.init(CBUUID(characteristic.uuid))
    }

    init(published uuid: CBUUID, _ properties: CBCharacteristicProperties, _ value: Data?) {
        (origin, self.properties, self.value) = (nil, properties, value)
        super.init(uuid)
    }
}
