internal import BluetoothLE

// The values that the device has.
extension Peripheral {
    /// Reads a value of any length; ``Characteristic/value`` is the same then. (`readValue(for:)`)
    @discardableResult
    public func readValue(
        for characteristic: Characteristic
    ) async throws(BluetoothError) -> [UInt8] {
        try check(characteristic)
        let value = try await readValue(of: characteristic.attributes.value)
        characteristic.setValue(value)
        if characteristic.uuid == .deviceName {
            system.named(peer, String(decoding: value, as: UTF8.self))
        }
        return value
    }

    /// Reads a descriptor of any length. (`readValue(for:)`)
    @discardableResult
    public func readValue(
        for descriptor: Descriptor
    ) async throws(BluetoothError) -> [UInt8] {
        try check(descriptor)
        let value = try await readValue(of: descriptor.handle)
        descriptor.setValue(value)
        return value
    }

    private func readValue(of handle: AttributeHandle) async throws(BluetoothError) -> [UInt8] {
        let result = try await perform(
            .readLongValue(handle), about: AttributeHandleRange(handle, handle))
        guard case .value(let value) = result else { return [] }
        return value
    }

    /// Writes a value. (`writeValue(_:for:type:)`)
    ///
    /// With a response, returns when the device has taken the value, which may have up to 512 octets: a
    /// long one goes in parts that the device takes as a whole or not at all. Without one, returns when
    /// the value is on its way, and waits before that for as long as there is no room
    /// (``canSendWriteWithoutResponse``); such a value fits one PDU
    /// (``maximumWriteValueLength(for:)``), or is refused here.
    ///
    /// As in Core Bluetooth, a type of write that is not among the characteristic's properties is refused
    /// without asking the device; nothing else is checked here.
    public func writeValue(
        _ value: [UInt8], for characteristic: Characteristic, type: Characteristic.WriteType
    ) async throws(BluetoothError) {
        try check(characteristic)
        let limit = maximumWriteValueLength(for: type)
        guard value.count <= limit else {
            throw BluetoothError(
                .invalidParameters, "the value has \(value.count) octets of at most \(limit)")
        }
        let needed: Characteristic.Properties =
            type == .withResponse ? .write : .writeWithoutResponse
        guard characteristic.properties.contains(needed) else {
            throw BluetoothError(
                .attribute(.writeNotPermitted),
                "the characteristic has not the property for this type of write")
        }
        switch type {
        case .withResponse: try await write(value, to: characteristic.attributes.value)
        case .withoutResponse:
            try await waitForRoom()
            try check(characteristic)
            let error = system.writeWithoutResponse(
                value, to: characteristic.attributes.value, of: peer)
            if let error { throw BluetoothError(notSent: error) }
        }
    }

    /// Writes a descriptor. (`writeValue(_:for:)`) The Client Characteristic Configuration is not for
    /// apps to write, since they share it: ``setNotifyValue(_:for:)``.
    public func writeValue(
        _ value: [UInt8], for descriptor: Descriptor
    ) async throws(BluetoothError) {
        try check(descriptor)
        guard descriptor.uuid != .clientCharacteristicConfiguration else {
            throw BluetoothError(
                .operationNotSupported, "setNotifyValue writes this descriptor, and only it")
        }
        try await write(value, to: descriptor.handle)
    }

    private func write(
        _ value: [UInt8], to handle: AttributeHandle
    ) async throws(BluetoothError) {
        _ = try await perform(
            .writeValue(handle, value), about: AttributeHandleRange(handle, handle))
    }

    // MARK: Without a response

    /// The longest attribute value. Core Vol 3, Part F, 3.2.9.
    private static var maximumValueLength: Int { 512 }

    /// How many octets a value may have: 512 with a response, and no more than one PDU takes without. (`maximumWriteValueLength(for:)`)
    public func maximumWriteValueLength(for type: Characteristic.WriteType) -> Int {
        switch type {
        case .withResponse: Self.maximumValueLength
        case .withoutResponse:
            min(
                (system.mtu(of: peer) ?? ATTBearer.defaultMTU) - 3, Self.maximumValueLength)
        }
    }

    /// Whether a value without response would be sent at once. Where it is `false`,
    /// ``CentralManagerEvent/isReadyToSendWriteWithoutResponse(_:)`` follows.
    public var canSendWriteWithoutResponse: Bool {
        state == .connected && roomWaiters.isEmpty && system.hasRoom(to: peer)
    }

    private func waitForRoom() async throws(BluetoothError) {
        while state == .connected, !canSendWriteWithoutResponse {
            let error = await withCheckedContinuation { roomWaiters.append($0) }
            if let error { throw error }
        }
        guard state == .connected else { throw BluetoothError(.notConnected) }
    }

    /// There is room again.
    func hasRoom() {
        for waiter in exchange(&roomWaiters, with: []) { waiter.resume(returning: nil) }
    }
}
