package import LinuxIO

/// The Bluetooth adapter or controller that a ``NotificationConsumer`` uses; with `ANCSKit`, also that of a
/// `NotificationProvider` or a `BluetoothAdapter`.
///
///     let consumer = try NotificationConsumer(name: "Desk", at: .bluez())
///
/// Nothing is opened until the consumer, the provider or the adapter starts.
public struct Bluetooth: Sendable {
    /// The stack at this place, or why there is none.
    package let stack: Result<any BluetoothStack, IOError>

    /// The place where this stack is.
    package init(_ stack: any BluetoothStack) { self.stack = .success(stack) }

    /// A place that does not exist; what uses it cannot be created.
    package init(invalid error: IOError) { stack = .failure(error) }
}

/// A Bluetooth stack by which a consumer reaches phones: bluetoothd, or a host in this process.
package protocol BluetoothStack: Sendable {
    /// What a consumer with this configuration is made of, on this loop or, without one, on one of the stack's
    /// choice.
    func access(
        for configuration: ConsumerConfiguration, on loop: EventLoop?
    ) throws(DeviceError) -> ConsumerAccess
}

/// How a ``NotificationConsumer`` reaches phones, and what it shares with the stack.
package struct ConsumerAccess: Sendable {
    /// The way to the phones.
    package var port: any ConsumerPort
    /// The notifications of earlier sessions; `nil` to remember none.
    package var memory: RememberedNotifications?
    /// The loop of the port.
    package var loop: EventLoop
    /// The test bench of the controller.
    package var hooks: TestHooks?

    package init(
        port: any ConsumerPort, memory: RememberedNotifications?, loop: EventLoop,
        hooks: TestHooks? = nil
    ) { (self.port, self.memory, self.loop, self.hooks) = (port, memory, loop, hooks) }
}
