public import Octets

/// Inputs of the peer. Core Vol 3, Part H, 2.3 and 3.
extension SecurityManager {
    /// A PDU arrived on the Security Manager channel.
    public mutating func receive(
        _ pdu: Span<UInt8>, toolbox: AnySecurityToolbox, at now: MonotonicInstant
    ) {
        // Reserved codes are ignored (3.3), and so is everything after a timeout (3.4).
        guard state != .closed, !pdu.isEmpty, let code = SecurityManagerPDU.Code(rawValue: pdu[0])
        else { return }
        switch (code, role) {
        case (.pairingRequest, .initiator), (.pairingResponse, .responder),
            (.securityRequest, .responder):
            return reject(.commandNotSupported, at: now)
        case (_, .initiator), (_, .responder): break
        }
        let command: SecurityManagerPDU
        do {
            command = try SecurityManagerPDU(decoding: pdu)
        } catch {
            // Answering a malformed Pairing Failed could go back and forth without end.
            return code == .pairingFailed
                ? pairingFailed(.unspecified, at: now) : reject(.invalidParameters, at: now)
        }
        switch command {
        case .pairingRequest(let features): pairingRequested(features, toolbox: toolbox, at: now)
        case .pairingResponse(let features): pairingAnswered(features, toolbox: toolbox, at: now)
        case .pairingFailed(let reason): pairingFailed(reason, at: now)
        case .securityRequest(let requirements): securityRequested(requirements, at: now)
        case .keypressNotification: break
        case .pairingConfirm, .pairingRandom, .pairingPublicKey, .pairingDHKeyCheck:
            continueAuthentication(command, toolbox: toolbox, at: now)
        case .encryptionInformation, .centralIdentification, .identityInformation,
            .identityAddressInformation, .signingInformation:
            continueDistribution(command, toolbox: toolbox, at: now)
        }
    }

    /// Answers a command that is malformed or not allowed now. Without a pairing in progress, the owner is
    /// not informed.
    private mutating func reject(_ reason: PairingFailureReason, at now: MonotonicInstant) {
        switch state {
        case .idle, .busy(.securityRequested, _), .busy(.encrypting, _):
            put(.send(SecurityManagerPDU.pairingFailed(reason).octets))
        case .busy: refuse(reason, at: now)
        case .closed: break
        }
    }

    private mutating func pairingFailed(_ reason: PairingFailureReason, at now: MonotonicInstant) {
        switch procedure {
        case .encrypting, nil: break
        case .securityRequested where crossesEncryption(reason): break
        case .securityRequested, .awaitingResponse, .awaitingConsent, .authenticating,
            .awaitingEncryption, .distributing:
            if reason.isFailedGuess, hasGuesses { throttle.recordFailure(at: now) }
            expectedSecurity = nil
            finish(.idle, with: .failed(.refusedByPeer(reason)))
        }
    }

    /// Whether the peer's answer to the Security Request crosses its encryption with the keys of the bond. It
    /// was asked for what it is doing already, so this is no failure. If encryption does not follow, that is
    /// reported after its own timeout.
    private func crossesEncryption(_ reason: PairingFailureReason) -> Bool {
        if expectedSecurity != nil { return true }
        return bond != nil && (reason == .pairingNotSupported || reason == .brEdrPairingInProgress)
    }

    /// Whether anything was exchanged that could be a guess. Otherwise a peer could delay the device whose
    /// identity it claims, without an attempt to pair.
    private var hasGuesses: Bool {
        switch procedure {
        case .authenticating, .awaitingEncryption: true
        case .securityRequested, .encrypting, .awaitingResponse, .awaitingConsent, .distributing,
            nil:
            false
        }
    }

