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

    /// How long an accessory may stay away: it may advertise slowly after a link.
    static let absence = Duration.seconds(30)

    /// How long after a removal a command about the removed notification may still arrive.
    static let crossing = Duration.seconds(2)

    /// A fault that has happened, after which the accessory should continue.
    struct Trial: Equatable, Sendable {
        package var requirement: Requirement
        package var what: String
        /// When it happened: only what is written afterwards shows that the accessory continues.
        package var since: MonotonicInstant
        /// The notifications that have been a reason to send a command after the fault, and since when.
        var work: [NotificationUID: MonotonicInstant] = [:]
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
    /// The same, whatever it has shown.
    var burstSince: MonotonicInstant?
    /// Whether it has left some of them aside in the last session that were like others that it asked about.
    var leavesExisting = false
    /// How many links it ended in the burst.
    private var cutShort = 0
    var trials: [Trial] = []
    /// The command that is judged; empty where something else is.
    var written: [UInt8] = []
    var repetitions = Repetitions()
    var media = MediaGrading()
    /// When the accessory reconnected after the phone ended the previous link; `nil` once it is known what became of that.
    private var returningSince: MonotonicInstant?
    /// When the phone ended the last link, and could hear again.
    private var awaySince: MonotonicInstant?
    private var deafUntil = MonotonicInstant.zero
    /// The kinds of notifications that it has ever asked about.
    var wanted: Set<FetchChoices.Kind> = []
    private var hasEverSubscribedToServiceChanged = false
    /// Whether its bond is older than the run: so may its subscriptions be, which a bond keeps. `nil` before it has one.
    private var hasEarlierBond: Bool?
    /// When it subscribed to the Notification Source in this session, while answers could not reach it.
    private var notificationsFirst: MonotonicInstant?

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
            let isReturning =
                known.phone.isLinkEndExpected && known.hasEverPaired && !known.phone.isBondForgotten
            (returningSince, awaySince) = (isReturning ? now : nil, nil)
        case .peer(_, .disconnected): disconnected(known, at: now)
        case .peer(_, .paired(let description, let isBonded, _)):
            hasEarlierBond = false
            paired(description, isBonded: isBonded, known, at: now)
        case .peer(_, .bondRestored):
            hasEarlierBond = hasEarlierBond ?? true
            // A capture may not show the session, and an accessory that never had one may not need it.
            if capture != nil || known.sessionCount == 0 { comesBack() }
        case .peer(_, .securityFailed(let failure)): securityFailed(failure, known, at: now)
        case .peer(_, .accessDenied(let handle, AccessRefusal.notWritable)):
            guard let name = known.phone.source(at: handle) else { break }
            fail(.writesWithResponse, "it wrote to the \(name): \(PhoneKnowledge.place)", at: now)
        case .peer(_, .mtuChanged(let mtu)): if mtu > 23 { card.pass(.agreesOnMTU) }
        case .session(_, .subscriptionChanged(let characteristic, true)):
            subscribed(to: SubscribedCharacteristic(characteristic), known, at: now)
        case .session(_, .serviceChangedSubscription(true)), .session(_, .serviceChangedConfirmed):
            hasEverSubscribedToServiceChanged = true
            card.pass(.subscribesToServiceChanged)
        case .session(_, .commandWithoutResponse(let octets)):
            fail(
                .writesWithResponse,
                "a Write Command arrived, which the phone drops (\(octets.hexText))", at: now)
        case .session(_, .started): if known.returnedAt != nil { card.pass(.followsService) }
        case .session(_, .ended):
            closeSession(known, at: now)
            notificationsFirst = nil
            closeOverdueTrials(at: now, "before its session ended \(stamp(now))")
            for index in trials.indices { trials[index].work = [:] }
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
        case .bondForgotten: returningSince = nil
        case .published: returningSince = returningSince.map { _ in now }
        case .linkEnd(let deafness): deafUntil = now + deafness
        case .consent, .clock, .pairing: break
        }
    }

    /// The run has ended: anything that should have happened by now has not.
    mutating func finish(knowing known: AccessoryKnowledge, at now: MonotonicInstant) {
        closeSession(known, at: now)
        if known.sessionCount > 0, !hasEverSubscribedToServiceChanged,
            capture?.showsSubscriptions != false, hasEarlierBond != true
        {
            fail(
                .subscribesToServiceChanged,
                "it never subscribed to Service Changed, so it cannot learn that ANCS appears or "
                    + "disappears", at: now)
        }
        closeLink(known, at: now, "until the end")
        if let awaySince, now - awaySince >= Self.absence, capture == nil, known.sessionCount > 0,
            !known.phone.isBondForgotten, known.disguise == nil
        {
            fail(
                .comesBackWithBond, "the phone ended the link, and it never came back",
                at: awaySince)
        }
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
        awaySince = known.phone.isLinkEndExpected ? max(now, deafUntil) : nil
        closeLink(known, at: now, "before the link ended \(stamp(now))")
        (existingSince, burstSince, leavesExisting) = (nil, nil, false)
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
        guard let since = exchange(&returningSince, with: nil), now - since >= Self.patience * 2,
            capture == nil, known.sessionCount > 0, known.phone.isPublished,
            known.phone.responsiveness == .normal, known.disguise == nil
        else { return }
        fail(
            .comesBackWithBond, "it was connected again, and no session followed \(until)",
            at: since)
    }

    /// It is back, and does what it did before.
    mutating func comesBack() {
        if exchange(&returningSince, with: nil) != nil { card.pass(.comesBackWithBond) }
    }

    /// A session without a command has ended: after a return, an accessory that asked about such notifications before
    /// has stopped.
    mutating func closeReturn(_ session: AccessoryKnowledge.Session, at now: MonotonicInstant) {
        let owed = session.tracks.values.filter {
            $0.isOwed && wanted.contains(FetchChoices.Kind($0.source))
        }
        guard let first = owed.map(\.announcedAt).min() else { return comesBack() }
        let since = exchange(&returningSince, with: nil)
        guard let since, capture == nil, now - first >= Self.patience else { return }
        fail(
            .comesBackWithBond,
            "it was connected again, and sent no command, although it was notified of what it asked "
                + "about before", at: since)
    }

    private mutating func closeService(
        _ known: AccessoryKnowledge, at now: MonotonicInstant, _ until: String
    ) {
        guard let returnedAt = known.returnedAt, now - returnedAt >= Self.patience,
            capture != nil || !known.owesConfirmation
        else { return }
        let what =
            capture == nil
            ? "ANCS returned" : "Service Changed said twice that the attributes of ANCS had changed"
        fail(.followsService, "\(what), and no session followed \(until)", at: returnedAt)
    }

    /// The link ended, but not by the phone: an accessory that fails disconnects, or lets the link time out.
    private mutating func leftByItself(at now: MonotonicInstant) {
        if let since = burstSince, now - since < Self.patience {
            if leavesExisting, existingSince == nil { cutShort += 1 }
            if existingSince != nil || cutShort > 1 {
                fail(
                    .survivesExisting,
                    "it disconnected \((now - since).text) after the first pre-existing notification"
                        + (existingSince == nil ? ", without asking about the others" : ""), at: now
                )
            }
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
        if returningSince != nil, known.disguise == nil {
            fail(
                .comesBackWithBond,
                known.pairsWithoutBonding
                    ? "it paired again: it had paired without bonding, so there were no keys to "
                        + "reconnect with"
                    : "it paired again, although the phone has kept its bond", at: now)
        }
        returningSince = nil
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
        guard returningSince != nil, failure.keyTrouble != nil else { return }
        returningSince = nil
        if let disguise = known.disguise(revealedBy: failure) {
            return fail(.canBeRecognized, disguise.sentence, at: now)
        }
        fail(
            .comesBackWithBond,
            "it did not have the keys of its bond, which the phone has kept: \(failure.message)",
            at: now)
    }

    private mutating func subscribed(
        to characteristic: SubscribedCharacteristic, _ known: AccessoryKnowledge,
        at now: MonotonicInstant
    ) {
        if characteristic == .dataSource { wantsAnswers() }
        guard characteristic == .notificationSource,
            !known.subscriptions.contains(.notificationSource)
        else { return }
        if known.canReceiveAnswers {
            card.pass(.subscribesDataSourceFirst)
        } else {
            notificationsFirst = now
        }
    }

    /// It wants answers: an accessory that never asks for any needs no Data Source.
    mutating func wantsAnswers() {
        guard let since = exchange(&notificationsFirst, with: nil) else { return }
        fail(
            .subscribesDataSourceFirst,
            "it subscribed to the Notification Source before the Data Source: an answer could "
                + "be lost", at: since)
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
