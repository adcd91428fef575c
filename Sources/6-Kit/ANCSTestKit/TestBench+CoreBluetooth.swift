public import ANCSKit
internal import HCITransports
internal import LinuxIO

// Programs for Core Bluetooth.
extension TestBench {
    /// Makes the managers of Core Bluetooth that `body` creates use a controller of the bench, on a radio in virtual time.
    ///
    ///     let program = try bench.withCoreBluetooth { Monitor() }   // which creates a CBCentralManager
    ///
    /// Virtual time stands still while the queue of a delegate runs, so that queue must not wait for the bench, nor be
    /// suspended. A manager that the program creates later, on a queue of its own, uses the machine's Bluetooth.
    ///
    /// - Parameters:
    ///   - bluetooth: A controller of the bench; `nil` for a new one.
    ///   - name: The name of the device.
    ///   - body: Creates the managers.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body, or `DeviceError` if the controller cannot be used.
    public func withCoreBluetooth<Value>(
        at bluetooth: Bluetooth? = nil, name: String = "Mac", _ body: () throws -> Value
    ) throws -> Value {
        let adapter = try BluetoothAdapter(name: name, at: bluetooth ?? self.bluetooth())
        adapter.assumeOnLoop { $0.start() }
        return try BluetoothAdapter.$ofPrograms.withValue(adapter, operation: body)
    }
}
