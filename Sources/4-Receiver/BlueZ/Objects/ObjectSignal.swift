package import DBus

/// What a signal of bluetoothd says of an object.
package enum ObjectSignal: Sendable {
    /// It has these interfaces, with all their properties.
    case added(ObjectPath, [Interface])
    /// It has these interfaces no more.
    case removed(ObjectPath, [String])
    /// Properties of one of its interfaces have changed, or have no value any more.
    case changed(ObjectPath, Interface, invalidated: [String])
    /// The link of a device ends, for a reason with this name: `Local`. The property `Connected` follows.
    case linkEnds(ObjectPath, reason: Substring)

    /// An interface of an object, and properties.
    package typealias Interface = (name: String, properties: [String: BusValue])

    /// `nil` for a signal about anything else, and for one that cannot be read.
    package init?(_ signal: BusSignal) {
        let arguments = signal.arguments
        switch (signal.interface, signal.member, arguments.first) {
        case (ObjectTree.objectManager, "InterfacesAdded", .objectPath(let path))
        where arguments.count > 1: self = .added(path, arguments[1].interfaces)
        case (ObjectTree.objectManager, "InterfacesRemoved", .objectPath(let path))
        where arguments.count > 1: self = .removed(path, arguments[1].strings ?? [])
        case (ObjectTree.propertiesInterface, "PropertiesChanged", .string(let interface))
        where arguments.count > 1:
            self = .changed(
                signal.path, (interface, arguments[1].properties ?? [:]),
                invalidated: arguments.count > 2 ? arguments[2].strings ?? [] : [])
        case (DeviceObject.interface, "Disconnected", .string(let reason)):
            let prefix = "org.bluez.Reason."
            guard reason.hasPrefix(prefix) else { return nil }
            self = .linkEnds(signal.path, reason: reason.dropFirst(prefix.count))
        case (_, _, _): return nil
        }
    }
}

extension BusValue {
    /// The interfaces of an object, with their properties.
    package var interfaces: [ObjectSignal.Interface] {
        (dictionary ?? [:]).compactMap { name, properties in
            guard let name = name.string, let properties = properties.properties else { return nil }
            return (name, properties)
        }
    }

    /// The objects in a reply to `GetManagedObjects`: adapters and devices before what belongs to them, in an order that
    /// is always the same.
    package var managedObjects: [(path: ObjectPath, interfaces: [ObjectSignal.Interface])] {
        var owners: [(path: ObjectPath, interfaces: [ObjectSignal.Interface])] = []
        var others = owners
        for (path, interfaces) in dictionary ?? [:] {
            guard let path = path.objectPath else { continue }
            let object = (path, interfaces.interfaces)
            if AttributePath(path) == nil { owners.append(object) } else { others.append(object) }
        }
        return owners.sorted(byText: \.path.text) + others
    }
}
