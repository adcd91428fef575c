public import Octets

// Attributes: our server, and our client of the peers' servers.
extension Host {
    mutating func handle(
        _ output: ATTBearer.Output, of connection: HostConnection, at now: MonotonicInstant
    ) {
        switch output {
        case .send(let payload): send(payload, on: .attributeProtocol, of: connection, at: now)
        case .clientConfigurationChanged:
            let configuration = connection.machines.bearer.clientConfiguration
            keep(configuration, of: connection)
        case .event(let event):
            outputs.append(.attribute(connection.handle, event))
            // Core Vol 3, Part F, 3.3.3: the client needs a new bearer, and so a new link.
            if case .failed = event {
                terminate(connection, .remoteUserTerminatedConnection, at: now)
            }
        }
    }

    /// Stores what a bonded peer has configured at our server.
    mutating func keep(_ configuration: ClientConfiguration, of connection: HostConnection) {
        guard let index = recordIndex(of: connection),
            bonds[index].clientConfiguration != configuration
        else { return }
        bonds[index].clientConfiguration = configuration
        outputs.append(.bondChanged(bonds[index]))
    }

    /// The index of the stored record of a bonded peer. An unknown peer has none, and a peer that has not
    /// proven its identity has none either.
    private func recordIndex(of connection: HostConnection) -> Int? {
        guard connection.trust == .proven else { return nil }
        return bonds.index(of: connection.description.peerIdentity)
    }

    // MARK: As client

    /// Starts a procedure at the peer's server; exactly one `.completed` ends it. Throws ``HostUsageError``.
    public mutating func start(
        _ procedure: GATTProcedure, on handle: ConnectionHandle, at now: MonotonicInstant
    ) throws(HostUsageError) -> ProcedureID {
        let connection = try existing(handle)
        let identifier: ProcedureID
        do throws(ATTBearer.UsageError) {
            identifier = try connection.machines.bearer.start(procedure, at: now)
        } catch { throw .bearer(error) }
        settle(connection, at: now)
        return identifier
    }

    /// Writes a value of at most ATT_MTU - 3 octets with a Write Command, which has no response.
    public mutating func writeWithoutResponse(
        _ value: [UInt8], to attribute: AttributeHandle, on handle: ConnectionHandle,
        at now: MonotonicInstant
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        do throws(ATTBearer.UsageError) {
            try connection.machines.bearer.writeWithoutResponse(value, to: attribute)
        } catch { throw .bearer(error) }
        settle(connection, at: now)
    }

    /// The services of a bonded peer as last discovered; `nil` if none are stored.
    public func remoteDatabase(of handle: ConnectionHandle) -> RemoteDatabase? {
        bonds.record(of: connection(handle)?.description.peerIdentity)?.remoteDatabase
    }

    /// Stores the services of a bonded peer, or removes them for `nil`; does nothing for other peers.
    public mutating func keep(_ database: RemoteDatabase?, of handle: ConnectionHandle) {
        guard let connection = connection(handle), let index = recordIndex(of: connection),
            bonds[index].remoteDatabase != database
        else { return }
        bonds[index].remoteDatabase = database
        outputs.append(.bondChanged(bonds[index]))
    }

    /// The effective ATT_MTU of a link in octets; `nil` if there is no such link.
    public func mtu(of handle: ConnectionHandle) -> Int? { connection(handle)?.machines.bearer.mtu }

    // MARK: As server

    /// Adds a service, after all others or with its declaration at a given handle, and sends Service Changed
    /// to the connected clients that subscribed to it. `announcing: false` omits that, as faulty servers do.
    public mutating func addService(
        _ definition: ServiceDefinition, startingAt start: AttributeHandle? = nil,
        announcing: Bool = true, at now: MonotonicInstant
    ) throws(HostUsageError) -> ServiceHandles {
        let handles: ServiceHandles
        do throws(AttributeTable.UsageError) {
            handles = try table.add(definition, startingAt: start)
        } catch { throw .attributes(error) }
        let isHidden = definition.isHiddenUntilEncrypted
        tableChanged(handles.range, announcing: announcing, at: now) { connection in
            !isHidden || connection.trust != .none
        }
        return handles
    }

    /// Removes the service whose declaration has this handle, as it was added.
    public mutating func removeService(
        startingAt handle: AttributeHandle, announcing: Bool = true, at now: MonotonicInstant
    ) {
        let isHidden = table.isHidden(handle)
        guard let range = table.removeService(startingAt: handle) else { return }
        tableChanged(range, announcing: announcing, at: now) { connection in
            !isHidden || connection.trust != .none
        }
    }

