internal import EventLines
package import ANCSReceiver

/// The dialogue in which a phone is paired: from the events of a consumer to the steps that its user reads.
///
///     opened ─▶ on air ─▶ a device connects ─▶ it asks ─▶ it has paired ─▶ it is subscribed to, and allows it ─▶ receiving
///                 │            │                 │             │
///                 └────────────┴─────────────────┴─────────────┴── the time is over ─▶ the most likely cause
///
/// The last step is always ``PairingStep/Kind/ended(_:)``, and there is exactly one. The phone that is waited for is one
/// that pairs during the dialogue, or was paired before and in trouble; others that are paired come and go
/// without a step. A phone that has just paired has ``patience`` to be ready, even if pairing is closed before.
///
/// The cause is the first of these that applies, from what stops every phone to how far the nearest one came:
///
/// 1. pairing was closed early, or the adapter is gone
/// 2. what a phone that has paired lacks, the last one if there are several: consent, ANCS, an answer, a link, time
/// 3. a bonded phone has lost its keys
/// 4. the last attempt to pair: declined here, not answered, or failed
/// 5. a device was refused because it has no digits
/// 6. devices have connected, and none has paired
/// 7. what a phone lacks that was paired before
/// 8. this machine was not on air
/// 9. no device has connected
package struct PairingDialogue: ~Copyable, Sendable {
    /// What the owner has to do.
    package enum Output: Equatable, Sendable {
        /// Show this step.
        case step(PairingStep)
        /// Ask this phone at once whether it allows access to its notifications.
        case probe(PhoneID)
    }

    /// A link that exists when the dialogue begins.
    package struct KnownLink: Equatable, Sendable {
        package var id: PhoneID
        package var phone: PhoneName
        /// The status of a phone that is paired; `nil` for a stranger.
        package var state: PhoneStatus.State?
    }

    /// When nothing is on air by then, it is said.
    static var startingTime: Duration { .seconds(5) }
    /// When the way without the phone's list is said. People look at the list for about this long.
    static var firstAdvice: Duration { .seconds(30) }
    /// When the rest of what can be tried is said.
    static var secondAdvice: Duration { .seconds(90) }
    /// How long a phone that has paired may take until its notifications arrive: its user may have to find the
    /// switch *Share System Notifications*.
    static var patience: Duration { .seconds(90) }
    /// How often a step of one kind is said. What a device in range does again and again must not grow.
    static var repetitions: Int { 5 }
    /// How many phones are followed. They have paired, so they are few.
    private static var phoneLimit: Int { 16 }
    /// As many as a controller has links, and more.
    private static var linkLimit: Int { 64 }

    private struct Link: Sendable {
        var phone: PhoneName
        /// Whether the user said no to it, so that the failure which follows is known already.
        var isDeclined = false
    }

    /// The last attempt of a device to pair.
    private enum Attempt: Equatable, Sendable {
        case asking(PhoneID)
        /// The device left without an answer.
        case unanswered
        case declined
        case failed(SecurityFailure)
    }

    private enum Milestone: Equatable, Sendable, CaseIterable {
        case start, firstAdvice, secondAdvice

        var delay: Duration {
            switch self {
            case .start: startingTime
            case .firstAdvice: PairingDialogue.firstAdvice
            case .secondAdvice: PairingDialogue.secondAdvice
            }
        }
    }

    private let setting: PairingSetting
    private let openedAt: MonotonicInstant
    private var end: MonotonicInstant
    /// Until when phones may pair.
    private var windowEnd: MonotonicInstant
    private var hasEnded = false
    private var passed = 0
    private var isOnAir = false
    private var wasOnAir = false
    private var links = BoundedDictionary<PhoneID, Link>(limit: linkLimit)
    private var strangers = StrangerTally()
    /// In the order of their last news.
    private var candidates: [PairingCandidate] = []
    private var receiving: [PhoneName]
    private var attempt: Attempt?
    private var hasNoDigits = false
    private var keyTrouble: String?
    private var adapterFailure: String?
    private var said: [String: Int] = [:]
    private var obstacles: [String] = []
    private var outputs = Queue<Output>()

    /// A dialogue that begins now. `phones` are the known phones, and `links` those that exist.
    package init(
        at setting: PairingSetting, for duration: Duration, isOnAir: Bool,
        links known: [KnownLink] = [], at now: MonotonicInstant
    ) {
        self.setting = setting
        openedAt = now
        windowEnd = now + duration
        end = windowEnd
        receiving = known.filter { $0.state == .subscribed }.map(\.phone)
        say(.opened(seconds: Int(duration.components.seconds)))
        if !receiving.isEmpty { say(.alreadyReceiving(receiving)) }
        if isOnAir { isNowOnAir() }
        for link in known { begin(link) }
    }

    /// Takes the next output. After every input, call it until it returns `nil`.
    package mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// When ``handleTimeout(at:)`` is due; `nil` once it has ended.
    package var nextDeadline: MonotonicInstant? {
        guard !hasEnded else { return nil }
        var deadline: MonotonicInstant? = end
        if let milestone { deadline = .earliest(deadline, openedAt + milestone.delay) }
        for candidate in candidates { deadline = .earliest(deadline, candidate.due) }
        return deadline
    }

    /// Until when phones may pair.
    package var pairingEnd: MonotonicInstant { windowEnd }

    private var milestone: Milestone? {
        passed < Milestone.allCases.count ? Milestone.allCases[passed] : nil
    }
}

