internal import ANCS
internal import BluetoothLE
internal import DBus
internal import Octets

/// What bluetoothd publishes, as far as it is used here: kept up to date from the answer to
/// `GetManagedObjects` and from its signals.
struct ObjectTree: Sendable {
    /// What a signal changed.
    enum Change: Hashable, Sendable {
        /// An adapter, or what advertises there, came, changed or went.
        case adapter(ObjectPath)
        /// A device came, changed or went.
        case device(ObjectPath)
        /// The services of a device came or went.
        case services(of: ObjectPath)
        /// A value of a characteristic was broadcast.
        case value(of: ObjectPath, [UInt8])
    }

    /// A device, and since when it is known here.
    struct Device: Hashable, Sendable {
        var object = DeviceObject()
        /// When it was published first, by its connection; `nil` where that was before everything that is
        /// known here, or because a scan heard it.
        var publishedAt: MonotonicInstant?
    }

    private(set) var adapters: [ObjectPath: AdapterObject] = [:]
    private(set) var advertisingManagers: [ObjectPath: AdvertisingManagerObject] = [:]
    private(set) var devices: [ObjectPath: Device] = [:]
    private var services: [ObjectPath: ServiceObject] = [:]
    private(set) var characteristics: [ObjectPath: CharacteristicObject] = [:]
    private var descriptors: [ObjectPath: DescriptorObject] = [:]

    /// How many objects of one kind are kept: a desktop that scans in a crowd publishes a device for every
    /// address that it hears.
    static let limit = 8_192

    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let propertiesInterface = "org.freedesktop.DBus.Properties"

    /// The objects that an answer to `GetManagedObjects` tells of.
    init(managedObjects: BusValue?) {
        for (path, interfaces) in managedObjects?.dictionary ?? [:] {
            guard let path = path.objectPath else { continue }
            _ = added(path, interfaces, at: nil)
        }
    }

    /// Nothing is known.
    init() {}

    /// Takes a signal over, and says what it changed.
    mutating func receive(_ signal: BusSignal, at now: MonotonicInstant) -> [Change] {
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
                // Only what a scan hears has a signal strength.
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
            // Interfaces that are of no interest here.
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
                changes += servicesChange(device)
            case DescriptorObject.interface: descriptors[path] = nil
            // Interfaces that are of no interest here.
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
            // A scan tells again and again how well a device is heard.
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
        // Services never change, and other interfaces are of no interest here.
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

    /// The device that a characteristic is of.
    func deviceOfCharacteristic(at path: ObjectPath) -> ObjectPath? {
        characteristics[path]?.service.flatMap { services[$0]?.device }
    }

    /// Where ANCS is on a device; `nil` where there is none that can be used (R6). One that is just going is
    /// not preferred to one that is whole.
    func places(on device: ObjectPath) -> ServicePlaces? {
        let services = services.filter { $0.value.uuid == .ancs && $0.value.device == device }
        let found = services.keys.sorted { $0.text < $1.text }.compactMap { places(in: $0) }
        return found.first { $0.isComplete } ?? found.first
    }

    private func places(in service: ObjectPath) -> ServicePlaces? {
        let ours = characteristics.filter { $0.value.service == service }
        func place(_ uuid: BluetoothUUID) -> ObjectPath? {
            ours.filter { $0.value.uuid == uuid }.keys.min { $0.text < $1.text }
        }
        guard let notificationSource = place(.notificationSource) else { return nil }
        return ServicePlaces(
            notificationSource: notificationSource, controlPoint: place(.controlPoint),
            dataSource: place(.dataSource))
    }

    /// The configuration descriptor of a characteristic.
    func configuration(of characteristic: ObjectPath) -> ObjectPath? {
        descriptors.first {
            $0.value.characteristic == characteristic
                && $0.value.uuid == .clientCharacteristicConfiguration
        }?.key
    }
}

/// The objects that stand for the characteristics of ANCS on one device.
struct ServicePlaces: Hashable, Sendable {
    var notificationSource: ObjectPath
    var controlPoint: ObjectPath?
    var dataSource: ObjectPath?

    /// Whether no characteristic is missing.
    var isComplete: Bool { controlPoint != nil && dataSource != nil }

    /// The object of a characteristic that notifies.
    subscript(characteristic: ConsumerSession.Characteristic) -> ObjectPath? {
        switch characteristic {
        case .notificationSource: notificationSource
        case .dataSource: dataSource
        }
    }
}
