internal import BluetoothLE
internal import Octets

/// A service and whose it is.
struct OwnedService {
    let client: ClientID
    let range: AttributeHandleRange
}

// Attributes of ours, for several clients.
extension BluetoothSystem {
    /// Publishes a service of a client, which is told what peers do with it: after all others, or where its
    /// declaration is wanted. Peers that follow Service Changed are told, unless not `announcing`, as faulty
    /// servers do. It stays through resets of the controller.
    func addService(
        _ definition: ServiceDefinition, startingAt start: AttributeHandle? = nil,
        announcing: Bool = true, by client: ClientID
    ) throws(HostUsageError) -> ServiceHandles {
        let handles = try driver.input { host, now throws(HostUsageError) in
            try host.addService(definition, startingAt: start, announcing: announcing, at: now)
        }
        services.append(OwnedService(client: client, range: handles.range))
        return handles
    }

    /// Removes the service of a client whose declaration has this handle.
    func removeService(
        startingAt handle: AttributeHandle, announcing: Bool = true, by client: ClientID
    ) {
        let index = services.firstIndex { $0.client == client && $0.range.first == handle }
        guard let index else { return }
        services.remove(at: index)
        driver.input { host, now in
            host.removeService(startingAt: handle, announcing: announcing, at: now)
        }
    }

    /// Shows the service of a client whose declaration has this handle to all peers, or only to those whose
    /// link is encrypted.
    func setHiddenUntilEncrypted(
        _ isHidden: Bool, serviceAt handle: AttributeHandle, by client: ClientID
    ) {
        guard services.contains(where: { $0.client == client && $0.range.first == handle }) else {
            return
        }
        driver.input { host, now in
            host.setHiddenUntilEncrypted(isHidden, serviceAt: handle, at: now)
        }
    }

    func removeServices(of client: ClientID) {
        for service in services where service.client == client {
            removeService(startingAt: service.range.first, by: client)
        }
    }

    /// Notifies a value of at most ATT_MTU - 3 octets to a peer that subscribed to it; why that cannot be.
    @discardableResult
    func notify(
        _ value: [UInt8], of attribute: AttributeHandle, to peer: PeerIdentifier
    ) -> HostUsageError? {
        guard let handle = linksOfPeers[peer]?.handle else { return .unknownConnection }
        return driver.attempt { host, now throws(HostUsageError) in
            try host.notify(value, of: attribute, on: handle, at: now)
        }
    }

    /// Indicates a value to a peer that subscribed to it; `indicationConfirmed` follows. Why that cannot be.
    @discardableResult
    func indicate(
        _ value: [UInt8], of attribute: AttributeHandle, to peer: PeerIdentifier
    ) -> HostUsageError? {
        guard let handle = linksOfPeers[peer]?.handle else { return .unknownConnection }
        return driver.attempt { host, now throws(HostUsageError) in
            try host.indicate(value, of: attribute, on: handle, at: now)
        }
    }

    /// Whether a sender of many values should go on; `hasRoom` follows where this is false.
    func hasRoom(to peer: PeerIdentifier) -> Bool {
        guard let handle = linksOfPeers[peer]?.handle else { return false }
        return driver.query { $0.hasRoom(on: handle) }
    }

    /// Answers a read with the whole value, a write with no octets, either with an error, which names the
    /// attribute that it is `refusing`. An answer to who is gone is dropped.
    func respond(
        to token: ATTBearer.RequestToken, with result: Result<[UInt8], ATTErrorCode>,
        refusing attribute: AttributeHandle? = nil, of peer: PeerIdentifier
    ) {
        guard let link = linksOfPeers[peer] else { return }
        respond(to: token, with: result, refusing: attribute, on: link)
    }

    private func respond(
        to token: ATTBearer.RequestToken, with result: Result<[UInt8], ATTErrorCode>,
        refusing attribute: AttributeHandle? = nil, on link: SystemLink
    ) {
        driver.attempt { host, now throws(HostUsageError) in
            try host.respond(
                to: token, with: result, refusing: attribute, on: link.handle, at: now)
        }
    }

    /// What a peer has configured of our attributes, by the handles of the descriptors; `nil` where there is
    /// no link to it.
    func clientConfiguration(of peer: PeerIdentifier) -> ClientConfiguration? {
        linksOfPeers[peer].flatMap { link in
            driver.query { $0.clientConfiguration(of: link.handle) }
        }
    }

    // MARK: What peers do

    func serverEvent(_ event: ATTBearer.ServerEvent, of link: SystemLink) {
        switch event {
        case .subscriptionChanged(let attribute, let value):
            if let owner = owner(of: attribute) {
                tell(owner, .server(link.peer, event))
            } else {
                // The host's own services have nothing else to subscribe to.
                tell(.link(link.peer, .serviceChangedSubscribed(value.contains(.indication))))
            }
        case .readRequested(let token, let attribute):
            let isTold = owner(of: attribute).map { tell($0, .server(link.peer, event)) }
            if isTold != true { respond(to: token, with: .failure(.unlikelyError), on: link) }
        case .writeRequested(let token, let writes):
            writeRequested(token, writes, of: link)
        case .valueWritten(let attribute, _), .indicationConfirmed(let attribute):
            owner(of: attribute).map { _ = tell($0, .server(link.peer, event)) }
        case .accessDenied(let attribute, let code): accessDenied(attribute, code, to: link)
        }
    }

    /// All that one request writes has to be of one client: nobody else could answer for it.
    private func writeRequested(
        _ token: ATTBearer.RequestToken?, _ writes: [AttributeWrite], of link: SystemLink
    ) {
        let owners = Set(writes.map { owner(of: $0.handle) })
        if owners.count == 1, let owner = owners.first, let owner,
            tell(owner, .server(link.peer, .writeRequested(token, writes)))
        {
            return
        }
        if let token { respond(to: token, with: .failure(.unlikelyError), on: link) }
    }

    private func owner(of attribute: AttributeHandle) -> ClientID? {
        services.first { $0.range.contains(attribute) }?.client
    }
}
