package import ANCS
package import BluetoothTypes
package import DBus

/// The attributes of a device, by their handles. Objects may come in any order, and outlive the link: bluetoothd keeps
/// those of a bonded device, so that only whoever follows the link knows whether they can be used.
///
/// What comes and goes costs the same however many there are: anybody may connect with a table of 65,535 attributes, and
/// bluetoothd publishes an object for each.
package struct AttributeTree: Sendable {
    package struct Attribute: Sendable {
        package let path: ObjectPath
        package let kind: AttributePath.Kind
        package var object = AttributeObject()
    }

    /// How many objects a device may have; a host stops at as many attributes, too.
    package static let limit = 2_048

    /// By the handles of their declarations; of descriptors, by their own.
    package private(set) var objects: [AttributeHandle: Attribute] = [:]
    /// The characteristics of each service, and the descriptors of each characteristic.
    private var members: [AttributeHandle: Set<AttributeHandle>] = [:]
    /// The attributes of a phone's services, by their UUIDs.
    private var marked: [BluetoothUUID: Set<AttributeHandle>] = [:]
    /// The objects of ANCS; `nil` if there is no usable service (R6). A complete service is preferred to one that is
    /// being removed.
    package private(set) var ancs: ServicePlaces?
    /// Whether there are more services of ANCS, or characteristics of it, than any phone has. None of them is used.
    package private(set) var hasTooManyServices = false

    package init() {}

    /// The value follows its declaration. Core Vol 3, Part G, 3.3.
    package static func value(of declaration: AttributeHandle) -> AttributeHandle? {
        declaration < .last ? AttributeHandle(declaration.rawValue + 1) : nil
    }

    private static func declaration(of value: AttributeHandle) -> AttributeHandle {
        AttributeHandle(value.rawValue - 1)
    }

    // MARK: Changes

    /// An object appeared. Returns whether it is one of an attribute.
    package mutating func add(
        _ place: AttributePath, at path: ObjectPath,
        _ interface: (name: String, properties: [String: BusValue])
    ) -> Bool {
        guard interface.name == place.kind.interface else { return false }
        // Another one had the handle, and its object is late to go.
        if let other = objects[place.handle], other.kind != place.kind {
            remove(place.handle, other)
        }
        guard objects[place.handle] != nil || objects.count < Self.limit else { return false }
        var attribute = objects[place.handle] ?? Attribute(path: path, kind: place.kind)
        let before = attribute.object.uuid
        attribute.object.apply(interface.properties)
        objects[place.handle] = attribute
        if let owner = place.kind.owner { members[owner, default: []].insert(place.handle) }
        mark(place.handle, place.kind, from: before, to: attribute.object.uuid)
        return true
    }

    /// An object disappeared. Returns the handles that are not valid any more; `nil` if there are none.
    package mutating func remove(
        _ place: AttributePath, _ interface: String
    ) -> AttributeHandleRange? {
        let handle = place.handle
        guard interface == place.kind.interface, let gone = objects[handle], gone.kind == place.kind
        else { return nil }
        let range =
            switch gone.kind {
            case .service: range(of: handle)
            case .characteristic: AttributeHandleRange(handle, Self.value(of: handle) ?? handle)
            case .descriptor: AttributeHandleRange(handle, handle)
            }
        remove(handle, gone)
        return range
    }

    private mutating func remove(_ handle: AttributeHandle, _ gone: Attribute) {
        objects[handle] = nil
        mark(handle, gone.kind, from: gone.object.uuid, to: nil)
        guard let owner = gone.kind.owner else { return }
        members[owner]?.remove(handle)
        if members[owner]?.isEmpty == true { members[owner] = nil }
    }

    /// Properties of a characteristic have changed; those of services and descriptors never do.
    package mutating func change(
        _ place: AttributePath, _ properties: [String: BusValue], invalidated: [String] = []
    ) {
        guard objects[place.handle]?.kind == place.kind else { return }
        objects[place.handle]?.object.apply(properties, invalidated: invalidated)
    }

    // MARK: What there is

    /// From the declaration of a service to its last attribute that has an object.
    package func range(of service: AttributeHandle) -> AttributeHandleRange {
        // Include declarations have no objects, and stand first. Core Vol 3, Part G, 3.1.
        let includes = objects[service]?.object.includes.count ?? 0
        var last = UInt16(clamping: Int(service.rawValue) + includes)
        for declaration in members[service] ?? [] {
            last = max(last, Self.value(of: declaration)?.rawValue ?? declaration.rawValue)
            for handle in members[declaration] ?? [] { last = max(last, handle.rawValue) }
        }
        return AttributeHandleRange(service, AttributeHandle(last))
    }

    /// The characteristics of a service, or the descriptors of the characteristic with a declaration, in order.
    package func members(of owner: AttributeHandle) -> [AttributeHandle] {
        (members[owner] ?? []).sorted { $0 < $1 }
    }

    /// What has a handle: the characteristic of which it is the value, or a descriptor.
    package func attribute(at handle: AttributeHandle) -> Attribute? {
        if let characteristic = characteristic(at: handle) { return characteristic }
        guard let descriptor = objects[handle], case .descriptor = descriptor.kind else {
            return nil
        }
        return descriptor
    }

    /// The characteristic with a value handle.
    package func characteristic(at value: AttributeHandle) -> Attribute? {
        guard value > .first, let attribute = objects[Self.declaration(of: value)],
            case .characteristic = attribute.kind
        else { return nil }
        return attribute
    }

    /// The path of the configuration descriptor of the characteristic with this value.
    package func configuration(of value: AttributeHandle) -> ObjectPath? {
        guard value > .first else { return nil }
        return members(of: Self.declaration(of: value)).lazy.compactMap { objects[$0] }
            .first { $0.object.uuid == .clientCharacteristicConfiguration }?.path
    }

    // MARK: What a phone has

    private static let ofANCS: [BluetoothUUID] = [
        .ancs, .notificationSource, .controlPoint, .dataSource,
    ]
    private static let marks = Set(
        ofANCS + [
            .currentTime, .localTimeInformation, .remoteCommand, .entityUpdate, .entityAttribute,
        ])

    /// The UUID of an attribute is known, or it has gone.
    private mutating func mark(
        _ handle: AttributeHandle, _ kind: AttributePath.Kind, from before: BluetoothUUID?,
        to uuid: BluetoothUUID?
    ) {
        if case .descriptor = kind { return }
        guard before != uuid else { return }
        let isGone = before.flatMap { marked[$0]?.remove(handle) } != nil
        let isMarked = uuid.map { Self.marks.contains($0) } ?? false
        if let uuid, isMarked { marked[uuid, default: []].insert(handle) }
        if isGone || isMarked { findANCS() }
    }

    private mutating func findANCS() {
        hasTooManyServices = Self.ofANCS.contains {
            (marked[$0]?.count ?? 0) > ANCSUUID.maximumServices
        }
        ancs = nil
        guard !hasTooManyServices, let services = marked[.ancs] else { return }
        let found = services.sorted { $0 < $1 }.compactMap { places(in: $0) }
        ancs = found.first { $0.isComplete } ?? found.first
    }

    private func places(in service: AttributeHandle) -> ServicePlaces? {
        guard let notificationSource = first(.notificationSource, where: { $0 == service }) else {
            return nil
        }
        return ServicePlaces(
            notificationSource: notificationSource,
            controlPoint: first(.controlPoint, where: { $0 == service }),
            dataSource: first(.dataSource, where: { $0 == service }))
    }

    /// A characteristic of a service; `nil` if there is none, or more than any phone has.
    func characteristic(_ uuid: BluetoothUUID, of service: BluetoothUUID) -> ObjectPath? {
        guard (marked[uuid]?.count ?? 0) <= ANCSUUID.maximumServices else { return nil }
        return first(uuid) { objects[$0]?.object.uuid == service }
    }

    /// The first characteristic of a kind in the services that are meant.
    private func first(
        _ uuid: BluetoothUUID, where isMeant: (AttributeHandle) -> Bool
    ) -> ObjectPath? {
        let found = marked[uuid]?.filter { objects[$0]?.kind.owner.map { isMeant($0) } == true }
        return found?.min().flatMap { objects[$0]?.path }
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
