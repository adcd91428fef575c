internal import BluetoothLE

/// A service and the client that owns it.
struct OwnedService: Sendable {
    let client: ClientID
    let range: AttributeHandleRange
}

// Our own attributes, for several clients.
extension BluetoothSystem {
    /// Publishes a service of a client, after all others or with its declaration at a given handle; the
    /// client receives the events of peers that access it. Peers that subscribed to Service Changed are
    /// informed, except with `announcing: false`, which imitates faulty servers. Services remain through
    /// resets of the controller.
    mutating func addService(
        _ definition: ServiceDefinition, startingAt start: AttributeHandle?, announcing: Bool,
        by client: ClientID, at now: MonotonicInstant
    ) throws(HostUsageError) -> ServiceHandles {
        let handles = try host.addService(
            definition, startingAt: start, announcing: announcing, at: now)
        services.append(OwnedService(client: client, range: handles.range))
        return handles
    }

    /// Removes the service of a client whose declaration has this handle.
    mutating func removeService(
        startingAt handle: AttributeHandle, announcing: Bool, by client: ClientID,
        at now: MonotonicInstant
    ) {
        let index = services.firstIndex { $0.client == client && $0.range.first == handle }
        guard let index else { return }
        services.remove(at: index)
        host.removeService(startingAt: handle, announcing: announcing, at: now)
    }

    mutating func removeServices(of client: ClientID, at now: MonotonicInstant) {
        for service in services where service.client == client {
            removeService(startingAt: service.range.first, announcing: true, by: client, at: now)
        }
    }

    /// Makes the service of a client visible to all peers, or only to those whose link is encrypted.
    mutating func setHiddenUntilEncrypted(
        _ isHidden: Bool, serviceAt handle: AttributeHandle, by client: ClientID,
        at now: MonotonicInstant
    ) {
        guard services.contains(where: { $0.client == client && $0.range.first == handle }) else {
            return
        }
        host.setHiddenUntilEncrypted(isHidden, serviceAt: handle, at: now)
    }

    // MARK: What peers do

    mutating func serverEvent(
        _ event: ATTBearer.ServerEvent, of link: SystemLink, at now: MonotonicInstant
    ) {
        switch event {
        case .subscriptionChanged(let attribute, let value):
            if let owner = owner(of: attribute) {
                report(owner, .server(link.peer, event))
            } else {
                // The host's own services have nothing else to subscribe to.
                report(.link(link.peer, .serviceChangedSubscribed(value.contains(.indication))))
            }
        case .readRequested(let token, let attribute):
            guard let owner = owner(of: attribute) else { return refuse(token, on: link, at: now) }
            report(owner, .server(link.peer, event))
        case .writeRequested(let token, let writes):
            // All attributes that one request writes must belong to one client, which has to answer for all
            // of them.
            if let owner = writes.first.flatMap({ owner(of: $0.handle) }),
                writes.allSatisfy({ self.owner(of: $0.handle) == owner })
            {
                report(owner, .server(link.peer, event))
            } else if let token {
                refuse(token, on: link, at: now)
            }
        case .indicationConfirmed(let attribute) where owner(of: attribute) == nil:
            report(.link(link.peer, .serviceChangedConfirmed))
        case .valueWritten(let attribute, _), .indicationConfirmed(let attribute):
            if let owner = owner(of: attribute) { report(owner, .server(link.peer, event)) }
        case .accessDenied(_, let code):
            report(.server(link.peer, event))
            help(link, refusedFor: code, at: now)
        }
    }

    private mutating func refuse(
        _ token: ATTBearer.RequestToken, on link: SystemLink, at now: MonotonicInstant
    ) {
        try? host.respond(
            to: token, with: .failure(.unlikelyError), on: link.handle, at: now)
    }

    private func owner(of attribute: AttributeHandle) -> ClientID? {
        services.first { $0.range.contains(attribute) }?.client
    }
}
