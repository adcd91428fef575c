internal import BluetoothLE
internal import Octets

/// What is known of the services of a peer, for all clients: asked for once on a link.
struct PeerServices: Sendable {
    /// The primary services, once they are known.
    var uuids: [BluetoothUUID]?
    /// They have changed since they were asked for.
    var isOutdated = false
    /// Those that wait for them.
    var waiters: [ClientRequest.ID] = []
    /// Whether Service Changed was looked for.
    var isFollowed = false
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
        askForServices()
    }

    private mutating func askForServices() {
        services.isOutdated = false
        add(.findServices, .discoverPrimaryServices)
    }

    mutating func servicesFound(_ result: Result<GATTResult, GATTFailure>) {
        if case .success(.services(let found)) = result {
            // They changed while they were asked for.
            if services.isOutdated { return askForServices() }
            services.uuids = found.map(\.uuid)
        }
        for request in exchange(&services.waiters, with: []) {
            outputs.append(.servicesFound(request, services.uuids ?? []))
        }
    }

    /// Has the peer indicate when its services change, where it can. Core Vol 3, Part G, 7.1.
    mutating func followServices() {
        guard !exchange(&services.isFollowed, with: true) else { return }
        add(.findGenericAttribute, .discoverPrimaryServicesByUUID(.genericAttribute))
    }

    mutating func genericAttributeFound(_ result: Result<GATTResult, GATTFailure>) {
        guard case .success(.services(let services)) = result, let first = services.first else {
            return
        }
        add(.findServiceChanged(first.range), .discoverCharacteristics(first.range))
    }

    mutating func serviceChangedFound(
        _ result: Result<GATTResult, GATTFailure>, in range: AttributeHandleRange
    ) {
        guard case .success(.characteristics(let all)) = result,
            let index = all.firstIndex(where: { $0.uuid == .serviceChanged })
        else { return }
        let value = all[index].value
        services.serviceChanged = value
        let next = index + 1 < all.count ? all[index + 1].declaration : nil
        let last = next.map { AttributeHandle($0.rawValue - 1) } ?? range.last
        guard value < last else { return }
        let descriptors = AttributeHandleRange(AttributeHandle(value.rawValue + 1), last)
        add(.findServiceChangedConfiguration, .discoverDescriptors(descriptors))
    }

    mutating func configurationFound(_ result: Result<GATTResult, GATTFailure>) {
        guard case .success(.descriptors(let all)) = result,
            let descriptor = all.first(where: { $0.type == .clientCharacteristicConfiguration })
        else { return }
        // A peer that does not let a stranger subscribe is not worth pairing with for that.
        subscribe(
            .indication, at: descriptor.handle, by: .system, for: nil, pairs: false, isForced: false
        )
    }

    /// The range in which the services of the peer are not what they were, where a value says so.
    mutating func servicesChanged(
        by value: [UInt8], of attribute: AttributeHandle
    ) -> AttributeHandleRange? {
        guard services.serviceChanged == attribute else { return nil }
        services.uuids = nil
        services.isOutdated = true
        return RemoteDatabase.affectedRange(ofServiceChanged: value.span) ?? .all
    }
}