// MARK: - What happens

extension PairingDialogue {
    /// Pairing was opened again, for this long.
    package mutating func extend(by duration: Duration, at now: MonotonicInstant) {
        windowEnd = max(windowEnd, now + duration)
        end = max(end, windowEnd)
    }

    /// Something on this machine stands in the way of pairing, in a sentence.
    package mutating func foundObstacle(_ text: String) {
        guard !hasEnded, obstacles.count < Self.repetitions, !obstacles.contains(text) else {
            return
        }
        obstacles.append(text)
        say(.obstacle(text))
    }

    /// The user said no to a device.
    package mutating func declined(_ id: PhoneID) {
        guard !hasEnded else { return }
        change(id) { $0.isDeclined = true }
        attempt = .declined
        say(.declined)
    }

    /// Pairing was closed early.
    package mutating func close() { finish(.failed(.closed)) }

    /// The adapter is gone, for this reason.
    package mutating func adapterGone(_ reason: String) { finish(.failed(.adapterGone(reason))) }

    /// The keys of a bonded phone do not work; `text` says what to do.
    package mutating func keysFailed(_ text: String) {
        guard !hasEnded else { return }
        keyTrouble = text
        say(.keyTrouble(text))
    }

    /// An event of the consumer. Trouble with keys comes with ``keysFailed(_:)``, in words.
    package mutating func receive(_ event: ConsumerEvent, at now: MonotonicInstant) {
        guard !hasEnded else { return }
        switch event {
        case .device(.advertising(let isOnAir)):
            self.isOnAir = isOnAir
            if isOnAir { isNowOnAir() }
        case .device(.ready): adapterFailure = nil
        case .device(.resetting(let failure)):
            adapterFailure = failure.message
            say(.adapterFailed(failure.message))
        case .device(.warning(let warning)): warned(warning)
        case .peer(let id, .connected(let description)): connected(id, description)
        case .peer(let id, .named(let name)): named(id, name)
        case .peer(let id, .pairing(let request)) where request.isAboutBond: offered(id)
        case .peer(let id, .unserved(.declined)): candidates.removeAll { $0.link == id }
        case .peer(_, .unserved(.noPlace)): foundObstacle(PairingAdvice.unserved(.noPlace))
        case .peer(let id, .pairing(let request)):
            attempt = .asking(id)
            say(.asks(PairingQuestion(request).kind))
        case .peer(let id, .securityFailed(let failure)): failed(id, failure)
        case .peer(let id, .paired(let description, _, let bond)):
            paired(id, description, bond, at: now)
        case .peer(let id, .disconnected): disconnected(id)
        case .session(let id, .waitingForService): candidate(id, becomes: .noService)
        case .session(let id, .started): subscribed(id, at: now)
        case .session(let id, .authorizationChanged(.authorized)):
            candidate(id, becomes: .ready(since: now))
        case .session(let id, .authorizationChanged(.unauthorized)):
            candidate(id, becomes: .consentMissing)
        case .session(let id, .livenessChanged(.wedged)): candidate(id, becomes: .silent)
        case .session(let id, .livenessChanged(.live)): answersAgain(id, at: now)
        case .session(let id, .ended(_, .serviceGone)), .session(let id, .ended(_, .renewed)):
            candidate(id, becomes: .paired)
        case .device, .peer, .session, .notification: break
        }
        conclude()
    }

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
    package mutating func handleTimeout(at now: MonotonicInstant) {
        guard !hasEnded else { return }
        while let milestone, openedAt + milestone.delay <= now, now < end {
            passed += 1
            reached(milestone)
        }
        for index in candidates.indices {
            guard let due = candidates[index].due, due <= now else { continue }
            switch candidates[index].progress {
            case .subscribed: candidates[index].advance(to: .ready(since: due))
            case .ready: return finish(.receiving, of: candidates[index].phone)
            case .paired, .noService, .consentMissing, .silent, .left, .unaccepted: break
            }
        }
        conclude()
        guard !hasEnded, end <= now else { return }
        // A phone whose notifications arrive is not given up because its name has yet to come.
        if let ready = candidates.last(where: \.isReady) {
            return finish(.receiving, of: ready.phone)
        }
        let (cause, phone) = cause
        finish(.failed(cause), of: phone)
    }

