public import Octets

// Pairing, encryption and bonds.
extension Host {
    mutating func encryptionKeyRefreshed(
        _ event: HCI.EncryptionKeyRefreshComplete, at now: MonotonicInstant
    ) {
        guard let connection = connection(event.handle) else { return }
        connection.machines.security.encryptionKeyRefreshed(
            status: event.status.rawValue, toolbox: toolbox, at: now)
        drain(connection, at: now)
    }

    mutating func longTermKeyRequested(
        _ event: HCI.LELongTermKeyRequest, at now: MonotonicInstant
    ) {
        guard let connection = connection(event.handle), connection.life == .up else {
            submit(HCI.LELongTermKeyRequestNegativeReply(handle: event.handle), at: now)
            return
        }
        connection.machines.security.longTermKeyRequested(
            random: event.random, ediversifier: event.encryptedDiversifier)
        drain(connection, at: now)
    }

    mutating func encryptionChanged(
        _ handle: ConnectionHandle, _ status: HCIStatus, _ isEnabled: Bool, at now: MonotonicInstant
    ) {
        guard let connection = connection(handle) else { return }
        connection.machines.security.encryptionChanged(
            status: status.rawValue, isEnabled: isEnabled, toolbox: toolbox, at: now)
        drain(connection, at: now)
    }

    mutating func handle(
        _ output: SecurityManager.Output, of connection: HostConnection, at now: MonotonicInstant
    ) {
        let handle = connection.handle
        switch output {
        case .send(let payload): send(payload, on: .securityManager, of: connection, at: now)
        case .startEncryption(let key, let ediversifier, let random):
            connection.usesBondKey = bond(of: connection)?.peerLongTermKey?.value == key
            submit(
                HCI.LEEnableEncryption(
                    handle: handle, random: random, encryptedDiversifier: ediversifier,
                    longTermKey: key),
                at: now)
        case .replyLongTermKey(let key):
            connection.usesBondKey = bond(of: connection)?.localLongTermKey?.value == key
            submit(HCI.LELongTermKeyRequestReply(handle: handle, longTermKey: key), at: now)
        case .rejectLongTermKey:
            submit(HCI.LELongTermKeyRequestNegativeReply(handle: handle), at: now)
        case .ask(let question): outputs.append(.security(handle, .ask(question)))
        case .securityChanged(let security):
            if security.isEncrypted { encrypted(connection, at: now) }
            outputs.append(.security(handle, .changed(security)))
        case .paired(let bond): paired(bond, connection, at: now)
        case .failed(let failure):
            outputs.append(.security(handle, .failed(failure)))
            if failure == .tooManyRequests {
                terminate(connection, .authenticationFailure, at: now)
            }
        }
    }

    private mutating func encrypted(_ connection: HostConnection, at now: MonotonicInstant) {
        connection.machines.parameterRequests?.encrypted()
        let isFirst = connection.trust == .none
        if isFirst { connection.trust = .encrypted }
        if connection.usesBondKey { restoreConfiguration(of: connection, at: now) }
        if isFirst { showHiddenServices(to: connection, at: now) }
    }

    private mutating func paired(
        _ bond: Bond?, _ connection: HostConnection, at now: MonotonicInstant
    ) {
        if let bond, let fault = faultOfIdentity(in: bond, of: connection) {
            outputs.append(.security(connection.handle, .failed(fault)))
            terminate(connection, .authenticationFailure, at: now)
            return
        }
        let replacesBond = bond.map { bonds.index(of: $0.identityAddress) != nil } ?? false
        if let bond { store(bond, of: connection) }
        outputs.append(
            .security(
                connection.handle, .paired(isBonded: bond != nil, replacesBond: replacesBond)))
    }

    /// An unknown peer can claim any identity when it distributes its keys, after all questions about pairing
    /// have been answered. Whether it may replace an existing bond is decided as if its address had claimed
    /// that identity from the start.
    private func faultOfIdentity(
        in bond: Bond, of connection: HostConnection
    ) -> SecurityManager.Failure? {
        if isTaken(bond, on: connection) { return .identityNotItsOwn }
        guard connection.description.peerIdentity != bond.identityAddress,
            let earlier = bonds.record(of: bond.identityAddress)
        else { return nil }
        let security = connection.machines.security.configuration
        // If the user has to allow every pairing, this one was allowed.
        if security.rePairing == .never { return .rePairingRefused }
        return bond.isWeaker(than: earlier.bond) && !security.allowsWeakerBond
            ? .weakerThanBond : nil
    }

