internal import ANCS
package import BluetoothTypes
package import DBus

/// The objects that bluetoothd publishes, as far as they are used here: kept up to date from the reply to
/// `GetManagedObjects` and from signals.
package struct ObjectTree: Sendable {
    /// The effect of a signal.
    package enum Change: Equatable, Sendable {
        /// An adapter, or its advertising manager, was added, changed or removed.
        case adapter(ObjectPath)
        /// A device was added, changed or removed.
        case device(ObjectPath)
        /// The services of ANCS of a device have changed.
        case services(of: ObjectPath)
        /// A characteristic was removed.
        case characteristicRemoved(ObjectPath)
        /// The link of a device ends, for a reason with this name: `Local`.
        case linkEnds(ObjectPath, reason: Substring)
        /// A value of a characteristic of a device was broadcast.
        case value(of: ObjectPath, BluetoothUUID, [UInt8])
    }

    /// A device, and when it was published.
    struct Device: Sendable {
        package var object = DeviceObject()
        package var attributes = AttributeTree()
        /// When its connection caused it to be published; `nil` if it was published before this program
        /// looked, or discovered by a scan.
        var publishedAt: MonotonicInstant?
    }

    private(set) var adapters: [ObjectPath: AdapterObject] = [:]
    private(set) var advertisingManagers: [ObjectPath: AdvertisingManagerObject] = [:]
    private(set) var devices: [ObjectPath: Device] = [:]
    /// The devices that are paired: strangers are many.
    private(set) var paired: Set<ObjectPath> = []

    /// How many objects of each kind are kept: a desktop that scans in a crowded place publishes a device for
    /// every address.
    package static let limit = 8_192

    /// The well-known name of bluetoothd.
    package static let service = "org.bluez"
    package static let objectManager = "org.freedesktop.DBus.ObjectManager"
    package static let propertiesInterface = "org.freedesktop.DBus.Properties"

    /// The objects in a reply to `GetManagedObjects`.
    package init(managedObjects: BusValue?) {
        for (path, interfaces) in managedObjects?.managedObjects ?? [] {
            for interface in interfaces { _ = added(path, interface, at: nil) }
        }
    }

    /// An empty tree.
    package init() {}

    /// Applies a signal, and returns its effects.
    package mutating func receive(_ signal: BusSignal, at now: MonotonicInstant) -> [Change] {
        switch ObjectSignal(signal) {
        case .added(let path, let interfaces): interfaces.compactMap { added(path, $0, at: now) }
        case .removed(let path, let interfaces): interfaces.flatMap { removed(path, $0) }
        case .changed(let path, let interface, let invalidated):
            changed(path, interface, invalidated).map { [$0] } ?? []
        case .linkEnds(let path, let reason):
            devices[path] == nil ? [] : [.linkEnds(path, reason: reason)]
        case nil: []
        }
    }

    // MARK: Changes

    private mutating func added(
        _ path: ObjectPath, _ interface: ObjectSignal.Interface, at instant: MonotonicInstant?
    ) -> Change? {
        switch interface.name {
        case AdapterObject.interface:
            Self.insert(interface.properties, at: path, into: &adapters)
            return .adapter(path)
        case AdvertisingManagerObject.interface:
            Self.insert(interface.properties, at: path, into: &advertisingManagers)
            return .adapter(path)
        case DeviceObject.interface:
            guard devices[path] != nil || devices.count < Self.limit else { return nil }
            // Only devices discovered by a scan have a signal strength.
            let isHeard = interface.properties["RSSI"] != nil
            var device = devices[path] ?? Device(publishedAt: isHeard ? nil : instant)
            device.object.apply(interface.properties)
            keep(device, at: path)
            return .device(path)
        case _:
            guard let place = AttributePath(path) else { return nil }
            return changeServices(of: place.device) { _ = $0.add(place, at: path, interface) }
        }
    }

    private mutating func removed(_ path: ObjectPath, _ interface: String) -> [Change] {
        switch interface {
        case AdapterObject.interface:
            adapters[path] = nil
            return [.adapter(path)]
        case AdvertisingManagerObject.interface:
            advertisingManagers[path] = nil
            return [.adapter(path)]
        case DeviceObject.interface:
            devices[path] = nil
            paired.remove(path)
            return [.device(path)]
        case _:
            guard let place = AttributePath(path) else { return [] }
            let change = changeServices(of: place.device) { _ = $0.remove(place, interface) }
            let isGone = interface == AttributeObject.characteristic
            return (isGone ? [.characteristicRemoved(path)] : []) + (change.map { [$0] } ?? [])
        }
    }

    private mutating func changed(
        _ path: ObjectPath, _ interface: ObjectSignal.Interface, _ invalidated: [String]
    ) -> Change? {
        switch interface.name {
        case AttributeObject.characteristic:
            guard let value = interface.properties["Value"]?.octets,
                let place = AttributePath(path),
                let uuid = devices[place.device]?.attributes.objects[place.handle]?.object.uuid
            else { return nil }
            return .value(of: place.device, uuid, value)
        case DeviceObject.interface:
            guard var device = devices[path] else { return nil }
            let before = device.object
            device.object.apply(interface.properties, invalidated: invalidated)
            keep(device, at: path)
            // A scan keeps reporting what a device advertises.
            return device.object.differs(from: before) ? .device(path) : nil
        case AdapterObject.interface:
            guard adapters[path] != nil else { return nil }
            adapters[path]?.apply(interface.properties, invalidated: invalidated)
            return .adapter(path)
        case AdvertisingManagerObject.interface:
            guard advertisingManagers[path] != nil else { return nil }
            advertisingManagers[path]?.apply(interface.properties, invalidated: invalidated)
            return .adapter(path)
        // Services never change, and other interfaces are not used here.
        case _: return nil
        }
    }

    private mutating func keep(_ device: Device, at path: ObjectPath) {
        devices[path] = device
        if device.object.isPaired { paired.insert(path) } else { paired.remove(path) }
    }

    /// Changes the attributes of a device. It is news only if its services of ANCS are others.
    private mutating func changeServices(
        of device: ObjectPath, _ change: (inout AttributeTree) -> Void
    ) -> Change? {
        guard let index = devices.index(forKey: device) else { return nil }
        let before = devices.values[index].attributes.ancs
        let hadTooMany = devices.values[index].attributes.hasTooManyServices
        change(&devices.values[index].attributes)
        let attributes = devices.values[index].attributes
        guard attributes.ancs != before || attributes.hasTooManyServices != hadTooMany else {
            return nil
        }
        return .services(of: device)
    }

    private static func insert<Object: BlueZObject>(
        _ properties: [String: BusValue], at path: ObjectPath,
        into objects: inout [ObjectPath: Object]
    ) {
        guard objects[path] != nil || objects.count < limit else { return }
        objects[path, default: Object()].apply(properties)
    }

    // MARK: What belongs to a device

    /// The objects of ANCS on a device; `nil` if there is no usable service (R6).
    func places(on device: ObjectPath) -> ServicePlaces? { devices[device]?.attributes.ancs }

    /// A characteristic of the Current Time service of a device; `nil` if there is none.
    func clock(on device: ObjectPath, _ uuid: BluetoothUUID) -> ObjectPath? {
        devices[device]?.attributes.characteristic(uuid, of: .currentTimeService)
    }

    /// The characteristics of the Apple Media Service of a device, while its services are resolved. bluetoothd broadcasts
    /// what is read, so that what is only read is one where texts may be on the bus.
    func media(on device: ObjectPath, textsOnBus: Bool) -> [BluetoothUUID: ObjectPath] {
        guard let device = devices[device], device.object.hasResolvedServices else { return [:] }
        let uuids: [BluetoothUUID] = [.remoteCommand, .entityUpdate, .entityAttribute]
        return uuids.prefix(textsOnBus ? 3 : 2).reduce(into: [:]) { places, uuid in
            let path = device.attributes.characteristic(uuid, of: .appleMedia)
            if let path { places[uuid] = path }
        }
    }

    /// The configuration descriptor of a characteristic.
    package func configuration(of characteristic: ObjectPath) -> ObjectPath? {
        AttributePath(characteristic).flatMap { place in
            AttributeTree.value(of: place.handle).flatMap {
                devices[place.device]?.attributes.configuration(of: $0)
            }
        }
    }
}
