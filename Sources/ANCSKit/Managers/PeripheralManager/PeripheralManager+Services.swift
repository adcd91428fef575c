internal import BluetoothLE

// What is published.
extension PeripheralManager {
    /// Publishes a service; centrals that follow Service Changed are told. (`add(_:)`)
    ///
    /// Throws ``BluetoothError/Code/invalidParameters`` where it is published already, where one that it
    /// includes is not, and where a characteristic cannot be as it is, ``BluetoothError/Code/uuidNotAllowed``
    /// for services of the host, and ``BluetoothError/Code/outOfSpace`` where no handles are left.
    public func add(_ service: MutableService) throws(BluetoothError) {
        guard !published.contains(where: { $0.service === service }) else {
            throw BluetoothError(.invalidParameters, "the service is published already")
        }
        var included: [AttributeHandle] = []
        for other in service.includedServices ?? [] {
            guard let found = published.first(where: { $0.service === other }) else {
                throw BluetoothError(.invalidParameters, "an included service is published before")
            }
            included.append(found.handles.range.first)
        }
        let characteristics = service.characteristics ?? []
        guard Set(characteristics).isDisjoint(with: self.characteristics.values),
            Set(characteristics).count == characteristics.count
        else {
            throw BluetoothError(.invalidParameters, "a characteristic belongs to one service")
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

    /// Unpublishes a service; who was subscribed to a value of it is told of as unsubscribed. Nothing where
    /// it is not published. (`remove(_:)`)
    public func remove(_ service: MutableService) {
        guard let index = published.firstIndex(where: { $0.service === service }) else { return }
        let removed = published.remove(at: index)
        var hasRoom = false
        for place in removed.handles.characteristics {
            for central in book.removed(place.value) {
                tellUnsubscribed(central, from: place.value)
            }
            if book.settled(place.value) { hasRoom = true }
            characteristics[place.value] = nil
        }
        // What waits for an answer gets one: the attribute is not there any more.
        system.removeService(startingAt: removed.handles.range.first, by: client)
        if hasRoom { tell(.isReadyToUpdateSubscribers) }
    }

    /// Unpublishes all services of this manager. (`removeAllServices()`)
    public func removeAllServices() {
        for published in published.reversed() { remove(published.service) }
    }
}
