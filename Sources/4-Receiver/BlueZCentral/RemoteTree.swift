internal import BluetoothTypes
internal import BlueZ
internal import DBus
internal import LinuxIO
internal import Octets

/// The place of an attribute of a device, as bluetoothd writes it in the path of its object:
/// `/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5/service000e/char000f/desc0011`. The numbers are the handles of the
/// declarations of the service and of the characteristic, and of the descriptor (src/gatt-client.c); the property
/// `Handle`, since 5.69, says the same.
struct AttributePath: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case service
        case characteristic(service: AttributeHandle)
        /// Of the characteristic with this declaration.
        case descriptor(characteristic: AttributeHandle)
    }

    let device: ObjectPath
    let handle: AttributeHandle
    let kind: Kind

    /// The place in a path; `nil` for the path of anything else. Each value that is read or notified comes with one.
    init?(_ path: ObjectPath) {
        let octets = path.text.utf8Span.span
        var end = octets.count
        let descriptor = Self.cut("/desc", from: octets, &end)
        let characteristic = Self.cut("/char", from: octets, &end)
        guard let service = Self.cut("/service", from: octets, &end), let device = path.prefix(end),
            device.lastElement.hasPrefix("dev_")
        else { return nil }
        self.device = device
        switch (characteristic, descriptor) {
        case (nil, nil): (handle, kind) = (service, .service)
        case (let characteristic?, nil):
            (handle, kind) = (characteristic, .characteristic(service: service))
        case (let characteristic?, let descriptor?):
            (handle, kind) = (descriptor, .descriptor(characteristic: characteristic))
        case (nil, .some): return nil
        }
    }

    /// Removes the last element of the path before `end` if it is this name and a handle of four digits.
    private static func cut(
        _ name: StaticString, from path: Span<UInt8>, _ end: inout Int
    ) -> AttributeHandle? {
        let digits = end - 4
        let start = digits - name.utf8CodeUnitCount
        guard start > 0 else { return nil }
        let isNamed = name.withUTF8Buffer { name in
            name.indices.allSatisfy { path[start + $0] == name[$0] }
        }
        guard isNamed else { return nil }
        var number: UInt16 = 0
        for index in digits..<end {
            guard let digit = Hexadecimal.value(ofDigit: path[index]) else { return nil }
            number = number << 4 | UInt16(digit)
        }
        guard number > 0 else { return nil }
        end = start
        return AttributeHandle(number)
    }
}

/// The attributes of a device, by their handles. Objects may come in any order, and outlive the link: bluetoothd
/// keeps those of a bonded device, so only ``RemotePeer`` knows whether they can be used.
struct RemoteTree: Equatable, Sendable {
    struct Service: Equatable, Sendable {
        let path: ObjectPath
        var object = RemoteServiceObject()
    }

    struct Characteristic: Equatable, Sendable {
        let path: ObjectPath
        let service: AttributeHandle
        var object = RemoteCharacteristicObject()
    }

    struct Descriptor: Equatable, Sendable {
        let path: ObjectPath
        /// The declaration of its characteristic.
        let characteristic: AttributeHandle
        var object = RemoteDescriptorObject()
    }

    /// What a request is about.
    enum Place: Equatable, Sendable {
        case characteristic(ObjectPath)
        case descriptor(ObjectPath, isConfiguration: Bool)
    }

    /// How many objects a device may have; a host stops at as many attributes, too.
    static let limit = 2_048

    private(set) var services: [AttributeHandle: Service] = [:]
    /// By the handles of their declarations.
    private(set) var characteristics: [AttributeHandle: Characteristic] = [:]
    private(set) var descriptors: [AttributeHandle: Descriptor] = [:]

    var count: Int { services.count + characteristics.count + descriptors.count }

    /// The value follows its declaration. Core Vol 3, Part G, 3.3.
    static func value(of declaration: AttributeHandle) -> AttributeHandle? {
        declaration < .last ? AttributeHandle(declaration.rawValue + 1) : nil
    }

    private static func declaration(of value: AttributeHandle) -> AttributeHandle {
        AttributeHandle(value.rawValue - 1)
    }

    /// The path of the configuration descriptor of the characteristic with this value.
    func configuration(of value: AttributeHandle) -> ObjectPath? {
        guard value > .first else { return nil }
        return descriptors.values.first {
            $0.characteristic == Self.declaration(of: value)
                && $0.object.uuid == .clientCharacteristicConfiguration
        }?.path
    }

    // MARK: Changes

    /// An object appeared. Returns whether it is one of an attribute.
    mutating func add(
        _ place: AttributePath, at path: ObjectPath, _ interface: String,
        _ properties: [String: BusValue]
    ) -> Bool {
        switch (interface, place.kind) {
        case (RemoteServiceObject.interface, .service):
            guard services[place.handle] != nil || count < Self.limit else { return false }
            services[place.handle, default: Service(path: path)].object.apply(properties)
        case (RemoteCharacteristicObject.interface, .characteristic(let service)):
            guard characteristics[place.handle] != nil || count < Self.limit else { return false }
            characteristics[place.handle, default: Characteristic(path: path, service: service)]
                .object.apply(properties)
        case (RemoteDescriptorObject.interface, .descriptor(let characteristic)):
            guard descriptors[place.handle] != nil || count < Self.limit else { return false }
            descriptors[
                place.handle, default: Descriptor(path: path, characteristic: characteristic)
            ]
            .object.apply(properties)
        case (_, _): return false
        }
        return true
    }

