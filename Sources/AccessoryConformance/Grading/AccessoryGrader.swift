internal import Terminal
package import ANCS
package import ANCSKit
internal import Octets

/// Grades an accessory by its behavior, rule by rule.
struct AccessoryGrader: Sendable {
    /// The time in which an accessory that fetches everything fetches a notification or shows some activity.
    package static let patience = Duration.seconds(5)

    /// How long after a removal a command about the removed notification may still arrive.
    static let crossing = Duration.seconds(2)

    /// What the accessory knows about a notification.
    struct Track: Sendable {
        package var source: NotificationSourceValue
        var announcedAt: MonotonicInstant
        var isFetched = false
        /// The requests since the notification last changed. An answer that was on its way when it changed is
        /// outdated.
        package var asked: Set<[NotificationAttributeRequest]> = []
        /// The requests that were answered since the notification last changed.
        package var answered: Set<[NotificationAttributeRequest]> = []
        /// Whether the user did not allow commands about it (S1).
        var isForbidden = false
        /// The time of an update that the accessory has not fetched.
        var modifiedAt: MonotonicInstant?
        var removedAt: MonotonicInstant?
    }

    /// The state of an ANCS session.
    package struct Session: Sendable {
        /// The number of the session in the run, from 1.
        package var number: Int
        var tracks: [NotificationUID: Track] = [:]
        var namedApps: Set<AppIdentifier> = []
    }

    /// A command that has not been answered yet.
    struct Outstanding: Sendable {
        package var command: ProviderSession.Command
        package var since: MonotonicInstant
    }

    /// A deliberate fault, after which the accessory should continue.
    struct Trial: Sendable {
        package var rule: ConformanceRule
        package var what: String
        /// The number of commands that the fault has yet to affect.
        var remaining: Int
        package var since: MonotonicInstant
        /// The time since which the accessory has had a reason to send a command after the fault.
        var workSince: MonotonicInstant?
    }

    package var card = Scorecard()
    /// Whether a user may press buttons on the accessory.
    let allowsActions: Bool
    private(set) var origin: MonotonicInstant

    package var subscriptions: Set<SubscribedCharacteristic> = []
    package var session: Session?
    /// The number of sessions so far.
    var sessionCount = 0
    var hadSession: Bool { sessionCount > 0 }
    var choices = FetchChoices()
    var earlierUIDs: Set<NotificationUID> = []
    /// The first time a notification older than the session was announced; `nil` once the accessory has shown
    /// that it handles such notifications.
    var existingSince: MonotonicInstant?
    var outstanding: Outstanding?
    var trials: [Trial] = []
    var isReordering = false

    /// Whether the accessory has paired, on this link or an earlier one.
    var hasPaired = false
    /// Whether the phone stores the keys of the last pairing.
    var hasBond = false
    var isBondForgotten = false
    /// Whether the phone ended the link, or lost it deliberately.
    var isLinkEndedByPhone = false
    /// Whether the accessory has reconnected after the phone ended the previous link.
    var isReturning = false

    package var isPublished = true
    var returnedAt: MonotonicInstant?
    var hasEverSubscribedToServiceChanged = false

    /// The times of the latest refusals for lack of consent.
    var refusals: [MonotonicInstant] = []
    var consentGivenAt: MonotonicInstant?
    package var hasConsent = true

    package init(allowsActions: Bool, origin: MonotonicInstant) {
        self.allowsActions = allowsActions
        self.origin = origin
    }

    /// The time of an event, for evidence.
    func stamp(_ now: MonotonicInstant) -> String { "at \((now - origin).text)" }

    // MARK: What happens

    /// An event of the phone that concerns this accessory.
    package mutating func observe(_ event: ProviderEvent, at now: MonotonicInstant) {
        switch event {
        case .peer(_, let event): observe(event, at: now)
        case .session(_, let event): observe(event, at: now)
        case .device, .notification: break
        }
    }

    private mutating func observe(_ event: PeerEvent, at now: MonotonicInstant) {
        switch event {
        case .connected: connected()
        case .disconnected: disconnected(at: now)
        case .paired(_, let isBonded, _): paired(isBonded: isBonded, at: now)
        case .bondRestored: restored()
        case .mtuChanged(let mtu): if mtu > 23 { card.pass(.agreesOnMTU) }
        case .discovered, .connectingFailed, .named, .linkParameters, .secured, .pairing,
            .pairingWithdrawn, .identified, .pairingRefused, .keyTrouble, .securityFailed,
            .accessDenied:
            break
        }
    }

    private mutating func observe(_ event: ProviderEvent.SessionEvent, at now: MonotonicInstant) {
        switch event {
        case .subscriptionChanged(let characteristic, let isSubscribed):
            subscriptionChanged(SubscribedCharacteristic(characteristic), isSubscribed, at: now)
        case .serviceChangedSubscription(let isSubscribed):
            subscriptionChanged(.serviceChanged, isSubscribed, at: now)
        case .commandWithoutResponse(let octets):
            card.fail(
                .writesWithResponse,
                "\(stamp(now)) a Write Command arrived, which the phone drops (\(octets.hexText))")
        case .started: sessionStarted(at: now)
        case .ended: sessionEnded(at: now)
        case .announced(_, let source): announced(source, at: now)
        case .command(let command): received(command, at: now)
        case .answered(let command, let outcome): answered(command, outcome, at: now)
        case .action, .attributeRead, .attributeSubscription: break
        }
    }

