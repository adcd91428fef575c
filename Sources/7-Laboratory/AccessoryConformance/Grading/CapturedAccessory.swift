package import ANCSKit

/// Judges the use of ANCS and AMS in a capture, by what was seen of one accessory and one phone. What the phone meant to
/// do is not in it: a requirement is broken only where the traffic shows that, and untested otherwise.
package struct CapturedAccessory: Sendable {
    /// What an accessory has of the answer to its last command.
    package struct Share: Sendable {
        package var values: Int
        package var octets: Int
        /// Whether nothing more may come.
        package var mayBeWhole: Bool

        package init(values: Int, octets: Int, mayBeWhole: Bool) {
            (self.values, self.octets, self.mayBeWhole) = (values, octets, mayBeWhole)
        }
    }

    /// How many notifications and names of apps of a session are followed.
    private static let maximumTracks = 20_000
    /// How many identifiers of apps are remembered.
    private static let maximumApps = 256
    /// An answer that comes so late is late (S26).
    private static let lateAfter = Duration.seconds(10)
    /// What a capture cannot show: that a user pressed a button or gave consent, and each choice of a value to read.
    private static let unseen: Set<Requirement> = [.actsOnlyWhenAsked, .readsOneValueAtATime]

    private static let id = AccessoryID(rawValue: 1)

    private var grader: AccessoryGrader
    private var known = AccessoryKnowledge()
    private var count = 0
    /// When the first session began.
    private var began: MonotonicInstant?

    package init() {
        grader = AccessoryGrader(allowsActions: true, origin: .zero)
        grader.capture = CaptureGrading()
        grader.media.service = MediaService()
    }

    /// Whether the session has more notifications or apps than a phone has, and is not followed on.
    package var isFull: Bool {
        known.session.map { max($0.tracks.count, $0.namedApps.count) >= Self.maximumTracks }
            ?? false
    }

    package var hasSession: Bool { known.hasSession }
    package var canReceiveAnswers: Bool { known.canReceiveAnswers }
    package var isSubscribedToUpdates: Bool { known.subscriptions.contains(.entityUpdate) }
    package var hasBond: Bool { known.hasEverPaired && !known.pairsWithoutBonding }

    // MARK: What happens

    /// Takes note of something, and judges it.
    package mutating func observe(_ event: PeerEvent, at now: MonotonicInstant) {
        take(.peer(Self.id, event), at: now)
    }

    package mutating func observe(_ event: ProviderEvent.SessionEvent, at now: MonotonicInstant) {
        take(.session(Self.id, event), at: now)
    }

    /// A value of the Notification Source.
    package mutating func announced(_ source: NotificationSourceValue, at now: MonotonicInstant) {
        observe(.announced(NotificationID(rawValue: 0), source), at: now)
    }

    private mutating func take(_ event: ProviderEvent, at now: MonotonicInstant) {
        grader.observe(event, knowing: known, at: now)
        if case .session(_, .started) = event { began = began ?? now }
        assume(event, at: now)
    }

    /// Takes note of something that the capture implies, or that is no merit and no fault of the accessory.
    package mutating func assume(_ event: ProviderEvent.SessionEvent, at now: MonotonicInstant) {
        assume(.session(Self.id, event), at: now)
    }

    private mutating func assume(_ event: ProviderEvent, at now: MonotonicInstant) {
        known.follow(event, entry: count, at: now)
        count += 1
    }

    package mutating func phoneDid(_ effect: ScenarioEffect, at now: MonotonicInstant) {
        grader.phoneDid(effect, knowing: known, at: now)
        known.follow(effect, entry: count, at: now)
    }

    /// It subscribed before the capture, as it may have done with everything.
    package mutating func hasEarlierSubscriptions() { grader.capture?.showsSubscriptions = false }

    /// Records are missing: what is open stays so, and nothing is known of the link any more.
    package mutating func loseTrack(at now: MonotonicInstant) {
        grader.loseTrack()
        hasEarlierSubscriptions()
        assume(.peer(Self.id, .disconnected(.left)), at: now)
    }

    /// Service Changed may be of the media: what was sent truncated cannot be read any more.
    package mutating func attributesChanged() { grader.media.link.truncated = [:] }

    // MARK: Commands

    /// It wrote a command, having so much of the answer to the one before; `nil` if only the phone's side is known.
    package mutating func wrote(_ octets: [UInt8], _ share: Share?, at now: MonotonicInstant) {
        grader.capture?.share = share.map { .init(values: $0.values, octets: $0.octets) }
        grader.capture?.mayHaveEnded = share.map { $0.values == 0 || $0.mayBeWhole } ?? true
        observe(.command(.init(octets)), at: now)
    }

    /// It wrote a command at a time of which too little is known to judge more than that.
    package mutating func wroteSomehow(_ octets: [UInt8], at now: MonotonicInstant) {
        grader.judgeOctets(of: .init(octets), at: now)
    }

    /// A command was confirmed that has no answer, or refused; `nil` if that says nothing.
    package mutating func ended(
        _ octets: [UInt8], _ outcome: ProviderSession.Outcome, at now: MonotonicInstant
    ) {
        let command = ProviderSession.Command(octets)
        grader.settle(command, nil)
        observe(.answered(command, outcome), at: now)
    }

    /// An answer has come so long after its command, of so many octets; one that is not whole ends the wait alone.
    package mutating func answered(
        about identity: ResponseIdentity, _ attributes: [AttributeValue], octets: Int,
        after delay: Duration, isWhole: Bool, at now: MonotonicInstant
    ) {
        let open = known.exchanges.firstIndex { exchange in
            guard exchange.outcome == nil, case .decoded(let command) = exchange.command else {
                return false
            }
            return ResponseIdentity(answering: command) == identity
        }
        guard let index = open, case .decoded(let command) = known.exchanges[index].command else {
            return
        }
        let exchange = known.exchanges[index]
        let ids = attributes.map(\.id)
        known.exchanges[index].isReordered = ids != command.requestedAttributes.filter(ids.contains)
        if delay >= Self.lateAfter { known.exchanges[index].treatment.delay = delay }
        let app = attributes.first { $0.id == NotificationAttributeID.appIdentifier.rawValue }
        if case .notification = identity, let app { remember(app) }
        if attributes.isEmpty {
            grader.settleEmpty(exchange.command, at: exchange.writtenAt + delay)
        } else {
            grader.settle(exchange.command, isWhole ? octets : nil)
        }
        let isSent = isWhole || attributes.isEmpty
        observe(
            .answered(
                exchange.command, isSent ? .sent(octets: octets) : .abandoned(octets: octets)),
            at: now)
    }

    private mutating func remember(_ app: AttributeValue) {
        let text = String(decoding: app.octets, as: UTF8.self)
        guard grader.apps.count < Self.maximumApps, !grader.apps.contains(text) else { return }
        grader.apps.append(text)
    }

    // MARK: Verdicts

    /// The verdicts at the end of the capture, of those that found something or were kept.
    package func verdicts(of name: String, at now: MonotonicInstant) -> [RequirementVerdict] {
        var grader = grader
        // One that has just begun may still subscribe.
        if now - (began ?? now) < AccessoryGrader.patience {
            grader.capture?.showsSubscriptions = false
        }
        grader.finish(knowing: known, at: now)
        let usesMedia = grader.media.isUsed
        for requirement in Self.unseen { grader.card.forget(requirement) }
        return grader.card.verdicts(
            on: Requirement.allCases.filter { !$0.isOfLink && (usesMedia || !$0.isOfMedia) },
            of: name)
    }
}

extension ProviderSession.Command {
    /// What was written, decoded if it can be.
    fileprivate init(_ octets: [UInt8]) {
        do throws(ControlPointCommand.Rejection) {
            self = .decoded(try ControlPointCommand(decoding: octets.span))
        } catch { self = .malformed(octets, error) }
    }
}
