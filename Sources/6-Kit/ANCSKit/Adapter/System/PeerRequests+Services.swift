internal import BluetoothLE
internal import LinuxIO
/// What is known of a peer's services, for all clients: discovered once per link.
struct PeerServices: Sendable {
    /// The primary services; `nil` until they are known.
    var uuids: [BluetoothUUID]?
    /// Whether they have changed since they were requested.
    var isOutdated = false
    /// How often they were requested again because they changed meanwhile.
    var repetitions = 0
    /// The limit of repetitions, for a peer whose services change at every request.
    static let maximumRepetitions = 3
    /// The requests that wait for them.
    var waiters: [ClientRequest.ID] = []
    /// Discovering Generic Attribute and subscribing to Service Changed, if possible.
    var following = SharedProcedure.notWanted
    /// The result of that.
    var genericAttribute = Result<GATTResult, GATTFailure>.failure(.closed)
    /// The value handle of Service Changed; `nil` until it is known.
    var serviceChanged: AttributeHandle?
}

extension ClientID {
    /// The system itself, which discovers the services of peers for all clients and keeps its own
    /// subscriptions. Clients are counted from 1.
    static let system = ClientID(rawValue: 0)
}

// The services of a peer, and their changes.
extension PeerRequests {
    /// Discovers the primary services of the peer; the result is empty if it does not answer. `isWatching` says that
    /// the peer is watched only: nothing is subscribed to, and no refusal is a reason to pair.
    mutating func findServices(for request: ClientRequest.ID, isWatching: Bool = false) {
        if let uuids = services.uuids { return outputs.append(.servicesFound(request, uuids)) }
        services.waiters.append(request)
        if !isWatching { followServices() }
        guard services.waiters.count == 1 else { return }
        services.repetitions = 0
        askForServices()
    }

    private mutating func askForServices() {
        services.isOutdated = false
        add(.findServices, .discoverPrimaryServices, pairs: !services.following.isNotWanted)
    }

    mutating func servicesFound(_ result: Result<GATTResult, GATTFailure>) {
        if case .success(.services(let found)) = result {
            let uuids = found.map(\.uuid)
            if !services.isOutdated {
                // Without Service Changed they may be others at the next request.
                services.uuids = services.following.isNotWanted ? nil : uuids
            } else if services.repetitions < PeerServices.maximumRepetitions {
                services.repetitions += 1
                return askForServices()
            }
            return reportWaiters(uuids)
        }
        reportWaiters(services.uuids ?? [])
    }

    private mutating func reportWaiters(_ uuids: [BluetoothUUID]) {
        for request in exchange(&services.waiters, with: []) {
            outputs.append(.servicesFound(request, uuids))
        }
    }

    /// Subscribes to Service Changed, if the peer has it: once, for any number of requests. The result is the
    /// Generic Attribute service. Core Vol 3, Part G, 7.1.
    mutating func followServices(for request: ClientRequest? = nil) {
        switch services.following.join(request) {
        case .begins: add(.discoverGenericAttribute, .discoverGenericAttribute, pairs: false)
        case .waits: break
        case .isLate: complete(request, services.genericAttribute)
        }
    }

    mutating func genericAttributeDiscovered(_ result: Result<GATTResult, GATTFailure>) {
        services.genericAttribute = result
        guard case .success(.database(let database)) = result,
            let characteristic = database.service(.genericAttribute)?
                .characteristic(.serviceChanged)
        else { return serviceChangedFollowed(result) }
        services.serviceChanged = characteristic.value
        guard let descriptor = characteristic.configuration else {
            return serviceChangedFollowed(result)
        }
        // If the peer refuses the subscription without pairing, it is not worth pairing for.
        subscribe(.indication, at: descriptor, by: .system, for: nil, pairs: false, isForced: false)
    }

    /// A peer without Service Changed still has a Generic Attribute service; one that no longer answers has
    /// none.
    mutating func serviceChangedFollowed(_ result: Result<GATTResult, GATTFailure>) {
        switch result {
        case .failure(.transactionTimedOut), .failure(.closed): services.genericAttribute = result
        case .success, .failure(.errorResponse), .failure(.malformedResponse),
            .failure(.tooManyResults), .failure(.valueMismatch):
            break
        }
        for request in services.following.end() { complete(request, services.genericAttribute) }
    }

    /// The range in which the services of the peer have changed, if the event is a Service Changed
    /// indication. A malformed one covers everything.
    mutating func servicesChanged(by event: ATTBearer.ValueEvent) -> AttributeHandleRange? {
        // Service Changed is never notified. Core Vol 3, Part G, 7.1.
        guard case .indication(let attribute, let value) = event,
            services.serviceChanged == attribute
        else { return nil }
        services.uuids = nil
        services.isOutdated = true
        return RemoteDatabase.affectedRange(ofServiceChanged: value.span) ?? .all
    }

    /// The attributes in this range are gone, whatever is found there next: subscriptions ended with their
    /// descriptors, and a value that has not been written yet would reach another attribute. Such requests
    /// fail with *Invalid Handle*, as the peer would answer. Core Vol 3, Part G, 7.1.
    mutating func forgetAttributes(in range: AttributeHandleRange) {
        let gone = { (attribute: AttributeHandle) in
            Result<GATTResult, GATTFailure>.failure(.errorResponse(.invalidHandle, attribute))
        }
        // The outcome of a write that the bearer has started says nothing about the next subscription.
        for index in running.indices {
            guard case .configure(let descriptor, _) = running[index].job.purpose,
                range.contains(descriptor)
            else { continue }
            running[index].job.abandon()
        }
        let unsent = waiting + unprotected.map(\.job)
        waiting.removeAll { $0.procedure.writes(in: range) }
        unprotected.removeAll { $0.job.procedure.writes(in: range) }
        for job in unsent {
            guard case .request(let request) = job.purpose,
                let attribute = job.procedure.writtenAttribute, range.contains(attribute)
            else { continue }
            complete(request, gone(attribute))
        }
        for descriptor in subscriptions.keys.sorted(byNumber: \.rawValue)
        where range.contains(descriptor) {
            let waiters = subscriptions.removeValue(forKey: descriptor)?.waiters ?? []
            for waiter in waiters { end(waiter, gone(descriptor)) }
        }
        if let serviceChanged = services.serviceChanged, range.contains(serviceChanged) {
            services.following.repeatIfDone()
        }
    }
}

extension GATTProcedure {
    /// The attribute that it writes; `nil` if it only reads.
    fileprivate var writtenAttribute: AttributeHandle? {
        switch self {
        case .writeValue(let attribute, _), .writeLongValue(let attribute, _, _): attribute
        case .exchangeMTU, .discoverPrimaryServices, .discoverPrimaryServicesByUUID,
            .discoverSecondaryServices, .discoverIncludedServices, .discoverCharacteristics,
            .discoverDescriptors, .discoverDatabase, .readValue, .readLongValue, .readPart,
            .readByUUID, .readMultiple, .readMultipleVariable:
            nil
        }
    }

    fileprivate func writes(in range: AttributeHandleRange) -> Bool {
        writtenAttribute.map(range.contains) ?? false
    }
}

extension GATTProcedure {
    /// Discovers the Generic Attribute service. If a client starts this, the system also subscribes to
    /// Service Changed.
    static let discoverGenericAttribute = discoverDatabase(service: .genericAttribute)
}
