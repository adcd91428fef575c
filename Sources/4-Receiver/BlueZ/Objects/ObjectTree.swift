package import ANCS
internal import BluetoothTypes
package import DBus
internal import LinuxIO
package import Octets

/// The objects that bluetoothd publishes, as far as they are used here: kept up to date from the reply to
/// `GetManagedObjects` and from signals.
package struct ObjectTree: Sendable {
    /// The effect of a signal.
    package enum Change: Equatable, Sendable {
        /// An adapter, or its advertising manager, was added, changed or removed.
        case adapter(ObjectPath)
        /// A device was added, changed or removed.
        case device(ObjectPath)
        /// Services of a device were added or removed.
        case services(of: ObjectPath)
        /// A characteristic was removed.
        case characteristicRemoved(ObjectPath)
        /// The link of a device ends, for a reason with this name: `Local`.
        case linkEnds(ObjectPath, reason: Substring)
        /// A value of a characteristic was broadcast.
        case value(of: ObjectPath, [UInt8])
    }

    /// A device, and when it was published.
    struct Device: Equatable, Sendable {
        package var object = DeviceObject()
        /// When its connection caused it to be published; `nil` if it was published before this program
        /// looked, or discovered by a scan.
        var publishedAt: MonotonicInstant?
    }

    private(set) var adapters: [ObjectPath: AdapterObject] = [:]
    private(set) var advertisingManagers: [ObjectPath: AdvertisingManagerObject] = [:]
    private(set) var devices: [ObjectPath: Device] = [:]
    private var services: [ObjectPath: ServiceObject] = [:]
    private(set) var characteristics: [ObjectPath: CharacteristicObject] = [:]
    private var descriptors: [ObjectPath: DescriptorObject] = [:]

    /// How many objects of each kind are kept: a desktop that scans in a crowded place publishes a device for
    /// every address.
    package static let limit = 8_192

    package static let objectManager = "org.freedesktop.DBus.ObjectManager"
    package static let propertiesInterface = "org.freedesktop.DBus.Properties"

    /// The objects in a reply to `GetManagedObjects`.
    package init(managedObjects: BusValue?) {
        for (path, interfaces) in managedObjects?.dictionary ?? [:] {
            guard let path = path.objectPath else { continue }
            _ = added(path, interfaces, at: nil)
        }
    }

    /// An empty tree.
    package init() {}

    /// Applies a signal, and returns its effects.
    package mutating func receive(_ signal: BusSignal, at now: MonotonicInstant) -> [Change] {
        switch (signal.interface, signal.member, signal.arguments.first) {
        case (Self.objectManager, "InterfacesAdded", .objectPath(let path)):
            guard signal.arguments.count > 1 else { return [] }
            return added(path, signal.arguments[1], at: now)
        case (Self.objectManager, "InterfacesRemoved", .objectPath(let path)):
            guard signal.arguments.count > 1 else { return [] }
            return removed(path, signal.arguments[1].strings ?? [])
        case (Self.propertiesInterface, "PropertiesChanged", .string(let interface)):
            guard signal.arguments.count > 1 else { return [] }
            let invalidated = signal.arguments.count > 2 ? signal.arguments[2].strings ?? [] : []
            return changed(
                signal.path, interface, signal.arguments[1].properties ?? [:], invalidated)
        // The property `Connected` follows.
        case (DeviceObject.interface, "Disconnected", .string(let reason)):
            let prefix = "org.bluez.Reason."
            guard devices[signal.path] != nil, reason.hasPrefix(prefix) else { return [] }
            return [.linkEnds(signal.path, reason: reason.dropFirst(prefix.count))]
        case _: return []
        }
    }

    // MARK: Changes

    private mutating func added(
        _ path: ObjectPath, _ interfaces: BusValue, at instant: MonotonicInstant?
    ) -> [Change] {
        var changes: [Change] = []
        for (interface, properties) in interfaces.dictionary ?? [:] {
            guard let interface = interface.string, let properties = properties.properties else {
                continue
            }
            switch interface {
            case AdapterObject.interface:
                Self.insert(properties, at: path, into: &adapters)
                changes.append(.adapter(path))
            case AdvertisingManagerObject.interface:
                Self.insert(properties, at: path, into: &advertisingManagers)
                changes.append(.adapter(path))
            case DeviceObject.interface:
                guard devices[path] != nil || devices.count < Self.limit else { continue }
                // Only devices discovered by a scan have a signal strength.
                let isHeard = properties["RSSI"] != nil
                var device = devices[path] ?? Device(publishedAt: isHeard ? nil : instant)
                device.object.apply(properties)
                devices[path] = device
                changes.append(.device(path))
            case ServiceObject.interface:
                Self.insert(properties, at: path, into: &services)
                changes += servicesChange(services[path]?.device)
            case CharacteristicObject.interface:
                Self.insert(properties, at: path, into: &characteristics)
                changes += servicesChange(deviceOfCharacteristic(at: path))
            case DescriptorObject.interface:
                Self.insert(properties, at: path, into: &descriptors)
            // Other interfaces are not used here.
            case _: break
            }
        }
        return changes
    }

    private mutating func removed(_ path: ObjectPath, _ interfaces: [String]) -> [Change] {
        var changes: [Change] = []
        for interface in interfaces {
            switch interface {
            case AdapterObject.interface:
                adapters[path] = nil
                changes.append(.adapter(path))
            case AdvertisingManagerObject.interface:
                advertisingManagers[path] = nil
                changes.append(.adapter(path))
            case DeviceObject.interface:
                devices[path] = nil
                changes.append(.device(path))
            case ServiceObject.interface:
                changes += servicesChange(services.removeValue(forKey: path)?.device)
            case CharacteristicObject.interface:
                let device = deviceOfCharacteristic(at: path)
                characteristics[path] = nil
                changes.append(.characteristicRemoved(path))
                changes += servicesChange(device)
            case DescriptorObject.interface: descriptors[path] = nil
            // Other interfaces are not used here.
            case _: break
            }
        }
        return changes
    }

    private mutating func changed(
        _ path: ObjectPath, _ interface: String, _ properties: [String: BusValue],
        _ invalidated: [String]
    ) -> [Change] {
        switch interface {
        case CharacteristicObject.interface:
            guard characteristics[path] != nil, let value = properties["Value"]?.octets else {
                return []
            }
            return [.value(of: path, value)]
        case DeviceObject.interface:
            guard var device = devices[path] else { return [] }
            device.object.apply(properties, invalidated: invalidated)
            // A scan keeps reporting the signal strength of a device.
            guard device != devices[path] else { return [] }
            devices[path] = device
            return [.device(path)]
        case AdapterObject.interface:
            guard adapters[path] != nil else { return [] }
            adapters[path]?.apply(properties, invalidated: invalidated)
            return [.adapter(path)]
        case AdvertisingManagerObject.interface:
            guard advertisingManagers[path] != nil else { return [] }
            advertisingManagers[path]?.apply(properties, invalidated: invalidated)
            return [.adapter(path)]
        // Services never change, and other interfaces are not used here.
        case _: return []
        }
    }

    private static func insert<Object: BlueZObject>(
        _ properties: [String: BusValue], at path: ObjectPath,
        into objects: inout [ObjectPath: Object]
    ) {
        guard objects[path] != nil || objects.count < limit else { return }
        objects[path, default: Object()].apply(properties)
    }

    private func servicesChange(_ device: ObjectPath?) -> [Change] {
        device.map { [.services(of: $0)] } ?? []
    }

    // MARK: Who belongs to whom

    /// The device of a characteristic.
    func deviceOfCharacteristic(at path: ObjectPath) -> ObjectPath? {
        characteristics[path]?.service.flatMap { services[$0]?.device }
    }

    /// The objects of ANCS on a device; `nil` if there is no usable service (R6). A complete service is
    /// preferred to one that is being removed.
    func places(on device: ObjectPath) -> ServicePlaces? {
        var paths: [ObjectPath] = []
        for (path, service) in services where service.uuid == .ancs && service.device == device {
            paths.append(path)
        }
        let found = paths.sorted(byText: { $0.text }).compactMap { places(in: $0) }
        return found.first { $0.isComplete } ?? found.first
    }

    private func places(in service: ObjectPath) -> ServicePlaces? {
        // Not inlined: the search is compiled once, not thrice.
        @inline(never)
        func place(_ uuid: BluetoothUUID) -> ObjectPath? {
            characteristic { $0.uuid == uuid && $0.service == service }
        }
        guard let notificationSource = place(.notificationSource) else { return nil }
        return ServicePlaces(
            notificationSource: notificationSource, controlPoint: place(.controlPoint),
            dataSource: place(.dataSource))
    }

    /// A characteristic of the Current Time service of a device; `nil` if there is none.
    func clock(on device: ObjectPath, _ uuid: BluetoothUUID) -> ObjectPath? {
        characteristic {
            guard $0.uuid == uuid, let service = $0.service else { return false }
            return services[service]?.uuid == .currentTimeService
                && services[service]?.device == device
        }
    }

    /// The characteristic that is meant; of several, the first in the order of their paths.
    private func characteristic(where isMeant: (CharacteristicObject) -> Bool) -> ObjectPath? {
        var first: ObjectPath?
        for (path, characteristic) in characteristics where isMeant(characteristic) {
            if let first, first.text < path.text { continue }
            first = path
        }
        return first
    }

    /// The configuration descriptor of a characteristic.
    package func configuration(of characteristic: ObjectPath) -> ObjectPath? {
        descriptors.first {
            $0.value.characteristic == characteristic
                && $0.value.uuid == .clientCharacteristicConfiguration
        }?.key
    }
}

/// The object paths of the characteristics of ANCS on a device.
package struct ServicePlaces: Equatable, Sendable {
    var notificationSource: ObjectPath
    var controlPoint: ObjectPath?
    var dataSource: ObjectPath?

    /// Whether it has all characteristics.
    var isComplete: Bool { controlPoint != nil && dataSource != nil }

    /// The object path of a characteristic with notifications.
    package subscript(characteristic: ConsumerSession.Characteristic) -> ObjectPath? {
        switch characteristic {
        case .notificationSource: notificationSource
        case .dataSource: dataSource
        }
    }
}
