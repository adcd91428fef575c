package import DBus

// What an `org.freedesktop.DBus.ObjectManager` says of objects. D-Bus specification, *Standard Interfaces*.
extension BusValue {
    /// `a{sa{sv}}`: interfaces of an object, and their properties.
    package static func interfaces(_ interfaces: [String: [String: BusValue]]) -> BusValue {
        var value: [BusValue: BusValue] = [:]
        for (interface, properties) in interfaces {
            value[.string(interface)] = .options(properties)
        }
        return .dictionary(value, key: "s", value: "a{sv}")
    }

    /// `a{oa{sa{sv}}}`: objects, their interfaces, and the properties of those.
    package static func managedObjects(
        _ objects: [ObjectPath: [String: [String: BusValue]]]
    ) -> BusValue {
        var paths: [BusValue: BusValue] = [:]
        for (path, interfaces) in objects { paths[.objectPath(path)] = .interfaces(interfaces) }
        return .dictionary(paths, key: "o", value: "a{sa{sv}}")
    }
}
