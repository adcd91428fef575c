/// The values of the most recently added keys, oldest first; when the table is full, the oldest key is
/// dropped.
///
/// A search compares every key. That suits the few hundred keys of a session: a dictionary is slower to
/// change and, on a microcontroller, larger than the session.
struct RecentTable<Key: Equatable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let key: Key
        var value: Value
    }

    private let limit: Int
    /// The entries, after dropped ones, which go together: to close the gap of one would move all others.
    private var entries: [Entry] = []
    private var dropped = 0

    init(limit: Int) { self.limit = limit }

    subscript(key: Key) -> Value? { index(of: key).map { entries[$0].value } }

    /// Sets the value of a key. An existing key keeps its place; one that `isNew` cannot exist, and is not searched.
    mutating func set(_ value: Value, for key: Key, isNew: Bool = false) {
        if !isNew, let index = index(of: key) {
            entries[index].value = value
            return
        }
        guard limit > 0 else { return }
        if entries.count - dropped >= limit { dropped += 1 }
        // Never more than half as many again as there are entries.
        if dropped > limit / 2 {
            entries.removeFirst(dropped)
            dropped = 0
        }
        entries.append(Entry(key: key, value: value))
    }

    mutating func remove(_ key: Key) { if let index = index(of: key) { entries.remove(at: index) } }

    /// The search begins at the newest key, which is the most likely one.
    private func index(of key: Key) -> Int? {
        for index in (dropped..<entries.count).reversed()
        where entries[index].key == key { return index }
        return nil
    }
}
