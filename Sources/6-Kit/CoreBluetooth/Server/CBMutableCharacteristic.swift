internal import ANCSKit
public import Foundation

/// A characteristic for a ``CBPeripheralManager`` to publish.
open class CBMutableCharacteristic: CBCharacteristic {
    /// Who may read and write the value.
    open var permissions: CBAttributePermissions
    /// The centrals that have subscribed to the value.
    open internal(set) var subscribedCentrals: [CBCentral]?
    /// What can be done with the value.
    open override var properties: CBCharacteristicProperties {
        get { super.properties }
        set { super.properties = newValue }
    }
    /// A value that everybody gets; without one, the program is asked for it.
    open override var value: Data? {
        get { super.value }
        set { super.value = newValue }
    }
    /// Its descriptors.
    open override var descriptors: [CBDescriptor]? {
        get { super.descriptors }
        set { super.descriptors = newValue }
    }

    /// What the manager publishes.
    let published: MutableCharacteristic

    /// A characteristic.
    public init(
        type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?,
        permissions: CBAttributePermissions
    ) {
        self.permissions = permissions
        published = MutableCharacteristic(type: UUID.value, properties: [], permissions: [])
        super.init(published: UUID, properties, value)
    }

    /// Takes over what the program has said of it.
    func prepare(in service: CBService) {
        self.service = service
        published.properties = .init(rawValue: UInt16(truncatingIfNeeded: properties.rawValue))
        published.permissions = .init(rawValue: UInt8(truncatingIfNeeded: permissions.rawValue))
        published.value = value.map { [UInt8]($0) }
        published.descriptors = descriptors?.map {
            MutableDescriptor(type: $0.uuid.value, value: $0.octets)
        }
    }
}
