internal import ANCS
package import BluetoothTypes
package import DBus

/// The attributes of a device, by their handles. Objects may come in any order, and outlive the link: bluetoothd keeps
/// those of a bonded device, so that only whoever follows the link knows whether they can be used.
///
/// What comes and goes costs the same however many there are: anybody may connect with a table of 65,535 attributes, and
/// bluetoothd publishes an object for each.
package struct AttributeTree: Sendable {
    package struct Service: Sendable {
        package let path: ObjectPath
        package var object = ServiceObject()
    }

    package struct Characteristic: Sendable {
        package let path: ObjectPath
        package let service: AttributeHandle
        package var object = CharacteristicObject()
    }

    package struct Descriptor: Sendable {
        package let path: ObjectPath
        /// The declaration of its characteristic.
        package let characteristic: AttributeHandle
        package var object = DescriptorObject()
    }

    /// What a request is about.
    package enum Place: Equatable, Sendable {
        case characteristic(ObjectPath)
        case descriptor(ObjectPath, isConfiguration: Bool)
    }

    /// How many objects a device may have; a host stops at as many attributes, too.
    package static let limit = 2_048

    package private(set) var services: [AttributeHandle: Service] = [:]
    /// By the handles of their declarations.
    package private(set) var characteristics: [AttributeHandle: Characteristic] = [:]
    package private(set) var descriptors: [AttributeHandle: Descriptor] = [:]
    /// The characteristics of each service, and the descriptors of each characteristic.
    private var characteristicsOf: [AttributeHandle: Set<AttributeHandle>] = [:]
    private var descriptorsOf: [AttributeHandle: Set<AttributeHandle>] = [:]
    /// The attributes of a phone's services, by their UUIDs.
    private var marked: [BluetoothUUID: Set<AttributeHandle>] = [:]
    /// The objects of ANCS; `nil` if there is no usable service (R6). A complete service is preferred to one that is
    /// being removed.
    package private(set) var ancs: ServicePlaces?
    /// Whether there are more services of ANCS, or characteristics of it, than any phone has. None of them is used.
    package private(set) var hasTooManyServices = false

    package init() {}

    package var count: Int { services.count + characteristics.count + descriptors.count }

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
        _ place: AttributePath, at path: ObjectPath, _ interface: ObjectSignal.Interface
    ) -> Bool {
        let handle = place.handle
        switch (interface.name, place.kind) {
        case (ServiceObject.interface, .service):
            guard services[handle] != nil || count < Self.limit else { return false }
            var service = services[handle] ?? Service(path: path)
            let before = service.object.uuid
            service.object.apply(interface.properties)
            services[handle] = service
            mark(handle, from: before, to: service.object.uuid)
        case (CharacteristicObject.interface, .characteristic(let service)):
            guard characteristics[handle] != nil || count < Self.limit else { return false }
            var characteristic =
                characteristics[handle] ?? Characteristic(path: path, service: service)
            let before = characteristic.object.uuid
            characteristic.object.apply(interface.properties)
            characteristics[handle] = characteristic
            characteristicsOf[characteristic.service, default: []].insert(handle)
            mark(handle, from: before, to: characteristic.object.uuid)
        case (DescriptorObject.interface, .descriptor(let characteristic)):
            guard descriptors[handle] != nil || count < Self.limit else { return false }
            var descriptor =
                descriptors[handle] ?? Descriptor(path: path, characteristic: characteristic)
            descriptor.object.apply(interface.properties)
            descriptors[handle] = descriptor
            descriptorsOf[descriptor.characteristic, default: []].insert(handle)
        case (_, _): return false
        }
        return true
    }

    /// An object disappeared. Returns the handles that are not valid any more; `nil` if there are none.
    package mutating func remove(
        _ place: AttributePath, _ interface: String
    ) -> AttributeHandleRange? {
        let handle = place.handle
        switch (interface, place.kind) {
        case (ServiceObject.interface, .service):
            guard let service = services[handle] else { return nil }
            let range = range(of: handle)
            services[handle] = nil
            mark(handle, from: service.object.uuid, to: nil)
            return range
        case (CharacteristicObject.interface, .characteristic):
            guard let gone = characteristics.removeValue(forKey: handle) else { return nil }
            Self.remove(handle, from: &characteristicsOf, of: gone.service)
            mark(handle, from: gone.object.uuid, to: nil)
            return AttributeHandleRange(handle, Self.value(of: handle) ?? handle)
        case (DescriptorObject.interface, .descriptor):
            guard let gone = descriptors.removeValue(forKey: handle) else { return nil }
            Self.remove(handle, from: &descriptorsOf, of: gone.characteristic)
            return AttributeHandleRange(handle, handle)
        case (_, _): return nil
        }
    }

    private static func remove(
        _ handle: AttributeHandle, from members: inout [AttributeHandle: Set<AttributeHandle>],
        of owner: AttributeHandle
    ) {
        members[owner]?.remove(handle)
        if members[owner]?.isEmpty == true { members[owner] = nil }
    }

    /// Properties of a characteristic have changed; those of services and descriptors never do.
    package mutating func change(
        _ place: AttributePath, _ properties: [String: BusValue], invalidated: [String] = []
    ) { characteristics[place.handle]?.object.apply(properties, invalidated: invalidated) }

    // MARK: What there is

    /// From the declaration of a service to its last attribute that has an object.
    package func range(of service: AttributeHandle) -> AttributeHandleRange {
        // Include declarations have no objects, and stand first. Core Vol 3, Part G, 3.1.
        let includes = services[service]?.object.includes.count ?? 0
        var last = UInt16(clamping: Int(service.rawValue) + includes)
        for declaration in characteristicsOf[service] ?? [] {
            last = max(last, Self.value(of: declaration)?.rawValue ?? declaration.rawValue)
            for handle in descriptorsOf[declaration] ?? [] { last = max(last, handle.rawValue) }
        }
        return AttributeHandleRange(service, AttributeHandle(last))
    }

    /// The characteristics of a service, and the descriptors of the characteristic with a declaration, in order.
    package func characteristics(of service: AttributeHandle) -> [AttributeHandle] {
        (characteristicsOf[service] ?? []).sorted { $0 < $1 }
    }

    package func descriptors(of declaration: AttributeHandle) -> [AttributeHandle] {
        (descriptorsOf[declaration] ?? []).sorted { $0 < $1 }
    }

    /// What has a handle: the value of a characteristic, or a descriptor.
    package func place(of handle: AttributeHandle) -> Place? {
        if let descriptor = descriptors[handle] {
            return .descriptor(
                descriptor.path,
                isConfiguration: descriptor.object.uuid
                    == BluetoothUUID.clientCharacteristicConfiguration)
        }
        return characteristic(at: handle).map { .characteristic($0.path) }
    }

    /// The characteristic with a value handle.
    package func characteristic(at value: AttributeHandle) -> Characteristic? {
        value > .first ? characteristics[Self.declaration(of: value)] : nil
    }

    /// The path of the configuration descriptor of the characteristic with this value.
    package func configuration(of value: AttributeHandle) -> ObjectPath? {
        guard value > .first else { return nil }
        return descriptors(of: Self.declaration(of: value)).lazy.compactMap { descriptors[$0] }
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
        _ handle: AttributeHandle, from before: BluetoothUUID?, to uuid: BluetoothUUID?
    ) {
        guard before != uuid else { return }
        var isNews = false
        if let before, Self.marks.contains(before) {
            marked[before]?.remove(handle)
            isNews = true
        }
        if let uuid, Self.marks.contains(uuid) {
            marked[uuid, default: []].insert(handle)
            isNews = true
        }
        if isNews { findANCS() }
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
        return first(uuid) { services[$0]?.object.uuid == service }
    }

    /// The first characteristic of a kind in the services that are meant.
    private func first(
        _ uuid: BluetoothUUID, where isMeant: (AttributeHandle) -> Bool
    ) -> ObjectPath? {
        let found = marked[uuid]?.filter {
            characteristics[$0].map { isMeant($0.service) } ?? false
        }
        return found?.min().flatMap { characteristics[$0]?.path }
    }
}
