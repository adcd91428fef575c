internal import BluetoothLE

/// The values of what is published: what is read of them, and what becomes of them when they are
/// written.
struct PublishedValues: Sendable {
    /// A characteristic of a service.
    struct Key: Hashable, Sendable {
        var service: BluetoothUUID
        var characteristic: BluetoothUUID

        /// `180F/2A19`
        var text: String { "\(service.text)/\(characteristic.text)" }
    }

    /// A part of a value that is written, as in a queued write.
    struct Write: Sendable {
        var key: Key
        var offset: Int
        var octets: [UInt8]
    }

    /// Why a request is not carried out.
    struct Refusal: Error {
        var code: ATTErrorCode
        /// The request that it is about, of those that were to be carried out together.
        var index: Int
    }

    private var values: [(key: Key, value: [UInt8])] = []

    init(_ publication: Publication) {
        for service in publication.services {
            for characteristic in service.characteristics {
                values.append(
                    (
                        Key(service: service.uuid, characteristic: characteristic.uuid),
                        characteristic.value
                    ))
            }
        }
    }

    /// The whole value of a characteristic, or `nil` where there is no such one.
    subscript(key: Key) -> [UInt8]? { values.first { $0.key == key }?.value }

    /// Carries out all of these writes, or none. A write at offset 0 replaces the value, and one behind
    /// it goes on where the one before ended; the keys that were written, each once.
    mutating func write(_ writes: [Write]) throws(Refusal) -> [Key] {
        var changed = self
        var keys: [Key] = []
        for (number, write) in writes.enumerated() {
            guard let index = changed.values.firstIndex(where: { $0.key == write.key }) else {
                throw Refusal(code: .attributeNotFound, index: number)
            }
            let value = changed.values[index].value
            guard write.offset <= value.count else {
                throw Refusal(code: .invalidOffset, index: number)
            }
            let longer = value[..<write.offset] + write.octets
            guard longer.count <= Publication.maximumValueCount else {
                throw Refusal(code: .invalidAttributeValueLength, index: number)
            }
            changed.values[index].value = Array(longer)
            if !keys.contains(write.key) { keys.append(write.key) }
        }
        self = changed
        return keys
    }

    /// Sets a value, as long as there is such a characteristic and it is not too long.
    mutating func set(_ value: [UInt8], of key: Key) {
        guard let index = values.firstIndex(where: { $0.key == key }) else { return }
        values[index].value = Array(value.prefix(Publication.maximumValueCount))
    }

    /// The characteristics that a user may mean with `2A19` or `180F/2A19`.
    func keys(named text: String) -> [Key] {
        let uuids = text.split(separator: "/", omittingEmptySubsequences: false)
            .map { BluetoothUUID(text: String($0)) }
        switch uuids.count {
        case 1: return values.map(\.key).filter { $0.characteristic == uuids[0] }
        case 2:
            return values.map(\.key).filter {
                $0.service == uuids[0] && $0.characteristic == uuids[1]
            }
        default: return []
        }
    }
}
