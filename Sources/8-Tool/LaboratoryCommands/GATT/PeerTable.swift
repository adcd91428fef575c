internal import DeviceCommandKit

/// The attributes of a peer, in the order of their handles.
struct PeerTable: Sendable {
    /// A row of the table.
    enum Item: Sendable {
        case service(Service)
        case characteristic(Characteristic)
        case descriptor(Descriptor)
    }

    private(set) var items: [Item] = []

    /// Discovers all attributes, including those of included services.
    static func discover(_ peripheral: Peripheral) async throws(BluetoothError) -> PeerTable {
        var services = try await peripheral.discoverServices(nil)
        var known = Set(services)
        var index = 0
        while index < services.count {
            let included = try await peripheral.discoverIncludedServices(nil, for: services[index])
            // Services may include each other.
            services += included.filter { known.insert($0).inserted }
            index += 1
        }
        var table = PeerTable()
        for service in services.sorted(byNumber: { UInt64($0.range.first.rawValue) }) {
            table.items.append(.service(service))
            for characteristic in try await peripheral.discoverCharacteristics(nil, for: service) {
                table.items.append(.characteristic(characteristic))
                let descriptors = try await peripheral.discoverDescriptors(for: characteristic)
                table.items += descriptors.map { .descriptor($0) }
            }
        }
        return table
    }
}

extension PeerTable.Item {
    var isService: Bool { if case .service = self { true } else { false } }

    var characteristic: Characteristic? {
        if case .characteristic(let characteristic) = self { characteristic } else { nil }
    }

    /// Whether the properties allow reading. Descriptors have no properties.
    var isReadable: Bool {
        switch self {
        case .service: false
        case .characteristic(let characteristic): characteristic.properties.contains(.read)
        case .descriptor: true
        }
    }

    var uuid: BluetoothUUID {
        switch self {
        case .service(let service): service.uuid
        case .characteristic(let characteristic): characteristic.uuid
        case .descriptor(let descriptor): descriptor.uuid
        }
    }

    /// The handle of the value, or of the declaration of a service.
    var handle: AttributeHandle {
        switch self {
        case .service(let service): service.range.first
        case .characteristic(let characteristic): characteristic.attributes.value
        case .descriptor(let descriptor): descriptor.handle
        }
    }

    /// The assigned name, if there is one.
    var name: String? {
        switch self {
        case .service: AssignedNumbers.service(uuid)
        case .characteristic: AssignedNumbers.characteristic(uuid)
        case .descriptor: AssignedNumbers.descriptor(uuid)
        }
    }

    /// Reads the value.
    func read(from peripheral: Peripheral) async throws(BluetoothError) -> [UInt8] {
        switch self {
        case .service: []
        case .characteristic(let characteristic):
            try await peripheral.readValue(for: characteristic)
        case .descriptor(let descriptor): try await peripheral.readValue(for: descriptor)
        }
    }
}

extension Characteristic.Properties {
    private static let names: [(Self, String)] = [
        (.broadcast, "broadcast"), (.read, "read"),
        (.writeWithoutResponse, "writeWithoutResponse"), (.write, "write"), (.notify, "notify"),
        (.indicate, "indicate"), (.authenticatedSignedWrites, "authenticatedSignedWrites"),
        (.extendedProperties, "extendedProperties"),
    ]

    /// The names of the properties, in the order of their bits.
    var names: [String] { Self.names.filter { contains($0.0) }.map(\.1) }
}

// MARK: - What a user names

extension PeerTable {
    /// The characteristic or descriptor with this handle or UUID.
    func item(_ text: String) throws(PromptFault) -> Item {
        let shown = "'\(text)'"
        let found = items.filter { !$0.isService && $0.isNamed(text) }
        guard let item = found.first else {
            throw PromptFault(
                message: "the device has no characteristic or descriptor \(shown); 'list' shows "
                    + "those that it has")
        }
        guard found.count == 1 else {
            let handles = found.map(\.handle.text).joined(separator: ", ")
            throw PromptFault(
                message: "several attributes have \(shown); use a handle (\(handles))")
        }
        return item
    }

    /// The handles of characteristics and descriptors, for completion.
    var handles: [String] { items.filter { !$0.isService }.map(\.handle.text) }
}

extension PeerTable.Item {
    fileprivate func isNamed(_ text: String) -> Bool {
        if uuid == BluetoothUUID(text: text) { return true }
        guard text.hasPrefix("0x") else { return false }
        return UInt16(text.dropFirst(2), radix: 16) == handle.rawValue
    }
}
