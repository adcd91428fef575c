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
        /// A device was added, changed or removed, or its services of ANCS have changed.
        case device(ObjectPath)
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
        for change in managedObjects?.managedObjects ?? [] { _ = apply(change, at: nil) }
    }

    /// An empty tree.
    package init() {}

    /// Applies a signal, and returns its effects.
    package mutating func receive(_ signal: BusSignal, at now: MonotonicInstant) -> [Change] {
        var changes: [Change] = []
        signal.forEachChange { changes += apply($0, at: now) }
        return changes
    }

    // MARK: Changes

    private mutating func apply(
        _ change: ObjectChange, at instant: MonotonicInstant?
    ) -> [Change] {
        switch change.interface {
        case AttributeObject.characteristic, AttributeObject.service, AttributeObject.descriptor:
            AttributePath(change.path).map { attributeChanged($0, change) } ?? []
        case DeviceObject.interface: deviceChanged(change, at: instant)
        case AdapterObject.interface:
            adapters.apply(change, atMost: Self.limit) ? [.adapter(change.path)] : []
        case AdvertisingManagerObject.interface:
            advertisingManagers.apply(change, atMost: Self.limit) ? [.adapter(change.path)] : []
        case _: []
        }
    }

    private mutating func deviceChanged(
        _ change: ObjectChange, at instant: MonotonicInstant?
    ) -> [Change] {
        let path = change.path
        switch change.news {
        case .added(let properties):
            guard devices[path] != nil || devices.count < Self.limit else { return [] }
            // Only devices discovered by a scan have a signal strength.
            let isHeard = properties["RSSI"] != nil
            var device = devices[path] ?? Device(publishedAt: isHeard ? nil : instant)
            device.object.apply(properties)
            keep(device, at: path)
        case .changed(let properties, let invalidated):
            guard var device = devices[path] else { return [] }
            let before = device.object
            device.object.apply(properties, invalidated: invalidated)
            keep(device, at: path)
            // A scan keeps reporting what a device advertises.
            guard device.object.differs(from: before) else { return [] }
        case .removed:
            devices[path] = nil
            paired.remove(path)
        case .linkEnds(let reason):
            return devices[path] == nil ? [] : [.linkEnds(path, reason: reason)]
        }
        return [.device(path)]
    }

    private mutating func keep(_ device: Device, at path: ObjectPath) {
        devices[path] = device
        if device.object.isPaired { paired.insert(path) } else { paired.remove(path) }
    }

    private mutating func attributeChanged(
        _ place: AttributePath, _ change: ObjectChange
    ) -> [Change] {
        switch change.news {
        case .added(let properties):
            return changeServices(of: place.device) {
                _ = $0.add(place, at: change.path, (change.interface, properties))
            }
        // Services never change.
        case .changed(let properties, _):
            guard let value = properties["Value"]?.octets, case .characteristic = place.kind,
                let uuid = devices[place.device]?.attributes.objects[place.handle]?.object.uuid
            else { return [] }
            return [.value(of: place.device, uuid, value)]
        case .removed:
            let isGone = change.interface == AttributeObject.characteristic
            return (isGone ? [.characteristicRemoved(change.path)] : [])
                + changeServices(of: place.device) { _ = $0.remove(place, change.interface) }
        case .linkEnds: return []
        }
    }

    /// Changes the attributes of a device. It is news only if its services of ANCS are others.
    private mutating func changeServices(
        of device: ObjectPath, _ change: (inout AttributeTree) -> Void
    ) -> [Change] {
        guard let index = devices.index(forKey: device) else { return [] }
        let before = devices.values[index].attributes.ancs
        let hadTooMany = devices.values[index].attributes.hasTooManyServices
        change(&devices.values[index].attributes)
        let attributes = devices.values[index].attributes
        let isNews = attributes.ancs != before || attributes.hasTooManyServices != hadTooMany
        return isNews ? [.device(device)] : []
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