    private mutating func reached(_ milestone: Milestone) {
        // A user whose phone has paired needs no other way. That a device asks is no reason: any device can.
        let isBusy = candidates.contains { !$0.isOld }
        switch milestone {
        case .start: if !isOnAir, !wasOnAir { say(.offAir) }
        case .firstAdvice where !isBusy:
            // Who has tapped Cancel, or typed other digits, has been told what to do.
            let hasFailed = if case .failed? = attempt { true } else { false }
            if strangers.count > 0, !hasFailed { say(.hesitation(strangers.count)) }
            say(.otherApp)
        case .secondAdvice where !isBusy: say(.otherCauses)
        case .firstAdvice, .secondAdvice: break
        }
    }
}

// MARK: - The adapter and the links

extension PairingDialogue {
    private mutating func isNowOnAir() {
        isOnAir = true
        guard !exchange(&wasOnAir, with: true) else { return }
        say(.onAir)
    }

    private mutating func warned(_ warning: DeviceWarning) {
        switch warning.topic {
        case .pairing, .advertising, .transport, .bluetoothd: foundObstacle(warning.message)
        case .scanning, .storage, .subscription, .privacy: break
        }
    }

    /// A link that existed before.
    private mutating func begin(_ known: KnownLink) {
        links.set(Link(phone: known.phone), for: known.id)
        let progress: PairingCandidate.Progress
        switch known.state {
        case nil: return visited(by: known.phone.digest)
        case .waitingForService?: progress = .noService
        case .unauthorized?: progress = .consentMissing
        case .silent?: progress = .silent
        case .unaccepted?: progress = .unaccepted
        case .noPlace?: return foundObstacle(PairingAdvice.unserved(.noPlace))
        case .away?, .connected?, .pairing?, .subscribed?: return
        }
        put(PairingCandidate(known.phone, at: known.id, isOld: true))
        candidate(known.id, becomes: progress)
    }

    private mutating func connected(_ id: PhoneID, _ description: PeerDescription) {
        links.set(Link(phone: PhoneName(digest: description.digest)), for: id)
        guard description.identity != nil else { return visited(by: description.digest) }
        guard let index = candidates.firstIndex(where: { $0.phone.digest == description.digest })
        else { return }
        candidates[index].link = id
        if candidates[index].progress == .left { candidates[index].advance(to: .paired) }
    }

    /// A device that another program has paired offers ANCS.
    private mutating func offered(_ id: PhoneID) {
        guard let phone = links[id]?.phone else { return }
        if index(of: id) == nil { put(PairingCandidate(phone, at: id, isOld: true)) }
        candidate(id, becomes: .unaccepted)
    }

    private mutating func visited(by digest: String) {
        // Whoever has found it was on air, and need not be told to look.
        wasOnAir = true
        switch strangers.connected(digest) {
        case .first?: say(.connected)
        case .many(let count)?: say(.crowd(count))
        case nil: break
        }
    }

    private mutating func named(_ id: PhoneID, _ name: String) {
        change(id) { $0.phone.name = name }
        if let index = index(of: id) { candidates[index].phone.name = name }
    }

    private mutating func failed(_ id: PhoneID, _ failure: SecurityFailure) {
        // Trouble with keys and closed windows are other events.
        guard failure.keyTrouble == nil else { return }
        switch failure {
        case .notPairable, .rePairingRefused, .encryptionTimedOut: return
        case .notAuthenticated:
            hasNoDigits = true
            if attempt == .asking(id) { attempt = nil }
            return say(.noDigits)
        case .refused, .refusedByPeer, .cancelled, .timedOut, .notAnswered, .encryptionFailed,
            .peerLostBond, .keysDiffer, .bondMissing, .otherBondRequested, .weakerThanBond,
            .bondTooWeak, .identityNotItsOwn, .tooManyRequests:
            break
        }
        guard links[id]?.isDeclined != true else { return change(id) { $0.isDeclined = false } }
        attempt = .failed(failure)
        say(.failed(failure))
    }

