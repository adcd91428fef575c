internal import ANCSKit
internal import Foundation

/// A service of a peripheral: one object as long as the peripheral has it and is connected.
open class CBService: CBAttribute {
    /// The peripheral.
    open internal(set) weak var peripheral: CBPeripheral?
    /// Whether it is a primary service; one that is included may be secondary.
    public let isPrimary: Bool
    /// The included services; `nil` before they are discovered.
    open internal(set) var includedServices: [CBService]?
    /// The characteristics that were discovered; `nil` before.
    open internal(set) var characteristics: [CBCharacteristic]?

    let origin: Service?

    init(_ service: Service, of peripheral: CBPeripheral) {
        (origin, isPrimary) = (service, service.isPrimary)
        self.peripheral = peripheral
        super.init(CBUUID(service.uuid))
    }

    init(published uuid: CBUUID, isPrimary: Bool) {
        (origin, self.isPrimary) = (nil, isPrimary)
        super.init(uuid)
    }
}
