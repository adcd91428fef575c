internal import ANCSKit
internal import Foundation

/// A service for a ``CBPeripheralManager`` to publish. Later changes of one that is published have no effect.
open class CBMutableService: CBService {
    /// The services that it includes, which have to be published before.
    open override var includedServices: [CBService]? {
        get { super.includedServices }
        set { super.includedServices = newValue }
    }
    /// Its characteristics.
    open override var characteristics: [CBCharacteristic]? {
        get { super.characteristics }
        set { super.characteristics = newValue }
    }

    /// What the manager publishes.
    let published: MutableService

    /// A service without characteristics.
    public init(type UUID: CBUUID, primary isPrimary: Bool) {
        published = MutableService(type: UUID.value, primary: isPrimary)
        super.init(published: UUID, isPrimary: isPrimary)
    }

    /// The characteristics that the program may have changed until now.
    var own: [CBMutableCharacteristic] {
        (characteristics ?? []).compactMap { $0 as? CBMutableCharacteristic }
    }

    /// Takes over what the program has said of it.
    func prepare() {
        for characteristic in own { characteristic.prepare(in: self) }
        published.characteristics = own.map(\.published)
        published.includedServices = includedServices?
            .compactMap { ($0 as? CBMutableService)?.published }
    }
}