    /// Core Vol 3, Part H, 2.4.6: the Central encrypts with the bond, or pairs.
    private mutating func securityRequested(
        _ requirements: AuthenticationRequirements, at now: MonotonicInstant
    ) {
        guard state == .idle else { return }
        if security.isEncrypted, suffices(security, for: requirements) { return }
        guard admitRequest() else { return }
        guard throttle.blockedUntil(at: now) == nil else {
            return put(.send(SecurityManagerPDU.pairingFailed(.repeatedAttempts).octets))
        }
        if !security.isEncrypted, let bond, bond.peerLongTermKey != nil {
            encrypt(with: bond, for: requirements, at: now)
        } else {
            pairAsConfigured(at: now)
        }
    }

    /// Counts a request for keys that the peer could repeat without end. `false` if there were too many on
    /// this link: then nothing more is sent on it, and its owner has to end it.
    mutating func admitRequest() -> Bool {
        guard requests < Self.maximumRequests else {
            if !exchange(&hadTooManyRequests, with: true) {
                expectedSecurity = nil
                finish(.closed, with: .failed(.tooManyRequests))
            }
            return false
        }
        requests += 1
        return true
    }

    /// The link needs more protection, and no bond provides it.
    mutating func pairAsConfigured(at now: MonotonicInstant) {
        switch consent {
        case .never: refusePairing(at: now)
        case .ask: askConsent(to: ownFeatures, at: now)
        case .allow: requestPairing(at: now)
        }
    }

    /// What the configuration says about pairing with this peer. Only keys prove an identity; any device can
    /// use an address.
    private var consent: SecurityConfiguration.Consent {
        claimsBond ? configuration.rePairing : configuration.pairing
    }

    /// Whether there is a bond with which the peer could prove its identity, but has not.
    var claimsBond: Bool {
        guard let bond, !security.isEncrypted else { return false }
        switch role {
        case .initiator: return bond.peerLongTermKey != nil
        case .responder: return bond.localLongTermKey != nil
        }
    }

    /// Refuses to pair, and reports the attempt.
    mutating func refusePairing(at now: MonotonicInstant) {
        put(.send(SecurityManagerPDU.pairingFailed(.pairingNotSupported).octets))
        finish(.idle, with: .failed(claimsBond ? .rePairingRefused : .notPairable))
    }

    private var ownFeatures: PairingFeatures {
        PairingFeatures(
            ioCapability: configuration.ioCapability,
            outOfBandFlag: configuration.announcesOutOfBandData ? 1 : 0,
            authentication: configuration.authentication,
            maximumKeySize: UInt8(clamping: configuration.maximumKeySize),
            initiatorKeys: configuration.initiatorKeys, responderKeys: configuration.responderKeys)
    }

    private mutating func askConsent(to request: PairingFeatures, at now: MonotonicInstant) {
        begin(.awaitingConsent(request), at: now)
        put(.ask(.confirmPairing))
    }

    mutating func requestPairing(at now: MonotonicInstant) {
        let request = ownFeatures
        begin(.awaitingResponse(request), at: now)
        send(.pairingRequest(request), at: now)
    }

    private mutating func pairingRequested(
        _ request: PairingFeatures, toolbox: AnySecurityToolbox, at now: MonotonicInstant
    ) {
        guard admitRequest() else { return }
        switch procedure {
        case .awaitingResponse, .awaitingConsent, .authenticating, .awaitingEncryption,
            .distributing:
            return refuse(.unspecified, at: now)
        case .securityRequested, .encrypting, nil: break
        }
        guard throttle.blockedUntil(at: now) == nil else {
            return refuse(.repeatedAttempts, at: now)
        }
        switch consent {
        case .never: refusePairing(at: now)
        case .ask: askConsent(to: request, at: now)
        case .allow: respond(to: request, toolbox: toolbox, at: now)
        }
    }

    mutating func respond(
        to request: PairingFeatures, toolbox: AnySecurityToolbox, at now: MonotonicInstant
    ) {
        var response = ownFeatures
        response.initiatorKeys.formIntersection(request.initiatorKeys)
        response.responderKeys.formIntersection(request.responderKeys)
        guard let agreement = agree(request, response, peer: request, at: now) else { return }
        send(.pairingResponse(response), at: now)
        authenticate(agreement, toolbox: toolbox, at: now)
    }

