package import ANCSKit

/// What the phone knows of an accessory at a moment. The grader, the hints and the conditions of steps all ask
/// it, so that they cannot contradict each other. It contains facts only, and judges nothing.
package struct AccessoryKnowledge: Sendable {
    /// The number of commands of a link that are remembered.
    private static let maximumExchanges = 256

    /// The number of earlier UIDs that are remembered; a phone has at most a few hundred at a time.
    private static let maximumEarlierUIDs = 20_000

    /// The identifier; `nil` until the accessory has connected.
    package var id: AccessoryID?

    // MARK: The phone

    /// What the phone itself has done.
    var phone = PhoneKnowledge()

    // MARK: Any link

    var isOnAir = false
    /// Whether its last pairing, on this link or an earlier one, was without bonding.
    var pairsWithoutBonding = false
    /// Whether it has paired, on this link or an earlier one, and the phone has not forgotten it since.
    var hasEverPaired = false
    /// How it hides: as it last paired with bonding, it advertised with an address by which the phone cannot
    /// recognize it (S33).
    var disguise: Disguise?
    /// The address with which it is connected, or was last.
    private var address = ""
    /// The identity that it distributed as it last paired with bonding.
    private var identity: String?
    /// The number of sessions so far.
    var sessionCount = 0
    /// The UIDs of sessions that have ended (R51).
    var earlierUIDs: Set<NotificationUID> = []
    /// Why securing the link last failed.
    var securityFailure: SecurityFailure?

    // MARK: The present link

    var isConnected = false
    var isEncrypted = false
    /// Whether it has paired on this link.
    var hasPaired = false
    /// Whether its keys are stored, so that a later link is encrypted with them.
    var isBonded = false
    var isRestored = false
    var subscriptions: Set<SubscribedCharacteristic> = []
    /// What of the media it has registered for.
    var mediaRegistrations: MediaAttributeSet = []
    /// The subscriptions that the phone has silently dropped (S27).
    var droppedSubscriptions: Set<SubscribedCharacteristic> = []
    /// Whether it has yet to confirm that ANCS went or came: before that, no other indication can be sent.
    var owesConfirmation = false
    /// The last access refused for lack of protection.
    var deniedAccess: AccessRefusal?
    /// The first few writes refused for other reasons.
    var refusedWrites: [AccessRefusal] = []
    /// Whether it has written to the Control Point without a response.
    var hasWrittenWithoutResponse = false
    /// Whether a session has started on this link, or, without a link, on the last one.
    var hadSession = false
    /// The present session.
    var session: Session?
    /// The notifications of the present session, or of the last one on this link.
    var notifications: [NotificationUID: NotificationID] = [:]
    /// The commands, oldest first.
    var exchanges: [Exchange] = []
    /// When ANCS returned, with no session since; `nil` if it has not, or if there was none before on this link
    /// that had to follow it (R5).
    var returnedAt: MonotonicInstant?
    /// When commands were last refused for lack of consent, since one was last permitted.
    var refusals: [MonotonicInstant] = []
    /// When consent was given to an accessory that had been refused, and that has had no command permitted since.
    var consentGivenAt: MonotonicInstant?

    var hasSession: Bool { session != nil }

    /// Whether answers reach it: without the subscription to the Data Source they do not (S3, S25).
    var canReceiveAnswers: Bool { subscriptions.contains(.dataSource) }

    /// The address and the identity of an accessory that cannot be recognized.
    struct Disguise: Equatable, Sendable {
        /// The address with which it advertised.
        var address: String
        /// The identity address that it distributed.
        var identity: String

        /// What is wrong, without a subject.
        var sentence: String {
            "it advertises with \(address), and distributed the identity address \(identity) when it "
                + "paired: the phone cannot recognize it, and takes it for another device"
        }
    }
}

extension PeerDescription {
    /// How a bonded accessory hides: its address neither is its identity address nor can be resolved.
    var disguise: AccessoryKnowledge.Disguise? {
        guard let identity, identity != address, !hasResolvableAddress else { return nil }
        return AccessoryKnowledge.Disguise(address: address, identity: identity)
    }
}

// MARK: - What happens

