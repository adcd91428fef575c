internal import BluetoothLE
public import LinuxIO

/// A device known to a ``CentralManager``, like `CBPeripheral`: an actor on the loop of its manager, with the
/// services of the device and the operations on them.
///
///     try await manager.connect(peripheral)
///     for service in try await peripheral.discoverServices(["180D"]) {
///         for characteristic in try await peripheral.discoverCharacteristics(nil, for: service) {
///             let value = try await peripheral.readValue(for: characteristic)
///         }
///     }
///
/// Each manager has its own object for a device, with its own services, subscriptions and operations,
/// although all use one link. Requests to the device are calls that return the result; anything else is a
/// ``CentralManagerEvent``. If the device requires a better protected link, the system pairs and tries again.
/// bluetoothd does not tell the errors that ask for protection apart: *Insufficient Authentication* stands for all of
/// them there.
///
/// If the link ends, the manager cancels its connection, or the device changes the services concerned,
/// operations in progress end at once with an error. So do later operations on services, characteristics or
/// descriptors from before.
public actor Peripheral: IdentityHashable, LoopActor {
    /// The executor, which is that of the manager.
    public nonisolated let loop: EventLoop

    /// The name of the device, as last received or read; `nil` if there was none. Untrusted.
    public var name: String? { system.known(peer)?.name }
    /// Its current or last address on air, which Core Bluetooth does not reveal. bluetoothd replaces it with the
    /// identity address once the device is bonded.
    package var address: DeviceAddress? { system.known(peer)?.address }
    /// Its identity address; `nil` if it is not bonded.
    package var identityAddress: DeviceAddress? { system.known(peer)?.identity }
    /// Whether it is connected for this manager.
    public internal(set) var state = PeripheralState.disconnected
    /// The primary services discovered since it was connected, in order of handles; `nil` before.
    public internal(set) var services: [Service]?

    /// The number of links so far.
    var link: UInt64 = 0
    let system: any CentralSystem
    let client: ClientID
    private nonisolated let names: Lock<Names>
    /// The valid services, including included ones.
    var servicesByRange: [AttributeHandleRange: Service] = [:]
    /// The valid characteristics, by value handle.
    var characteristics: [AttributeHandle: Characteristic] = [:]
    /// The name that was reported last.
    private var reportedName: String?
    var operations = PeripheralOperations()
    /// Why the link could not be protected at the last attempt.
    var securityFailure: SecurityFailure?
    /// The characteristics that the app subscribes to, even before the device has confirmed it.
    var wanted: Set<AttributeHandle> = []
    /// The calls that wait for room for a write without response, in order.
    var roomWaiters: [CheckedContinuation<BluetoothError?, Never>] = []

    /// The calls that wait for the signal strength, which is read once for all.
    var rssiWaiters: [@Sendable (Result<Int, BluetoothError>) -> Void] = []

    /// The identifiers of the device, public and internal.
    private struct Names {
        var peer: PeerKey
        var identifier: PeerIdentifier
    }

    init(_ device: KnownDevice, at system: any CentralSystem, for client: ClientID) {
        names = Lock(Names(peer: device.key, identifier: device.identifier))
        self.system = system
        self.client = client
        loop = system.loop
        reportedName = device.name
    }

    /// Identifies the device on this machine, in every run and with any address.
    public nonisolated var identifier: PeerIdentifier { names.withLock { $0.identifier } }

    /// The key of the device in the system.
    nonisolated var peer: PeerKey { names.withLock { $0.peer } }

    // MARK: Events of its manager

    /// Takes over the current name; returns whether it has changed.
    func updateName() -> Bool {
        let name = self.name
        return exchange(&reportedName, with: name) != name
    }

    /// Pairing revealed the identity of the device.
    nonisolated func identified(as peer: PeerKey, called identifier: PeerIdentifier) {
        names.withLock { $0 = Names(peer: peer, identifier: identifier) }
    }

    func connected() {
        link += 1
        state = .connected
    }

    /// The device is disconnected, at least for this manager.
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

    /// The characteristic of a value, if this manager has subscribed to it.
    func received(_ value: [UInt8], of handle: AttributeHandle) -> Characteristic? {
        guard wanted.contains(handle), let characteristic = characteristics[handle] else {
            return nil
        }
        characteristic.setValue(value)
        return characteristic
    }

    /// The subscription to a value has ended without a call of this manager; returns the characteristic, if it had
    /// subscribed to it.
    func unsubscribed(_ handle: AttributeHandle) -> Characteristic? {
        guard let characteristic = characteristics[handle], characteristic.isNotifying else {
            return nil
        }
        wanted.remove(handle)
        characteristic.setNotifying(false)
        return characteristic
    }

    /// The services in this range have changed; returns those that are no longer valid.
    func servicesChanged(in range: AttributeHandleRange) -> [Service] {
        let invalid = servicesByRange.values.filter { $0.range.overlaps(range) }
            .sorted(byNumber: \.range.first.rawValue)
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
        for handle in characteristics.keys.sorted(byNumber: \.rawValue)
        where service.range.contains(handle) {
            characteristics.removeValue(forKey: handle)?.setNotifying(false)
            wanted.remove(handle)
        }
    }
}

extension Peripheral: CustomStringConvertible {
    /// Its identifier, because a name from the device is untrusted.
    public nonisolated var description: String { "Peripheral(\(identifier.text))" }
}
