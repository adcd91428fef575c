internal import ANCSKit

/// An attribute of a peripheral, in contrast to one that the program publishes.
protocol RemoteAttribute: CBAttribute {
    associatedtype Origin: Sendable
    /// What it is for the managers of `ANCSKit`; `nil` if the program publishes it.
    var origin: Origin? { get }
    /// Its peripheral.
    var owner: CBPeripheral? { get }
}

extension CBService: RemoteAttribute { var owner: CBPeripheral? { peripheral } }

extension CBCharacteristic: RemoteAttribute { var owner: CBPeripheral? { service?.peripheral } }

extension CBDescriptor: RemoteAttribute { var owner: CBPeripheral? { characteristic?.owner } }