extension AccessoryKnowledge {
    /// Takes note of an event of the accessory; `number` is that of its entry.
    mutating func follow(_ event: ProviderEvent, entry number: Int, at now: MonotonicInstant) {
        switch event {
        case .peer(_, .discovered): isOnAir = true
        case .peer(_, .connected(let description)):
            beginLink()
            address = description.address
        case .peer(_, .secured(let protection)): isEncrypted = protection.isEncrypted
        case .peer(_, .paired(let description, let isBonded, _)):
            paired(description, isBonded: isBonded)
        case .peer(_, .bondRestored): bondRestored()
        case .peer(_, .securityFailed(let failure)):
            (securityFailure, disguise) = (failure, disguise(revealedBy: failure))
        case .peer(_, .disconnected): endLink()
        case .peer(_, .accessDenied(let handle, let code)):
            accessDenied(AccessRefusal(handle, code))
        case .session(_, .subscriptionChanged(let characteristic, let isSubscribed)):
            setSubscribed(isSubscribed, to: SubscribedCharacteristic(characteristic))
        case .session(_, .serviceChangedSubscription(let isSubscribed)):
            setSubscribed(isSubscribed, to: .serviceChanged)
        case .session(_, .serviceChangedConfirmed):
            // What waited for this is indicated now.
            (owesConfirmation, returnedAt) = (false, returnedAt.map { _ in now })
        case .session(_, .attributeSubscription(let attribute, let isSubscribed)):
            guard let characteristic = SubscribedCharacteristic(attribute) else { break }
            setSubscribed(isSubscribed, to: characteristic)
        case .session(_, .started): beginSession()
        case .session(_, .ended): endSession()
        case .session(_, .announced(let id, let source)):
            notifications[source.notificationUID] = id
            announced(source, at: now)
        case .session(_, .command(let command)): received(command, entry: number, at: now)
        case .session(_, .commandWithoutResponse): hasWrittenWithoutResponse = true
        case .session(_, .answered(let command, let outcome)): answered(command, outcome, at: now)
        case .session(_, .media(let event)): mediaHappened(event)
        case .device, .peer, .link, .session, .notification: break
        }
    }

    private mutating func mediaHappened(_ event: MediaSourceEvent) {
        switch event {
        case .subscriptionChanged(let characteristic, let isOn):
            setSubscribed(isOn, to: SubscribedCharacteristic(characteristic))
            if characteristic == .entityUpdate, !isOn { mediaRegistrations = [] }
        case .registered(let registration, nil):
            mediaRegistrations.subtract(.all(of: registration.entityID))
            mediaRegistrations.formUnion(registration.attributes)
        case .registered, .asked, .read, .commanded, .malformed, .offered, .updated: break
        }
    }

    private mutating func beginLink() {
        endLink()
        isOnAir = true
        isConnected = true
        hadSession = false
        securityFailure = nil
        phone.isLinkEndExpected = false
    }

    private mutating func paired(_ description: PeerDescription, isBonded: Bool) {
        hasPaired = true
        hasEverPaired = true
        self.isBonded = isBonded
        pairsWithoutBonding = !isBonded
        disguise = isBonded ? description.disguise : nil
        identity = isBonded ? description.identity ?? description.address : nil
        securityFailure = nil
        phone.isBondForgotten = false
    }

    /// How it hides, if it claims an identity to which the address that it has on this link does not belong.
    func disguise(revealedBy failure: SecurityFailure) -> Disguise? {
        guard failure == .rePairingRefused, let identity, identity != address else {
            return disguise
        }
        return Disguise(address: address, identity: identity)
    }

    private mutating func bondRestored() {
        isRestored = true
        isBonded = true
        hasEverPaired = true
        pairsWithoutBonding = false
        disguise = nil
        securityFailure = nil
    }

    private mutating func accessDenied(_ refusal: AccessRefusal) {
        if refusal.asksForProtection {
            deniedAccess = refusal
        } else if refusedWrites.count < 3, !refusedWrites.contains(refusal) {
            refusedWrites.append(refusal)
        }
    }

    /// Nothing of a link outlasts it, apart from what the phone stores.
    private mutating func endLink() {
        endSession()
        var next = Self(id: id, phone: phone)
        next.phone.faults.removeAll()
        next.pairsWithoutBonding = pairsWithoutBonding
        next.hasEverPaired = hasEverPaired
        (next.disguise, next.identity) = (disguise, identity)
        next.sessionCount = sessionCount
        next.hadSession = hadSession
        next.earlierUIDs = earlierUIDs
        next.securityFailure = securityFailure
        self = next
    }

    private mutating func beginSession() {
        sessionCount += 1
        hadSession = true
        droppedSubscriptions.remove(.notificationSource)
        session = Session(number: sessionCount)
        notifications = [:]
        returnedAt = nil
    }

