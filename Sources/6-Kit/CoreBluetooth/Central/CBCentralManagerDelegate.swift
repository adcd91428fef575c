public import Foundation

/// Receives what happens to a ``CBCentralManager``, on its queue.
///
/// All methods but the first are optional: they have bodies that do nothing. A method is called if the type that
/// declares the conformance has it. One that only a subclass of that type declares is not called, because there is no
/// Objective-C on Linux. What Linux never calls is missing, such as the restoration of a state: the delegate may have it.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
    /// The state changed. In any state but `poweredOn`, the scan and all links have ended.
    func centralManagerDidUpdateState(_ central: CBCentralManager)
    /// The scan found a peripheral. `RSSI` is in dBm, and 127 if it is not known.
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any], rssi RSSI: NSNumber)
    /// The peripheral is connected.
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)
    /// The peripheral cannot be connected.
    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)
    /// The link ended, or connecting was cancelled; the error is `nil` if the program asked for that.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?)
    /// The same, with the time, and whether the manager connects again by itself. Unless the delegate has this method,
    /// it calls the one above.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?)
    /// A peripheral that `registerForConnectionEvents(options:)` named got a link, or lost it.
    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent,
        for peripheral: CBPeripheral)
}

extension CBCentralManagerDelegate {
    /// Does nothing.
    public func centralManager(
        _: CBCentralManager, didDiscover _: CBPeripheral, advertisementData: [String: Any],
        rssi _: NSNumber
    ) {}
    /// Does nothing.
    public func centralManager(_: CBCentralManager, didConnect _: CBPeripheral) {}
    /// Does nothing.
    public func centralManager(
        _: CBCentralManager, didFailToConnect _: CBPeripheral, error: (any Error)?
    ) {}
    /// Does nothing.
    public func centralManager(
        _: CBCentralManager, didDisconnectPeripheral _: CBPeripheral, error: (any Error)?
    ) {}
    /// Calls the method without the time.
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?
    ) { centralManager(central, didDisconnectPeripheral: peripheral, error: error) }
    /// Does nothing.
    public func centralManager(
        _: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for _: CBPeripheral
    ) {}
}