    private mutating func pairingAnswered(
        _ response: PairingFeatures, toolbox: AnySecurityToolbox, at now: MonotonicInstant
    ) {
        guard case .awaitingResponse(let request) = procedure else {
            return reject(.unspecified, at: now)
        }
        guard let agreement = agree(request, response, peer: response, at: now) else { return }
        authenticate(agreement, toolbox: toolbox, at: now)
    }

    /// The agreement of both devices' features; `nil` if pairing was refused.
    private mutating func agree(
        _ request: PairingFeatures, _ response: PairingFeatures, peer: PairingFeatures,
        at now: MonotonicInstant
    ) -> PairingAgreement? {
        let agreement = PairingAgreement(
            role: role, request: request, response: response,
            initiator: role == .initiator ? localAddress : peerAddress,
            responder: role == .initiator ? peerAddress : localAddress,
            model: AssociationModel(request: request, response: response),
            keySize: Int(min(request.maximumKeySize, response.maximumKeySize)))
        do {
            try check(peer)
            try check(agreement)
        } catch {
            refuse(error, at: now)
            return nil
        }
        if configuration.requiredAuthentication != .none, !agreement.model.isAuthenticated {
            refuse(.authenticationRequirements, as: .notAuthenticated, at: now)
            return nil
        }
        if let bond, agreement.isWeaker(than: bond), !configuration.allowsWeakerBond {
            refuse(.authenticationRequirements, as: .weakerThanBond, at: now)
            return nil
        }
        return agreement
    }

    private func check(_ peer: PairingFeatures) throws(PairingFailureReason) {
        guard peer.ioCapability.isDefined, peer.outOfBandFlag <= 1, peer.maximumKeySize <= 16 else {
            throw .invalidParameters
        }
        guard peer.maximumKeySize >= 7 else { throw .encryptionKeySize }
    }

    private func check(_ agreement: PairingAgreement) throws(PairingFailureReason) {
        guard agreement.keySize >= configuration.minimumKeySize else { throw .encryptionKeySize }
        if configuration.requiresSecureConnections, !agreement.usesSecureConnections {
            throw .authenticationRequirements
        }
        if agreement.model == .outOfBand,
            agreement.usesSecureConnections || configuration.outOfBandKey == nil
        {
            throw .outOfBandNotAvailable
        }
    }

    /// Starts the second phase.
    private mutating func authenticate(
        _ agreement: PairingAgreement, toolbox: AnySecurityToolbox, at now: MonotonicInstant
    ) {
        guard !agreement.usesSecureConnections else {
            let pairing = SecureConnectionsPairing(
                agreement: agreement,
                keyPair: configuration.usesDebugKeys ? .debug : toolbox.makeKeyPair(),
                acceptsDebugKeys: configuration.acceptsDebugKeys || configuration.usesDebugKeys)
            return perform(
                pairing.start(), of: .secureConnections(pairing), agreement: agreement, at: now)
        }
        var pairing = LegacyPairing(agreement: agreement)
        switch agreement.model {
        case .passkeyEntry:
            proceed(to: .authenticating(.legacy(pairing)), at: now)
            askForPasskey(agreement, toolbox: toolbox, at: now)
        case .justWorks, .numericComparison, .outOfBand:
            let key = agreement.model == .outOfBand ? configuration.outOfBandKey ?? 0 : 0
            let actions = pairing.start(temporaryKey: key, toolbox: toolbox)
            perform(actions, of: .legacy(pairing), agreement: agreement, at: now)
        }
    }