    private mutating func setSubscribed(
        _ isSubscribed: Bool, to characteristic: SubscribedCharacteristic
    ) {
        if isSubscribed {
            subscriptions.insert(characteristic)
        } else {
            subscriptions.remove(characteristic)
        }
        droppedSubscriptions.remove(characteristic)
    }

    private mutating func endSession() {
        guard let session else { return }
        if earlierUIDs.count < Self.maximumEarlierUIDs {
            earlierUIDs.formUnion(session.tracks.keys)
        }
        self.session = nil
        for index in exchanges.indices { exchanges[index].isVoid = true }
    }

    // MARK: Commands

    private mutating func received(
        _ command: ProviderSession.Command, entry number: Int, at now: MonotonicInstant
    ) {
        var exchange = Exchange(
            number: number, command: command, writtenAt: now, couldBeAnswered: canReceiveAnswers,
            hasLostSubscription: droppedSubscriptions.contains(.dataSource))
        if case .decoded(let decoded) = command {
            exchange.treatment = phone.faults.treatment(of: decoded.commandID)
            exchange.isReordered = phone.isReordering || exchange.treatment.attributeOrder != nil
            if case .getNotificationAttributes(let get) = decoded { session?.asked(get) }
        }
        if exchanges.count == Self.maximumExchanges {
            exchanges.removeFirst(Self.maximumExchanges / 2)
        }
        exchanges.append(exchange)
    }

    private mutating func answered(
        _ command: ProviderSession.Command, _ outcome: ProviderSession.Outcome,
        at now: MonotonicInstant
    ) {
        let index = openExchange(of: command)
        if let index {
            exchanges[index].outcome = outcome
            exchanges[index].answeredAt = now
        }
        switch outcome {
        case .sent(let octets):
            permitted()
            droppedSubscriptions.remove(.dataSource)
            if case .decoded(let decoded) = command {
                let isReordered = index.map { exchanges[$0].isReordered } ?? phone.isReordering
                session?.answered(decoded, octets, isReordered: isReordered)
            }
        case .performed: permitted()
        case .refused(let error) where error.isAuthorization:
            session?.forbid()
            phone.hasConsent = false
            refusals.removeAll { now - $0 > .seconds(10) }
            // More would say nothing new.
            if refusals.count < 64 { refusals.append(now) }
        case .refused: permitted()
        case .withheld, .ignored, .abandoned: break
        }
    }

    /// The command that an answer is about: the oldest one that it can be.
    func openExchange(of command: ProviderSession.Command) -> Int? {
        // Nearly all have an outcome, and the rest are the last ones: commands are compared for these alone.
        exchanges.firstIndex { $0.outcome == nil && $0.command == command }
    }

    private mutating func permitted() {
        phone.hasConsent = true
        consentGivenAt = nil
        refusals = []
    }

    // MARK: The phone

    /// Takes note of something that the phone does deliberately; `number` is that of the next entry.
    mutating func follow(_ effect: ScenarioEffect, entry number: Int, at now: MonotonicInstant) {
        switch effect {
        case .published(_, let isAnnounced) where !phone.isPublished:
            if isAnnounced { indicated() }
            returnedAt = isConnected && hadSession ? now : nil
            // A write that crossed the withdrawal says nothing about the service that is there now.
            refusedWrites = []
        case .unpublished(let isAnnounced):
            if isAnnounced, phone.isPublished { indicated() }
            returnedAt = nil
        case .consent(let isGiven):
            consentGivenAt = isGiven && !refusals.isEmpty ? now : nil
            if !isGiven { session?.forbid() }
        case .fault(.droppedSubscriptions(let characteristics)):
            droppedSubscriptions.formUnion(characteristics.map { SubscribedCharacteristic($0) })
        case .published, .fault, .faultsCleared, .behavior, .clock, .linkEnd, .pairing,
            .bondForgotten, .media:
            break
        }
        phone.follow(effect, entry: number)
    }

    /// The phone indicates Service Changed to those that subscribed to it.
    private mutating func indicated() {
        if isEncrypted, subscriptions.contains(.serviceChanged) { owesConfirmation = true }
    }

    /// A notification was announced in the present session.
    private mutating func announced(_ source: NotificationSourceValue, at now: MonotonicInstant) {
        let canBeFetched = canReceiveAnswers
        let isForbidden = !phone.hasConsent
        session?.announced(source, canBeFetched: canBeFetched, isForbidden: isForbidden, at: now)
    }
}
