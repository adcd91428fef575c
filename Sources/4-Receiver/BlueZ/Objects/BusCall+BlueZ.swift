package import DBus

// The calls of bluetoothd's methods. None starts it but the one that begins with it.
extension BusCall {
    package static func blueZ(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) -> BusCall {
        BusCall(ObjectTree.service, path, interface, member, arguments, startsProgram: false)
    }

    /// Asks for all objects, with all their properties.
    package static func managedObjects(startsProgram: Bool = false) -> BusCall {
        BusCall(
            ObjectTree.service, .root, ObjectTree.objectManager, "GetManagedObjects",
            startsProgram: startsProgram)
    }

    package static func device(_ path: ObjectPath, _ member: String) -> BusCall {
        .blueZ(path, DeviceObject.interface, member)
    }

    package static func removal(of device: ObjectPath, at adapter: ObjectPath) -> BusCall {
        .blueZ(adapter, AdapterObject.interface, "RemoveDevice", [.objectPath(device)])
    }

    /// Calls a method of a characteristic, or of a descriptor.
    package static func attribute(
        _ path: ObjectPath, _ member: String, _ arguments: [BusValue] = []
    ) -> BusCall {
        let interface =
            path.isOfDescriptor ? AttributeObject.descriptor : AttributeObject.characteristic
        return .blueZ(path, interface, member, arguments)
    }

    package static func read(_ attribute: ObjectPath) -> BusCall {
        .attribute(attribute, "ReadValue", [.options()])
    }

    package static func get(
        _ property: String, of interface: String, at path: ObjectPath
    ) -> BusCall {
        .blueZ(
            path, ObjectTree.propertiesInterface, "Get", [.string(interface), .string(property)])
    }

    package static func set(
        _ property: String, _ value: Bool, of interface: String, at path: ObjectPath
    ) -> BusCall {
        .blueZ(
            path, ObjectTree.propertiesInterface, "Set",
            [.string(interface), .string(property), .variant(.bool(value))])
    }
}
