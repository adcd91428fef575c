public import Foundation

/// Receives what happens to a ``CBPeripheralManager``, on its queue.
///
/// All methods but the first are optional, as those of ``CBCentralManagerDelegate`` are, with the same limit: one that
/// only a subclass declares is not called.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
    /// The state changed. In any state but `poweredOn`, advertising and all links have ended.
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)
    /// Advertising has started, or cannot.
    func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager, error: (any Error)?)
    /// A service was published, or cannot be.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)
    /// A central subscribed to a value.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic)
    /// A central unsubscribed from a value, or its link ended.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic)
    /// A central reads a value: set it, and respond.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)
    /// A central writes values, all or none: respond to the first of the requests.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])
    /// There is room again, after `updateValue(_:for:onSubscribedCentrals:)` has returned `false`.
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)
    /// The answer to `publishL2CAPChannel(withEncryption:)`, which is an error on Linux.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?)
}

extension CBPeripheralManagerDelegate {
    /// Does nothing.
    public func peripheralManagerDidStartAdvertising(_: CBPeripheralManager, error: (any Error)?) {}
    /// Does nothing.
    public func peripheralManager(
        _: CBPeripheralManager, didAdd _: CBService, error: (any Error)?
    ) {}
    /// Does nothing.
    public func peripheralManager(
        _: CBPeripheralManager, central: CBCentral, didSubscribeTo _: CBCharacteristic
    ) {}
    /// Does nothing.
    public func peripheralManager(
        _: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom _: CBCharacteristic
    ) {}
    /// Does nothing: the central waits.
    public func peripheralManager(_: CBPeripheralManager, didReceiveRead _: CBATTRequest) {}
    /// Does nothing: the central waits.
    public func peripheralManager(_: CBPeripheralManager, didReceiveWrite _: [CBATTRequest]) {}
    /// Does nothing.
    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}
    /// Does nothing.
    public func peripheralManager(
        _: CBPeripheralManager, didPublishL2CAPChannel _: CBL2CAPPSM, error: (any Error)?
    ) {}
}