    /// Makes the service whose declaration has this handle visible on all links, or only on encrypted ones.
    public mutating func setHiddenUntilEncrypted(
        _ isHidden: Bool, serviceAt handle: AttributeHandle, at now: MonotonicInstant
    ) {
        guard let range = table.setHiddenUntilEncrypted(isHidden, serviceAt: handle) else { return }
        tableChanged(range, announcing: true, at: now) { $0.trust == .none }
    }

    /// The link is encrypted, so the client can now see hidden services. A bonded client was informed when it
    /// bonded, or is informed by the restored configuration; one that discovered services again before it
    /// encrypted has missed them.
    mutating func showHiddenServices(to connection: HostConnection, at now: MonotonicInstant) {
        guard !connection.usesBondKey || connection.machines.bearer.hasMissedServices else {
            return
        }
        for range in table.hiddenRanges {
            connection.machines.bearer.becameVisible(range, table: table, at: now)
        }
    }

    private mutating func tableChanged(
        _ range: AttributeHandleRange, announcing: Bool, at now: MonotonicInstant,
        for isConcerned: (HostConnection) -> Bool
    ) {
        table.databaseHash = nil
        if !connections.isEmpty { updateHash() }
        for connection in connections where isConcerned(connection) {
            connection.machines.bearer.tableChanged(
                range, announcing: announcing, table: table, at: now)
            drain(connection, at: now)
        }
        drainController(at: now)
    }

    /// Computes the Database Hash for links. Not before there is one: a start would load a library of cryptography, and
    /// compute a hash for each service that is added.
    mutating func updateHash() {
        if table.databaseHash == nil { table.updateDatabaseHash(using: toolbox) }
    }

    /// Notifies a client of a value, if it has subscribed.
    public mutating func notify(
        _ value: [UInt8], of attribute: AttributeHandle, on handle: ConnectionHandle,
        at now: MonotonicInstant
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        do throws(ATTBearer.UsageError) {
            try connection.machines.bearer.notify(
                value, of: attribute, table: table, security: connection.machines.security.security)
        } catch { throw .bearer(error) }
        settle(connection, at: now)
    }

    /// Indicates a value to a client, if it has subscribed; `.indicationConfirmed` follows.
    public mutating func indicate(
        _ value: [UInt8], of attribute: AttributeHandle, on handle: ConnectionHandle,
        at now: MonotonicInstant
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        do throws(ATTBearer.UsageError) {
            try connection.machines.bearer.indicate(
                value, of: attribute, table: table, security: connection.machines.security.security,
                at: now)
        } catch { throw .bearer(error) }
        settle(connection, at: now)
    }

    /// Answers a read or write of dynamic attributes. An error refers to the attribute that is `refusing`, or
    /// else to the first one of the request.
    public mutating func respond(
        to token: ATTBearer.RequestToken, with result: Result<[UInt8], ATTErrorCode>,
        refusing attribute: AttributeHandle? = nil, on handle: ConnectionHandle,
        at now: MonotonicInstant
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        connection.machines.bearer.respond(
            to: token, with: result, refusing: attribute, table: &table,
            security: connection.machines.security.security)
        settle(connection, at: now)
    }

    /// What a client has configured, by descriptor handle: on this link and, if it has proven to be the
    /// bonded peer, before.
    public func clientConfiguration(of handle: ConnectionHandle) -> ClientConfiguration? {
        connection(handle)?.machines.bearer.clientConfiguration
    }

    /// How many octets are queued on a link.
    public func queuedOctets(on handle: ConnectionHandle) -> Int { acl.queuedOctets(on: handle) }

    /// Whether the queue of a link has room for more values. If not, `.linkHasRoom` follows as soon as it
    /// does, unless the link ends.
    public func hasRoom(on handle: ConnectionHandle) -> Bool {
        acl.queuedOctets(on: handle) < configuration.roomThreshold
    }

    /// Reports links that have room again.
    mutating func reportOfRoom() {
        guard waitingForRoom > 0 else { return }
        for connection in connections
        where connection.awaitsRoom && hasRoom(on: connection.handle) {
            setAwaitsRoom(false, of: connection)
            outputs.append(.link(connection.handle, .hasRoom))
        }
    }

    mutating func setAwaitsRoom(_ awaitsRoom: Bool, of connection: HostConnection) {
        guard exchange(&connection.awaitsRoom, with: awaitsRoom) != awaitsRoom else { return }
        waitingForRoom += awaitsRoom ? 1 : -1
    }
}
