internal import BlueZ
package import DBus
internal import OpenSSLSecurity

extension BlueZConfiguration: BluetoothStack {
    package func access(
        for configuration: ConsumerConfiguration, on loop: EventLoop?
    ) throws(DeviceError) -> ConsumerAccess {
        try access(for: configuration, on: loop, bus: .system)
    }

    /// The same with bluetoothd on another bus.
    func access(
        for configuration: ConsumerConfiguration, on shared: EventLoop?, bus: BusConnection.Bus,
        digests: PhoneDigests = PhoneDigests(), root: String = ""
    ) throws(DeviceError) -> ConsumerAccess {
        // A loop that was made for nothing would keep its thread.
        try configuration.checkName()
        try configuration.checkFaceAtBluetoothd()
        let loop = try self.loop(sharing: shared)
        return try access(for: configuration, on: loop, digests: digests, root: root) {
            () throws(IOError) in try BusConnection(bus, on: loop)
        }
    }

    /// The event loop of whatever uses the adapter: a shared one, or a new one.
    package func loop(sharing shared: EventLoop?) throws(DeviceError) -> EventLoop {
        if let shared { return shared }
        do throws(IOError) { return try EventLoop() } catch { throw .transport(error) }
    }

    fileprivate func access(
        for configuration: ConsumerConfiguration, on loop: EventLoop, digests: PhoneDigests,
        root: String, makeBus: @escaping () throws(IOError) -> any MessageBus
    ) throws(DeviceError) -> ConsumerAccess {
        let remembered = try configuration.remembered(OpenSSLToolbox())
        let port = BlueZPort(
            configuration, at: self, on: loop, digests: digests, root: root, makeBus: makeBus)
        return ConsumerAccess(port: port, memory: remembered, loop: loop)
    }
}

extension NotificationConsumer {
    /// A consumer that uses what takes the place of bluetoothd on a bus in virtual time.
    package init(
        _ configuration: ConsumerConfiguration, on loop: EventLoop, window: PairingWindow,
        bus: any MessageBus
    ) throws(DeviceError) {
        let place = BlueZConfiguration(adapter: .any, ability: .noInputNoOutput, window: window)
        try configuration.checkName()
        self.init(
            configuration,
            try place.access(for: configuration, on: loop, digests: PhoneDigests(), root: "") {
                bus
            })
    }
}
