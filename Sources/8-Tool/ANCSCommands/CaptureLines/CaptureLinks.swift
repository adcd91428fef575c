internal import ANCSCapture
internal import AccessoryConformance
internal import BluetoothLE
internal import LinuxIO

/// Judges the links of a capture by Apple's requirements: on each, the accessory is the side that is the Peripheral.
/// The requirements concern those only that meet a device of Apple's, or one that acts as such: it has ANCS, or begins a
/// link with the parameters of an iPhone. Bounded.
struct CaptureLinks: Sendable {
    /// How many accessories are judged; further ones are not.
    private static let maximumAccessories = 32

    /// An accessory, and what was seen of it.
    private struct Accessory: Sendable {
        var name: String
        var side: CaptureEvent.Side
        var grader = LinkGrader()
        /// The address of the other side on the last link.
        var phoneAddress: DeviceAddress?
        /// Whether the other side acts as a device of Apple's, and whether it has ANCS.
        var meetsApples = false
        var usesANCS = false
        /// What it advertised before its link: what the link is about decides how that is judged.
        var advertised: (ReceivedAdvertisement, at: Duration)?

        /// As a bench does: an interval that is not Apple's fails no accessory whose use of ANCS is judged.
        mutating func judgeAdvertising(isAboutLink: Bool) {
            guard let (advertisement, at) = exchange(&advertised, with: nil) else { return }
            grader.advisesOnAdvertising = usesANCS && !isAboutLink
            grader.observe(.advertised(advertisement), at: at)
        }
    }

    /// Whether all links are judged.
    private let judgesAll: Bool

    private var accessories: [Accessory] = []
    /// The accessory of each connection that has not ended.
    private var current: [Int: Int] = [:]
    /// What this side advertised last for connections, which is judged once it is the Peripheral of a link.
    private var advertised: (CaptureEvent.Advertising, at: Duration)?
    private var end = Duration.zero

    init(judgesAll: Bool = false) { self.judgesAll = judgesAll }

    /// The verdicts on each accessory of which something was found.
    func verdicts() -> [[RequirementVerdict]] {
        accessories.filter { judgesAll || $0.meetsApples }.compactMap { accessory in
            var accessory = accessory
            accessory.judgeAdvertising(isAboutLink: judgesAll)
            accessory.grader.finish(at: end)
            let verdicts = accessory.grader.verdicts(of: accessory.name)
            return verdicts.contains(where: \.isFinding) ? verdicts : nil
        }
    }

    /// Takes note of what happened in a capture that began then.
    mutating func observe(_ happening: CaptureEvent, since start: CaptureTime) {
        let now = happening.time - start
        end = max(end, now)
        if case .advertising(let advertising) = happening.event, advertising.reach == .everyone,
            advertising.isDataKnown
        {
            advertised = (advertising, at: now)
        }
        guard let connection = happening.place.connection else { return }
        if case .connected(let facts) = happening.event {
            return connected(facts, connection, at: now)
        }
        guard let index = current[connection] else { return }
        if happening.event.showsANCS(notOn: accessories[index].side) {
            accessories[index].meetsApples = true
            accessories[index].usesANCS = true
        }
        for observation in observations(of: happening.event, by: index) {
            accessories[index].grader.observe(observation, at: now)
        }
        if case .disconnected = happening.event { current[connection] = nil }
    }

    private mutating func connected(
        _ facts: CaptureEvent.ConnectionFacts, _ connection: Int, at now: Duration
    ) {
        // Without the role there is no telling which side is the accessory.
        guard facts.transport == .lowEnergy, let role = facts.role, let address = facts.address
        else { return }
        let side: CaptureEvent.Side = role == .peripheral ? .local : .remote
        guard let index = index(of: side, facts, address) else { return }
        let before = accessories[index].phoneAddress
        current[connection] = index
        if facts.parameters.map({ LinkParameters($0).connectionParameters }) == .initial {
            accessories[index].meetsApples = true
        }
        if side == .local, let (advertising, at) = exchange(&advertised, with: nil) {
            accessories[index].judgeAdvertising(isAboutLink: judgesAll)
            accessories[index].advertised = (ReceivedAdvertisement(advertising), at)
        }
        accessories[index].grader.observe(
            .connected(facts.parameters.map(LinkParameters.init), isWhole: true), at: now)
        guard side == .local else { return }
        // The same phone, known by an earlier connection, at another address.
        accessories[index].phoneAddress = address
        if facts.earlier != nil, before != nil, before != address {
            accessories[index].grader.observe(.phoneAddressChanged, at: now)
        }
    }

