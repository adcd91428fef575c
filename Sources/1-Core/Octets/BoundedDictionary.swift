/// A dictionary that forgets its oldest key when it is full: what is remembered of the peer's identifiers.
@frozen public struct BoundedDictionary<Key: Hashable, Value> {
    @usableFromInline let limit: Int
    @usableFromInline var values: [Key: Value] = [:]
    @usableFromInline var order = Queue<Key>()

    /// An empty dictionary of at most `limit` keys.
    @inlinable public init(limit: Int) { self.limit = limit }

    /// The value of a key, unless it was forgotten.
    @inlinable public subscript(key: Key) -> Value? { values[key] }

    /// Sets the value of a key. A new key is the youngest, an old one stays as old as it is.
    @inlinable public mutating func set(_ value: Value, for key: Key) {
        guard values.updateValue(value, forKey: key) == nil else { return }
        order.append(key)
        while values.count > limit, let oldest = order.popFirst() { values[oldest] = nil }
    }

    /// Forgets a key.
    @inlinable public mutating func remove(_ key: Key) {
        guard values.removeValue(forKey: key) != nil else { return }
        _ = order.removeAll { $0 == key }
    }
}

extension BoundedDictionary: Sendable where Key: Sendable, Value: Sendable {}
