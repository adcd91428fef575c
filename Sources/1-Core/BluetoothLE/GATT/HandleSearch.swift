internal import Octets

/// The part of a range that has yet to be searched. Responses must move forward in it, and may find only so
/// much, so every search ends soon, whatever the server sends.
struct HandleCursor: Sendable {
    private(set) var rest: AttributeHandleRange?
    /// How many attributes were found.
    private(set) var count = 0
    private let limit: Int

    /// The most attributes that a search may find. Devices have some hundred; a server that invented all 65,535
    /// could keep its client busy for days.
    static let maximumAttributes = 2048

    init(_ range: AttributeHandleRange, limit: Int = maximumAttributes) {
        rest = range
        self.limit = limit
    }

    /// Whether more were found than any device has: the search is to end.
    var isOverLimit: Bool { count > limit }

    /// Records that `handle` was found and that everything up to `end` is done; `false` if the handle is not
    /// in the remaining range.
    mutating func pass(_ handle: AttributeHandle, upTo end: AttributeHandle) -> Bool {
        guard let range = rest, range.contains(handle), handle <= end else { return false }
        rest = range.after(end)
        count += 1
        return true
    }
}

/// Searches a range of handles with one request after another, until nothing is left of it. Core Vol 3, Part G, 4.4 to
/// 4.8.
struct HandleSearch: Sendable {
    /// What is searched for.
    enum Target: Sendable {
        /// Services of a type, by Read By Group Type. Part G, 4.4.1.
        case services(BluetoothUUID)
        /// Primary services with a UUID, by Find By Type Value. Part G, 4.4.2.
        case servicesByUUID(BluetoothUUID, GATTProcedure.UUIDForm)
        /// Included services; a 128-bit UUID is read from the declaration of the service. Part G, 4.5.1.
        case includedServices
        /// Characteristic declarations, or those with a UUID. Part G, 4.6.
        case characteristics(BluetoothUUID?)
        /// Descriptors, by Find Information. Part G, 4.7.1.
        case descriptors
        /// Values with a UUID. Part G, 4.8.2.
        case values(BluetoothUUID)
    }

    /// The most values, and so 16 KiB: a response has at most 253 octets of each (Core Vol 3, Part F, 3.4.4.2).
    /// What is read by its UUID is on a device a few times.
    private static let maximumValues = 64

    private let target: Target
    private var cursor: HandleCursor
    // What was found; only that of the target.
    private var services: [RemoteDatabase.Service] = []
    private var includedServices: [RemoteDatabase.IncludedService] = []
    private var characteristics: [RemoteDatabase.Characteristic] = []
    private var descriptors: [RemoteDatabase.Descriptor] = []
    private var values: [HandleValue] = []
    /// Included services without a UUID, in order; that of the first is being read.
    private var unnamed = Queue<Int>()

    init(_ target: Target, in range: AttributeHandleRange = .all) {
        self.target = target
        if case .values = target {
            cursor = HandleCursor(range, limit: Self.maximumValues)
        } else {
            cursor = HandleCursor(range)
        }
    }

    mutating func advance(_ event: GATTOperation.Event) -> GATTOperation.Step {
        switch event {
        case .started: return next()
        case .response(.errorResponse(_, _, .attributeNotFound)) where mayFindNothing:
            return .finish(.success(result))
        case .response(.errorResponse(_, let handle, let code)): return .failure(code, handle)
        case .response(let response): return take(response) ? next() : .malformed
        case .malformedResponse: return .malformed
        }
    }

    private func next() -> GATTOperation.Step {
        guard !cursor.isOverLimit else { return .tooManyResults }
        if let index = unnamed.first {
            return .send(.readRequest(includedServices[index].range.first))
        }
        guard let rest = cursor.rest else { return .finish(.success(result)) }
        return .send(request(rest))
    }

    private func request(_ rest: AttributeHandleRange) -> ATTClientPDU {
        switch target {
        case .services(let type): .readByGroupTypeRequest(rest, type: type)
        case .servicesByUUID(let uuid, let form):
            .findByTypeValueRequest(
                rest, type: BluetoothUUID.primaryService.shortValue ?? 0, value: uuid.octets(form))
        case .includedServices: .readByTypeRequest(rest, type: .include)
        case .characteristics: .readByTypeRequest(rest, type: .characteristic)
        case .descriptors: .findInformationRequest(rest)
        case .values(let uuid): .readByTypeRequest(rest, type: uuid)
        }
    }

    /// Whether *Attribute Not Found* is the end of the search, and not a failure of its request.
    private var mayFindNothing: Bool {
        switch target {
        case .services, .servicesByUUID, .characteristics, .descriptors: true
        case .includedServices: unnamed.isEmpty
        case .values: !values.isEmpty
        }
    }

