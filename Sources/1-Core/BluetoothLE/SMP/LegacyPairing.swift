internal import Octets

/// The second phase of LE legacy pairing: confirm values, random numbers, a short term key.
/// Core Vol 3, Part H, 2.3.5.5.
///
///     initiator                              responder
///         Pairing Confirm(c1(TK, Mrand)) ──────▶
///         ◀────── Pairing Confirm(c1(TK, Srand))
///         Pairing Random(Mrand) ───────────────▶   checks Mconfirm
///         ◀─────────────── Pairing Random(Srand)   both: STK = s1(TK, Srand, Mrand)
struct LegacyPairing: Equatable, Sendable {
    private enum Step: Equatable, Sendable {
        /// The temporary key is not known yet; the initiator's confirm value may already have arrived.
        case awaitingPasskey(peerConfirm: UInt128?)
        case awaitingConfirm(temporaryKey: UInt128, random: UInt128)
        case awaitingRandom(temporaryKey: UInt128, random: UInt128, peerConfirm: UInt128)
        case finished
    }

    let agreement: PairingAgreement
    private var step: Step

    /// A pairing without a temporary key yet.
    init(agreement: PairingAgreement) {
        self.agreement = agreement
        step = .awaitingPasskey(peerConfirm: nil)
    }

    var awaitsPasskey: Bool {
        guard case .awaitingPasskey = step else { return false }
        return true
    }

    /// Sets the temporary key: zero, the passkey, or out-of-band data.
    mutating func start(temporaryKey: UInt128, toolbox: AnySecurityToolbox) -> [PairingAction] {
        guard case .awaitingPasskey(let peerConfirm) = exchange(&step, with: .finished) else {
            preconditionFailure("the temporary key was set twice")
        }
        let random = toolbox.random128()
        let confirm = PairingAction.send(
            .pairingConfirm(self.confirm(temporaryKey, random, toolbox: toolbox)))
        switch (agreement.role, peerConfirm) {
        case (.initiator, _):
            step = .awaitingConfirm(temporaryKey: temporaryKey, random: random)
            return [confirm]
        case (.responder, .some(let peerConfirm)):
            step = .awaitingRandom(
                temporaryKey: temporaryKey, random: random, peerConfirm: peerConfirm)
            return [confirm]
        case (.responder, .none):
            step = .awaitingConfirm(temporaryKey: temporaryKey, random: random)
            return []
        }
    }

    /// Handles `Pairing Confirm` or `Pairing Random`; any other command is an error.
    mutating func receive(
        _ pdu: SecurityManagerPDU, toolbox: AnySecurityToolbox
    ) throws(PairingFailureReason) -> [PairingAction] {
        switch (exchange(&step, with: .finished), pdu, agreement.role) {
        case (.awaitingPasskey(.none), .pairingConfirm(let confirm), .responder):
            step = .awaitingPasskey(peerConfirm: confirm)
            return []
        case (.awaitingConfirm(let key, let random), .pairingConfirm(let peerConfirm), let role):
            // A peer that reflects our own values would pass every check without the temporary key.
            guard peerConfirm != confirm(key, random, toolbox: toolbox) else {
                throw .confirmValueFailed
            }
            step = .awaitingRandom(temporaryKey: key, random: random, peerConfirm: peerConfirm)
            return switch role {
            case .initiator: [.send(.pairingRandom(random))]
            case .responder: [.send(.pairingConfirm(confirm(key, random, toolbox: toolbox)))]
            }
        case (
            .awaitingRandom(let key, let random, let peerConfirm), .pairingRandom(let peerRandom),
            let role
        ):
            guard peerRandom != random,
                confirm(key, peerRandom, toolbox: toolbox) == peerConfirm
            else {
                throw .confirmValueFailed
            }
            switch role {
            case .initiator:
                let shortTermKey = toolbox.s1(
                    temporaryKey: key, responderRandom: peerRandom, initiatorRandom: random)
                return [.succeed(agreement.masked(shortTermKey))]
            case .responder:
                let shortTermKey = toolbox.s1(
                    temporaryKey: key, responderRandom: random, initiatorRandom: peerRandom)
                return [
                    .send(.pairingRandom(random)), .succeed(agreement.masked(shortTermKey)),
                ]
            }
        case (.awaitingPasskey, _, _), (.awaitingConfirm, _, _), (.awaitingRandom, _, _),
            (.finished, _, _):
            throw .unspecified
        }
    }

    private func confirm(
        _ temporaryKey: UInt128, _ random: UInt128, toolbox: AnySecurityToolbox
    ) -> UInt128 {
        toolbox.c1(
            temporaryKey: temporaryKey, random: random,
            request: SecurityManagerPDU.pairingRequest(agreement.request).octets,
            response: SecurityManagerPDU.pairingResponse(agreement.response).octets,
            initiator: agreement.initiator, responder: agreement.responder)
    }
}
