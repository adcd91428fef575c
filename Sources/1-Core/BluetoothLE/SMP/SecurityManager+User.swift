public import Octets

/// Inputs of the program and its user.
extension SecurityManager {
    /// Protects the link. The initiator encrypts with the bond, or pairs if there is none; the responder
    /// sends a Security Request. If the link is encrypted with too little protection, the initiator pairs; if
    /// it has enough, the responder does nothing.
    ///
    /// `replacingBond` pairs in any case, and replaces a bond: the owner's decision. With `asConfigured`, which is for
    /// other reasons to pair, the initiator asks the user or refuses, as ``SecurityConfiguration/pairing``
    /// and ``SecurityConfiguration/rePairing`` say. Throws ``UsageError``.
    public mutating func pair(
        replacingBond: Bool = false, asConfigured: Bool = false, at now: MonotonicInstant
    ) throws(UsageError) {
        switch state {
        case .idle: break
        case .busy: throw .busy
        case .closed: throw .closed
        }
        if let end = throttle.blockedUntil(at: now) { throw .tooSoon(until: end) }
        switch role {
        case .initiator:
            if !replacingBond, claimsBond, let bond {
                encrypt(with: bond, for: [], at: now)
            } else if !replacingBond, security.isEncrypted,
                suffices(security, for: configuration.authentication)
            {
                return
            } else if asConfigured {
                pairAsConfigured(at: now)
            } else {
                requestPairing(at: now)
            }
        case .responder:
            if !replacingBond, security.isEncrypted,
                suffices(security, for: configuration.authentication)
            {
                return
            }
            begin(.securityRequested, at: now)
            send(.securityRequest(configuration.authentication), at: now)
        }
    }

    /// The user entered the passkey that the peer displays, or the owner chose the one to display.
    public mutating func passkeyEntered(
        _ passkey: UInt32, toolbox: AnySecurityToolbox, at now: MonotonicInstant
    ) throws(UsageError) {
        guard passkey < 1_000_000 else { throw .passkeyOutOfRange }
        guard case .authenticating(let method) = procedure else { throw .notAsked }
        switch method {
        case .legacy(var pairing):
            guard pairing.awaitsPasskey else { throw .notAsked }
            let actions = pairing.start(temporaryKey: UInt128(passkey), toolbox: toolbox)
            perform(actions, of: .legacy(pairing), agreement: pairing.agreement, at: now)
        case .secureConnections(var pairing):
            guard pairing.awaitsPasskey else { throw .notAsked }
            let actions = pairing.start(passkey: passkey, toolbox: toolbox)
            perform(actions, of: .secureConnections(pairing), agreement: pairing.agreement, at: now)
        }
    }

    /// The user said whether the numbers are equal, or whether to pair with the peer.
    public mutating func userConfirmed(
        _ isConfirmed: Bool, toolbox: AnySecurityToolbox, at now: MonotonicInstant
    ) throws(UsageError) {
        switch procedure {
        case .awaitingConsent(let request):
            guard isConfirmed else { return refuse(.pairingNotSupported, at: now) }
            switch role {
            case .initiator: requestPairing(at: now)
            case .responder: respond(to: request, toolbox: toolbox, at: now)
            }
        case .authenticating(.secureConnections(var pairing)) where pairing.awaitsComparison:
            guard isConfirmed else { return refuse(.numericComparisonFailed, at: now) }
            let actions = pairing.numbersMatched(toolbox: toolbox)
            perform(actions, of: .secureConnections(pairing), agreement: pairing.agreement, at: now)
        case .securityRequested, .encrypting, .awaitingResponse, .authenticating,
            .awaitingEncryption, .distributing, nil:
            throw .notAsked
        }
    }

    /// The user cancelled. Does nothing without a pairing in progress.
    public mutating func cancelPairing(at now: MonotonicInstant) {
        switch procedure {
        case .securityRequested, .encrypting, nil: break
        case .awaitingResponse, .awaitingConsent, .awaitingEncryption, .distributing:
            refuse(.unspecified, as: .cancelled, at: now)
        case .authenticating(let method):
            let awaitsPasskey =
                switch method {
                case .legacy(let pairing): pairing.awaitsPasskey
                case .secureConnections(let pairing): pairing.awaitsPasskey
                }
            refuse(awaitsPasskey ? .passkeyEntryFailed : .unspecified, as: .cancelled, at: now)
        }
    }

    /// Whether a protection meets the requirements, as far as this device can meet them.
    func suffices(_ security: LinkSecurity, for requirements: AuthenticationRequirements) -> Bool {
        meetsRequirements(security)
            && (security.isAuthenticated || !requirements.contains(.mitmProtection)
                || configuration.ioCapability == .noInputNoOutput)
    }

    /// Whether a protection meets what the configuration requires of every key.
    func meetsRequirements(_ security: LinkSecurity) -> Bool {
        if security.keySize < configuration.minimumKeySize { return false }
        if configuration.requiresSecureConnections, !security.usesSecureConnections { return false }
        return security.isAuthenticated || configuration.requiredAuthentication != .always
    }
}
