package import DBus

/// A kind of bluetoothd's objects, with the properties used here.
package protocol BlueZObject: Equatable, Sendable {
    /// The properties, by their names.
    static var properties: [String: BlueZProperty<Self>] { get }
    init()
}

extension BlueZObject {
    /// An object with these properties.
    package init(_ properties: [String: BusValue]) {
        self.init()
        apply(properties)
    }

    /// Applies the properties in a message; unknown ones are ignored.
    package mutating func apply(_ changed: [String: BusValue], invalidated: [String] = []) {
        let properties = Self.properties
        for name in invalidated { properties[name]?.set(&self, nil) }
        for (name, value) in changed { properties[name]?.set(&self, value) }
    }
}

extension Dictionary where Key == ObjectPath, Value: BlueZObject {
    /// Applies what is said of such an object. Returns whether it is known, or was: no more are kept than the limit.
    package mutating func apply(_ change: ObjectChange, atMost limit: Int) -> Bool {
        switch change.news {
        case .added(let properties):
            guard self[change.path] != nil || count < limit else { return false }
            self[change.path, default: Value()].apply(properties)
        case .changed(let properties, let invalidated):
            guard self[change.path] != nil else { return false }
            self[change.path]?.apply(properties, invalidated: invalidated)
        case .removed: return removeValue(forKey: change.path) != nil
        case .linkEnds: return false
        }
        return true
    }
}

/// A property: its type on the bus, and what it sets.
package struct BlueZProperty<Object: BlueZObject>: Sendable {
    fileprivate let set: @Sendable (inout Object, BusValue?) -> Void

    /// Sets a member. Without a value, or with one of another type, it is that of a new object.
    package init<Value: Sendable>(
        _ member: any WritableKeyPath<Object, Value> & Sendable,
        _ read: @escaping @Sendable (BusValue) -> Value?
    ) {
        let absent = Object()[keyPath: member]
        set = { $0[keyPath: member] = $1.flatMap(read) ?? absent }
    }

    /// Sets a member that may be absent.
    package init<Value: Sendable>(
        _ member: any WritableKeyPath<Object, Value?> & Sendable,
        _ read: @escaping @Sendable (BusValue) -> Value?
    ) { set = { $0[keyPath: member] = $1.flatMap(read) } }
}