    /// The phone deliberately did something that affects rules.
    mutating func phoneDid(_ effect: ScenarioEffect, at now: MonotonicInstant) {
        switch effect {
        case .fault(let fault): injected(fault, at: now)
        case .behavior(let change):
            if let order = change.attributeOrder { isReordering = order != .asRequested }
        case .consent(let isGiven): consentChanged(to: isGiven, at: now)
        case .linkEnd: isLinkEndedByPhone = true
        case .bondForgotten: isBondForgotten = true
        case .unpublished:
            isPublished = false
            returnedAt = nil
        case .published:
            if !isPublished, hadSession { returnedAt = now }
            isPublished = true
        }
    }

    /// The run has ended: anything that should have happened by now has not.
    package mutating func finish(at now: MonotonicInstant) {
        closeSession(at: now)
        if hadSession, !hasEverSubscribedToServiceChanged {
            card.fail(
                .subscribesToServiceChanged,
                "it never subscribed to Service Changed, so it cannot learn that ANCS appears or "
                    + "disappears")
        }
        if let returnedAt, now - returnedAt >= Self.patience {
            card.fail(
                .followsService,
                "ANCS returned \(stamp(returnedAt)), and no session followed until the end")
        }
        if let consentGivenAt, now - consentGivenAt >= Self.patience {
            card.fail(
                .returnsAfterConsent,
                "consent was given \(stamp(consentGivenAt)), and no command was tried afterwards")
        }
        failTrials(at: now, "until the end of the run")
        for (rule, evidence) in choices.refusals { card.fail(rule, evidence) }
    }

    // MARK: Links

    private mutating func connected() {
        isReturning = isLinkEndedByPhone && hasPaired && !isBondForgotten
        isLinkEndedByPhone = false
    }

    private mutating func disconnected(at now: MonotonicInstant) {
        sessionEnded(at: now)
        if !isLinkEndedByPhone { leftByItself(at: now) }
        existingSince = nil
        trials = []
        subscriptions = []
        outstanding = nil
    }

    /// The link ended, but not by the phone: an accessory that fails disconnects, or lets the link time out.
    private mutating func leftByItself(at now: MonotonicInstant) {
        if let existingSince, now - existingSince < Self.patience {
            card.fail(
                .survivesExisting,
                "it disconnected \((now - existingSince).text) after the first pre-existing "
                    + "notification")
        }
        for trial in trials where trial.remaining == 0 && now - trial.since < Self.patience {
            card.fail(
                trial.rule,
                "\(trial.what) \(stamp(trial.since)), and \((now - trial.since).text) later the "
                    + "accessory disconnected")
        }
        failTrials(at: now, "before it disconnected \(stamp(now))")
    }

    private mutating func paired(isBonded: Bool, at now: MonotonicInstant) {
        if isReturning {
            card.fail(
                .comesBackWithBond,
                hasBond
                    ? "it paired again \(stamp(now)), although the phone has kept its bond"
                    : "it paired again \(stamp(now)): it had paired without bonding, so there were "
                        + "no keys to reconnect with")
        }
        isReturning = false
        hasPaired = true
        hasBond = isBonded
        isBondForgotten = false
    }

    private mutating func restored() {
        if isReturning { card.pass(.comesBackWithBond) }
        isReturning = false
        hasPaired = true
        hasBond = true
    }

    private mutating func subscriptionChanged(
        _ characteristic: SubscribedCharacteristic, _ isSubscribed: Bool, at now: MonotonicInstant
    ) {
        guard isSubscribed else {
            subscriptions.remove(characteristic)
            return
        }
        if characteristic == .notificationSource, !subscriptions.contains(.notificationSource) {
            if subscriptions.contains(.dataSource) {
                card.pass(.subscribesDataSourceFirst)
            } else {
                card.fail(
                    .subscribesDataSourceFirst,
                    "\(stamp(now)) it subscribed to the Notification Source before the Data Source: "
                        + "an answer could be lost")
            }
        }
        if characteristic == .serviceChanged {
            hasEverSubscribedToServiceChanged = true
            card.pass(.subscribesToServiceChanged)
        }
        subscriptions.insert(characteristic)
    }

    // MARK: Sessions

    private mutating func sessionStarted(at now: MonotonicInstant) {
        sessionCount += 1
        session = Session(number: sessionCount)
        if returnedAt != nil { card.pass(.followsService) }
        returnedAt = nil
    }

    private mutating func sessionEnded(at now: MonotonicInstant) {
        closeSession(at: now)
        guard let session else { return }
        earlierUIDs.formUnion(session.tracks.keys)
        self.session = nil
        outstanding = nil
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
