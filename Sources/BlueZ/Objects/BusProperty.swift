package import DBus

/// A kind of bluetoothd's objects, with the properties used here.
package protocol BlueZObject: Sendable {
    /// The D-Bus interface of the properties.
    static var interface: String { get }
    /// The properties to read, and how.
    static var properties: [BusProperty<Self>] { get }
    init()
}

extension BlueZObject {
    /// Applies the properties in a message; unknown ones are ignored.
    package mutating func apply(_ changed: [String: BusValue], invalidated: [String] = []) {
        for property in Self.properties {
            if let value = changed[property.name] {
                property.set(&self, value)
            } else if invalidated.contains(property.name) {
                property.set(&self, nil)
            }
        }
    }
}

/// A property of an object: its name, where it is stored, and how it is read.
package struct BusProperty<Object>: Sendable {
    package let name: String
    /// Stores a value; `nil`, or a value of another type, means that the property is absent.
    package let set: @Sendable (inout Object, BusValue?) -> Void

    package init<Value: Sendable>(
        _ name: String, _ place: any WritableKeyPath<Object, Value> & Sendable, absent: Value,
        _ read: @escaping @Sendable (BusValue) -> Value?
    ) {
        self.name = name
        set = { object, value in object[keyPath: place] = value.flatMap(read) ?? absent }
    }

    package init<Value: Sendable>(
        _ name: String, _ place: any WritableKeyPath<Object, Value?> & Sendable,
        _ read: @escaping @Sendable (BusValue) -> Value?
    ) {
        self.name = name
        set = { object, value in object[keyPath: place] = value.flatMap(read) }
    }
}
