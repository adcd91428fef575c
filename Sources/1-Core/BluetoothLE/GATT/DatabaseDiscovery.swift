/// Discovers services with their contents: first the services, then the includes and characteristics in all
/// their handles, then the descriptors between the characteristics.
struct DatabaseDiscovery: Sendable {
    private enum Part: Sendable {
        case primaryServices
        case secondaryServices
        case includedServices
        case characteristics
        case descriptors(Place)
    }

    /// A range of handles that may hold descriptors.
    private struct Place: Sendable {
        var service: Int
        var characteristic: Int
        var range: AttributeHandleRange
    }

    private let wanted: BluetoothUUID?
    private var part = Part.primaryServices
    private var search: HandleSearch
    /// How many attributes all parts together have found.
    private var count = 0
    private var services: [RemoteDatabase.Service] = []
    /// Ranges whose characteristics are yet to be discovered, the next one last.
    private var spans: [AttributeHandleRange] = []
    /// Ranges whose descriptors are yet to be discovered, the next one last.
    private var places: [Place] = []

    init(service uuid: BluetoothUUID?) {
        wanted = uuid
        search = HandleSearch(
            uuid.map { .servicesByUUID($0, .shortest) } ?? .services(.primaryService))
    }

    mutating func advance(_ event: GATTOperation.Event) -> GATTOperation.Step {
        let step = search.advance(event)
        switch step {
        case .send: return step
        case .finish(.success(let result)): return partFound(result)
        case .finish(.failure(let failure)): return partFailed(failure)
        }
    }

    /// Few servers have secondary services or includes, and some refuse the requests for them.
    private mutating func partFailed(_ failure: GATTFailure) -> GATTOperation.Step {
        guard case .errorResponse = failure else { return .finish(.failure(failure)) }
        switch part {
        case .secondaryServices: return partFound(.services([]))
        case .includedServices: return partFound(.includedServices([]))
        case .primaryServices, .characteristics, .descriptors: return .finish(.failure(failure))
        }
    }

    private mutating func partFound(_ result: GATTResult) -> GATTOperation.Step {
        count += result.count
        guard count <= HandleCursor.maximumAttributes else { return .tooManyResults }
        switch (part, result) {
        case (.primaryServices, .services(let found)):
            services = found
            guard wanted == nil else {
                spans = found.reversed().map { $0.range }
                return nextSpan()
            }
            return start(.secondaryServices, HandleSearch(.services(.secondaryService)))
        case (.secondaryServices, .services(let found)):
            guard merge(found) else { return .malformed }
            guard let first = services.first, let last = services.last else { return finish() }
            spans = [AttributeHandleRange(first.range.first, last.range.last)]
            return start(.includedServices, HandleSearch(.includedServices, in: spans[0]))
        case (.includedServices, .includedServices(let found)):
            for included in found {
                guard let index = service(containing: included.declaration) else { continue }
                services[index].includedServices.append(included)
            }
            return nextSpan()
        case (.characteristics, .characteristics(let found)):
            for characteristic in found {
                guard let index = service(containing: characteristic.declaration) else { continue }
                services[index].characteristics.append(characteristic)
            }
            return nextSpan()
        case (.descriptors(let place), .descriptors(let found)):
            services[place.service].characteristics[place.characteristic].descriptors = found
            return nextPlace()
        default: return .malformed
        }
    }

    private mutating func start(_ part: Part, _ search: HandleSearch) -> GATTOperation.Step {
        self.part = part
        self.search = search
        return advance(.started)
    }

    private mutating func nextSpan() -> GATTOperation.Step {
        if let span = spans.popLast() {
            return start(.characteristics, HandleSearch(.characteristics(nil), in: span))
        }
        places = descriptorPlaces.reversed()
        return nextPlace()
    }

    private mutating func nextPlace() -> GATTOperation.Step {
        guard let place = places.popLast() else { return finish() }
        return start(.descriptors(place), HandleSearch(.descriptors, in: place.range))
    }

    private func finish() -> GATTOperation.Step {
        .finish(.success(.database(RemoteDatabase(services: services))))
    }

    /// The handles between each characteristic value and the next declaration, or the end of the service.
    private var descriptorPlaces: [Place] {
        var places = [Place]()
        for (serviceIndex, service) in services.enumerated() {
            for (index, characteristic) in service.characteristics.enumerated() {
                var last = service.range.last
                if index + 1 < service.characteristics.count {
                    let next = service.characteristics[index + 1].declaration
                    last = AttributeHandle(next.rawValue - 1)
                }
                let range = AttributeHandleRange(characteristic.value, last)
                guard let range = range.after(characteristic.value) else { continue }
                places.append(Place(service: serviceIndex, characteristic: index, range: range))
            }
        }
        return places
    }

    private func service(containing handle: AttributeHandle) -> Int? {
        let index = firstService(endingFrom: handle)
        return index < services.count && services[index].range.contains(handle) ? index : nil
    }

    /// The first service that does not end before a handle. They are in order, and may be thousands.
    private func firstService(endingFrom handle: AttributeHandle) -> Int {
        var (first, end) = (0, services.count)
        while first < end {
            let middle = (first + end) / 2
            if services[middle].range.last < handle { first = middle + 1 } else { end = middle }
        }
        return first
    }

    /// Merges secondary services into the primary ones; `false` if they overlap.
    private mutating func merge(_ found: [RemoteDatabase.Service]) -> Bool {
        for service in found {
            let place = firstService(endingFrom: service.range.first)
            if place < services.endIndex, services[place].range.first <= service.range.last {
                return false
            }
            services.insert(service, at: place)
        }
        return true
    }
}

extension GATTResult {
    /// How many attributes a part of the discovery has found.
    fileprivate var count: Int {
        switch self {
        case .services(let found): found.count
        case .includedServices(let found): found.count
        case .characteristics(let found): found.count
        case .descriptors(let found): found.count
        case .done, .mtu, .database, .value, .values: 0
        }
    }
}
