public import Foundation

/// Receives what happens to a ``CBPeripheral``, on the queue of its manager.
///
/// All methods are optional: they have bodies that do nothing. As with ``CBCentralManagerDelegate``, one that only a
/// subclass declares is not called. Nothing is called once the link has ended; requests that waited end without an
/// answer.
public protocol CBPeripheralDelegate: NSObjectProtocol {
    /// The name changed.
    func peripheralDidUpdateName(_ peripheral: CBPeripheral)
    /// The peripheral no longer has these services, or has changed them.
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])
    /// The signal strength was read, in dBm.
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)
    /// Services were discovered.
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)
    /// Included services were discovered.
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService,
        error: (any Error)?)
    /// Characteristics were discovered.
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?)
    /// A value was read, notified or indicated.
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?)
    /// A value was written, or refused.
    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?)
    /// The subscription to a value changed.
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?)
    /// Descriptors were discovered.
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?)
    /// A descriptor was read.
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)
    /// A descriptor was written, or refused.
    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?)
    /// There is room again for values without a response.
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)
    /// The answer to `openL2CAPChannel(_:)`, which is an error on Linux.
    func peripheral(
        _ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

extension CBPeripheralDelegate {
    /// Does nothing.
    public func peripheralDidUpdateName(_: CBPeripheral) {}
    /// Does nothing.
    public func peripheral(_: CBPeripheral, didModifyServices _: [CBService]) {}
    /// Does nothing.
    public func peripheral(_: CBPeripheral, didReadRSSI _: NSNumber, error: (any Error)?) {}
    /// Does nothing.
    public func peripheral(_: CBPeripheral, didDiscoverServices error: (any Error)?) {}
    /// Does nothing.
    public func peripheral(
        _: CBPeripheral, didDiscoverIncludedServicesFor _: CBService, error: (any Error)?
    ) {}
    /// Does nothing.
    public func peripheral(
        _: CBPeripheral, didDiscoverCharacteristicsFor _: CBService, error: (any Error)?
    ) {}
    /// Does nothing.
    public func peripheral(
        _: CBPeripheral, didUpdateValueFor _: CBCharacteristic, error: (any Error)?
    ) {}
    /// Does nothing.
    public func peripheral(
        _: CBPeripheral, didWriteValueFor _: CBCharacteristic, error: (any Error)?
    ) {}
    /// Does nothing.
    public func peripheral(
        _: CBPeripheral, didUpdateNotificationStateFor _: CBCharacteristic, error: (any Error)?
    ) {}
    /// Does nothing.
    public func peripheral(
        _: CBPeripheral, didDiscoverDescriptorsFor _: CBCharacteristic, error: (any Error)?
    ) {}
    /// Does nothing.
    public func peripheral(_: CBPeripheral, didUpdateValueFor _: CBDescriptor, error: (any Error)?)
    {}
    /// Does nothing.
    public func peripheral(_: CBPeripheral, didWriteValueFor _: CBDescriptor, error: (any Error)?) {
    }
    /// Does nothing.
    public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}
    /// Does nothing.
    public func peripheral(_: CBPeripheral, didOpen _: CBL2CAPChannel?, error: (any Error)?) {}
}
