/// Why pairing or encryption failed.
public enum SecurityFailure: Error, Equatable, Sendable {
    /// We refused pairing and reported the reason to the peer.
    case refused(PairingFailureReason)
    /// The peer refused pairing for this reason.
    case refusedByPeer(PairingFailureReason)
    /// The user, or the program, cancelled.
    case cancelled
    /// The peer did not continue for 30 seconds; it may be asking its user. Core Vol 3, Part H, 3.4.
    case timedOut
    /// The user of this device did not answer a question for 30 seconds. Core Vol 3, Part H, 3.4.
    case notAnswered
    /// The link to a bonded peer was not encrypted within 30 seconds. Core Vol 3, Part H, 3.4.
    case encryptionTimedOut
    /// The controller could not encrypt the link, for this reason. Core Vol 1, Part F.
    case encryptionFailed(HCIStatus)
    /// The peer reports that it has lost the keys of the bond.
    case peerLostBond
    /// The peer has different keys: it has paired with another device since, or it is another device.
    case keysDiffer
    /// The peer uses a bond, and there is none here.
    case bondMissing
    /// The peer asked for the key of another bond than the one that it has here: by an EDIV or Rand that it
    /// was never given.
    case otherBondRequested
    /// The peer wants to pair again with less protection than the bond has.
    case weakerThanBond
    /// Pairing would have been Just Works, which the configuration does not accept: with what both devices
    /// can show and enter, no user can compare or type digits.
    case notAuthenticated
    /// The bond protects less than the configuration requires, and was not used.
    case bondTooWeak
    /// A peer without a bond asked to pair, which the configuration does not allow.
    case notPairable
    /// A peer whose identity is bonded asked to pair without proving that it has the keys, and the
    /// configuration does not allow that.
    case rePairingRefused
    /// The peer claims an identity that cannot be its own: the one of this device, or one with the identity
    /// resolving key of another bond.
    case identityNotItsOwn
    /// The peer asked for keys, or to pair, so often on one link that the link was ended.
    case tooManyRequests

    /// What happened, and what to do about it, for people.
    public var message: String {
        switch self {
        case .refused(.authenticationRequirements):
            "pairing was refused: the other device has no LE Secure Connections, which are required here"
        case .refused(let reason): "pairing was refused: " + reason.message
        case .refusedByPeer(.authenticationRequirements):
            "the other device refused to pair: it requires what this one does not offer, such as digits "
                + "to compare or LE Secure Connections"
        case .refusedByPeer(let reason): "the other device refused to pair: " + reason.message
        case .cancelled: "pairing was cancelled"
        case .timedOut:
            "the other device did not continue to pair for 30 seconds: it may be waiting for the answer "
                + "of its user, who can try again there"
        case .notAnswered: "the question of pairing was not answered here for 30 seconds"
        case .encryptionTimedOut:
            "the other device is bonded, and did not encrypt the link for 30 seconds: it is busy, or "
                + "another device uses its address; the bond is kept"
        case .encryptionFailed(let status): "the link could not be encrypted: \(status.message)"
        case .peerLostBond:
            "the other device has forgotten this one, or another device uses its address; if it goes on, "
                + "remove its bond here and pair again"
        case .keysDiffer:
            "the other device has another key than this one, or another device uses its address; if it "
                + "goes on, remove the bond on both devices and pair again"
        case .bondMissing:
            "the other device has a bond that is missing here; if it goes on, forget this device there, "
                + "then pair again"
        case .otherBondRequested:
            "the other device asked for the key of another bond this time; nothing is to be done"
        case .weakerThanBond:
            "the other device wants to pair with less protection than before; "
                + "remove its bond here if that is intended"
        case .notAuthenticated:
            "pairing was refused: the other device can neither show digits nor take them"
        case .bondTooWeak:
            "the bond with the other device protects less than is required here; "
                + "remove it on both devices and pair again"
        case .notPairable:
            "the other device asked to pair and was refused: pairing is not open here"
        case .rePairingRefused:
            "a device with the identity of a bonded one asked to pair and was refused: it has "
                + "lost its keys, or it only claims to be that device"
        case .identityNotItsOwn:
            "another device claimed an identity that is not its own, and was refused"
        case .tooManyRequests:
            "the other device asked for keys again and again, and was disconnected"
        }
    }

    /// What the failure says about the keys of the peer's bond; `nil` if it says nothing about them.
    public var keyTrouble: KeyTrouble.Kind? {
        switch self {
        case .peerLostBond, .rePairingRefused: .missing
        case .keysDiffer: .different
        case .otherBondRequested: .unknown
        case .refused, .refusedByPeer, .cancelled, .timedOut, .notAnswered, .encryptionTimedOut,
            .encryptionFailed, .bondMissing, .weakerThanBond, .notAuthenticated, .bondTooWeak,
            .notPairable, .identityNotItsOwn, .tooManyRequests:
            nil
        }
    }
}