    /// Whether the identity in a new bond is this device's own, or comes from a Central with the identity resolving key
    /// of another bond. Every device that has bonded with a phone knows that key of it, and with a second bond its
    /// private addresses would no longer tell which of the two it is. Peripherals may share a key, because some stacks
    /// give all of theirs the same; a Central accepts that, as an iPhone does.
    private func isTaken(_ bond: Bond, on connection: HostConnection) -> Bool {
        if bond.identityAddress == configuration.identityAddress { return true }
        guard connection.description.role == .peripheral, let key = bond.identityResolvingKey,
            key != 0
        else { return false }
        return bonds.contains { record in
            record.bond.identityResolvingKey == key
                && record.bond.identityAddress != bond.identityAddress
        }
    }

    /// Encryption with the keys of the bond proves the peer's identity: its configuration applies again. Core
    /// Vol 3, Part G, 2.5.2.
    private mutating func restoreConfiguration(
        of connection: HostConnection, at now: MonotonicInstant
    ) {
        guard connection.trust != .proven,
            let record = bonds.record(of: connection.description.peerIdentity)
        else { return }
        connection.trust = .proven
        setUsedLast(record)
        var client = record.clientConfiguration
        // What it wrote on this link, before it proved its identity, is newer.
        let written = connection.machines.bearer.clientConfiguration
        for descriptor in written.descriptors { client[descriptor.handle] = descriptor.value }
        if !written.supportedFeatures.isEmpty {
            client.supportedFeatures = written.supportedFeatures
        }
        connection.machines.bearer.restore(client, table: table, at: now)
        let restored = connection.machines.bearer.clientConfiguration
        keep(restored, of: connection)
    }

    private func bond(of connection: HostConnection) -> Bond? {
        bonds.record(of: connection.description.peerIdentity)?.bond
    }

    private mutating func store(_ bond: Bond, of connection: HostConnection) {
        // The configuration that an unknown peer wrote before it bonded is kept; that of an earlier bond of
        // the same peer is dropped with that bond.
        let record = BondRecord(
            bond: bond, clientConfiguration: connection.machines.bearer.clientConfiguration)
        bonds.removeAll { $0.bond.identityAddress == bond.identityAddress }
        bonds.append(record)
        makeRoomForBonds()
        resolver.removeAll()
        connection.description.peerIdentity = bond.identityAddress
        connection.trust = .proven
        outputs.append(.bondChanged(record))
    }

    /// Removes the bonds whose last use was longest ago, first those of peers without a link.
    private mutating func makeRoomForBonds() {
        while bonds.count > max(1, configuration.maximumBonds) {
            let index = bonds.dropLast().firstIndex { record in
                !connections.contains { connection in
                    connection.trust == .proven
                        && connection.description.peerIdentity == record.bond.identityAddress
                }
            }
            bonds.remove(at: index ?? bonds.startIndex)
        }
    }

    /// The bonds are sorted by their last use.
    private mutating func setUsedLast(_ record: BondRecord) {
        guard let index = bonds.firstIndex(of: record), index != bonds.indices.last else { return }
        bonds.append(bonds.remove(at: index))
        outputs.append(.bondChanged(record))
    }

    func makeSecurityManager(for link: LinkDescription, bond: Bond?) -> SecurityManager {
        let role = SecurityManager.Role(link.role)
        return SecurityManager(
            configuration: configuration.security(as: role), role: role,
            localAddress: link.localAddress, peerAddress: link.peerAddress, bond: bond,
            throttle: throttles[link.peerIdentity ?? link.peerAddress])
    }

    /// The bond of a peer, by identity address or by resolving a private address; `nil` if there is none.
    mutating func bondRecord(of address: DeviceAddress) -> BondRecord? {
        let identity = resolver.identity(of: address, among: bonds, using: toolbox)
        return bonds.record(of: identity)
    }

