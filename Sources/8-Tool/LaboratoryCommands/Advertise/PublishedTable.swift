internal import ANCSKit

/// The published services in the form that `PeripheralManager` takes, and their values.
struct PublishedTable {
    /// The services, in the order of the publication.
    let services: [MutableService]
    private(set) var values: PublishedValues
    private let characteristics: [(key: PublishedValues.Key, object: MutableCharacteristic)]

    init(_ publication: Publication) {
        values = PublishedValues(publication)
        var characteristics: [(PublishedValues.Key, MutableCharacteristic)] = []
        services = publication.services.map { described in
            let service = MutableService(type: described.uuid, primary: described.isPrimary)
            let objects = described.characteristics.map(MutableCharacteristic.init)
            service.characteristics = objects
            characteristics += objects.map {
                (.init(service: described.uuid, characteristic: $0.uuid), $0)
            }
            return service
        }
        self.characteristics = characteristics
    }

    func key(of characteristic: MutableCharacteristic) -> PublishedValues.Key? {
        characteristics.first { $0.object === characteristic }?.key
    }

    func characteristic(_ key: PublishedValues.Key) -> MutableCharacteristic? {
        characteristics.first { $0.key == key }?.object
    }

    /// Applies the writes of a central: all of them or none.
    mutating func write(
        _ requests: [ATTRequest]
    ) throws(PublishedValues.Refusal) -> [PublishedValues.Key] {
        var writes: [PublishedValues.Write] = []
        for (index, request) in requests.enumerated() {
            guard let key = key(of: request.characteristic) else {
                throw .init(code: .unlikelyError, index: index)
            }
            writes.append(.init(key: key, offset: request.offset, octets: request.value ?? []))
        }
        return try values.write(writes)
    }

    /// Sets a value. Returns `false` if the value is static.
    mutating func set(_ value: [UInt8], of key: PublishedValues.Key) -> Bool {
        guard let object = characteristic(key), object.value == nil else { return false }
        values.set(value, of: key)
        return true
    }
}

extension MutableCharacteristic {
    fileprivate convenience init(_ described: Publication.Characteristic) {
        self.init(
            type: described.uuid, properties: described.properties,
            value: described.isStatic ? described.value : nil,
            permissions: described.permissions)
        descriptors = described.descriptors.map {
            MutableDescriptor(type: $0.uuid, value: $0.value)
        }
    }
}
