internal import ANCSKit

/// Judges the links of the accessories of a run by what a phone reports. What it receives of an accessory before the
/// first link is kept until it is known which of them that is.
struct LinkGrading: Sendable {
    /// How many advertisers are remembered that have not connected, and how much of each.
    private static let (maximumStrangers, maximumEarly) = (64, 8)

    /// What was seen of an accessory before it was known which one it is.
    private struct Stranger: Sendable {
        var id: AccessoryID
        var observations: [(LinkObservation, at: Duration)] = []
    }

    private let origin: MonotonicInstant
    private var graders: [LinkGrader]
    private var strangers: [Stranger] = []
    /// The index of each accessory that was recognized by its advertising.
    private var advertisers: [AccessoryID: Int] = [:]
    /// Whether advertising is judged by what the phone hears.
    private var hearsAdvertising = true
    /// Whether the phone may pair without having been asked: then nothing says who wanted it.
    private var pairsByItself: Bool

    init(count: Int, origin: MonotonicInstant, pairsByItself: Bool) {
        self.origin = origin
        graders = Array(repeating: LinkGrader(), count: count)
        self.pairsByItself = pairsByItself
    }

    /// The phone pairs because of something else than a request of the accessory.
    mutating func phonePairs() { pairsByItself = true }

    /// An event of the phone, of the accessory with this index if that is known.
    mutating func observe(_ event: ProviderEvent, of accessory: Int?, at now: MonotonicInstant) {
        guard let id = event.accessory else { return }
        if case .peer(_, .discovered) = event {
            if let accessory, advertisers.count < Self.maximumStrangers {
                advertisers[id] = accessory
            }
            return
        }
        if !hearsAdvertising, case .link(_, .advertised) = event { return }
        let observations = event.linkObservations(pairsByItself: pairsByItself)
        guard !observations.isEmpty else { return }
        let time = now - origin
        guard let accessory = accessory ?? advertisers[id] else {
            return keep(observations.map { ($0, at: time) }, of: id)
        }
        if let index = strangers.firstIndex(where: { $0.id == id }) {
            for (observation, at) in strangers.remove(at: index).observations {
                graders[accessory].observe(observation, at: at)
            }
        }
        for observation in observations { graders[accessory].observe(observation, at: time) }
    }

    /// Advertising is judged by what the accessory's host asks its controller for. That shows intervals that no phone
    /// would measure in a run about ANCS, which they do not fail.
    mutating func seesAdvertisingOfHost(isAboutLink: Bool) {
        hearsAdvertising = false
        for index in graders.indices { graders[index].advisesOnAdvertising = !isAboutLink }
    }

    /// The first accessory has connected to this advertising, or to none.
    mutating func judge(_ advertisement: ReceivedAdvertisement, at now: MonotonicInstant) {
        graders[0].observe(.advertised(advertisement), at: now - origin)
    }

    private mutating func keep(
        _ observations: [(LinkObservation, at: Duration)], of id: AccessoryID
    ) {
        var stranger = Stranger(id: id)
        if let index = strangers.firstIndex(where: { $0.id == id }) {
            stranger = strangers.remove(at: index)
        } else if strangers.count == Self.maximumStrangers {
            strangers.removeFirst()
        }
        stranger.observations = (stranger.observations + observations).suffix(Self.maximumEarly)
        strangers.append(stranger)
    }

    /// The verdicts on the accessory with this index and name; nothing more is seen.
    mutating func verdicts(
        of accessory: Int, named name: String, at now: MonotonicInstant
    ) -> [RequirementVerdict] {
        graders[accessory].finish(at: now - origin)
        return graders[accessory].verdicts(of: name)
    }
}

extension ProviderEvent {
    /// What the event shows of the link. A phone pairs when it is asked to, unless it does so by itself.
    fileprivate func linkObservations(pairsByItself: Bool) -> [LinkObservation] {
        switch self {
        case .link(_, .advertised(let advertisement)): [.advertised(advertisement)]
        case .link(_, .phoneAddressChanged): [.phoneAddressChanged]
        case .link(_, .parametersRequested(let request)):
            [
                .requested(request.parameters, breaking: request.breaches),
                .answered(isGranted: request.answer == .accept && request.fault == nil),
            ]
        case .link(_, .parametersUpdated(let parameters)): [.inForce(parameters)]
        case .link(_, .servicesFound(let services)): [.servicesFound(services)]
        case .link(_, .identityKeyCompared(let other)): [.identityKeyCompared(sharedWith: other)]
        case .peer(_, .connected(let description)): [.connected(description.link, isWhole: true)]
        case .peer(_, .disconnected(let reason)):
            [.disconnected(isLost: reason == .link(.connectionTimeout))]
        case .peer(_, .accessDenied(let handle, let code)):
            AccessRefusal(handle, code).asksForProtection ? [.refusedAccess] : []
        case .peer(_, .paired): pairsByItself ? [.paired] : [.asksForSecurity, .pairs, .paired]
        case .peer(_, .bondRestored): [.bondRestored]
        case .peer(_, .securityFailed(let failure)): Self.observations(of: failure, pairsByItself)
        case .device, .peer, .link, .session, .notification: []
        }
    }

    private static func observations(
        of failure: SecurityFailure, _ pairsByItself: Bool
    ) -> [LinkObservation] {
        switch failure {
        case .peerLostBond, .keysDiffer, .rePairingRefused: [.bondUnknown]
        // A phone that may not pair refuses what an accessory asks for.
        case .notPairable where !pairsByItself: [.asksForSecurity, .pairs]
        case .notPairable, .refused, .refusedByPeer, .cancelled, .timedOut, .notAnswered,
            .encryptionTimedOut, .bondMissing, .otherBondRequested, .weakerThanBond,
            .notAuthenticated, .identityNotItsOwn, .tooManyRequests, .bondTooWeak,
            .encryptionFailed:
            []
        }
    }
}
