internal import DeviceCommandKit

/// The current values of the published characteristics, with the rules for reading and writing them.
package struct PublishedValues: Sendable {
    /// Identifies a characteristic of a service.
    package struct Key: Hashable, Sendable {
        var service: BluetoothUUID
        var characteristic: BluetoothUUID

        /// `180F/2A19`
        var text: String { "\(service.text)/\(characteristic.text)" }
    }

    /// One part of a written value, as in a queued write.
    struct Write: Sendable {
        var key: Key
        var offset: Int
        var octets: [UInt8]
    }

    /// Why a request is refused.
    struct Refusal: Error {
        var code: ATTErrorCode
        /// The index of the refused request among those that were to be applied together.
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

    /// The whole value of a characteristic, or `nil` if there is no such characteristic.
    subscript(key: Key) -> [UInt8]? { values.first { $0.key == key }?.value }

    /// Applies all of these writes, or none. A write at offset 0 replaces the value; a later part continues
    /// where the previous one ended.
    ///
    /// - Returns: The keys that were written, each once.
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
            guard longer.count <= TypedValue.maximumCount else {
                throw Refusal(code: .invalidAttributeValueLength, index: number)
            }
            changed.values[index].value = Array(longer)
            if !keys.contains(write.key) { keys.append(write.key) }
        }
        self = changed
        return keys
    }

    /// Sets a value, unless there is no such characteristic or the value is too long.
    mutating func set(_ value: [UInt8], of key: Key) {
        guard let index = values.firstIndex(where: { $0.key == key }) else { return }
        values[index].value = Array(value.prefix(TypedValue.maximumCount))
    }

    /// The characteristics that the user may mean by `2A19` or `180F/2A19`.
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
