/// The second phase of LE Secure Connections: public keys, authentication stage 1 by one of the models,
/// authentication stage 2. Core Vol 3, Part H, 2.3.5.6.
///
///     initiator                                   responder
///         Pairing Public Key(PKa) ──────────────────▶
///         ◀────────────────── Pairing Public Key(PKb)
///     Just Works, numeric comparison                         passkey, 20 times
///         ◀────────────────────── Pairing Confirm(Cb)            Pairing Confirm(Cai) ──▶
///         Pairing Random(Na) ───────────────────────▶            ◀── Pairing Confirm(Cbi)
///         ◀─────────────────────── Pairing Random(Nb)            Pairing Random(Nai) ───▶
///     the user compares                                          ◀─── Pairing Random(Nbi)
///         Pairing DHKey Check(Ea) ──────────────────▶
///         ◀────────────────── Pairing DHKey Check(Eb)
struct SecureConnectionsPairing: Equatable, Sendable {
    /// The number of bits in a passkey; each round confirms one. Core Vol 3, Part H, 2.3.5.6.3.
    private static let rounds = 20

    /// What is known once both public keys have been exchanged.
    private struct Secrets: Equatable, Sendable {
        var peerX: P256Scalar
        var sharedSecret: P256Scalar
    }

    /// A round of nonces; Just Works and numeric comparison have only one.
    private struct Round: Equatable, Sendable {
        var secrets: Secrets
        var index: Int
        var nonce: UInt128
    }

    /// The keys of authentication stage 2.
    private struct CheckKeys: Equatable, Sendable {
        var macKey: UInt128
        var longTermKey: UInt128
        var ownNonce: UInt128
        var peerNonce: UInt128
    }

    private enum Step: Equatable, Sendable {
        case awaitingPublicKey
        /// The responder may already have the confirm value of the first round.
        case awaitingPasskey(Secrets, peerConfirm: UInt128?)
        case awaitingConfirm(Round)
        /// There is no confirm value only if none is sent: by the initiator in Just Works.
        case awaitingRandom(Round, peerConfirm: UInt128?)
        /// The user compares; the responder may already have a valid check from the initiator.
        case awaitingUser(CheckKeys, peerIsChecked: Bool)
        case awaitingCheck(CheckKeys)
        case finished
    }

    let agreement: PairingAgreement
    private let keyPair: P256KeyPair
    private let acceptsDebugKeys: Bool
    private var passkey: UInt32?
    private var step: Step

    /// A pairing with a fresh key pair.
    init(agreement: PairingAgreement, keyPair: P256KeyPair, acceptsDebugKeys: Bool) {
        self.agreement = agreement
        self.keyPair = keyPair
        self.acceptsDebugKeys = acceptsDebugKeys
        step = .awaitingPublicKey
    }

    /// The initiator starts with its public key.
    func start() -> [PairingAction] {
        switch agreement.role {
        case .initiator: [.send(.pairingPublicKey(keyPair.publicKey))]
        case .responder: []
        }
    }

    var awaitsPasskey: Bool {
        guard case .awaitingPasskey = step else { return false }
        return true
    }

    var awaitsComparison: Bool {
        guard case .awaitingUser = step else { return false }
        return true
    }

    /// Whether the public keys have been exchanged, so that the passkey is needed.
    var isPasskeyPossible: Bool {
        guard case .awaitingPublicKey = step else { return true }
        return false
    }

    /// Sets the passkey, which was displayed or entered here.
    mutating func start(passkey: UInt32, toolbox: AnySecurityToolbox) -> [PairingAction] {
        guard case .awaitingPasskey(let secrets, let peerConfirm) = exchange(&step, with: .finished)
        else { preconditionFailure("the passkey was set twice, or before the public keys") }
        self.passkey = passkey
        let round = Round(secrets: secrets, index: 0, nonce: toolbox.random128())
        switch (agreement.role, peerConfirm) {
        case (.initiator, _), (.responder, .some):
            if let peerConfirm {
                step = .awaitingRandom(round, peerConfirm: peerConfirm)
            } else {
                step = .awaitingConfirm(round)
            }
            return [.send(.pairingConfirm(ownConfirm(round, toolbox: toolbox)))]
        case (.responder, .none):
            step = .awaitingConfirm(round)
            return []
        }
    }

