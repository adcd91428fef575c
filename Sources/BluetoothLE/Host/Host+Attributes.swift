public import Octets

// Attributes: ours, and those of the peers.
extension Host {
    mutating func handle(
        _ output: ATTBearer.Output, of connection: HostConnection, at now: MonotonicInstant
    ) {
        switch output {
        case .send(let payload): send(payload, on: .attributeProtocol, of: connection, at: now)
        case .clientConfigurationChanged:
            let configuration = connection.bearer.clientConfiguration
            changeRecord(of: connection) { $0.clientConfiguration = configuration }
        case .event(let event):
            outputs.append(.attribute(connection.handle, event))
            // Core Vol 3, Part F, 3.3.3: only a new bearer, and so a new link, helps.
            if case .failed = event {
                terminate(connection, .remoteUserTerminatedConnection, at: now)
            }
        }
    }

    /// Changes what is stored about a bonded peer; a stranger has no record, and who only claims to
    /// be the peer changes nothing.
    mutating func changeRecord(
        of connection: HostConnection, _ change: (inout BondRecord) -> Void
    ) {
        guard connection.trust == .proven, let identity = connection.description.peerIdentity,
            let index = bonds.firstIndex(where: { $0.bond.identityAddress == identity })
        else { return }
        let before = bonds[index]
        change(&bonds[index])
        if bonds[index] != before { outputs.append(.bondChanged(bonds[index])) }
    }

    // MARK: As client

    /// Starts a procedure at the peer's server; exactly one `.completed` ends it.
    public mutating func start(
        _ procedure: GATTProcedure, on handle: ConnectionHandle, at now: MonotonicInstant
    ) throws(HostUsageError) -> ProcedureID {
        let connection = try existing(handle)
        let identifier: ProcedureID
        do throws(ATTBearer.UsageError) {
            identifier = try connection.bearer.start(procedure, at: now)
        } catch { throw .bearer(error) }
        settle(connection, at: now)
        return identifier
    }

    /// Writes a value of at most ATT_MTU - 3 octets at the peer's server, which does not answer.
    public mutating func writeWithoutResponse(
        _ value: [UInt8], to attribute: AttributeHandle, on handle: ConnectionHandle,
        at now: MonotonicInstant
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        do throws(ATTBearer.UsageError) {
            try connection.bearer.writeWithoutResponse(value, to: attribute)
        } catch { throw .bearer(error) }
        settle(connection, at: now)
    }

    /// The services of a bonded peer as they were last discovered, or `nil`.
    public func remoteDatabase(of handle: ConnectionHandle) -> RemoteDatabase? {
        guard let identity = connection(handle)?.description.peerIdentity else { return nil }
        return bonds.first { $0.bond.identityAddress == identity }?.remoteDatabase
    }

    /// Keeps the services of a peer with its bond, or forgets them; a stranger's are not kept.
    public mutating func keep(_ database: RemoteDatabase?, of handle: ConnectionHandle) {
        guard let connection = connection(handle) else { return }
        changeRecord(of: connection) { $0.remoteDatabase = database }
    }

    /// The effective ATT_MTU of a link in octets.
    public func mtu(of handle: ConnectionHandle) -> Int? { connection(handle)?.bearer.mtu }

    // MARK: As server

    /// Adds a service, after all others or where its declaration is wanted, and tells the connected
    /// clients that follow Service Changed; not `announcing` is what faulty servers do.
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

    /// Shows the service whose declaration has this handle to all links, or to encrypted ones only.
    public mutating func setHiddenUntilEncrypted(
        _ isHidden: Bool, serviceAt handle: AttributeHandle, at now: MonotonicInstant
    ) {
        guard let range = table.setHiddenUntilEncrypted(isHidden, serviceAt: handle) else { return }
        tableChanged(range, announcing: true, at: now) { $0.trust == .none }
    }

    /// An encrypted link sees what is hidden from others. A bonded client was told when it bonded, or is told
    /// by what became of its configuration; one that has looked again before it encrypted has found less.
    mutating func showHiddenServices(to connection: HostConnection, at now: MonotonicInstant) {
        guard !connection.usesBondKey || connection.bearer.hasMissedServices else { return }
        for range in table.hiddenRanges {
            connection.bearer.becameVisible(range, table: table, at: now)
        }
    }

    private mutating func tableChanged(
        _ range: AttributeHandleRange, announcing: Bool, at now: MonotonicInstant,
        for isConcerned: (HostConnection) -> Bool
    ) {
        table.updateDatabaseHash(using: toolbox)
        for connection in connections where isConcerned(connection) {
            connection.bearer.tableChanged(range, announcing: announcing, table: table, at: now)
            drain(connection, at: now)
        }
        drainController(at: now)
    }

    /// Notifies a value to a client that subscribed to it.
    public mutating func notify(
        _ value: [UInt8], of attribute: AttributeHandle, on handle: ConnectionHandle,
        at now: MonotonicInstant
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        do throws(ATTBearer.UsageError) {
            try connection.bearer.notify(
                value, of: attribute, table: table, security: connection.security.security)
        } catch { throw .bearer(error) }
        settle(connection, at: now)
    }

    /// Indicates a value to a client that subscribed to it; `.indicationConfirmed` follows.
    public mutating func indicate(
        _ value: [UInt8], of attribute: AttributeHandle, on handle: ConnectionHandle,
        at now: MonotonicInstant
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        do throws(ATTBearer.UsageError) {
            try connection.bearer.indicate(
                value, of: attribute, table: table, security: connection.security.security, at: now)
        } catch { throw .bearer(error) }
        settle(connection, at: now)
    }

    /// Answers a read or write of dynamic attributes; an error names the attribute that it is
    /// `refusing`, or else the first that was asked about.
    public mutating func respond(
        to token: ATTBearer.RequestToken, with result: Result<[UInt8], ATTErrorCode>,
        refusing attribute: AttributeHandle? = nil, on handle: ConnectionHandle,
        at now: MonotonicInstant
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        connection.bearer.respond(
            to: token, with: result, refusing: attribute, table: &table,
            security: connection.security.security)
        settle(connection, at: now)
    }

    /// What a client has configured, by the handles of the descriptors: on this link, and before it if it
    /// has proved to be the bonded peer that it says it is.
    public func clientConfiguration(of handle: ConnectionHandle) -> ClientConfiguration? {
        connection(handle)?.bearer.clientConfiguration
    }

    /// How many octets wait to be sent on a link: what a sender of many values should watch.
    public func queuedOctets(on handle: ConnectionHandle) -> Int { acl.queuedOctets(on: handle) }

    /// Whether a sender of many values should go on. Where this is `false`, `.linkHasRoom` follows as
    /// soon as little enough waits, unless the link ends.
    public func hasRoom(on handle: ConnectionHandle) -> Bool {
        acl.queuedOctets(on: handle) < configuration.roomThreshold
    }

    /// Tells who waits for room that there is some.
    mutating func tellOfRoom() {
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
