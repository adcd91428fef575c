internal import BluetoothLE

// Values.
extension Peripheral {
    /// Reads a value of any length, and sets ``Characteristic/value`` to it. (`readValue(for:)`)
    @discardableResult public func readValue(
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
    @discardableResult public func readValue(
        for descriptor: Descriptor
    ) async throws(BluetoothError) -> [UInt8] {
        try check(descriptor)
        let value = try await readValue(of: descriptor.handle)
        descriptor.setValue(value)
        return value
    }

    @inline(__always)
    private func readValue(of handle: AttributeHandle) async throws(BluetoothError) -> [UInt8] {
        let result = try await perform(
            .readLongValue(handle), about: AttributeHandleRange(handle, handle))
        guard case .value(let value) = result else { return [] }
        return value
    }

    /// Writes a value. (`writeValue(_:for:type:)`)
    ///
    /// With a response, returns when the device has accepted the value, of at most 512 octets: a long value
    /// is sent in parts, which the device writes together or not at all. Without a response, returns when the
    /// value is on its way, for which it first waits until there is room (``canSendWriteWithoutResponse``);
    /// the value must fit into one PDU (``maximumWriteValueLength(for:)``).
    ///
    /// As in Core Bluetooth, a type of write that is not among the characteristic's properties fails without
    /// a request to the device; nothing else is checked here.
    public func writeValue(
        _ value: [UInt8], for characteristic: Characteristic, type: Characteristic.WriteType
    ) async throws(BluetoothError) {
        try check(characteristic)
        let limit = maximumWriteValueLength(for: type)
        guard value.count <= limit else {
            throw BluetoothError(
                .invalidParameters, "the value has \(value.count) octets; the limit is \(limit)")
        }
        let needed: Characteristic.Properties =
            type == .withResponse ? .write : .writeWithoutResponse
        guard characteristic.properties.contains(needed) else {
            throw BluetoothError(
                .attribute(.writeNotPermitted),
                "the characteristic does not have the property for this type of write")
        }
        switch type {
        case .withResponse: try await write(value, to: characteristic.attributes.value)
        case .withoutResponse:
            try await waitForRoom()
            try check(characteristic)
            let handle = characteristic.attributes.value
            let range = AttributeHandleRange(handle, handle)
            _ = try await perform(about: range) { [system, client, peer] answer in
                system.writeWithoutResponse(
                    value, to: handle, of: peer, by: client, completion: answer)
            }
        }
    }

    /// Writes a descriptor. (`writeValue(_:for:)`) Apps cannot write the Client Characteristic Configuration,
    /// because they share it: use ``setNotifyValue(_:for:)``.
    public func writeValue(
        _ value: [UInt8], for descriptor: Descriptor
    ) async throws(BluetoothError) {
        try check(descriptor)
        guard descriptor.uuid != .clientCharacteristicConfiguration else {
            throw BluetoothError(
                .operationNotSupported, "this descriptor is written by setNotifyValue only")
        }
        try await write(value, to: descriptor.handle)
    }

    private func write(_ value: [UInt8], to handle: AttributeHandle) async throws(BluetoothError) {
        _ = try await perform(
            .writeValue(handle, value), about: AttributeHandleRange(handle, handle))
    }

    // MARK: Without a response

    /// The longest attribute value in octets. Core Vol 3, Part F, 3.2.9.
    private static var maximumValueLength: Int { 512 }

    /// The longest value in octets: 512 with a response, and as much as fits into one PDU without.
    /// (`maximumWriteValueLength(for:)`)
    public func maximumWriteValueLength(for type: Characteristic.WriteType) -> Int {
        switch type {
        case .withResponse: Self.maximumValueLength
        case .withoutResponse:
            min((system.mtu(of: peer) ?? ATT.defaultMTU) - 3, Self.maximumValueLength)
        }
    }

    /// Whether a value would be sent at once without a response. If not,
    /// ``CentralManagerEvent/isReadyToSendWriteWithoutResponse(_:)`` follows.
    public var canSendWriteWithoutResponse: Bool {
        state == .connected && roomWaiters.isEmpty && system.hasRoom(to: peer)
    }

    private func waitForRoom() async throws(BluetoothError) {
        while state == .connected, !canSendWriteWithoutResponse {
            let error = await withCheckedContinuation { continuation in
                if state == .connected, !canSendWriteWithoutResponse {
                    roomWaiters.append(continuation)
                } else {
                    continuation.resume(returning: nil)
                }
            }
            if let error { throw error }
        }
        guard state == .connected else { throw BluetoothError(.notConnected) }
    }

    /// There is room again.
    func hasRoom() {
        for waiter in exchange(&roomWaiters, with: []) { waiter.resume(returning: nil) }
    }
}
