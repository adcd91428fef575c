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

/// Discovers services by Read By Group Type, or by Find By Type Value. Core Vol 3, Part G, 4.4.
struct ServiceSearch: Sendable {
    private let type: BluetoothUUID
    private let wanted: (uuid: BluetoothUUID, octets: [UInt8])?
    private var cursor = HandleCursor(.all)
    private var services: [RemoteDatabase.Service] = []

    init(_ type: BluetoothUUID) {
        self.type = type
        wanted = nil
    }

    init(_ type: BluetoothUUID, uuid: BluetoothUUID, form: GATTProcedure.UUIDForm) {
        self.type = type
        wanted = (uuid, uuid.octets(form))
    }

    mutating func advance(_ event: GATTOperation.Event) -> GATTOperation.Step {
        switch event {
        case .started: return next()
        case .response(.readByGroupTypeResponse(let groups)):
            for group in groups {
                guard let uuid = BluetoothUUID(attributeValue: group.value),
                    append(group.range, uuid)
                else { return .malformed }
            }
            return next()
        case .response(.findByTypeValueResponse(let ranges)):
            guard let wanted else { return .malformed }
            for range in ranges {
                guard append(range, wanted.uuid) else { return .malformed }
            }
            return next()
        case .response(.errorResponse(_, _, .attributeNotFound)):
            return .finish(.success(.services(services)))
        case .response(.errorResponse(_, let handle, let code)): return .failure(code, handle)
        case .response, .malformedResponse: return .malformed
        }
    }

    private mutating func append(_ range: AttributeHandleRange, _ uuid: BluetoothUUID) -> Bool {
        guard cursor.pass(range.first, upTo: range.last) else { return false }
        services.append(
            RemoteDatabase.Service(range: range, uuid: uuid, isPrimary: type == .primaryService))
        return true
    }

    private func next() -> GATTOperation.Step {
        guard !cursor.isOverLimit else { return .tooManyResults }
        guard let rest = cursor.rest else { return .finish(.success(.services(services))) }
        guard let wanted else { return .send(.readByGroupTypeRequest(rest, type: type)) }
        return .send(
            .findByTypeValueRequest(rest, type: type.shortValue ?? 0, value: wanted.octets))
    }
}

/// Finds included services; a 128-bit UUID is read from the declaration of the service. Core Vol 3, Part G,
/// 4.5.1.
struct IncludedServiceSearch: Sendable {
    private var cursor: HandleCursor
    private var found: [RemoteDatabase.IncludedService] = []
    /// Includes without a UUID, in order; that of the first is being read.
    private var unnamed = Queue<Int>()

    init(_ range: AttributeHandleRange) {
        cursor = HandleCursor(range)
    }

    mutating func advance(_ event: GATTOperation.Event) -> GATTOperation.Step {
        switch event {
        case .started: return next()
        case .response(.readByTypeResponse(let values)):
            for value in values {
                guard append(value) else { return .malformed }
            }
            return next()
        case .response(.readResponse(let value)):
            guard let index = unnamed.popFirst(), value.count == 16,
                let uuid = BluetoothUUID(attributeValue: value)
            else { return .malformed }
            found[index].uuid = uuid
            return next()
        case .response(.errorResponse(.readByTypeRequest, _, .attributeNotFound)):
            return .finish(.success(.includedServices(found)))
        case .response(.errorResponse(_, let handle, let code)): return .failure(code, handle)
        case .response, .malformedResponse: return .malformed
        }
    }

    private mutating func append(_ entry: HandleValue) -> Bool {
        var rest = entry.value.span
        guard entry.value.count == 6 || entry.value.count == 4,
            cursor.pass(entry.handle, upTo: entry.handle),
            let range = try? rest.take() as AttributeHandleRange, range.isValid
        else { return false }
        var uuid = BluetoothUUID(UInt16(0))
        if rest.isEmpty {
            unnamed.append(found.count)
        } else {
            guard let short = try? rest.takeUInt16() else { return false }
            uuid = BluetoothUUID(short)
        }
        found.append(
            RemoteDatabase.IncludedService(declaration: entry.handle, range: range, uuid: uuid))
        return true
    }

    private func next() -> GATTOperation.Step {
        guard !cursor.isOverLimit else { return .tooManyResults }
        if let index = unnamed.first { return .send(.readRequest(found[index].range.first)) }
        guard let rest = cursor.rest else { return .finish(.success(.includedServices(found))) }
        return .send(.readByTypeRequest(rest, type: .include))
    }
}

/// Discovers characteristic declarations. Core Vol 3, Part G, 4.6.
struct CharacteristicSearch: Sendable {
    private let wanted: BluetoothUUID?
    private var cursor: HandleCursor
    private var found: [RemoteDatabase.Characteristic] = []

    init(_ range: AttributeHandleRange, uuid: BluetoothUUID? = nil) {
        wanted = uuid
        cursor = HandleCursor(range)
    }

    mutating func advance(_ event: GATTOperation.Event) -> GATTOperation.Step {
        switch event {
        case .started: return next()
        case .response(.readByTypeResponse(let values)):
            for value in values {
                guard append(value) else { return .malformed }
            }
            return next()
        case .response(.errorResponse(_, _, .attributeNotFound)): return finish()
        case .response(.errorResponse(_, let handle, let code)): return .failure(code, handle)
        case .response, .malformedResponse: return .malformed
        }
    }

    private mutating func append(_ entry: HandleValue) -> Bool {
        var rest = entry.value.span
        guard cursor.pass(entry.handle, upTo: entry.handle),
            let properties = try? rest.takeUInt8(), let value = try? rest.take() as AttributeHandle,
            value > entry.handle, let uuid = try? rest.takeRestAsUUID()
        else { return false }
        found.append(
            RemoteDatabase.Characteristic(
                declaration: entry.handle, value: value,
                properties: CharacteristicProperties(rawValue: properties), uuid: uuid))
        return true
    }

    private func next() -> GATTOperation.Step {
        guard !cursor.isOverLimit else { return .tooManyResults }
        guard let rest = cursor.rest else { return finish() }
        return .send(.readByTypeRequest(rest, type: .characteristic))
    }

    private func finish() -> GATTOperation.Step {
        guard let wanted else { return .finish(.success(.characteristics(found))) }
        return .finish(.success(.characteristics(found.filter { $0.uuid == wanted })))
    }
}

/// Discovers descriptors by Find Information. Core Vol 3, Part G, 4.7.1.
struct DescriptorSearch: Sendable {
    private var cursor: HandleCursor
    private var found: [RemoteDatabase.Descriptor] = []

    init(_ range: AttributeHandleRange) {
        cursor = HandleCursor(range)
    }

    mutating func advance(_ event: GATTOperation.Event) -> GATTOperation.Step {
        switch event {
        case .started: return next()
        case .response(.findInformationResponse(let entries)):
            for entry in entries {
                guard cursor.pass(entry.handle, upTo: entry.handle) else { return .malformed }
                found.append(RemoteDatabase.Descriptor(handle: entry.handle, type: entry.type))
            }
            return next()
        case .response(.errorResponse(_, _, .attributeNotFound)):
            return .finish(.success(.descriptors(found)))
        case .response(.errorResponse(_, let handle, let code)): return .failure(code, handle)
        case .response, .malformedResponse: return .malformed
        }
    }

    private func next() -> GATTOperation.Step {
        guard !cursor.isOverLimit else { return .tooManyResults }
        guard let rest = cursor.rest else { return .finish(.success(.descriptors(found))) }
        return .send(.findInformationRequest(rest))
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
