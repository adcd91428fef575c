public import BluetoothLE
// Discovery.
extension Peripheral {
    /// Discovers primary services: those with one of the UUIDs, or all for `nil`. Returns them in order of
    /// handles; ``services`` also has those discovered before. (`discoverServices(_:)`)
    @discardableResult public func discoverServices(
        _ uuids: [BluetoothUUID]?
    ) async throws(BluetoothError) -> [Service] {
        system.followServices(of: peer)
        let procedure: GATTProcedure =
            if let uuids, uuids.count == 1 { .discoverPrimaryServicesByUUID(uuids[0]) } else {
                .discoverPrimaryServices
            }
        guard case .services(let all) = try await perform(procedure, about: .all) else { return [] }
        let found = all.filter { uuids?.contains($0.uuid) ?? true }
        let objects = found.map { service(at: $0.range, $0.uuid, isPrimary: true) }
        let known = (services ?? []).filter { service in
            !objects.contains(service) && servicesByRange[service.range] === service
        }
        services = (known + objects).sorted(byNumber: \.range.first.rawValue)
        return objects
    }

    /// Discovers the included services of a service: those with one of the UUIDs, or all for `nil`.
    /// (`discoverIncludedServices(_:for:)`)
    @discardableResult public func discoverIncludedServices(
        _ uuids: [BluetoothUUID]?, for service: Service
    ) async throws(BluetoothError) -> [Service] {
        try check(service)
        let result = try await perform(
            .discoverIncludedServices(service.range), about: service.range)
        try check(service)
        guard case .includedServices(let all) = result else { return [] }
        let found = all.filter { uuids?.contains($0.uuid) ?? true }
            .sorted(byNumber: \.range.first.rawValue)
        let objects = found.map { self.service(at: $0.range, $0.uuid, isPrimary: false) }
        let known = (service.includedServices ?? []).filter { !objects.contains($0) }
        service.setIncludedServices((known + objects).sorted(byNumber: \.range.first.rawValue))
        return objects
    }

    /// Discovers the characteristics of a service: those with one of the UUIDs, or all for `nil`.
    /// (`discoverCharacteristics(_:for:)`)
    @discardableResult public func discoverCharacteristics(
        _ uuids: [BluetoothUUID]?, for service: Service
    ) async throws(BluetoothError) -> [Characteristic] {
        try check(service)
        // All of them, because the next characteristic ends the descriptors of the one before.
        let result = try await perform(
            .discoverCharacteristics(service.range), about: service.range)
        try check(service)
        guard case .characteristics(let all) = result else { return [] }
        var objects: [Characteristic] = []
        for (index, found) in all.enumerated() where uuids?.contains(found.uuid) ?? true {
            let next = index + 1 < all.count ? all[index + 1].declaration : nil
            objects.append(characteristic(found, before: next, of: service))
        }
        let known = (service.characteristics ?? []).filter { !objects.contains($0) }
        service.setCharacteristics((known + objects).sorted(byNumber: \.attributes.value.rawValue))
        return objects
    }

    /// Discovers the descriptors of a characteristic. (`discoverDescriptors(for:)`)
    @discardableResult public func discoverDescriptors(
        for characteristic: Characteristic
    ) async throws(BluetoothError) -> [Descriptor] {
        try check(characteristic)
        var found: [RemoteDatabase.Descriptor] = []
        if let range = characteristic.descriptorRange {
            let result = try await perform(.discoverDescriptors(range), about: range)
            try check(characteristic)
            if case .descriptors(let all) = result { found = all }
        }
        let known = characteristic.descriptors ?? []
        let objects = found.map { attributes in
            known.first { $0.handle == attributes.handle && $0.uuid == attributes.type }
                ?? Descriptor(attributes, of: characteristic)
        }
        characteristic.setDescriptors(objects)
        return objects
    }

    // MARK: Objects

    /// The object of a service, which stays the same as long as the service exists.
    private func service(
        at range: AttributeHandleRange, _ uuid: BluetoothUUID, isPrimary: Bool
    ) -> Service {
        if let known = servicesByRange[range], known.uuid == uuid { return known }
        let service = Service(range: range, uuid: uuid, isPrimary: isPrimary, of: self)
        servicesByRange[range] = service
        return service
    }

    private func characteristic(
        _ found: RemoteDatabase.Characteristic, before next: AttributeHandle?, of service: Service
    ) -> Characteristic {
        if let known = characteristics[found.value], known.attributes == found { return known }
        let last = next.map { AttributeHandle($0.rawValue - 1) } ?? service.range.last
        let range = AttributeHandleRange(AttributeHandle(found.value.rawValue &+ 1), last)
        let characteristic = Characteristic(
            found, descriptors: found.value < last ? range : nil, of: service)
        characteristics[found.value] = characteristic
        return characteristic
    }

    // MARK: What is valid

    func check(_ service: Service) throws(BluetoothError) {
        guard state == .connected else { throw BluetoothError(.notConnected) }
        guard servicesByRange[service.range] === service else {
            throw BluetoothError(.invalidHandle)
        }
    }

    func check(_ characteristic: Characteristic) throws(BluetoothError) {
        guard state == .connected else { throw BluetoothError(.notConnected) }
        guard characteristics[characteristic.attributes.value] === characteristic else {
            throw BluetoothError(.invalidHandle)
        }
    }

    func check(_ descriptor: Descriptor) throws(BluetoothError) {
        guard let characteristic = descriptor.characteristic else {
            throw BluetoothError(.invalidHandle)
        }
        try check(characteristic)
        guard characteristic.descriptors?.contains(descriptor) == true else {
            throw BluetoothError(.invalidHandle)
        }
    }
}
