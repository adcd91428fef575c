internal import BluetoothLE

/// The trouble with the keys of bonds, and which bonded devices may be expected to connect soon. Has entries
/// of bonded devices only.
struct KeyTroubles: Equatable, Sendable {
    /// How long after its link, or after the start of the controller, a device is expected back: after that
    /// time a slower advertisement is fast enough for it (QA1931).
    static let expectation = Duration.seconds(30)

    private var records: [DeviceAddress: KeyTroubleRecord] = [:]
    /// Until when devices whose keys have worked are expected back.
    private var expected: [DeviceAddress: MonotonicInstant] = [:]
    /// Until when all others are.
    private var allExpectedUntil = MonotonicInstant.zero
    /// The claims of an identity that is another's, of all devices together: none of them has one of its own.
    private var claims = KeyTroubleRecord()
    /// When an identity was last claimed, and whether the next claim begins the pauses.
    private var lastClaim: MonotonicInstant?

    /// The controller is ready.
    mutating func begin(at now: MonotonicInstant) { allExpectedUntil = now + Self.expectation }

    /// A link failed; returns what is news for the user.
    mutating func note(
        _ kind: KeyTrouble.Kind, of identity: DeviceAddress, at now: MonotonicInstant
    ) -> KeyTrouble? { records[identity, default: KeyTroubleRecord()].note(kind, at: now) }

    /// A device was refused that claims the identity of another. It may be a mistake once; from the second claim on
    /// there are pauses, until no device has claimed any for a while.
    mutating func noteClaim(at now: MonotonicInstant) {
        if now - max(lastClaim ?? .zero, claims.pauseEnd) > Self.expectation {
            (lastClaim, claims) = (nil, KeyTroubleRecord())
        }
        if exchange(&lastClaim, with: now) != nil { _ = claims.note(.unknown, at: now) }
    }

    /// Until when a device that claims the identity of another has to be content with a slow advertisement, if it has.
    func claimPause(at now: MonotonicInstant) -> MonotonicInstant? {
        claims.pauseEnd > now ? claims.pauseEnd : nil
    }

    /// The keys of a device have worked.
    mutating func keysWork(of identity: DeviceAddress) { records[identity] = nil }

    /// A device whose keys have worked has left.
    mutating func left(_ identity: DeviceAddress, at now: MonotonicInstant) {
        expected[identity] = now + Self.expectation
    }

    /// Removes what is known of devices that are no longer bonded.
    mutating func bondsChanged(to identities: [DeviceAddress]) {
        records = records.filter { identities.contains($0.key) }
        expected = expected.filter { identities.contains($0.key) }
    }

    /// How long the advertisement is to be slow, while these bonded devices are away; `nil` if one of them
    /// has to find it quickly, or none has trouble.
    func pause(whileAway identities: [DeviceAddress], at now: MonotonicInstant) -> MonotonicInstant?
    {
        var end = claimPause(at: now)
        for identity in identities {
            if let record = records[identity] {
                if record.pauseEnd > now { end = max(end ?? .zero, record.pauseEnd) }
            } else if now < expected[identity] ?? allExpectedUntil {
                return nil
            }
        }
        return end
    }
}

// Bonded Centrals whose keys do not work, or that do not have them. Any device can use the address of a
// bonded one, so the bond stays as it is, whatever happens here.
extension BluetoothSystem {
    /// Notes what a failure says about the keys of a bonded Central, once per link, and reports it. Returns
    /// `false` if the failure is no such trouble.
    mutating func noteKeyTrouble(
        _ failure: SecurityFailure, of link: SystemLink, at now: MonotonicInstant
    ) -> Bool {
        guard !link.isOurs, let kind = failure.keyTrouble,
            let identity = host.description(of: link.handle)?.peerIdentity
                ?? link.description.peerIdentity
        else { return false }
        guard !exchange(&link.hasKeyTrouble, with: true) else { return true }
        var news: KeyTrouble?
        // While the device that has the keys is connected, this one only claims to be it.
        if !isProven(identity) {
            news = keyTroubles.note(kind, of: identity, at: now)
            updateAdvertisingPace(at: now)
        }
        report(.security(link.peer, .keyTrouble(failure, news: news)))
        return true
    }

    /// The keys of a peer may have worked on this link.
    mutating func keysWork(on link: SystemLink, at now: MonotonicInstant) {
        guard host.isProven(on: link.handle),
            let identity = host.description(of: link.handle)?.peerIdentity
        else { return }
        link.provenIdentity = identity
        keyTroubles.keysWork(of: identity)
        updateAdvertisingPace(at: now)
    }

    /// A link has ended.
    mutating func noteEnd(of link: SystemLink, at now: MonotonicInstant) {
        guard let identity = link.provenIdentity, isBonded(identity) else { return }
        keyTroubles.left(identity, at: now)
        updateAdvertisingPace(at: now)
    }

    private func isBonded(_ identity: DeviceAddress) -> Bool {
        peers.peer(withIdentity: identity) != nil
    }

    /// Whether there is a link whose peer has proven this identity.
    private func isProven(_ identity: DeviceAddress) -> Bool {
        links.contains { $0.provenIdentity == identity && !$0.isRefused }
    }

    /// Advertises slowly while the only bonded devices that could connect are those with trouble. Others are
    /// not to wait for it, and neither is a person who wants to pair, unless a device claims another's identity.
    mutating func updateAdvertisingPace(at now: MonotonicInstant) {
        let away = peers.bondedPeers.compactMap(\.identity).filter { !isProven($0) }
        let end =
            pairingWindow.isOpenForATime
            ? keyTroubles.claimPause(at: now) : keyTroubles.pause(whileAway: away, at: now)
        updateAdvertising(at: now) { air in air.slowDown(until: end) }
    }
}
