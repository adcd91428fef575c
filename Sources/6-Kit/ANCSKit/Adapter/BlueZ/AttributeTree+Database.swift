internal import BlueZ

// The attributes of a device, as a client of GATT discovers them.
extension AttributeTree {
    /// The services, in order of handles. Objects without a UUID that can be read are left out.
    var database: RemoteDatabase {
        let services = objects.filter { $0.value.kind == .service }
        let ranges = Dictionary(uniqueKeysWithValues: services.keys.map { ($0, range(of: $0)) })
        return RemoteDatabase(
            services: services.compactMap { start, service in
                guard let uuid = service.object.uuid, let range = ranges[start] else { return nil }
                return RemoteDatabase.Service(
                    range: range, uuid: uuid, isPrimary: service.object.isPrimary,
                    includedServices: included(by: start, service, ranges),
                    characteristics: members(of: start).compactMap(characteristic))
            }.sorted(byNumber: \.range.first.rawValue))
    }

    private func characteristic(_ declaration: AttributeHandle) -> RemoteDatabase.Characteristic? {
        guard let object = objects[declaration]?.object, let uuid = object.uuid,
            let value = Self.value(of: declaration)
        else { return nil }
        return RemoteDatabase.Characteristic(
            declaration: declaration, value: value, properties: object.characteristicProperties,
            uuid: uuid,
            descriptors: members(of: declaration).compactMap { handle in
                objects[handle]?.object.uuid.map {
                    RemoteDatabase.Descriptor(handle: handle, type: $0)
                }
            })
    }

    private func included(
        by start: AttributeHandle, _ service: Attribute,
        _ ranges: [AttributeHandle: AttributeHandleRange]
    ) -> [RemoteDatabase.IncludedService] {
        service.object.includes.enumerated().compactMap { index, path in
            guard let place = AttributePath(path), place.kind == .service,
                let uuid = objects[place.handle]?.object.uuid, let range = ranges[place.handle],
                let declaration = UInt16(exactly: Int(start.rawValue) + 1 + index)
            else { return nil }
            return RemoteDatabase.IncludedService(
                declaration: AttributeHandle(declaration), range: range, uuid: uuid)
        }
    }
}

extension AttributeObject {
    /// The properties in the declaration.
    var characteristicProperties: CharacteristicProperties {
        var properties: CharacteristicProperties = []
        for flag in flags { properties.formUnion(Self.names[flag] ?? []) }
        return properties
    }

    private static let names: [String: CharacteristicProperties] = [
        "broadcast": .broadcast, "read": .read, "write-without-response": .writeWithoutResponse,
        "write": .write, "notify": .notify, "indicate": .indicate,
        "authenticated-signed-writes": .authenticatedSignedWrites,
        "extended-properties": .extendedProperties,
    ]
}
