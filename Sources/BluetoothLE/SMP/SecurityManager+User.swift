public import Octets

/// What the program and its user do.
extension SecurityManager {
    /// Protects the link: as initiator encrypts with the bond where it is strong enough, else pairs; as
    /// responder asks the Central for it. `anew` pairs even where there is a bond. Nothing happens where
    /// the link is already protected as well as the configuration asks.
    public mutating func pair(
        anew: Bool = false, at now: MonotonicInstant
    ) throws(UsageError) {
        if state == .closed { throw .closed }
        guard state == .idle else { throw .busy }
        if let end = throttle.blockedUntil(at: now) { throw .tooSoon(until: end) }
        switch role {
        case .initiator:
            if !anew, let bond, let key = bond.peerLongTermKey, isWorthUsing(bond) {
                encrypt(with: bond, key: key, at: now)
            } else {
                requestPairing(at: now)
            }
        case .responder:
            if !anew, security.isEncrypted,
                suffices(security, for: configuration.authentication)
            {
                return
            }
            state = .securityRequested
            send(.securityRequest(configuration.authentication), at: now)
        }
    }

    /// The user entered the six digits that the peer shows, or the owner chose those to show.
    public mutating func passkeyEntered(
        _ passkey: UInt32, toolbox: inout some SecurityToolbox, at now: MonotonicInstant
    ) throws(UsageError) {
        guard passkey < 1_000_000 else { throw .passkeyOutOfRange }
        guard case .authenticating(let method) = state else { throw .notAsked }
        switch method {
        case .legacy(var pairing):
            guard pairing.awaitsPasskey else { throw .notAsked }
            let actions = pairing.start(temporaryKey: UInt128(passkey), toolbox: &toolbox)
            perform(actions, of: .legacy(pairing), agreement: pairing.agreement, at: now)
        case .secureConnections(var pairing):
            guard pairing.awaitsPasskey else { throw .notAsked }
            let actions = pairing.start(passkey: passkey, toolbox: &toolbox)
            perform(actions, of: .secureConnections(pairing), agreement: pairing.agreement, at: now)
        }
    }

    /// The user said whether the numbers are equal, or whether the peer may pair.
    public mutating func userConfirmed(
        _ isConfirmed: Bool, toolbox: inout some SecurityToolbox, at now: MonotonicInstant
    ) throws(UsageError) {
        switch state {
        case .awaitingConsent(let request):
            guard isConfirmed else { return refuse(.pairingNotSupported, at: now) }
            switch role {
            case .initiator: requestPairing(at: now)
            case .responder: respond(to: request, toolbox: &toolbox, at: now)
            }
        case .authenticating(.secureConnections(var pairing)) where pairing.awaitsComparison:
            guard isConfirmed else { return refuse(.numericComparisonFailed, at: now) }
            let actions = pairing.numbersMatched(toolbox: toolbox)
            perform(actions, of: .secureConnections(pairing), agreement: pairing.agreement, at: now)
        case .idle, .securityRequested, .encrypting, .awaitingResponse, .authenticating,
            .awaitingEncryption, .distributing, .closed:
            throw .notAsked
        }
    }

    /// The user gave up. Where no pairing is under way, nothing happens.
    public mutating func cancelPairing(at now: MonotonicInstant) {
        switch state {
        case .idle, .closed, .securityRequested, .encrypting: break
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

    /// Whether to encrypt with a bond rather than to pair. One without protection against a man in the
    /// middle is what became of asking for it, so asking again helps only where a link that has it
    /// already needs more.
    private func isWorthUsing(_ bond: Bond) -> Bool {
        let isDemanded = security.isEncrypted || configuration.requiresAuthentication
        return suffices(
            bond.security, for: isDemanded ? configuration.authentication : .bonding)
    }

    /// Whether a protection is what requirements ask for, as far as we can give it at all.
    func suffices(
        _ security: LinkSecurity, for requirements: AuthenticationRequirements
    ) -> Bool {
        if security.keySize < configuration.minimumKeySize { return false }
        if configuration.requiresSecureConnections, !security.usesSecureConnections {
            return false
        }
        return security.isAuthenticated || !requirements.contains(.mitmProtection)
            || configuration.ioCapability == .noInputNoOutput
    }
}
