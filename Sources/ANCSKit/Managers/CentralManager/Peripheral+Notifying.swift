internal import BluetoothLE

// Values that the device tells by itself.
extension Peripheral {
    /// Has the device notify a value whenever it changes, or indicate it where it only does that; or not
    /// any more. Values are ``CentralManagerEvent/valueUpdated(_:_:_:)``.
    /// (`setNotifyValue(_:for:)`)
    ///
    /// Several managers may want the same value: the device is told of the first one's wish and of the
    /// end of the last one's. The wish ends with the connection.
    public func setNotifyValue(
        _ enabled: Bool, for characteristic: Characteristic
    ) async throws(BluetoothError) {
        try check(characteristic)
        let wish = try wish(enabled, for: characteristic)
        let descriptor = try await configuration(of: characteristic)
        let value = characteristic.attributes.value
        if enabled {
            // A value may come before the response to the write.
            wanted.insert(value)
        } else {
            wanted.remove(value)
        }
        do throws(BluetoothError) {
            let range = AttributeHandleRange(value, descriptor)
            _ = try await perform(about: range) { [system, client, peer] answer in
                system.subscribe(
                    wish, at: descriptor, of: peer, by: client, completion: answer)
            }
        } catch {
            if !characteristic.isNotifying { wanted.remove(value) }
            throw error
        }
        try check(characteristic)
        characteristic.setNotifying(enabled)
    }

    private func wish(
        _ enabled: Bool, for characteristic: Characteristic
    ) throws(BluetoothError) -> ClientCharacteristicConfiguration {
        let properties = characteristic.properties
        if !enabled { return [] }
        if properties.contains(.notify) { return .notification }
        if properties.contains(.indicate) { return .indication }
        throw BluetoothError(
            .attribute(.requestNotSupported),
            "the characteristic has neither of the properties notify and indicate")
    }

    /// The Client Characteristic Configuration, which need not have been discovered by the app.
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
