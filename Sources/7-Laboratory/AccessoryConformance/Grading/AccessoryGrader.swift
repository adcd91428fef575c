internal import Printing
package import ANCSKit

/// Grades an accessory by its behavior, requirement by requirement. It keeps only the questions that are open; what
/// the phone knew when something happened is in ``AccessoryKnowledge``. A question that belongs to a link is closed
/// when the link ends.
struct AccessoryGrader: Sendable {
    /// The time in which an accessory that fetches everything fetches a notification or shows some activity.
    package static let patience = Duration.seconds(5)

    /// How many questions of a kind are open at a time; more would say nothing new.
    static let maximumOpen = 64

    /// How long after a removal a command about the removed notification may still arrive.
    static let crossing = Duration.seconds(2)

    /// A fault that has happened, after which the accessory should continue.
    struct Trial: Equatable, Sendable {
        package var requirement: Requirement
        package var what: String
        /// When it happened: only what is written afterwards shows that the accessory continues.
        package var since: MonotonicInstant
        /// The time since which the accessory has had a reason to send a command after the fault.
        var workSince: MonotonicInstant?
        /// The command whose answer may still come; `nil` if the fault is certain.
        var awaited: ProviderSession.Command?
    }

    package var card = Scorecard()
    /// Whether a user may press buttons on the accessory.
    let allowsActions: Bool
    /// The identifiers of the phone's apps.
    var apps: [String]
    private(set) var origin: MonotonicInstant

    var choices = FetchChoices()
    /// The first time a notification older than the session was announced; `nil` once the accessory has shown
    /// that it handles such notifications.
    var existingSince: MonotonicInstant?
    var trials: [Trial] = []
    /// The command that is judged; empty where something else is.
    var written: [UInt8] = []
    var repetitions = Repetitions()
    var media = MediaGrading()
    /// Whether the accessory has reconnected after the phone ended the previous link.
    private var isReturning = false
    private var hasEverSubscribedToServiceChanged = false

    /// What a capture leaves open; `nil` where the phone itself says what it does.
    var capture: CaptureGrading?

    // MARK: Turns

    /// Says what the accessory had of an answer; `nil` if nothing but the phone's word is known.
    let witness: AnswerWitness?
    /// The interval of the link.
    private(set) var interval = Duration.zero
    var early: [EarlyCommand] = []
    /// The answers of which a part had arrived when the next command was sent.
    var torn: [(text: String, at: MonotonicInstant)] = []
    /// The answers after which it waited for long, although it had something else to ask about.
    var hesitations: [MonotonicInstant] = []
    /// The notifications that waited for an answer and are still to be asked about, and whether that had fragments.
    var patient: [NotificationUID: Bool] = [:]
    /// Whether a command came before any part of the answer to the one before.
    var waitsForNothing = false

    package init(
        allowsActions: Bool, apps: [String] = [], origin: MonotonicInstant,
        witness: AnswerWitness? = nil
    ) {
        (self.allowsActions, self.apps, self.origin) = (allowsActions, apps, origin)
        self.witness = witness
    }

    /// The time of an event, for evidence.
    func stamp(_ now: MonotonicInstant) -> String { "at \((now - origin).text)" }

    /// Records that a requirement was broken, at this moment.
    mutating func fail(_ requirement: Requirement, _ text: String, at now: MonotonicInstant) {
        card.fail(
            requirement, text, at: now - origin,
            octets: EvidenceOctets.fields(of: written, breaking: requirement))
    }

    /// Whether a requirement was kept, and otherwise what was seen.
    mutating func judge(
        _ requirement: Requirement, isKept: Bool, otherwise text: @autoclosure () -> String,
        at now: MonotonicInstant
    ) {
        guard !isKept else { return card.pass(requirement) }
        fail(requirement, text(), at: now)
    }

    // MARK: What happens