    /// The accessory of a connection: this side, or the other one by its address.
    private mutating func index(
        of side: CaptureEvent.Side, _ facts: CaptureEvent.ConnectionFacts, _ address: DeviceAddress
    ) -> Int? {
        let name = side == .local ? "this side" : (facts.identity ?? address).text
        if let index = accessories.firstIndex(where: { $0.name == name }) { return index }
        guard accessories.count < Self.maximumAccessories else { return nil }
        accessories.append(Accessory(name: name, side: side))
        return accessories.count - 1
    }

    private mutating func observations(
        of event: CaptureEvent.Event, by index: Int
    ) -> [LinkObservation] {
        let side = accessories[index].side
        switch event {
        case .disconnected(let reason, _):
            return [.disconnected(isLost: reason == .connectionTimeout)]
        case .parametersWanted(by: side, let wanted):
            return [.requested(wanted, breaking: LinkRequirements.breaches(of: wanted))]
        case .parametersAnswered(let isAccepted): return [.answered(isGranted: isAccepted)]
        case .parametersChanged(let parameters): return [.inForce(LinkParameters(parameters))]
        case .requestRefused(_, _, let code, _), .media(.registration(_, let code?)),
            .media(.command(_, let code?)), .media(.unread(_, let code)):
            let needsProtection: Set<ATTErrorCode> = [
                .insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort,
            ]
            return needsProtection.contains(code) ? [.refusedAccess] : []
        case .services(on: side, let uuids): return uuids.isEmpty ? [] : [.servicesFound(uuids)]
        case .pairing(.wanted(by: side)): return [.asksForSecurity]
        case .pairing(.began): return [.pairs]
        case .pairing(.succeeded): return [.paired]
        case .encryption(let change) where change.status == .success && change.isEnabled:
            return change.isFromPairing ? [.paired] : [.bondRestored]
        case .keyMissing where side == .local: return [.bondUnknown]
        case .adapter, .lost, .cut, .notShown, .controllerReset, .hardwareError, .advertising,
            .malformed,
            .connected, .connectingFailed, .transport, .basicRate, .parametersWanted,
            .parametersRefused, .disconnecting, .encryption, .keyMissing, .pairing, .mtu, .name,
            .services, .serviceMissing, .handles, .serviceChanged, .requestUnanswered,
            .strayResponse, .unreadable, .subscription, .subscriptionRead,
            .serviceChangedSubscription, .sessionBegan,
            .sessionEnded, .source,
            .command, .commandResult, .commandUnanswered, .answer, .strayAnswer, .media:
            return []
        }
    }
}

extension CaptureEvent.Event {
    /// Whether it shows ANCS on the side that is not the accessory.
    fileprivate func showsANCS(notOn accessory: CaptureEvent.Side) -> Bool {
        switch self {
        case .services(on: let side, let services):
            side != accessory && services.contains(BluetoothUUID(ANCSUUID.service))
        case .handles(on: let side, _, _): side != accessory
        default: false
        }
    }
}

extension ReceivedAdvertisement {
    /// What a host advertises. The controller chooses the interval: it is known if there is no choice, and wrong if no
    /// choice is right.
    init(_ advertising: CaptureEvent.Advertising) {
        let (shortest, longest) = (advertising.shortest.duration, advertising.longest.duration)
        let mayBeRight = LinkRequirements.hasAdvertisingInterval(within: shortest...longest)
        self.init(
            advertising: advertising.data, response: advertising.response,
            interval: shortest == longest || !mayBeRight ? shortest : nil,
            reach: advertising.reach.received)
    }
}

extension CaptureEvent.Advertising.Reach {
    fileprivate var received: ReceivedAdvertisement.Reach {
        switch self {
        case .everyone: .everyone
        case .oneDevice: .oneDevice
        case .nobody: .nobody
        }
    }
}

extension LinkParameters {
    init(_ parameters: CaptureEvent.LinkParameters) {
        self.init(
            interval: parameters.interval.duration, latency: Int(parameters.latency),
            supervisionTimeout: parameters.supervisionTimeout.duration)
    }
}