    /// The user confirmed that the numbers are equal.
    mutating func numbersMatched(toolbox: AnySecurityToolbox) -> [PairingAction] {
        guard case .awaitingUser(let keys, let peerIsChecked) = exchange(&step, with: .finished)
        else { preconditionFailure("there are no numbers to compare") }
        switch (agreement.role, peerIsChecked) {
        case (.initiator, _):
            step = .awaitingCheck(keys)
            return [.send(.pairingDHKeyCheck(ownCheck(keys, toolbox: toolbox)))]
        case (.responder, false):
            step = .awaitingCheck(keys)
            return []
        case (.responder, true):
            return [
                .send(.pairingDHKeyCheck(ownCheck(keys, toolbox: toolbox))),
                .succeed(keys.longTermKey),
            ]
        }
    }

    /// Handles a command of the second phase; any other is an error.
    mutating func receive(
        _ pdu: SecurityManagerPDU, toolbox: AnySecurityToolbox
    ) throws(PairingFailureReason) -> [PairingAction] {
        switch (exchange(&step, with: .finished), pdu) {
        case (.awaitingPublicKey, .pairingPublicKey(let key)):
            return try publicKeyReceived(key, toolbox: toolbox)
        case (.awaitingPasskey(let secrets, .none), .pairingConfirm(let confirm))
        where agreement.role == .responder:
            step = .awaitingPasskey(secrets, peerConfirm: confirm)
            return []
        case (.awaitingConfirm(let round), .pairingConfirm(let confirm)):
            step = .awaitingRandom(round, peerConfirm: confirm)
            return switch agreement.role {
            case .initiator: [.send(.pairingRandom(round.nonce))]
            case .responder: [.send(.pairingConfirm(ownConfirm(round, toolbox: toolbox)))]
            }
        case (.awaitingRandom(let round, let confirm), .pairingRandom(let nonce)):
            return try randomReceived(nonce, in: round, confirm: confirm, toolbox: toolbox)
        case (.awaitingUser(let keys, false), .pairingDHKeyCheck(let check))
        where agreement.role == .responder:
            guard check == peerCheck(keys, toolbox: toolbox) else { throw .dhKeyCheckFailed }
            step = .awaitingUser(keys, peerIsChecked: true)
            return []
        case (.awaitingCheck(let keys), .pairingDHKeyCheck(let check)):
            guard check == peerCheck(keys, toolbox: toolbox) else { throw .dhKeyCheckFailed }
            let own = PairingAction.send(.pairingDHKeyCheck(ownCheck(keys, toolbox: toolbox)))
            return agreement.role == .initiator
                ? [.succeed(keys.longTermKey)] : [own, .succeed(keys.longTermKey)]
        case (.awaitingPublicKey, _), (.awaitingPasskey, _), (.awaitingConfirm, _),
            (.awaitingRandom, _), (.awaitingUser, _), (.awaitingCheck, _), (.finished, _):
            throw .unspecified
        }
    }

    private mutating func publicKeyReceived(
        _ key: P256PublicKey, toolbox: AnySecurityToolbox
    ) throws(PairingFailureReason) -> [PairingAction] {
        let debugX = P256KeyPair.debug.publicKey.x
        guard key.x != debugX || acceptsDebugKeys else { throw .dhKeyCheckFailed }
        // A peer that reflects our own key knows nothing of a shared secret.
        guard key.x != keyPair.publicKey.x || key.x == debugX,
            let secret = toolbox.sharedSecret(privateKey: keyPair.privateKey, publicKey: key)
        else { throw .dhKeyCheckFailed }
        let secrets = Secrets(peerX: key.x, sharedSecret: secret)
        let ownKey: [PairingAction] =
            agreement.role == .responder ? [.send(.pairingPublicKey(keyPair.publicKey))] : []
        switch (agreement.model, agreement.role) {
        case (.passkeyEntry, _):
            step = .awaitingPasskey(secrets, peerConfirm: nil)
            return ownKey
        case (.outOfBand, _): throw .outOfBandNotAvailable
        case (.justWorks, .initiator), (.numericComparison, .initiator):
            step = .awaitingConfirm(Round(secrets: secrets, index: 0, nonce: toolbox.random128()))
            return ownKey
        case (.justWorks, .responder), (.numericComparison, .responder):
            let round = Round(secrets: secrets, index: 0, nonce: toolbox.random128())
            step = .awaitingRandom(round, peerConfirm: nil)
            return ownKey + [.send(.pairingConfirm(ownConfirm(round, toolbox: toolbox)))]
        }
    }