    /// An object disappeared. Returns the handles that are not valid any more; `nil` if there are none.
    mutating func remove(_ place: AttributePath, _ interface: String) -> AttributeHandleRange? {
        switch (interface, place.kind) {
        case (RemoteServiceObject.interface, .service):
            guard services[place.handle] != nil else { return nil }
            let range = range(of: place.handle)
            services[place.handle] = nil
            return range
        case (RemoteCharacteristicObject.interface, .characteristic):
            guard characteristics.removeValue(forKey: place.handle) != nil else { return nil }
            return AttributeHandleRange(
                place.handle, Self.value(of: place.handle) ?? place.handle)
        case (RemoteDescriptorObject.interface, .descriptor):
            guard descriptors.removeValue(forKey: place.handle) != nil else { return nil }
            return AttributeHandleRange(place.handle, place.handle)
        case (_, _): return nil
        }
    }

    /// Properties of a characteristic have changed; those of services and descriptors never do.
    mutating func change(
        _ place: AttributePath, _ properties: [String: BusValue], invalidated: [String]
    ) {
        characteristics[place.handle]?.object.apply(properties, invalidated: invalidated)
    }

    // MARK: What there is

    /// From the declaration of a service to its last attribute that has an object.
    func range(of service: AttributeHandle) -> AttributeHandleRange {
        // Include declarations have no objects, and stand first. Core Vol 3, Part G, 3.1.
        let includes = services[service]?.object.includes.count ?? 0
        var last = UInt16(clamping: Int(service.rawValue) + includes)
        for (declaration, characteristic) in characteristics
        where characteristic.service == service {
            last = max(last, Self.value(of: declaration)?.rawValue ?? declaration.rawValue)
            for (handle, descriptor) in descriptors
            where descriptor.characteristic == declaration {
                last = max(last, handle.rawValue)
            }
        }
        return AttributeHandleRange(service, AttributeHandle(last))
    }

    /// The services, in order of handles. Objects without a UUID that can be read are left out.
    var database: RemoteDatabase {
        var content: [AttributeHandle: [RemoteDatabase.Characteristic]] = [:]
        var configured: [AttributeHandle: [RemoteDatabase.Descriptor]] = [:]
        for (handle, descriptor) in descriptors {
            guard let uuid = descriptor.object.uuid else { continue }
            configured[descriptor.characteristic, default: []].append(
                RemoteDatabase.Descriptor(handle: handle, type: uuid))
        }
        for (declaration, characteristic) in characteristics {
            guard let uuid = characteristic.object.uuid,
                let value = Self.value(of: declaration)
            else { continue }
            content[characteristic.service, default: []].append(
                RemoteDatabase.Characteristic(
                    declaration: declaration, value: value,
                    properties: characteristic.object.characteristicProperties, uuid: uuid,
                    descriptors: (configured[declaration] ?? [])
                        .sorted(byNumber: \.handle.rawValue)))
        }
        let all = services.compactMap { start, service in
            service.object.uuid.map { uuid in
                RemoteDatabase.Service(
                    range: range(of: start), uuid: uuid, isPrimary: service.object.isPrimary,
                    includedServices: included(by: start, service),
                    characteristics: (content[start] ?? [])
                        .sorted(byNumber: \.declaration.rawValue))
            }
        }
        return RemoteDatabase(services: all.sorted(byNumber: \.range.first.rawValue))
    }

    private func included(
        by start: AttributeHandle, _ service: Service
    ) -> [RemoteDatabase.IncludedService] {
        service.object.includes.enumerated().compactMap { index, path in
            guard let place = AttributePath(path), place.kind == .service,
                let uuid = services[place.handle]?.object.uuid,
                let declaration = UInt16(exactly: Int(start.rawValue) + 1 + index)
            else { return nil }
            return RemoteDatabase.IncludedService(
                declaration: AttributeHandle(declaration), range: range(of: place.handle),
                uuid: uuid)
        }
    }

    /// What has a handle: the value of a characteristic, or a descriptor.
    func place(of handle: AttributeHandle) -> Place? {
        if let descriptor = descriptors[handle] {
            return .descriptor(
                descriptor.path,
                isConfiguration: descriptor.object.uuid
                    == BluetoothUUID.clientCharacteristicConfiguration)
        }
        guard handle > .first, let characteristic = characteristics[Self.declaration(of: handle)]
        else { return nil }
        return .characteristic(characteristic.path)
    }

    /// The characteristic with a value handle.
    func characteristic(at value: AttributeHandle) -> Characteristic? {
        value > .first ? characteristics[Self.declaration(of: value)] : nil
    }
}
