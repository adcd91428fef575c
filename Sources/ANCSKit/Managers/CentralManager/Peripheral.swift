package import BluetoothLE
public import LinuxIO

/// A device that a ``CentralManager`` knows, as `CBPeripheral`: an actor on the loop of its manager, with
/// the services of the device and what can be done with them.
///
///     try await manager.connect(peripheral)
///     for service in try await peripheral.discoverServices(["180D"]) {
///         for characteristic in try await peripheral.discoverCharacteristics(nil, for: service) {
///             let value = try await peripheral.readValue(for: characteristic)
///         }
///     }
///
/// Each manager has its own, whose services, subscriptions and operations are its own too: what one app
/// does with a device, another does not see, though both use one link. Calls that ask something of the
/// device end with what came of it; what the device does by itself is a ``CentralManagerEvent``.
/// Where the device wants a better protected link, it is paired with and asked once more.
///
/// Operations that are under way when the link ends, when the manager cancels its connection, or when the
/// device changes the services they are about, end at once with an error that says so. So does every
/// later one with a service, characteristic or descriptor from before.
public actor Peripheral {
    /// The executor, which is that of the manager.
    public nonisolated let loop: EventLoop

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    /// The name that the device was last heard or read to have, or `nil`. Untrusted.
    public var name: String? { system.peers[peer]?.name }
    /// The address that it is, or was last, on air with, which Core Bluetooth keeps to itself.
    package var address: DeviceAddress? { system.peers[peer]?.address }
    /// Its identity address, where it is bonded.
    package var identityAddress: DeviceAddress? { system.peers[peer]?.identity }
    /// Whether it is connected for this manager.
    public internal(set) var state = PeripheralState.disconnected
    /// The primary services that were discovered since it was connected, by handle; `nil` before.
    public internal(set) var services: [Service]?

    /// Counts the links.
    var link: UInt64 = 0
    let system: SystemDriver
    let client: ClientID
    private nonisolated let names: Lock<Names>
    /// The services that are valid, included ones too.
    var servicesByRange: [AttributeHandleRange: Service] = [:]
    /// The characteristics that are valid, by the handles of their values.
    var characteristics: [AttributeHandle: Characteristic] = [:]
    /// The name that was told last.
    private var toldName: String?
    var operations = PeripheralOperations()
    /// Why the link could not be secured when that was tried last.
    var securityFailure: SecurityFailure?
    /// The characteristics whose values are wanted, before the device has agreed as well.
    var wanted: Set<AttributeHandle> = []
    /// Who waits for room for a value without response, in the order of their calls.
    var roomWaiters: [CheckedContinuation<BluetoothError?, Never>] = []

    /// Who waits for the signal strength, for which the system is asked once.
    var rssiWaiters: [@Sendable (Result<Int, BluetoothError>) -> Void] = []

    /// What the device is called, inside and outside.
    private struct Names {
        var peer: PeerKey
        var identifier: PeerIdentifier
    }

    init(_ device: PeerRegistry.Peer, at system: SystemDriver, for client: ClientID) {
        names = Lock(Names(peer: device.key, identifier: device.identifier))
        self.system = system
        self.client = client
        loop = system.loop
        toldName = device.name
    }

    /// Names the device for this machine, in every run and under whatever address it is on air.
    public nonisolated var identifier: PeerIdentifier { names.withLock { $0.identifier } }

    /// Who it is to the system.
    nonisolated var peer: PeerKey { names.withLock { $0.peer } }

    // MARK: What its manager tells

    /// Whether the device has another name than it had.
    func updateName() -> Bool {
        let name = self.name
        return exchange(&toldName, with: name) != name
    }

    /// Pairing showed which device it is.
    nonisolated func identified(as peer: PeerKey, called identifier: PeerIdentifier) {
        names.withLock { $0 = Names(peer: peer, identifier: identifier) }
    }

    func connected() {
        link += 1
        state = .connected
    }

    /// It is connected no more, for this manager at least.
    func disconnected(_ error: BluetoothError) {
        state = .disconnected
        services = nil
        wanted = []
        for characteristic in exchange(&characteristics, with: [:]).values {
            characteristic.setNotifying(false)
        }
        for service in exchange(&servicesByRange, with: [:]).values {
            service.forgetIncludedServices()
        }
        securityFailure = nil
        operations.endAll(with: error)
        for waiter in exchange(&roomWaiters, with: []) { waiter.resume(returning: error) }
        endRSSI(with: .failure(error))
    }

    /// The characteristic whose value this is, where this manager wants it.
    func received(_ value: [UInt8], of handle: AttributeHandle) -> Characteristic? {
        guard wanted.contains(handle), let characteristic = characteristics[handle] else {
            return nil
        }
        characteristic.setValue(value)
        return characteristic
    }

    /// What the device has in this range is not what it was. The services that are invalid now.
    func servicesChanged(in range: AttributeHandleRange) -> [Service] {
        let invalid = servicesByRange.values.filter { $0.range.overlaps(range) }
            .sorted { $0.range.first < $1.range.first }
        for service in invalid { invalidate(service) }
        operations.endAll(
            about: range,
            with: BluetoothError(.invalidHandle, "the peripheral has changed its services"))
        return invalid
    }

    private func invalidate(_ service: Service) {
        servicesByRange[service.range] = nil
        services?.removeAll { $0 === service }
        service.forgetIncludedServices()
        for handle in characteristics.keys.sorted() where service.range.contains(handle) {
            characteristics.removeValue(forKey: handle)?.setNotifying(false)
            wanted.remove(handle)
        }
    }
}

extension Peripheral: Hashable {
    /// Whether both are the same object.
    public static func == (one: Peripheral, other: Peripheral) -> Bool { one === other }
    /// The identity of the object.
    public nonisolated func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension Peripheral: CustomStringConvertible {
    /// Its identifier: a name from the air is not to be trusted.
    public nonisolated var description: String { "Peripheral(\(identifier.text))" }
}