    private mutating func randomReceived(
        _ nonce: UInt128, in round: Round, confirm: UInt128?, toolbox: AnySecurityToolbox
    ) throws(PairingFailureReason) -> [PairingAction] {
        if let confirm {
            let expected = toolbox.f4(
                u: round.secrets.peerX, v: keyPair.publicKey.x, x: nonce, z: bit(round.index))
            guard confirm == expected else { throw .confirmValueFailed }
        }
        let ownNonce: [PairingAction] =
            agreement.role == .responder ? [.send(.pairingRandom(round.nonce))] : []
        if agreement.passkeyPart != nil, round.index + 1 < Self.rounds {
            let next = Round(
                secrets: round.secrets, index: round.index + 1, nonce: toolbox.random128())
            step = .awaitingConfirm(next)
            return agreement.role == .responder
                ? ownNonce : [.send(.pairingConfirm(ownConfirm(next, toolbox: toolbox)))]
        }
        let keys = checkKeys(round, peerNonce: nonce, toolbox: toolbox)
        if agreement.model == .numericComparison {
            step = .awaitingUser(keys, peerIsChecked: false)
            return ownNonce + [.ask(.compare(comparison(round, nonce, toolbox: toolbox)))]
        }
        step = .awaitingCheck(keys)
        return agreement.role == .responder
            ? ownNonce : [.send(.pairingDHKeyCheck(ownCheck(keys, toolbox: toolbox)))]
    }

    /// The octet for f4: one bit of the passkey, or 0 without a passkey.
    private func bit(_ index: Int) -> UInt8 {
        guard let passkey else { return 0 }
        return 0x80 | UInt8(passkey >> UInt32(index) & 1)
    }

    private func ownConfirm(_ round: Round, toolbox: AnySecurityToolbox) -> UInt128 {
        toolbox.f4(
            u: keyPair.publicKey.x, v: round.secrets.peerX, x: round.nonce, z: bit(round.index))
    }

    private func checkKeys(
        _ round: Round, peerNonce: UInt128, toolbox: AnySecurityToolbox
    ) -> CheckKeys {
        let isInitiator = agreement.role == .initiator
        let keys = toolbox.f5(
            sharedSecret: round.secrets.sharedSecret,
            initiatorNonce: isInitiator ? round.nonce : peerNonce,
            responderNonce: isInitiator ? peerNonce : round.nonce,
            initiator: agreement.initiator, responder: agreement.responder)
        return CheckKeys(
            macKey: keys.macKey, longTermKey: agreement.masked(keys.longTermKey),
            ownNonce: round.nonce, peerNonce: peerNonce)
    }

    private func comparison(
        _ round: Round, _ peerNonce: UInt128, toolbox: AnySecurityToolbox
    ) -> UInt32 {
        let own = keyPair.publicKey.x
        let peer = round.secrets.peerX
        let value =
            switch agreement.role {
            case .initiator: toolbox.g2(u: own, v: peer, x: round.nonce, y: peerNonce)
            case .responder: toolbox.g2(u: peer, v: own, x: peerNonce, y: round.nonce)
            }
        return value % 1_000_000
    }

    private func ownCheck(_ keys: CheckKeys, toolbox: AnySecurityToolbox) -> UInt128 {
        let (features, own, peer) =
            switch agreement.role {
            case .initiator: (agreement.request, agreement.initiator, agreement.responder)
            case .responder: (agreement.response, agreement.responder, agreement.initiator)
            }
        return toolbox.f6(
            macKey: keys.macKey, ownNonce: keys.ownNonce, peerNonce: keys.peerNonce,
            r: UInt128(passkey ?? 0), ioCapabilities: features.checkOctets, own: own, peer: peer)
    }

    private func peerCheck(_ keys: CheckKeys, toolbox: AnySecurityToolbox) -> UInt128 {
        let (features, own, peer) =
            switch agreement.role {
            case .initiator: (agreement.response, agreement.initiator, agreement.responder)
            case .responder: (agreement.request, agreement.responder, agreement.initiator)
            }
        return toolbox.f6(
            macKey: keys.macKey, ownNonce: keys.peerNonce, peerNonce: keys.ownNonce,
            r: UInt128(passkey ?? 0), ioCapabilities: features.checkOctets, own: peer, peer: own)
    }
}
