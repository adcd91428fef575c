internal import BluetoothLE
internal import Octets

/// What is known of the services of a peer, for all clients: asked for once on a link.
struct PeerServices: Sendable {
    /// The primary services, once they are known.
    var uuids: [BluetoothUUID]?
    /// They have changed since they were asked for.
    var isOutdated = false
    /// How often they were asked for again, because they changed meanwhile.
    var repetitions = 0
    /// A peer whose services change whenever it is asked has shown enough.
    static let maximumRepetitions = 3
    /// Those that wait for them.
    var waiters: [ClientRequest.ID] = []
    /// Generic Attribute is discovered, and Service Changed subscribed to where it can be.
    var following = SharedProcedure.notWanted
    /// What came of it.
    var genericAttribute = Result<GATTResult, GATTFailure>.failure(.closed)
    /// The value handle of Service Changed, once it is known.
    var serviceChanged: AttributeHandle?
}

extension ClientID {
    /// The system itself, which asks for the services of peers on behalf of all clients, and keeps its
    /// wishes. Clients are counted from 1.
    static let system = ClientID(rawValue: 0)
}

// Which services the peer has, and when it has others.
extension PeerRequests {
    /// Finds the primary services of the peer; none where it does not answer.
    mutating func findServices(for request: ClientRequest.ID) {
        if let uuids = services.uuids { return outputs.append(.servicesFound(request, uuids)) }
        services.waiters.append(request)
        guard services.waiters.count == 1 else { return }
        followServices()
        services.repetitions = 0
        askForServices()
    }

    private mutating func askForServices() {
        services.isOutdated = false
        add(.findServices, .discoverPrimaryServices)
    }

    mutating func servicesFound(_ result: Result<GATTResult, GATTFailure>) {
        if case .success(.services(let found)) = result {
            let uuids = found.map(\.uuid)
            if !services.isOutdated {
                services.uuids = uuids
            } else if services.repetitions < PeerServices.maximumRepetitions {
                services.repetitions += 1
                return askForServices()
            }
            return tellWaiters(uuids)
        }
        tellWaiters(services.uuids ?? [])
    }

    private mutating func tellWaiters(_ uuids: [BluetoothUUID]) {
        for request in exchange(&services.waiters, with: []) {
            outputs.append(.servicesFound(request, uuids))
        }
    }

    /// Has the peer indicate when its services change, where it can: once, however many want it. What comes of it
    /// is the Generic Attribute service. Core Vol 3, Part G, 7.1.
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
        // A peer that does not let a stranger subscribe is not worth pairing with for that.
        subscribe(
            .indication, at: descriptor, by: .system, for: nil, pairs: false, isForced: false
        )
    }

    /// A peer that does not tell of changes has a Generic Attribute service all the same; one that does not
    /// answer any more has none.
    mutating func serviceChangedFollowed(_ result: Result<GATTResult, GATTFailure>) {
        switch result {
        case .failure(.transactionTimedOut), .failure(.closed): services.genericAttribute = result
        case .success, .failure(.errorResponse), .failure(.malformedResponse),
            .failure(.valueMismatch):
            break
        }
        for request in services.following.end() { complete(request, services.genericAttribute) }
    }

    /// The range in which the services of the peer are not what they were, where a value says so. One that
    /// says nothing sensible may mean anything.
    mutating func servicesChanged(by event: ATTBearer.ValueEvent) -> AttributeHandleRange? {
        // Service Changed is never notified. Core Vol 3, Part G, 7.1.
        guard case .indication(let attribute, let value) = event,
            services.serviceChanged == attribute
        else { return nil }
        services.uuids = nil
        services.isOutdated = true
        return RemoteDatabase.affectedRange(ofServiceChanged: value.span) ?? .all
    }
}

extension GATTProcedure {
    /// Discovers the Generic Attribute service. A client that starts it has the system follow Service Changed.
    static let discoverGenericAttribute = discoverDatabase(service: .genericAttribute)
}
