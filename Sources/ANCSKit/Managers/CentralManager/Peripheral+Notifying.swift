internal import BluetoothLE

// Subscriptions.
extension Peripheral {
    /// Subscribes to a value or unsubscribes, by notifications or, if the characteristic has only those, by
    /// indications. Values are reported by ``CentralManagerEvent/valueUpdated(_:_:_:)``.
    /// (`setNotifyValue(_:for:)`)
    ///
    /// Several managers may subscribe to the same value: the device sees the first subscription and the last
    /// unsubscription. Subscriptions end with the connection.
    public func setNotifyValue(
        _ enabled: Bool, for characteristic: Characteristic
    ) async throws(BluetoothError) {
        try check(characteristic)
        let requested = try value(enabled, for: characteristic)
        let descriptor = try await configuration(of: characteristic)
        let value = characteristic.attributes.value
        if enabled {
            // A value may arrive before the response to the write.
            wanted.insert(value)
        } else {
            wanted.remove(value)
        }
        do throws(BluetoothError) {
            let range = AttributeHandleRange(value, descriptor)
            _ = try await perform(about: range) { [system, client, peer] answer in
                system.subscribe(
                    requested, at: descriptor, of: peer, by: client, completion: answer)
            }
        } catch {
            if !characteristic.isNotifying { wanted.remove(value) }
            throw error
        }
        try check(characteristic)
        characteristic.setNotifying(enabled)
    }

    private func value(
        _ enabled: Bool, for characteristic: Characteristic
    ) throws(BluetoothError) -> ClientCharacteristicConfiguration {
        let properties = characteristic.properties
        if !enabled { return [] }
        if properties.contains(.notify) { return .notification }
        if properties.contains(.indicate) { return .indication }
        throw BluetoothError(
            .attribute(.requestNotSupported),
            "the characteristic supports neither notifications nor indications")
    }

    /// The Client Characteristic Configuration, which the app need not have discovered.
    private func configuration(
        of characteristic: Characteristic
    ) async throws(BluetoothError) -> AttributeHandle {
        let known: [Descriptor]
        if let descriptors = characteristic.descriptors {
            known = descriptors
        } else {
            known = try await discoverDescriptors(for: characteristic)
        }
        guard let descriptor = known.first(where: { $0.uuid == .clientCharacteristicConfiguration })
        else {
            throw BluetoothError(
                .attribute(.requestNotSupported),
                "the characteristic has no Client Characteristic Configuration")
        }
        return descriptor.handle
    }
}
