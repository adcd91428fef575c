internal import ANCSKit
internal import BluetoothLE
internal import Printing

/// Judges the link of one accessory by Apple's requirements, from what was seen of it. It has no clock and no radio: a
/// phone feeds it, and so does the reader of a capture. Bounded, however much is seen.
package struct LinkGrader: Sendable {
    /// How long after the connection a first request is soon enough. One second works (PebbleOS PR 1747).
    private static let soon = Duration.seconds(2)
    /// A link that lasts so long without a request, or with a later one, is like those that were lost.
    private static let late = Duration.seconds(5)
    /// The shortest supervision timeout in Apple's numbers: with it a link lasts without a request.
    private static let lasting = Duration.seconds(2)
    /// The most requests in a row on a link.
    private static let mostRequests = 3
    /// What was granted for so long is settled: a later request begins a new row.
    private static let settled = Duration.seconds(30)
    /// The lost links after which an accessory slows down, and the time within which they are lost.
    private static let (mostLosses, lossWindow) = (3, Duration.seconds(60))
    /// An accessory that is back later has slowed down.
    private static let slow = Duration.seconds(2)

    /// The link that there is.
    private struct Link: Sendable {
        var since: Duration
        var isWhole: Bool
        /// Whether it has the short supervision timeout that an iPhone begins with.
        var isShort: Bool
        /// The requests in a row, and on the whole link.
        var row = 0
        var longestRow = 0
        var requests = 0
        var last: ConnectionParameters?
        /// Since when the link has what was requested last.
        var grantedSince: Duration?
        /// Whether a request had no lasting effect.
        var hadVainRequest = false
        var isEncrypted = false
        /// Whether a request was refused for lack of protection, so that security may be asked for.
        var hasReason = false
        /// Whether the accessory asked for security, and whether it had a reason.
        var asked: (Bool, hadReason: Bool) = (false, false)
        var isPhoneAtNewAddress = false
    }

    private var card = Scorecard()
    private var link: Link?
    /// The ends of the last links that timed out.
    private var losses: [Duration] = []
    /// Whether it has encrypted with its bond at an address of the phone that it knew.
    private var hasRestored = false
    /// Whether an interval that is not Apple's is a note: in a run that is about the use of ANCS, of which Apple's
    /// advice on advertising is no part.
    package var advisesOnAdvertising = false

    package init() {}

    /// The verdicts so far, on an accessory of this name.
    package func verdicts(of accessory: String) -> [RequirementVerdict] {
        card.verdicts(on: Requirement.allCases.filter(\.isOfLink), of: accessory)
    }

    // MARK: What is seen

    /// Takes note of an observation, at a time since the start of what is judged.
    package mutating func observe(_ observation: LinkObservation, at now: Duration) {
        switch observation {
        case .advertised(let advertisement): judge(advertisement, at: now)
        case .connected(let parameters, let isWhole): connected(parameters, isWhole, at: now)
        case .disconnected(let isLost):
            closeLink(at: now)
            losses = isLost ? losses.suffix(Self.mostLosses - 1) + [now] : []
        case .requested(let wanted, let breaches): judge(wanted, breaches, at: now)
        case .answered(let isGranted): if !isGranted { link?.hadVainRequest = true }
        case .inForce(let parameters): changed(parameters, at: now)
        case .refusedAccess: link?.hasReason = true
        case .asksForSecurity:
            guard let link, !link.isEncrypted else { break }
            self.link?.asked = (true, hadReason: link.hasReason)
        case .pairs: judgePairing(at: now)
        case .paired: link?.isEncrypted = true
        case .bondRestored:
            link?.isEncrypted = true
            if link?.isPhoneAtNewAddress == true { card.pass(.knowsChangedAddress) }
            hasRestored = true
        case .bondUnknown: bondUnknown(at: now)
        case .phoneAddressChanged: link?.isPhoneAtNewAddress = true
        case .servicesFound(let services): judge(services, at: now)
        case .identityKeyCompared(nil): card.pass(.hasOwnIdentityKey)
        case .identityKeyCompared(let other?):
            card.fail(
                .hasOwnIdentityKey,
                "it shares its identity key with \(TerminalText.visible(other)): with resolvable "
                    + "addresses a phone confuses the two", at: now)
        }
    }

    /// No more is seen.
    package mutating func finish(at now: Duration) { closeLink(at: now) }

    // MARK: Links

    private mutating func connected(
        _ parameters: LinkParameters?, _ isWhole: Bool, at now: Duration
    ) {
        closeLink(at: now)
        let isShort = parameters.map { $0.supervisionTimeout < Self.lasting } ?? false
        link = Link(since: now, isWhole: isWhole, isShort: isShort)
        if isWhole { judgeReturn(at: now) }
    }

    private mutating func judgeReturn(at now: Duration) {
        guard losses.count == Self.mostLosses, let first = losses.first, let last = losses.last,
            last - first <= Self.lossWindow
        else { return }
        guard now - last < Self.slow else { return card.pass(.slowsDown) }
        card.note(
            .slowsDown,
            "it was back \((now - last).text) after the third link that was lost within "
                + (last - first).text, at: now)
    }

    private mutating func closeLink(at now: Duration) {
        guard let link else { return }
        self.link = nil
        if link.requests == 0, link.isWhole, link.isShort, now - link.since >= Self.late {
            card.note(
                .asksSoon,
                "it asked for no connection parameters on a link of \((now - link.since).text), which had an "
                    + "iPhone's supervision timeout", at: link.since)
        }
        if link.longestRow > Self.mostRequests {
            card.fail(
                .acceptsAnAnswer,
                "it asked for connection parameters \(counted(link.longestRow, "time")) in a row on a link of "
                    + (now - link.since).text, at: link.since)
        } else if link.hadVainRequest {
            card.pass(.acceptsAnAnswer)
        }
    }

    // MARK: Connection parameters

    private mutating func judge(
        _ wanted: ConnectionParameters, _ breaches: [LinkRequirements.Breach], at now: Duration
    ) {
        let broken = Set(breaches.map(\.requirement))
        for requirement in LinkRequirements.ParameterRequirement.allCases
        where !broken.contains(requirement) { card.pass(Requirement(requirement)) }
        if wanted.intervalMinimum.duration < .milliseconds(15), !broken.contains(.shortestInterval)
        {
            card.pass(.humanInterface)
        }
        for breach in breaches {
            let sum = breach.requirement.sum(in: wanted).map { ": \($0)" } ?? ""
            find(
                Requirement(breach.requirement), "it asked for \(wanted.message)\(sum)",
                asNote: breach.generations != .all, demand: breach.demand, at: now)
        }
        guard var link else { return }
        link.requests += 1
        if link.requests == 1, link.isWhole { judgeTime(now - link.since, at: now) }
        if let since = link.grantedSince, now - since >= Self.settled { link.row = 0 }
        link.row += 1
        link.longestRow = max(link.longestRow, link.row)
        link.last = wanted
        link.grantedSince = nil
        self.link = link
    }

    private mutating func judgeTime(_ after: Duration, at now: Duration) {
        guard after > Self.soon else { return card.pass(.asksSoon) }
        card.note(
            .asksSoon, "it asked for connection parameters \(after.text) after the connection",
            at: now)
    }

    private mutating func changed(_ parameters: LinkParameters, at now: Duration) {
        guard var link, let wanted = link.last else { return }
        if parameters.grants(wanted) {
            link.grantedSince = link.grantedSince ?? now
        } else if link.grantedSince != nil {
            link.grantedSince = nil
            link.hadVainRequest = true
        }
        self.link = link
    }

    // MARK: Advertising

    private mutating func judge(_ advertisement: ReceivedAdvertisement, at now: Duration) {
        if let interval = advertisement.interval {
            if LinkRequirements.advertisingInterval(near: interval) != nil {
                card.pass(.advertisingInterval)
            } else if let other = advertisement.alternativeInterval {
                card.note(
                    .advertisingInterval,
                    "it was heard every \(interval.tenthsOfMilliseconds) ms: it may advertise every "
                        + "\(other.tenthsOfMilliseconds) ms, and not have been heard each time",
                    at: now)
            } else {
                find(
                    .advertisingInterval, "it advertised every \(interval.tenthsOfMilliseconds) ms",
                    asNote: advisesOnAdvertising, at: now)
            }
        }
        switch advertisement.reach {
        case .everyone: card.pass(.connectable)
        case .oneDevice:
            card.fail(
                .connectable, "its advertising is directed at one device (ADV_DIRECT_IND)", at: now)
            return
        case .nobody:
            card.fail(
                .connectable,
                "its advertising accepts no connection (ADV_NONCONN_IND or ADV_SCAN_IND)", at: now)
        }
        judgeData(of: advertisement, at: now)
    }

    /// Flags, and any service, are what iOS finds an accessory by. Apple recommends TX Power and names no
    /// consequence; a name or one more service may do without the advertising data, if the scan response is heard. A
    /// phone that is bonded with it finds it by its address.
    private mutating func judgeData(of advertisement: ReceivedAdvertisement, at now: Duration) {
        let breaches = LinkRequirements.breaches(
            of: advertisement.advertising, response: advertisement.response)
        let data = advertisement.advertising
        let hasService = !(data.services + data.solicitedServices).isEmpty
        card.pass(.advertisingData)
        for breach in breaches {
            let isNote =
                switch breach {
                case _ where advertisement.isOfBonded: true
                case .noFlags: false
                case .serviceInScanResponse: hasService
                case .noTransmitPower, .nameInScanResponse: true
                }
            find(.advertisingData, breach.message, asNote: isNote, at: now)
        }
    }

    private mutating func find(
        _ requirement: Requirement, _ text: String, asNote isNote: Bool, demand: String? = nil,
        at now: Duration
    ) {
        if isNote {
            card.note(requirement, text, at: now, demand: demand)
        } else {
            card.fail(requirement, text, at: now, demand: demand)
        }
    }

    // MARK: Security and services

    private mutating func judgePairing(at now: Duration) {
        guard let link, link.asked.0 else { return }
        self.link?.asked = (false, hadReason: false)
        if link.asked.hadReason {
            card.pass(.waitsWithSecurity)
        } else {
            card.note(
                .waitsWithSecurity,
                "it asked for security before a request was refused for lack of it", at: now)
        }
    }

    private mutating func bondUnknown(at now: Duration) {
        guard link?.isPhoneAtNewAddress == true else { return }
        find(
            .knowsChangedAddress,
            "it did not know its bond with the phone, whose address had changed"
                + (hasRestored
                    ? ", and knew it before that" : "; it may have forgotten the bond itself"),
            asNote: !hasRestored, at: now)
    }

    private mutating func judge(_ services: [BluetoothUUID], at now: Duration) {
        guard link?.isEncrypted == false else { return }
        if services.isEmpty {
            card.fail(
                .discoverableWithoutPairing,
                "it let none of its services be discovered without pairing", at: now)
        } else {
            card.pass(.discoverableWithoutPairing)
        }
    }
}

extension Requirement {
    /// The requirement of a request.
    init(_ requirement: LinkRequirements.ParameterRequirement) {
        switch requirement {
        case .shortestInterval: self = .shortestInterval
        case .longestInterval: self = .longestInterval
        case .latency: self = .latency
        case .supervisionTimeout: self = .supervisionTimeout
        case .longestSilence: self = .longestSilence
        case .timeoutBeyondSilence: self = .timeoutBeyondSilence
        }
    }
}

extension LinkParameters {
    /// Whether a link with these has what was requested.
    fileprivate func grants(_ wanted: ConnectionParameters) -> Bool {
        interval >= wanted.intervalMinimum.duration && interval <= wanted.intervalMaximum.duration
            && latency == Int(wanted.latency)
            && supervisionTimeout == wanted.supervisionTimeout.duration
    }
}

extension Duration {
    /// `152.5`
    var tenthsOfMilliseconds: Double { (self / .milliseconds(1) * 10).rounded() / 10 }
}