    /// An event of the phone that concerns this accessory; `known` is what was known before it.
    mutating func observe(
        _ event: ProviderEvent, knowing known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        judgeEarlyCommands(at: now)
        switch event {
        case .peer(_, .connected(let description)):
            interval = description.link?.interval ?? interval
            isReturning =
                known.phone.isLinkEndExpected && known.hasEverPaired && !known.phone.isBondForgotten
        case .peer(_, .disconnected): disconnected(known, at: now)
        case .peer(_, .paired(let description, let isBonded, _)):
            paired(description, isBonded: isBonded, known, at: now)
        case .peer(_, .bondRestored):
            if isReturning { card.pass(.comesBackWithBond) }
            isReturning = false
        case .peer(_, .securityFailed(let failure)): securityFailed(failure, known, at: now)
        case .peer(_, .mtuChanged(let mtu)): if mtu > 23 { card.pass(.agreesOnMTU) }
        case .session(_, .subscriptionChanged(let characteristic, true)):
            subscribed(to: SubscribedCharacteristic(characteristic), known, at: now)
        case .session(_, .serviceChangedSubscription(true)):
            hasEverSubscribedToServiceChanged = true
            card.pass(.subscribesToServiceChanged)
        case .session(_, .commandWithoutResponse(let octets)):
            fail(
                .writesWithResponse,
                "a Write Command arrived, which the phone drops (\(octets.hexText))", at: now)
        case .session(_, .started): if known.returnedAt != nil { card.pass(.followsService) }
        case .session(_, .ended):
            closeSession(known, at: now)
            closeOverdueTrials(at: now, "before its session ended \(stamp(now))")
        case .session(_, .announced(_, let source)): announced(source, known, at: now)
        case .session(_, .command(let command)): received(command, known, at: now)
        case .session(_, .answered(let command, let outcome)):
            answered(command, outcome, known, at: now)
        case .session(_, .media(let event)): mediaHappened(event, at: now)
        case .link(_, .parametersUpdated(let parameters)):
            interval = max(interval, parameters.interval)
        case .device, .peer, .link, .session, .notification: break
        }
    }

    /// The phone deliberately does something that affects requirements; `known` is what was known before it.
    mutating func phoneDid(
        _ effect: ScenarioEffect, knowing known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        switch effect {
        case .consent(false): closeTrials(at: now, "until consent was withdrawn \(stamp(now))")
        case .unpublished: closeService(known, at: now, "until it was withdrawn again")
        case .media(let service, let isAnnounced):
            mediaChanged(service, isAnnounced: isAnnounced, at: now)
        case .fault(let fault): mediaFault(fault)
        case .faultsCleared: clearMediaFaults()
        case .behavior(let change): media.quirks = change.mediaQuirks ?? media.quirks
        // It cannot come back with its bond.
        case .bondForgotten: isReturning = false
        case .consent, .clock, .linkEnd, .pairing, .published: break
        }
    }

    /// The run has ended: anything that should have happened by now has not.
    mutating func finish(knowing known: AccessoryKnowledge, at now: MonotonicInstant) {
        closeSession(known, at: now)
        if known.sessionCount > 0, !hasEverSubscribedToServiceChanged,
            capture?.showsSubscriptions != false
        {
            fail(
                .subscribesToServiceChanged,
                "it never subscribed to Service Changed, so it cannot learn that ANCS appears or "
                    + "disappears", at: now)
        }
        closeLink(known, at: now, "until the end")
        closeTurns(at: now)
        for refusal in choices.refusals {
            fail(refusal.requirement, refusal.evidence, at: refusal.time)
        }
        for finding in repetitions.findings {
            fail(finding.requirement, finding.evidence, at: finding.time)
        }
    }

    // MARK: Links

    private mutating func disconnected(_ known: AccessoryKnowledge, at now: MonotonicInstant) {
        closeSession(known, at: now)
        if !known.phone.isLinkEndExpected { leftByItself(at: now) }
        closeLink(known, at: now, "before the link ended \(stamp(now))")
        existingSince = nil
    }

