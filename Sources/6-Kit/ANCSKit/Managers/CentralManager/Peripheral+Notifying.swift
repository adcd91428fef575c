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
        if enabled { try checkValues(of: characteristic) }
        let described = try await describe(characteristic)
        let value = described.value
        if enabled {
            // A value may arrive before the response to the write.
            wanted.insert(value)
        } else {
            wanted.remove(value)
        }
        do throws(BluetoothError) {
            let range = AttributeHandleRange(value, described.descriptors.last?.handle ?? value)
            _ = try await perform(about: range) { [system, client, peer] answer in
                system.subscribe(enabled, to: described, of: peer, by: client, completion: answer)
            }
        } catch {
            if !characteristic.isNotifying { wanted.remove(value) }
            throw error
        }
        try check(characteristic)
        characteristic.setNotifying(enabled)
    }

    private func checkValues(of characteristic: Characteristic) throws(BluetoothError) {
        guard characteristic.properties.isDisjoint(with: [.notify, .indicate]) else { return }
        throw BluetoothError(
            .attribute(.requestNotSupported),
            "the characteristic supports neither notifications nor indications")
    }

    /// The characteristic with its Client Characteristic Configuration, which the app need not have discovered.
    private func describe(
        _ characteristic: Characteristic
    ) async throws(BluetoothError) -> RemoteDatabase.Characteristic {
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
        var described = characteristic.attributes
        described.descriptors = [
            RemoteDatabase.Descriptor(handle: descriptor.handle, type: descriptor.uuid)
        ]
        return described
    }
}