    // MARK: What the owner wants

    /// Sets whether Centrals that connect to this device may pair, within the limits of
    /// ``SecurityConfiguration/pairing``. A pairing in progress continues. Core Vol 3, Part C, 9.4.2 and
    /// 9.4.3.
    public mutating func setPairable(_ isPairable: Bool) {
        configuration.isPairable = isPairable
        for connection in connections {
            let role = SecurityManager.Role(connection.description.role)
            connection.machines.security.configuration = configuration.security(as: role)
        }
    }

    /// Calls the Security Manager of a link, and handles its outputs.
    private mutating func secure(
        _ handle: ConnectionHandle, at now: MonotonicInstant,
        _ body: (inout SecurityManager, AnySecurityToolbox) throws(SecurityManager.UsageError)
            -> Void
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        do throws(SecurityManager.UsageError) {
            try body(&connection.machines.security, toolbox)
        } catch { throw .security(error) }
        settle(connection, at: now)
    }

    /// Protects a link: the Central encrypts with the bond or pairs; the Peripheral requests it from the
    /// Central. `replacingBond` pairs even if there is a bond; with `asConfigured`, the configuration decides whether
    /// to ask the user first or to refuse. Throws ``HostUsageError``.
    public mutating func pair(
        _ handle: ConnectionHandle, replacingBond: Bool = false, asConfigured: Bool = false,
        at now: MonotonicInstant
    ) throws(HostUsageError) {
        try secure(handle, at: now) { security, toolbox throws(SecurityManager.UsageError) in
            try security.pair(replacingBond: replacingBond, asConfigured: asConfigured, at: now)
        }
    }

    /// Answers whether the numbers are equal, or whether the peer may pair.
    public mutating func confirmPairing(
        _ handle: ConnectionHandle, _ isConfirmed: Bool, at now: MonotonicInstant
    ) throws(HostUsageError) {
        try secure(handle, at: now) { security, toolbox throws(SecurityManager.UsageError) in
            try security.userConfirmed(isConfirmed, toolbox: toolbox, at: now)
        }
    }

    /// Answers with the passkey, 0 to 999,999.
    public mutating func enterPasskey(
        _ handle: ConnectionHandle, _ passkey: UInt32, at now: MonotonicInstant
    ) throws(HostUsageError) {
        try secure(handle, at: now) { security, toolbox throws(SecurityManager.UsageError) in
            try security.passkeyEntered(passkey, toolbox: toolbox, at: now)
        }
    }

    /// Cancels pairing, for the user.
    public mutating func cancelPairing(
        _ handle: ConnectionHandle, at now: MonotonicInstant
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        connection.machines.security.cancelPairing(at: now)
        settle(connection, at: now)
    }

    /// Removes the bond of a peer and ends its links; returns whether there was one. The owner has to remove
    /// what it has stored.
    @discardableResult
    public mutating func removeBond(identity: DeviceAddress, at now: MonotonicInstant) -> Bool {
        guard let index = bonds.index(of: identity) else { return false }
        bonds.remove(at: index)
        resolver.removeAll()
        for connection in connections where connection.description.peerIdentity == identity {
            terminate(connection, .remoteUserTerminatedConnection, at: now)
        }
        drainController(at: now)
        return true
    }

    /// Whether a peer has proven on this link that it is the bonded one: by encrypting with the keys of the
    /// bond, or by bonding.
    public func isProven(on handle: ConnectionHandle) -> Bool {
        connection(handle)?.trust == .proven
    }

    /// Whether the key that encrypts a link, or will encrypt it, is that of an existing bond.
    public func usesBondKey(on handle: ConnectionHandle) -> Bool {
        connection(handle)?.usesBondKey ?? false
    }

    /// The current protection of a link; `nil` if there is no such link.
    public func security(of handle: ConnectionHandle) -> LinkSecurity? {
        connection(handle)?.machines.security.security
    }
}

extension SecurityManager.Role {
    fileprivate init(_ role: LinkRole) { self = role == .central ? .initiator : .responder }
}