    private mutating func paired(
        _ id: PhoneID, _ description: PeerDescription, _ bond: BondedPeer?, at now: MonotonicInstant
    ) {
        let name = links[id]?.phone.name ?? bond?.name
        let phone = PhoneName(digest: description.digest, name: name)
        links.set(Link(phone: phone), for: id)
        attempt = nil
        keyTrouble = nil
        // bluetoothd may learn the identity after the bond.
        if bond == nil, let index = index(of: id), !candidates[index].isOld {
            candidates[index].phone = phone
            return
        }
        put(PairingCandidate(phone, at: id, isOld: false))
        end = max(end, min(now + Self.patience, windowEnd + Self.patience))
        let replaced = bond.map { PhoneName(digest: $0.digest, name: $0.name) }
        say(.paired(replaced: replaced), of: phone)
    }

    private mutating func subscribed(_ id: PhoneID, at now: MonotonicInstant) {
        guard index(of: id) != nil else { return }
        candidate(id, becomes: .subscribed(since: now))
        outputs.append(.probe(id))
    }

    private mutating func disconnected(_ id: PhoneID) {
        links.remove(id)
        if attempt == .asking(id) { attempt = .unanswered }
        guard let index = index(of: id) else { return }
        candidates[index].disconnected()
    }

    private mutating func change(_ id: PhoneID, _ body: (inout Link) -> Void) {
        var link = links[id] ?? Link(phone: PhoneName(digest: ""))
        body(&link)
        links.set(link, for: id)
    }
}

// MARK: - The phones that are waited for

extension PairingDialogue {
    private func index(of id: PhoneID) -> Int? { candidates.firstIndex { $0.link == id } }

    /// Adds a phone, or replaces what is known of it.
    private mutating func put(_ candidate: PairingCandidate) {
        candidates.removeAll {
            $0.phone.digest == candidate.phone.digest || $0.link == candidate.link
        }
        candidates.append(candidate)
        if candidates.count > Self.phoneLimit { candidates.removeFirst() }
    }

    private mutating func candidate(_ id: PhoneID, becomes progress: PairingCandidate.Progress) {
        guard let index = index(of: id), candidates[index].progress != progress else { return }
        var candidate = candidates.remove(at: index)
        candidate.advance(to: progress)
        candidates.append(candidate)
        switch progress {
        case .noService: say(.noService, of: candidate.phone)
        case .consentMissing: say(.consentMissing, of: candidate.phone)
        case .silent: say(.silent, of: candidate.phone)
        case .unaccepted: say(.asks(.accept), of: candidate.phone)
        case .paired, .left, .subscribed, .ready: break
        }
    }

    /// An answer is not always consent.
    private mutating func answersAgain(_ id: PhoneID, at now: MonotonicInstant) {
        guard let index = index(of: id), candidates[index].progress == .silent else { return }
        let lacksConsent = candidates[index].lacksConsent
        candidate(id, becomes: lacksConsent ? .consentMissing : .ready(since: now))
    }

    /// Ends once a phone is ready whose name is known.
    private mutating func conclude() {
        guard !hasEnded, let ready = candidates.last(where: { $0.isReady && $0.phone.name != nil })
        else { return }
        finish(.receiving, of: ready.phone)
    }

    private var cause: (PairingCause, PhoneName?) {
        if let adapterFailure { return (.adapterGone(adapterFailure), nil) }
        if let last = candidates.last(where: { !$0.isOld }) { return (last.cause, last.phone) }
        if let keyTrouble { return (.keyTrouble(keyTrouble), nil) }
        switch attempt {
        case .asking?, .unanswered?, .failed(.notAnswered)?: return (.unanswered, nil)
        case .declined?: return (.declined, nil)
        case .failed(let failure)?: return (.failed(failure), nil)
        case nil: break
        }
        if hasNoDigits { return (.noDigits, nil) }
        if strangers.count > 0 { return (.neverPaired(strangers.count), nil) }
        if let last = candidates.last { return (last.cause, last.phone) }
        return (wasOnAir ? .noDevice(receiving: receiving) : .notOnAir, nil)
    }

    private mutating func finish(_ outcome: PairingOutcome, of phone: PhoneName? = nil) {
        guard !exchange(&hasEnded, with: true) else { return }
        outputs.append(.step(PairingStep(.ended(outcome), of: phone, at: setting)))
    }

    private mutating func say(_ kind: PairingStep.Kind, of phone: PhoneName? = nil) {
        let step = PairingStep(kind, of: phone, at: setting)
        let count = said[step.word] ?? 0
        guard count < Self.repetitions else { return }
        said[step.word] = count + 1
        outputs.append(.step(step))
    }
}
