internal import Octets

/// A dictionary that forgets its oldest key when it is full.
package struct BoundedDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let limit: Int
    private var values: [Key: Value] = [:]
    private var order = Queue<Key>()

    package init(limit: Int) { self.limit = limit }

    package subscript(key: Key) -> Value? { values[key] }

    package mutating func set(_ value: Value, for key: Key) {
        guard values.updateValue(value, forKey: key) == nil else { return }
        order.append(key)
        while values.count > limit, let oldest = order.popFirst() { values[oldest] = nil }
    }

    package mutating func remove(_ key: Key) {
        guard values.removeValue(forKey: key) != nil else { return }
        _ = order.removeAll { $0 == key }
    }
}
