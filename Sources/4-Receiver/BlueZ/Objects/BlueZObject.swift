package import DBus

/// A kind of bluetoothd's objects, with the properties used here.
package protocol BlueZObject: Sendable {
    /// The D-Bus interface of the properties.
    static var interface: String { get }
    init()
    /// Stores a property by its name, unless it is unknown. Without a value, or with one of another type, it is absent.
    mutating func set(_ property: String, to value: BusValue?)
}

extension BlueZObject {
    /// Applies the properties in a message; unknown ones are ignored.
    package mutating func apply(_ changed: [String: BusValue], invalidated: [String] = []) {
        for name in invalidated { set(name, to: nil) }
        for (name, value) in changed { set(name, to: value) }
    }
}