    /// Displays the passkey, or asks the user to enter it.
    private mutating func askForPasskey(
        _ agreement: PairingAgreement, toolbox: AnySecurityToolbox, at now: MonotonicInstant
    ) {
        guard agreement.passkeyPart == .displays else { return put(.ask(.enterPasskey)) }
        let passkey: UInt32
        switch configuration.passkeySource {
        case .random: passkey = UInt32(truncatingIfNeeded: toolbox.random128() % 1_000_000)
        case .fixed(let fixed): passkey = fixed % 1_000_000
        case .chosenByOwner: return put(.ask(.choosePasskey))
        }
        put(.ask(.displayPasskey(passkey)))
        do {
            try passkeyEntered(passkey, toolbox: toolbox, at: now)
        } catch {
            preconditionFailure("the passkey was given outside passkey entry")
        }
    }

    private mutating func continueAuthentication(
        _ command: SecurityManagerPDU, toolbox: AnySecurityToolbox, at now: MonotonicInstant
    ) {
        guard case .authenticating(let method) = procedure else {
            return reject(.unspecified, at: now)
        }
        do {
            switch method {
            case .legacy(var pairing):
                let actions = try pairing.receive(command, toolbox: toolbox)
                perform(actions, of: .legacy(pairing), agreement: pairing.agreement, at: now)
            case .secureConnections(var pairing):
                let hadKeys = pairing.isPasskeyPossible
                let actions = try pairing.receive(command, toolbox: toolbox)
                perform(
                    actions, of: .secureConnections(pairing), agreement: pairing.agreement, at: now)
                if !hadKeys, pairing.awaitsPasskey {
                    askForPasskey(pairing.agreement, toolbox: toolbox, at: now)
                }
            }
        } catch { refuse(error, at: now) }
    }

    /// Carries out actions of the second phase.
    mutating func perform(
        _ actions: [PairingAction], of method: PairingMethod, agreement: PairingAgreement,
        at now: MonotonicInstant
    ) {
        proceed(to: .authenticating(method), at: now)
        for action in actions {
            switch action {
            case .send(let pdu): send(pdu, at: now)
            case .ask(let question): put(.ask(question))
            case .succeed(let key):
                let keys = KeyExchange(agreement: agreement, sessionKey: key)
                proceed(to: .awaitingEncryption(keys), at: now)
                guard role == .initiator else { continue }
                expectedSecurity = agreement.security
                put(.startEncryption(longTermKey: key, ediversifier: 0, random: 0))
            }
        }
    }

    private mutating func continueDistribution(
        _ command: SecurityManagerPDU, toolbox: AnySecurityToolbox, at now: MonotonicInstant
    ) {
        switch procedure {
        case .distributing(var keys):
            guard receive(command, as: &keys, at: now) else { return }
            distribute(keys, isFirst: false, toolbox: toolbox, at: now)
        case .awaitingEncryption(var keys) where mayBeAhead(keys):
            guard receive(command, as: &keys, at: now) else { return }
            proceed(to: .awaitingEncryption(keys), at: now)
        case .securityRequested, .encrypting, .awaitingResponse, .awaitingConsent, .authenticating,
            .awaitingEncryption, nil:
            reject(.unspecified, at: now)
        }
    }

    /// Whether the peer's keys may be ahead of the controller's event. They count only once the link is
    /// encrypted. The initiator sends its keys after those of the responder, which waits for the event itself.
    private func mayBeAhead(_ keys: KeyExchange) -> Bool {
        guard isEncryptionChanging else { return false }
        return switch role {
        case .initiator: true
        case .responder: keys.agreement.distributedKeys(of: .responder).isEmpty
        }
    }

    /// Adds a key of the peer; refuses pairing and returns `false` if it is not the next one.
    private mutating func receive(
        _ key: SecurityManagerPDU, as keys: inout KeyExchange, at now: MonotonicInstant
    ) -> Bool {
        do {
            try keys.receive(
                key, own: [configuration.localKeys.identityAddress ?? localAddress, localAddress])
            return true
        } catch {
            refuse(error, at: now)
            return false
        }
    }
}
