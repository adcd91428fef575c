internal import DBus

/// A kind of object that bluetoothd publishes, as far as it is used here.
protocol BlueZObject: Sendable {
    /// The D-Bus interface that has the properties.
    static var interface: String { get }
    /// Which properties are read, and how.
    static var properties: [BusProperty<Self>] { get }
    init()
}

extension BlueZObject {
    /// Takes over the properties that a message has; others are of no interest here.
    mutating func apply(_ changed: [String: BusValue], invalidated: [String] = []) {
        for property in Self.properties {
            if let value = changed[property.name] {
                property.set(&self, value)
            } else if invalidated.contains(property.name) {
                property.set(&self, nil)
            }
        }
    }
}

/// A property of an object: declared once, with its name, its place and how it is read.
struct BusProperty<Object>: Sendable {
    let name: String
    /// Takes a value over; `nil`, and what is not of the property's type, stand for its absence.
    let set: @Sendable (inout Object, BusValue?) -> Void

    init<Value: Sendable>(
        _ name: String, _ place: any WritableKeyPath<Object, Value> & Sendable, absent: Value,
        _ read: @escaping @Sendable (BusValue) -> Value?
    ) {
        self.name = name
        set = { object, value in object[keyPath: place] = value.flatMap(read) ?? absent }
    }

    init<Value: Sendable>(
        _ name: String, _ place: any WritableKeyPath<Object, Value?> & Sendable,
        _ read: @escaping @Sendable (BusValue) -> Value?
    ) {
        self.name = name
        set = { object, value in object[keyPath: place] = value.flatMap(read) }
    }
}
