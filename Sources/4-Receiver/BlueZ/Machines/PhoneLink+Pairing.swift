internal import ANCSEvents
package import DBus

// From the connection to the bond.
extension PhoneLink {
    /// How long pairing waits for the discovery of services. A phone with 40 services at an interval of 300 ms
    /// takes 12 s; a peer that pairs on its own gives up after 30 s (Core Vol 3, Part H, 3.4).
    static let discoveryTime = Duration.seconds(20)
    /// How long bluetoothd may take to say the identity of a phone that was paired.
    static let identityTime = Duration.seconds(1)

    /// The phone may pair from now on; with `again`, also after a failure.
    mutating func pairingAllowed(again: Bool, at now: MonotonicInstant) {
        guard state == .stranger, !device.isPaired, again || !hasFailedToPair else { return }
        discover(at: now)
    }

    /// Pairs as soon as bluetoothd has discovered the services and subscribed to Service Changed, so that it
    /// hears of ANCS where the phone shows it only after pairing.
    package mutating func discover(at now: MonotonicInstant) {
        state = .discovering(until: now + Self.discoveryTime)
        if device.hasResolvedServices { discovered() }
    }

    /// The services are discovered, or that takes too long.
    package mutating func discovered() {
        guard case .discovering = state else { return }
        if isAsked {
            state = .answering
        } else {
            state = .pairing
            hasRefusedJustWorks = false
            call(.pair)
        }
    }

    /// Whether bluetoothd's questions about it are for our agent.
    package var isPairing: Bool { state == .pairing || state == .answering }

    /// Whether questions of bluetoothd about it have to wait for the discovery.
    var isDiscovering: Bool { if case .discovering = state { true } else { false } }

    /// bluetoothd has asked our agent about it, and the answer waits: the phone pairs on its own.
    mutating func agentWasAsked() { isAsked = true }

    package mutating func paired(_ result: BusResult, at now: MonotonicInstant) {
        guard state == .pairing else { return }
        switch result {
        // bluetoothd asks the agent for every pairing except Just Works.
        case .success where requiresAuthentication && !isAuthenticated: refuse()
        case .success:
            // A trusted device makes bluetoothd accept the phone's other services without asking.
            if !device.isTrusted { call(.trust) }
            becamePaired(at: now)
        case .failure(let error):
            // Whatever the reply, it is paired, perhaps by another program.
            if device.isPaired || error.blueZName == "AlreadyExists" {
                if mayBeJustWorks, !isAuthenticated { return refuse() }
                return becamePaired(at: now)
            }
            state = .stranger
            // Another program is pairing with it; the property will show the result.
            guard !error.isInProgress else { return }
            hasFailedToPair = true
            // bluetoothd only says that authentication failed.
            report(.securityFailed(hasRefusedJustWorks ? .notAuthenticated : error.pairingFailure))
        }
    }

    /// Whether a bond that nobody here compared digits for was made by Just Works, or counts as such. Asked about
    /// Just Works, our agent has refused; a bond that it was not asked about is another program's, which counts
    /// only if the user accepts it.
    var mayBeJustWorks: Bool { requiresAuthentication && (acceptsAnyBond || hasRefusedJustWorks) }

    /// It is paired and pairs again: it has lost its keys.
    mutating func asksToPairAgain() { report(.keyTrouble(KeyTrouble(.missing))) }

    /// Our agent has refused Just Works. Where this program called `Pair`, its reply is awaited; `true` where the
    /// device pairs on its own.
    mutating func justWorksRefused() -> Bool {
        hasRefusedJustWorks = true
        guard state == .answering || isDiscovering else { return false }
        state = .stranger
        hasFailedToPair = true
        return true
    }

    /// It has paired, and no user has compared or typed digits. bluetoothd accepts that by itself and cannot be
    /// told not to, so the bond is removed before anything is read with it.
    package mutating func refuse() {
        state = .refused
        hasFailedToPair = true
        report(.securityFailed(.notAuthenticated))
        call(.remove)
    }

    mutating func becamePaired(at now: MonotonicInstant) {
        isUntried = true
        if device.hasIdentity {
            identified(at: now)
        } else {
            state = .identifying(until: now + Self.identityTime)
        }
    }

    /// Its identity is known, or it has none.
    mutating func identified(at now: MonotonicInstant) {
        reportedIdentity = device.address
        report(.paired(identity: device.address))
        guard device.hasResolvedServices || wasRecovered else { return discoverAgain() }
        beginResolving(at: now, mayBeEarly: true)
    }

    /// bluetoothd has learned the identity address late.
    mutating func reportIdentity() {
        guard device.isPaired, device.address != reportedIdentity else { return }
        reportedIdentity = device.address
        report(.paired(identity: device.address))
    }
}

// Whether its bond counts, and whether there is a place.
extension PhoneLink {
    mutating func acceptanceChanged(
        to isAccepted: Bool, isRoomLeft: Bool, at now: MonotonicInstant
    ) {
        guard exchange(&self.isAccepted, with: isAccepted) != isAccepted else { return }
        self.isRoomLeft = isRoomLeft
        switch state {
        case .unaccepted, .resolving, .barred: beginResolving(at: now)
        case .available: lostService(at: now)
        case .stranger, .discovering, .answering, .pairing, .identifying, .refused, .keyless,
            .recovering, .hung, .leaving, .ended:
            break
        }
    }

    /// There is a place for it.
    mutating func placeIsFree(at now: MonotonicInstant) {
        guard waitsForPlace else { return }
        isRoomLeft = true
        beginResolving(at: now)
    }
}
