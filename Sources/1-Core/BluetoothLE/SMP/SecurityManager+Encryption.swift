public import Octets

/// Inputs of the controller: encryption, and the keys for it. Core Vol 3, Part H, 2.4.4.
extension SecurityManager {
    /// `LE Long Term Key Request` arrived: the Central starts encryption.
    public mutating func longTermKeyRequested(random: UInt64, ediversifier: UInt16) {
        switch state {
        case .busy(.awaitingEncryption(let keys), _):
            guard role == .responder, random == 0, ediversifier == 0 else {
                return put(.rejectLongTermKey)
            }
            expectedSecurity = keys.agreement.security
            put(.replyLongTermKey(keys.sessionKey))
        case .idle, .busy(.securityRequested, _), .closed:
            replyFromBond(random: random, ediversifier: ediversifier)
        case .busy(.encrypting, _), .busy(.awaitingResponse, _), .busy(.awaitingConsent, _),
            .busy(.authenticating, _), .busy(.distributing, _):
            put(.rejectLongTermKey)
        }
    }

    private mutating func replyFromBond(random: UInt64, ediversifier: UInt16) {
        var failure = bond == nil ? Failure.bondMissing : .otherBondRequested
        if role == .responder, let bond, let key = bond.localLongTermKey, key.random == random,
            key.ediversifier == ediversifier
        {
            if meetsRequirements(bond.security) {
                expectedSecurity = bond.security
                return put(.replyLongTermKey(key.value))
            }
            failure = .bondTooWeak
        }
        put(.rejectLongTermKey)
        guard admitRequest() else { return }
        finish(state == .closed ? .closed : .idle, with: .failed(failure))
    }

    /// `Encryption Change` arrived; `status` is an HCI error code, 0 for success.
    public mutating func encryptionChanged(
        status: UInt8, isEnabled: Bool, toolbox: AnySecurityToolbox, at now: MonotonicInstant
    ) {
        if status == 0, isEnabled {
            linkEncrypted(toolbox: toolbox, at: now)
        } else if status == 0 {
            changeSecurity(to: LinkSecurity(isBonded: bond != nil))
        } else {
            encryptionFailed(status: status)
        }
    }

    /// `Encryption Key Refresh Complete` arrived: an encrypted link has a new key.
    public mutating func encryptionKeyRefreshed(
        status: UInt8, toolbox: AnySecurityToolbox, at now: MonotonicInstant
    ) { encryptionChanged(status: status, isEnabled: true, toolbox: toolbox, at: now) }

    private mutating func linkEncrypted(toolbox: AnySecurityToolbox, at now: MonotonicInstant) {
        // If we gave the controller no key, we do not know what protects the link.
        guard var security = exchange(&expectedSecurity, with: nil) else { return }
        security.isBonded = bond != nil
        changeSecurity(to: security)
        switch procedure {
        case .awaitingEncryption(let keys):
            distribute(keys, isFirst: role == .responder, toolbox: toolbox, at: now)
        case .encrypting(let requirements):
            state = .idle
            // The peer has proven its identity, so it may have the stronger keys that it asked for.
            if !suffices(security, for: requirements) { pairAsConfigured(at: now) }
        case .securityRequested: state = .idle
        case .awaitingResponse, .awaitingConsent, .authenticating, .distributing, nil: break
        }
    }

    /// The link ended; `status` is an HCI error code. With different keys on both sides, the first encrypted
    /// packet cannot be authenticated, which ends the link.
    public mutating func linkEnded(status: UInt8) {
        guard isEncryptingWithBond, let failure = Self.faultOfKeys(status) else { return }
        // A Central that has yet to encrypt can only have missed its key.
        if role == .responder, expectedSecurity == nil, failure != .peerLostBond { return }
        expectedSecurity = nil
        finish(.closed, with: .failed(failure))
    }

    /// Whether the first encryption with the keys of the bond is in progress, or was requested of the peer.
    private var isEncryptingWithBond: Bool {
        switch procedure {
        case .encrypting: true
        case .securityRequested: bond != nil
        // As responder, encryption is no procedure of this machine.
        case nil: bond != nil && expectedSecurity != nil && !security.isEncrypted
        case .awaitingResponse, .awaitingConsent, .authenticating, .awaitingEncryption,
            .distributing:
            false
        }
    }

    /// What an error code says about the peer's keys: PIN or Key Missing, Authentication Failure, Connection
    /// Terminated due to MIC Failure. Core Vol 1, Part F, 2.6, 2.5 and 2.61.
    private static func faultOfKeys(_ status: UInt8) -> Failure? {
        switch status {
        case 0x06: .peerLostBond
        case 0x05, 0x3D: .keysDiffer
        default: nil
        }
    }

    private mutating func encryptionFailed(status: UInt8) {
        let failure = Failure.encryptionFailed(HCIStatus(rawValue: status))
        let isOfBond = isEncryptingWithBond
        let wasExpected = exchange(&expectedSecurity, with: nil) != nil
        switch state {
        case .busy(.encrypting, _), .busy(.securityRequested, _):
            let fault = isOfBond ? Self.faultOfKeys(status) : nil
            finish(.idle, with: .failed(fault ?? failure))
        // Without a key that was given to the controller, its refusal was reported before.
        case .idle where wasExpected:
            let fault = isOfBond ? Self.faultOfKeys(status) : nil
            finish(.idle, with: .failed(fault ?? failure))
        case .busy(.awaitingEncryption, _): finish(.idle, with: .failed(failure))
        case .idle: break
        case .busy(.awaitingResponse, _), .busy(.awaitingConsent, _), .busy(.authenticating, _),
            .busy(.distributing, _), .closed:
            break
        }
    }

    mutating func changeSecurity(to security: LinkSecurity) {
        guard self.security != security else { return }
        self.security = security
        put(.securityChanged(security))
    }

    /// Requests encryption with the key of the bond, which must exist; only for the Central. An insufficient
    /// bond is not used: the peer could prove its identity with it, but would get no access.
    mutating func encrypt(
        with bond: Bond, for requirements: AuthenticationRequirements, at now: MonotonicInstant
    ) {
        guard let key = bond.peerLongTermKey, meetsRequirements(bond.security) else {
            return finish(.idle, with: .failed(.bondTooWeak))
        }
        begin(.encrypting(for: requirements), at: now)
        expectedSecurity = bond.security
        put(
            .startEncryption(
                longTermKey: key.value, ediversifier: key.ediversifier, random: key.random))
    }

    /// Sends our keys when it is our turn, and ends pairing once the peer has sent its keys.
    mutating func distribute(
        _ keys: KeyExchange, isFirst: Bool, toolbox: AnySecurityToolbox, at now: MonotonicInstant
    ) {
        var keys = keys
        if isFirst || keys.agreement.role == .initiator && keys.isPeerDone {
            for pdu in keys.localKeys(
                configuration.localKeys, localAddress: localAddress, toolbox: toolbox)
            { send(pdu, at: now) }
        }
        guard keys.isPeerDone else {
            proceed(to: .distributing(keys), at: now)
            return
        }
        throttle.recordSuccess()
        let bond = keys.bond(localAddress: localAddress, peerAddress: peerAddress)
        if let bond {
            self.bond = bond
            var security = security
            security.isBonded = true
            changeSecurity(to: security)
        }
        finish(.idle, with: .paired(bond))
    }
}
