internal import ANCSKit
public import Foundation
internal import LinuxIO

// Requests to the device. The answer is a call of the delegate, unless the link ends before.
extension CBPeripheral {
    /// How many values without a response may be on their way before further ones are dropped.
    private static let limit = 1_000

    // MARK: Discovery

    /// Discovers the services with these UUIDs, or all of them; as on Apple's systems, without Generic Access and Generic
    /// Attribute, which the system uses itself (Accessory Design Guidelines, *GATT Server*).
    public func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        let uuids = serviceUUIDs?.map(\.value)
        request("discoverServices(_:)", of: self) { device in
            try await device.discoverServices(uuids)
            return await device.services ?? []
        } answer: { peripheral, services, error in
            let shown = services?.filter { ![.genericAccess, .genericAttribute].contains($0.uuid) }
            if let shown { peripheral.services = peripheral.objects(of: shown) }
            peripheral.delegate?.peripheral(peripheral, didDiscoverServices: error)
        }
    }

    /// Discovers the services that a service includes, with these UUIDs, or all of them.
    public func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService)
    {
        let uuids = includedServiceUUIDs?.map(\.value)
        request("discoverIncludedServices(_:for:)", about: service) { device, origin in
            try await device.discoverIncludedServices(uuids, for: origin)
            return origin.includedServices ?? []
        } answer: { peripheral, service, found, error in
            if let found { service.includedServices = peripheral.objects(of: found) }
            peripheral.delegate?.peripheral(
                peripheral, didDiscoverIncludedServicesFor: service, error: error)
        }
    }

    /// Discovers the characteristics of a service, with these UUIDs, or all of them.
    public func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        let uuids = characteristicUUIDs?.map(\.value)
        request("discoverCharacteristics(_:for:)", about: service) { device, origin in
            try await device.discoverCharacteristics(uuids, for: origin)
            return origin.characteristics ?? []
        } answer: { peripheral, service, found, error in
            if let found { service.characteristics = peripheral.objects(of: found, in: service) }
            peripheral.delegate?.peripheral(
                peripheral, didDiscoverCharacteristicsFor: service, error: error)
        }
    }

    /// Discovers the descriptors of a characteristic.
    public func discoverDescriptors(for characteristic: CBCharacteristic) {
        request("discoverDescriptors(for:)", about: characteristic) { device, origin in
            try await device.discoverDescriptors(for: origin)
        } answer: { peripheral, characteristic, found, error in
            if let found {
                let known = characteristic.descriptors ?? []
                characteristic.descriptors = found.map { descriptor in
                    known.first { $0.origin === descriptor }
                        ?? CBDescriptor(descriptor, of: characteristic)
                }
            }
            peripheral.delegate?.peripheral(
                peripheral, didDiscoverDescriptorsFor: characteristic, error: error)
        }
    }

    // MARK: Values

    /// Reads a value.
    public func readValue(for characteristic: CBCharacteristic) {
        request("readValue(for:)", about: characteristic) { device, origin in
            try await device.readValue(for: origin)
        } answer: { peripheral, characteristic, value, error in
            if let value { characteristic.value = Data(value) }
            peripheral.delegate?.peripheral(
                peripheral, didUpdateValueFor: characteristic, error: error)
        }
    }

    /// Writes a value. Without a response, nothing is called, and the value may be dropped: wait while
    /// ``canSendWriteWithoutResponse`` is false.
    public func writeValue(
        _ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType
    ) {
        let (value, isConfirmed) = ([UInt8](data), type == .withResponse)
        guard isConfirmed || room.underway < Self.limit else {
            return Diagnostics.writeOnce(
                "values without a response are dropped: \(room.underway) wait for room")
        }
        let isSent = request("writeValue(_:for:type:)", about: characteristic) { device, origin in
            try await device.writeValue(
                value, for: origin, type: isConfirmed ? .withResponse : .withoutResponse)
        } answer: { peripheral, characteristic, _, error in
            guard isConfirmed else { return peripheral.left(error) }
            peripheral.delegate?.peripheral(
                peripheral, didWriteValueFor: characteristic, error: error)
        }
        guard isSent, !isConfirmed else { return }
        room.underway += 1
        if room.underway >= Room.window { room.isAwaited = true }
    }

    /// A value without a response is on its way, or was refused before.
    private func left(_ error: (any Error)?) {
        if let error {
            Diagnostics.ignored("writeValue(_:for:type:)", because: error.localizedDescription)
        }
        if room.isFound() { delegate?.peripheralIsReady(toSendWriteWithoutResponse: self) }
    }

    /// Whether there is room for a value without a response. If not, `peripheralIsReady(toSendWriteWithoutResponse:)`
    /// follows.
    public var canSendWriteWithoutResponse: Bool { state == .connected && !room.isAwaited }

    /// The longest value that can be written at once: 512 octets with a response; without one, what fits into a PDU of
    /// the link, as far as it is known.
    public func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
        type == .withResponse ? 512 : writeLimit
    }

    /// Subscribes to a value, or unsubscribes.
    public func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        request("setNotifyValue(_:for:)", about: characteristic) { device, origin in
            try await device.setNotifyValue(enabled, for: origin)
        } answer: { peripheral, characteristic, _, error in
            peripheral.subscribed(enabled, characteristic, error)
        }
    }

    /// Reads a descriptor.
    public func readValue(for descriptor: CBDescriptor) {
        request("readValue(for:)", about: descriptor) { device, origin in
            try await device.readValue(for: origin)
        } answer: { peripheral, descriptor, value, error in
            if let value { descriptor.update(value) }
            peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: descriptor, error: error)
        }
    }

    /// Writes a descriptor; not 2902, which ``setNotifyValue(_:for:)`` writes.
    public func writeValue(_ data: Data, for descriptor: CBDescriptor) {
        let value = [UInt8](data)
        request("writeValue(_:for:)", about: descriptor) { device, origin in
            try await device.writeValue(value, for: origin)
        } answer: { peripheral, descriptor, _, error in
            peripheral.delegate?.peripheral(peripheral, didWriteValueFor: descriptor, error: error)
        }
    }

    // MARK: The link

    /// Reads the signal strength.
    public func readRSSI() {
        request("readRSSI()", of: self) {
            try await $0.readRSSI()
        } answer: { peripheral, value, error in
            let rssi = NSNumber(value: value ?? 127)
            peripheral.delegate?.peripheral(peripheral, didReadRSSI: rssi, error: error)
        }
    }

    /// Answered with an error: there are no channels of L2CAP on Linux.
    public func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
        Diagnostics.ignored("openL2CAPChannel(_:)", because: "there are no channels of L2CAP")
        request("openL2CAPChannel(_:)", of: self) { _ in
            throw BluetoothError.noChannels
        } answer: { (peripheral, _: Void?, error) in
            peripheral.delegate?.peripheral(peripheral, didOpen: nil, error: error)
        }
    }

    // MARK: How

    /// Makes a request about an attribute, which is handed to the answer unseen: both are on the queue.
    @discardableResult private func request<Attribute: RemoteAttribute, Value: Sendable>(
        _ method: String, about attribute: Attribute,
        _ body: @escaping @Sendable (Peripheral, Attribute.Origin) async throws -> Value,
        answer: @escaping @Sendable (CBPeripheral, Attribute, Value?, (any Error)?) -> Void
    ) -> Bool {
        nonisolated(unsafe) let object = attribute
        let origin = attribute.origin
        return request(method, of: attribute.owner) { device in
            guard let origin else { throw BluetoothError(.invalidHandle) }
            return try await body(device, origin)
        } answer: { peripheral, value, error in
            answer(peripheral, object, value, error)
        }
    }

    /// Makes a request on the loop, and then has its answer on the queue, unless the link has ended meanwhile. Says so if
    /// the attribute is of another peripheral, or this one is not connected.
    @discardableResult private func request<Value: Sendable>(
        _ method: String, of owner: CBPeripheral?,
        _ body: @escaping @Sendable (Peripheral) async throws -> Value,
        answer: @escaping @Sendable (CBPeripheral, Value?, (any Error)?) -> Void
    ) -> Bool {
        guard owner === self, state == .connected, let device, let calls = central?.calls else {
            let reason =
                owner === self
                ? "the peripheral is not connected" : "the attribute is of another peripheral"
            Diagnostics.write("\(method) has no effect: \(reason)")
            return false
        }
        let (id, link) = (ObjectIdentifier(self), link)
        Task(executorPreference: device.loop) {
            let result: Result<Value, BluetoothError>
            do { result = .success(try await body(device)) } catch {
                result = .failure(error as? BluetoothError ?? BluetoothError(.unknown))
            }
            let limit = await device.maximumWriteValueLength(for: .withoutResponse)
            let identifier = UUID(device.identifier)
            calls.post { central in
                guard let peripheral = central.table[identifier],
                    ObjectIdentifier(peripheral) == id, peripheral.link == link
                else { return }
                peripheral.writeLimit = limit
                switch result {
                case .success(let value): answer(peripheral, value, nil)
                case .failure(let error): answer(peripheral, nil, error.cb)
                }
            }
        }
        return true
    }
}