    private var result: GATTResult {
        switch target {
        case .services, .servicesByUUID: .services(services)
        case .includedServices: .includedServices(includedServices)
        case .characteristics(nil): .characteristics(characteristics)
        case .characteristics(let uuid):
            .characteristics(characteristics.filter { $0.uuid == uuid })
        case .descriptors: .descriptors(descriptors)
        case .values: .values(values)
        }
    }

    // MARK: What a response has

    /// Appends what a response has; `false` if it does not fit the search, as each of the functions below.
    private mutating func take(_ response: ATTServerPDU) -> Bool {
        switch (target, response) {
        case (.services(let type), .readByGroupTypeResponse(let groups)):
            groups.allSatisfy {
                append($0.range, BluetoothUUID(attributeValue: $0.value), type: type)
            }
        case (.servicesByUUID(let uuid, _), .findByTypeValueResponse(let ranges)):
            ranges.allSatisfy { append($0, uuid, type: .primaryService) }
        case (.includedServices, .readByTypeResponse(let entries)):
            entries.allSatisfy { appendInclude($0) }
        case (.includedServices, .readResponse(let value)): nameInclude(value)
        case (.characteristics, .readByTypeResponse(let entries)):
            entries.allSatisfy { appendCharacteristic($0) }
        case (.descriptors, .findInformationResponse(let entries)):
            entries.allSatisfy { append($0) }
        case (.values, .readByTypeResponse(let entries)): entries.allSatisfy { appendValue($0) }
        default: false
        }
    }

    private mutating func append(
        _ range: AttributeHandleRange, _ uuid: BluetoothUUID?, type: BluetoothUUID
    ) -> Bool {
        guard let uuid, cursor.pass(range.first, upTo: range.last) else { return false }
        services.append(
            RemoteDatabase.Service(range: range, uuid: uuid, isPrimary: type == .primaryService))
        return true
    }

    private mutating func appendInclude(_ entry: HandleValue) -> Bool {
        var rest = entry.value.span
        guard entry.value.count == 6 || entry.value.count == 4,
            cursor.pass(entry.handle, upTo: entry.handle),
            let range = try? rest.take() as AttributeHandleRange, range.isValid
        else { return false }
        var uuid = BluetoothUUID(UInt16(0))
        if rest.isEmpty {
            unnamed.append(includedServices.count)
        } else {
            guard let short = try? rest.takeUInt16() else { return false }
            uuid = BluetoothUUID(short)
        }
        includedServices.append(
            RemoteDatabase.IncludedService(declaration: entry.handle, range: range, uuid: uuid))
        return true
    }

    private mutating func nameInclude(_ value: [UInt8]) -> Bool {
        guard let index = unnamed.popFirst(), value.count == 16,
            let uuid = BluetoothUUID(attributeValue: value)
        else { return false }
        includedServices[index].uuid = uuid
        return true
    }

    private mutating func appendCharacteristic(_ entry: HandleValue) -> Bool {
        var rest = entry.value.span
        guard cursor.pass(entry.handle, upTo: entry.handle),
            let properties = try? rest.takeUInt8(), let value = try? rest.take() as AttributeHandle,
            value > entry.handle, let uuid = try? rest.takeRestAsUUID()
        else { return false }
        characteristics.append(
            RemoteDatabase.Characteristic(
                declaration: entry.handle, value: value,
                properties: CharacteristicProperties(rawValue: properties), uuid: uuid))
        return true
    }

    private mutating func append(_ entry: ATTServerPDU.TypedHandle) -> Bool {
        guard cursor.pass(entry.handle, upTo: entry.handle) else { return false }
        descriptors.append(RemoteDatabase.Descriptor(handle: entry.handle, type: entry.type))
        return true
    }

    private mutating func appendValue(_ value: HandleValue) -> Bool {
        guard cursor.pass(value.handle, upTo: value.handle) else { return false }
        values.append(value)
        return true
    }
}

extension BluetoothUUID {
    /// The UUID in the value of a declaration: 2 or 16 octets.
    init?(attributeValue value: [UInt8]) {
        guard value.count == 2 || value.count == 16 else { return nil }
        guard let uuid = try? BluetoothUUID(decoding: value.span) else { return nil }
        self = uuid
    }

    /// The UUID in wire format, least significant octet first.
    func octets(_ form: GATTProcedure.UUIDForm) -> [UInt8] {
        switch form {
        case .shortest: octets
        case .full: [UInt8](count: 16) { output in output.append(littleEndian: rawValue) }
        }
    }
}