    /// Closes the questions of a link: what should have happened on it did not, if there was time for it. What
    /// happens on a later link answers none of them.
    private mutating func closeLink(
        _ known: AccessoryKnowledge, at now: MonotonicInstant, _ until: String
    ) {
        closeService(known, at: now, until)
        closeMedia(at: now, until)
        if let givenAt = known.consentGivenAt, now - givenAt >= Self.patience {
            fail(
                .returnsAfterConsent,
                "consent was given, and no command was tried \(until)", at: givenAt)
        }
        closeTrials(at: now, until)
    }

    private mutating func closeService(
        _ known: AccessoryKnowledge, at now: MonotonicInstant, _ until: String
    ) {
        guard let returnedAt = known.returnedAt, now - returnedAt >= Self.patience else { return }
        let what =
            capture == nil
            ? "ANCS returned" : "Service Changed said twice that the attributes of ANCS had changed"
        fail(.followsService, "\(what), and no session followed \(until)", at: returnedAt)
    }

    /// The link ended, but not by the phone: an accessory that fails disconnects, or lets the link time out.
    private mutating func leftByItself(at now: MonotonicInstant) {
        if let existingSince, now - existingSince < Self.patience {
            fail(
                .survivesExisting,
                "it disconnected \((now - existingSince).text) after the first pre-existing "
                    + "notification", at: now)
        }
        for trial in trials where trial.awaited == nil && now - trial.since < Self.patience {
            fail(
                trial.requirement,
                "\(trial.what), and \((now - trial.since).text) later the accessory disconnected",
                at: trial.since)
        }
    }

    private mutating func paired(
        _ description: PeerDescription, isBonded: Bool, _ known: AccessoryKnowledge,
        at now: MonotonicInstant
    ) {
        // An accessory that cannot be recognized cannot be asked for its bond (S33).
        if isReturning, known.disguise == nil {
            fail(
                .comesBackWithBond,
                known.pairsWithoutBonding
                    ? "it paired again: it had paired without bonding, so there were no keys to "
                        + "reconnect with"
                    : "it paired again, although the phone has kept its bond", at: now)
        }
        isReturning = false
        guard isBonded, description.identity != nil else { return }
        if let disguise = description.disguise {
            fail(.canBeRecognized, disguise.sentence, at: now)
        } else {
            card.pass(.canBeRecognized)
        }
    }

    /// An accessory that has lost its keys cannot encrypt, and phones do not pair again by themselves. One that cannot
    /// be recognized has lost nothing (S33).
    private mutating func securityFailed(
        _ failure: SecurityFailure, _ known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        guard isReturning, failure.keyTrouble != nil, known.disguise == nil else { return }
        isReturning = false
        fail(
            .comesBackWithBond,
            "it did not have the keys of its bond, which the phone has kept: \(failure.message)",
            at: now)
    }

    private mutating func subscribed(
        to characteristic: SubscribedCharacteristic, _ known: AccessoryKnowledge,
        at now: MonotonicInstant
    ) {
        guard characteristic == .notificationSource,
            !known.subscriptions.contains(.notificationSource)
        else { return }
        if known.canReceiveAnswers {
            card.pass(.subscribesDataSourceFirst)
        } else {
            fail(
                .subscribesDataSourceFirst,
                "it subscribed to the Notification Source before the Data Source: an answer could "
                    + "be lost", at: now)
        }
    }
}

extension SubscribedCharacteristic {
    /// The name of a characteristic of ANCS.
    package init(_ characteristic: ProviderSession.Characteristic) {
        switch characteristic {
        case .notificationSource: self = .notificationSource
        case .dataSource: self = .dataSource
        }
    }

    /// The name of a value that accessories can subscribe to.
    package init?(_ attribute: PhoneAttribute) {
        switch attribute {
        case .batteryLevel: self = .batteryLevel
        case .currentTime: self = .currentTime
        case .localTimeInformation, .referenceTimeInformation: return nil
        }
    }
}
