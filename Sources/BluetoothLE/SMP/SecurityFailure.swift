/// Why pairing or encryption failed.
public enum SecurityFailure: Error, Equatable, Sendable {
    /// We refused pairing and reported the reason to the peer.
    case refused(PairingFailureReason)
    /// The peer refused pairing for this reason.
    case refusedByPeer(PairingFailureReason)
    /// The user, or the program, cancelled.
    case cancelled
    /// 30 seconds without progress. Core Vol 3, Part H, 3.4.
    case timedOut
    /// The link to a bonded peer was not encrypted within 30 seconds. Core Vol 3, Part H, 3.4.
    case encryptionTimedOut
    /// The controller could not encrypt the link, for this reason. Core Vol 1, Part F.
    case encryptionFailed(HCIStatus)
    /// The peer reports that it has lost the keys of the bond.
    case peerLostBond
    /// The peer has different keys: it has paired with another device since, or it is another device.
    case keysDiffer
    /// The peer uses a bond whose keys we do not have.
    case bondMissing
    /// The peer wants to pair again with less protection than the bond has.
    case weakerThanBond
    /// The bond protects less than the configuration requires, and was not used.
    case bondTooWeak
    /// A peer without a bond asked to pair, which the configuration does not allow.
    case notPairable
    /// A peer whose identity is bonded asked to pair without proving that it has the keys, and the
    /// configuration does not allow that.
    case rePairingRefused

    /// What happened, and what to do about it, for people.
    public var message: String {
        switch self {
        case .refused(let reason): "pairing was refused: " + reason.message
        case .refusedByPeer(let reason): "the other device refused to pair: " + reason.message
        case .cancelled: "pairing was cancelled"
        case .timedOut: "pairing took too long; disconnect and try again"
        case .encryptionTimedOut:
            "the other device is bonded and did not encrypt the link in time; if that happens "
                + "again, remove the bond on both devices and pair again"
        case .encryptionFailed(let status): "the link could not be encrypted: \(status.message)"
        case .peerLostBond:
            "the other device has forgotten this one; remove its bond here and pair again"
        case .keysDiffer:
            "the other device does not have the keys of its bond: it was reset, or it is another "
                + "device under the same address; remove its bond here only if it was reset"
        case .bondMissing:
            "the other device has a bond that is missing here; forget this device there, "
                + "then pair again"
        case .weakerThanBond:
            "the other device wants to pair with less protection than before; "
                + "remove its bond here if that is intended"
        case .bondTooWeak:
            "the bond with the other device protects less than is required here; "
                + "remove it on both devices and pair again"
        case .notPairable:
            "another device asked to pair and was refused: pairing is not open"
        case .rePairingRefused:
            "a device with the identity of a bonded one asked to pair and was refused: it has "
                + "lost its keys, or it only claims to be that device"
        }
    }
}
