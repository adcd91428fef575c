package import DBus

/// What bluetoothd says of an interface of one of its objects.
package struct ObjectChange: Sendable {
    package enum News: Sendable {
        /// The object has it, with all its properties.
        case added([String: BusValue])
        /// Properties have changed, or have no value any more.
        case changed([String: BusValue], invalidated: [String])
        /// The object has it no more.
        case removed
        /// The link of a device ends, for a reason with this name: `Local`. The property `Connected` follows.
        case linkEnds(reason: Substring)
    }

    package let path: ObjectPath
    package let interface: String
    package let news: News
}

extension BusSignal {
    /// Takes the changes that it reports, one after the other: none if it is about anything else, or cannot be read.
    package func forEachChange(_ take: (ObjectChange) -> Void) {
        switch (interface, member, arguments.first) {
        case (ObjectTree.objectManager, "InterfacesAdded", .objectPath(let path))
        where arguments.count > 1:
            for change in arguments[1].interfaces(at: path) { take(change) }
        case (ObjectTree.objectManager, "InterfacesRemoved", .objectPath(let path))
        where arguments.count > 1:
            for interface in arguments[1].strings ?? [] {
                take(ObjectChange(path: path, interface: interface, news: .removed))
            }
        case (ObjectTree.propertiesInterface, "PropertiesChanged", .string(let interface))
        where arguments.count > 1:
            let invalidated = arguments.count > 2 ? arguments[2].strings ?? [] : []
            let news = ObjectChange.News.changed(
                arguments[1].properties ?? [:], invalidated: invalidated)
            take(ObjectChange(path: path, interface: interface, news: news))
        case (DeviceObject.interface, "Disconnected", .string(let reason)):
            let prefix = "org.bluez.Reason."
            guard reason.hasPrefix(prefix) else { return }
            let news = ObjectChange.News.linkEnds(reason: reason.dropFirst(prefix.count))
            take(ObjectChange(path: path, interface: interface, news: news))
        case (_, _, _): break
        }
    }
}

extension BusValue {
    /// The interfaces of an object, with their properties.
    fileprivate func interfaces(at path: ObjectPath) -> [ObjectChange] {
        (dictionary ?? [:]).compactMap { name, properties in
            guard let name = name.string, let properties = properties.properties else { return nil }
            return ObjectChange(path: path, interface: name, news: .added(properties))
        }
    }

    /// The objects in a reply to `GetManagedObjects`: adapters and devices before what belongs to them, in an order that
    /// is always the same.
    package var managedObjects: [ObjectChange] {
        var owners: [ObjectChange] = []
        var others = owners
        for (path, interfaces) in dictionary ?? [:] {
            guard let path = path.objectPath else { continue }
            let found = interfaces.interfaces(at: path)
            if AttributePath(path) == nil { owners += found } else { others += found }
        }
        return owners.sorted(byText: \.path.text) + others
    }
}
