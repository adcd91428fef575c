internal import BluetoothLE

// Services.
extension PeripheralManager {
    /// Publishes a service; centrals that subscribe to Service Changed are notified. (`add(_:)`)
    ///
    /// Throws `BluetoothError.Code.invalidParameters` if it is already published, if a service that it
    /// includes is not, or if a characteristic is invalid; `BluetoothError.Code.uuidNotAllowed` for
    /// services of the host; `BluetoothError.Code.outOfSpace` if there are not enough handles; and at bluetoothd
    /// `BluetoothError.Code.operationNotSupported`.
    public func add(_ service: MutableService) throws(BluetoothError) {
        guard let system else { throw .noServer }
        guard !published.contains(where: { $0.service === service }) else {
            throw BluetoothError(.invalidParameters, "the service is already published")
        }
        var included: [AttributeHandle] = []
        for other in service.includedServices ?? [] {
            guard let found = published.first(where: { $0.service === other }) else {
                throw BluetoothError(
                    .invalidParameters, "an included service must be published first")
            }
            included.append(found.handles.range.first)
        }
        let characteristics = service.characteristics ?? []
        guard Set(characteristics).isDisjoint(with: self.characteristics.values),
            Set(characteristics).count == characteristics.count
        else {
            throw BluetoothError(.invalidParameters, "a characteristic belongs to only one service")
        }
        let definition = try service.definition(including: included)
        let handles: ServiceHandles
        do throws(HostUsageError) {
            handles = try system.addService(definition, by: client)
        } catch { throw BluetoothError(notPublished: error) }
        for (characteristic, place) in zip(characteristics, handles.characteristics) {
            self.characteristics[place.value] = characteristic
        }
        published.append(
            Published(service: service, handles: handles, characteristics: characteristics))
    }

    /// Removes a service; centrals that have subscribed to its values are reported as unsubscribed. Does
    /// nothing if it is not published. (`remove(_:)`)
    public func remove(_ service: MutableService) {
        guard let index = published.firstIndex(where: { $0.service === service }) else { return }
        let removed = published.remove(at: index)
        var hasRoom = false
        for place in removed.handles.characteristics {
            for central in book.removed(place.value) {
                reportUnsubscribed(central, from: place.value)
            }
            if book.settled(place.value) { hasRoom = true }
            characteristics[place.value] = nil
        }
        // Pending requests are answered with an error, because the attributes no longer exist.
        system?.removeService(startingAt: removed.handles.range.first, by: client)
        if hasRoom { report(.isReadyToUpdateSubscribers) }
    }

    /// Removes all services of this manager. (`removeAllServices()`)
    public func removeAllServices() {
        for published in published.reversed() { remove(published.service) }
    }
}

extension BluetoothError {
    /// There is no server of our own at bluetoothd.
    static var noServer: BluetoothError {
        .unsupported(
            "a PeripheralManager needs a controller of its own, by HCI, and this adapter is bluetoothd's"
        )
    }
}
