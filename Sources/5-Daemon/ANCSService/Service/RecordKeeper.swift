package import ANCSMedia
package import LinuxIO

/// The current records and their phones: converts the events of a consumer to those of the sinks.
///
///     a notification:  selected ─▶ (announced, a call only) ─▶ added ─▶ modified … ─▶ removed
///     a session:       started ─▶ ended ─ a minute without the phone ─▶ its records are removed
///
/// A record gets its identifier before it is decided what to fetch, in the order in which the phone announced it
/// (``RecordIDs``). A notification
/// of an earlier session that is announced again gets a new record, which refers to the old one (`sameAs`)
/// and replaces it.
package struct RecordKeeper: ~Copyable, Sendable {
    /// What the owner has to do.
    package enum Output: Equatable, Sendable {
        /// An event for the sinks.
        case event(ServiceEvent)
        /// A rule requests this action.
        case perform(ActionID, RecordID)
        /// Ask the phone for any attribute of the notification of a call, and report the answer with
        /// ``receive(_:of:in:at:)``.
        case ask(RecordID, SessionID, NotificationUID)
        /// A message for the user.
        case log(String)
    }

    /// Evaluates the rules for a record of which this much was fetched.
    package typealias Judge = (Record, _ known: ConsumerConfiguration.Selection) -> Evaluation

    /// The time of an event, by the monotonic clock and in UTC.
    package struct Moment: Equatable, Sendable {
        package var instant: MonotonicInstant
        package var time: CaptureTime
    }

    struct Key: Hashable, Sendable {
        var session: SessionID
        var uid: NotificationUID

        init(_ notification: ReceivedNotification) {
            session = notification.session
            uid = notification.uid
        }
    }

    /// What the sinks know of a record.
    enum Stage: Sendable {
        /// Nothing yet, because a rule may mute it.
        case held
        /// Nothing yet, because it may be one of several calls that rang when the link was lost.
        case unclear
        case announced
        case added
    }

    /// The record that last had some content.
    private struct Sighting: Sendable {
        var id: RecordID
        var session: SessionID
    }

    /// A record that is being fetched.
    struct Pending: Sendable {
        var record: Record
        var known: ConsumerConfiguration.Selection
    }

    struct Entry: Sendable {
        var record: Record
        var stage: Stage
        /// Whether it is a call that rang when the link was lost, and rings again, perhaps with another caller.
        var isContinued = false

        /// Whether the sinks know it.
        var isTold: Bool {
            switch stage {
            case .held, .unclear: false
            case .announced, .added: true
            }
        }
    }

    /// How long records stay without their phone.
    private static var patience: Duration { .seconds(60) }
    private static var fingerprintLimit: Int { 4096 }
    /// As many as the feed of a phone keeps. A phone with more is announcing without end.
    private static var recordLimit: Int { 8192 }

    private var recordIDs = RecordIDs()
    var entries: [RecordID: Entry] = [:]
    var keys: [Key: RecordID] = [:]
    /// Records whose content is being fetched, with what is known of them.
    var pending: [Key: Pending] = [:]
    /// Why the text of a notification is not fetched. With it unknown, the rules cannot be asked again.
    private var muted: [Key: RuleVerdict] = [:]
    /// When the records of an ended session are removed.
    private var farewells: [SessionID: MonotonicInstant] = [:]
    /// The last record for each content, by a hash with a key of this process: content is not kept beyond its
    /// session (R52).
    private var fingerprints = BoundedDictionary<Int, Sighting>(limit: fingerprintLimit)
    private var directory: PhoneDirectory
    var tracker = CallTracker()
    /// The time of the current input.
    var clock = MonotonicInstant.zero
    /// The last input whose time in UTC is known.
    private var moment: Moment?
    var outputs = Queue<Output>()

    /// A keeper without records, for a device with this name. `keepsBonds` says that pairing again does not
    /// replace a bond.
    package init(name: String, keepsBonds: Bool = false) {
        directory = PhoneDirectory(name: name, keepsBonds: keepsBonds)
    }

    /// The current records, oldest first.
    package var records: [Record] {
        entries.values.filter(\.isTold).map(\.record).sorted(byNumber: \.id.rawValue)
    }
    /// The record with this identifier; `nil` if it does not exist.
    package subscript(id: RecordID) -> Record? { entries[id]?.record }
    /// The calls that ring or are active.
    package var calls: [(record: Record, isActive: Bool)] { tracker.current }
    /// The phones that were seen.
    package var phones: [PhoneStatus] { directory.phones }
    /// The name of a connected phone.
    package func phone(_ provider: PhoneID) -> PhoneName { directory.name(of: provider) }
    /// The links that exist, for a dialogue of pairing that begins.
    package var links: [PairingDialogue.KnownLink] { directory.links }
    /// Trouble with the keys of a phone, and what its user can do.
    package func text(of trouble: KeyTrouble, with id: PhoneID) -> String {
        directory.text(of: trouble, with: id)
    }
    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    package var nextDeadline: MonotonicInstant? {
        .earliest(farewells.values.min(), tracker.nextDeadline)
    }
    /// Whether there are outputs.
    package var hasOutput: Bool { !outputs.isEmpty }
    /// Takes the next output. After every input, call it until it returns `nil`.
    package mutating func pollOutput() -> Output? { outputs.popFirst() }
}

// MARK: - What happens

extension RecordKeeper {
    /// Decides what to fetch of a notification, of which this much is known. A call that was held is reported
    /// as soon as it is certain that no rule mutes it, before its text is fetched.
    package mutating func select(
        _ notification: ReceivedNotification, known: ConsumerConfiguration.Selection,
        at now: Moment, judge: Judge
    ) -> ConsumerConfiguration.Selection {
        (clock, moment) = (now.instant, now)
        let key = Key(notification)
        // A known notification keeps its identifier, and so does an announced call.
        let existing = keys[key].flatMap { entries[$0]?.record }
        var record = existing ?? newRecord(notification, key, now)
        record.notification.delivery = notification.delivery.with(appOf: record.notification)
        let isAppKnown = record.notification[.appIdentifier] != nil
        let known = isAppKnown ? max(known, .app) : known
        if existing == nil {
            pending[key] = Pending(record: record, known: known)
            // What became of a call is known at its header.
            if notification.category != .incomingCall { track(record) }
        }
        let judgement = judge(record, known)
        if entries[record.id]?.stage == .held, !(judgement.isDecided && judgement.verdict.isMuted) {
            ring(record, judgement)
        }
        muted[key] = nil
        switch judgement {
        case .decided(let verdict) where verdict.isMuted:
            muted[key] = verdict
            return .nothing
        case .decided: return .everything
        case .undecided(let need, _, _): return need
        }
    }

    private mutating func newRecord(
        _ notification: ReceivedNotification, _ key: Key, _ now: Moment
    ) -> Record {
        let id =
            pending[key]?.record.id
            ?? recordIDs.next(
                at: now.time.microsecondsSince1970,
                for: notification.delivery.announcementNumber, in: notification.session)
        return Record(
            id: id, phone: directory.name(of: notification.provider), notification: notification,
            time: now.time)
    }

    /// An event of the consumer.
    package mutating func receive(_ event: ConsumerEvent, at now: Moment, judge: Judge) {
        (clock, moment) = (now.instant, now)
        switch event {
        case .session(let id, .announced) where directory.isForgotten(id): break
        case .notification(let notification) where directory.isForgotten(notification.provider):
            break
        case .session(_, .announced(let call)): announce(call, at: now, judge)
        case .notification(let notification):
            switch notification.event {
            case .removed: remove(notification)
            // EventID is open: what is not gone is there.
            case _: keep(notification, at: now, judge)
            }
            if directory.count(notification) { reportPhone(notification.provider) }
        case .session(_, .started(let session)): started(session, at: now)
        case .session(_, .ended(let session, _)): ended(session, at: now)
        case .device(.missed(let count)):
            outputs.append(.log("\(count) events were lost: this machine is too slow"))
        case .device, .peer, .session: break
        }
        for status in directory.receive(event) {
            // A device that left without pairing is no phone of the owner's.
            let isGone = status.state == .away && !status.isPaired
            outputs.append(.event(isGone ? .forgotten(status.phone) : .phone(status)))
        }
    }

    /// What is playing on a phone.
    package mutating func receive(_ media: PhoneMedia) {
        for status in directory.receive(media) { outputs.append(.event(.phone(status))) }
    }

    /// The latest link to the phone with this digest, and its address there.
    func link(to digest: String) -> (id: PhoneID, address: String)? { directory.link(to: digest) }

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
    package mutating func handleTimeout(at now: MonotonicInstant) {
        clock = now
        tracker.handleTimeout(at: now)
        drainTracker()
        for (session, deadline) in farewells where deadline <= now {
            farewells[session] = nil
            removeAll(of: session)
        }
    }

    /// The user has accepted a phone, or declined it.
    mutating func decided(_ digest: String, isAccepted: Bool) {
        guard let status = directory.decided(digest, isAccepted: isAccepted) else { return }
        outputs.append(.event(.phone(status)))
    }

    /// Adds the bonded phones.
    package mutating func know(_ bonded: [BondedPeer]) {
        for status in directory.know(bonded) { outputs.append(.event(.phone(status))) }
    }

    /// Removes a phone by its digest: its records are removed, and its events ignored from now on.
    package mutating func forget(_ digest: String) {
        let phone = phones.first { $0.phone.digest == digest }?.phone
        for record in records where record.phone.digest == digest { take(record.id, .away) }
        track(.forgotten(phone: digest))
        directory.forget(digest)
        outputs.append(.event(.forgotten(phone ?? PhoneName(digest: digest))))
    }

    /// Removes all records, at the end of the daemon.
    package mutating func end() {
        for record in records { take(record.id, .away) }
        track(.forgotten(phone: nil))
        farewells = [:]
    }

    /// The session and notification for a request about a record.
    package func target(
        of id: RecordID
    ) throws(ServiceError) -> (session: SessionID, uid: NotificationUID) {
        guard let notification = entries[id]?.record.notification else { throw .unknownRecord(id) }
        guard farewells[notification.session] == nil else {
            throw ServiceError(.notConnected, "the phone is no longer connected")
        }
        return (notification.session, notification.uid)
    }
}

// MARK: - Records

extension RecordKeeper {
    /// Reports a call at its header, unless a rule may mute it.
    private mutating func announce(_ call: ReceivedNotification, at now: Moment, _ judge: Judge) {
        let key = Key(call)
        var record = newRecord(call, key, now)
        let continuation = tracker.continuation(of: record.phone, caller: nil)
        // Its app may have been fetched before this event was read.
        let earlier = pending.removeValue(forKey: key)
        if case .of(let id) = continuation, continueCall(id, as: call) { return }
        keys[key] = record.id
        if let earlier {
            record.notification.delivery = call.delivery.with(appOf: earlier.record.notification)
        }
        guard continuation != .unclear else { return store(record, .unclear) }
        ring(record, judge(record, earlier?.known ?? .nothing))
    }

    /// Reports a call before its text, unless a rule may still mute it.
    private mutating func ring(_ call: Record, _ judgement: Evaluation) {
        var record = call
        record.verdict = judgement.verdict
        if case .undecided(_, _, mayBeMuted: true) = judgement {
            store(record, .held)
        } else {
            store(record, .announced)
        }
    }

    /// A notification was added, modified or completed.
    private mutating func keep(
        _ notification: ReceivedNotification, at now: Moment, _ judge: Judge
    ) {
        let key = Key(notification)
        if notification.category == .incomingCall { recognize(notification, key) }
        let earlier = keys[key].flatMap { entries[$0] }
        var record = earlier?.record ?? newRecord(notification, key, now)
        pending[key] = nil
        keys[key] = record.id
        record.notification = notification.orContent(of: record.notification)
        record.time = now.time
        record.code = OneTimeCode.find(
            title: record.notification.title, subtitle: record.notification.subtitle,
            message: record.notification.message, category: record.notification.category)
        record.verdict = muted.removeValue(forKey: key) ?? judge(record, .everything).verdict
        let isNew = earlier?.stage != .added
        let predecessor = isNew ? linkToEarlier(&record) : nil
        store(record, .added)
        if let predecessor { take(predecessor, .replaced) }
        if isNew, let action = record.verdict.action, !notification.isPreExisting {
            outputs.append(.perform(action, record.id))
        }
    }

    /// Links a record to that of an earlier session with the same content; returns the earlier one if it
    /// still exists.
    private mutating func linkToEarlier(_ record: inout Record) -> RecordID? {
        guard let octets = record.notification.delivery.identifyingOctets else { return nil }
        var hasher = Hasher()
        hasher.combine(record.phone.digest)
        hasher.combine(octets)
        let fingerprint = hasher.finalize()
        let session = record.notification.session
        let earlier = fingerprints[fingerprint]
        // Two equal notifications within one session are different ones.
        if earlier?.session != session {
            fingerprints.set(Sighting(id: record.id, session: session), for: fingerprint)
        }
        guard let earlier, earlier.session != session else { return nil }
        record.sameAs = earlier.id
        return entries[earlier.id] == nil ? nil : earlier.id
    }

    private mutating func store(_ record: Record, _ stage: Stage) {
        let earlier = entries[record.id]?.stage
        entries[record.id] = Entry(record: record, stage: stage)
        while entries.count > Self.recordLimit, let oldest = entries.keys.min() {
            take(oldest, .away)
        }
        switch (earlier, stage) {
        case (_, .held), (_, .unclear): break
        case (_, .announced): outputs.append(.event(.announced(record)))
        case (.added, .added): outputs.append(.event(.modified(record)))
        case (_, .added): outputs.append(.event(.added(record)))
        }
        if entries[record.id]?.isTold == true { track(record) }
    }

    private mutating func remove(_ notification: ReceivedNotification) {
        let key = Key(notification)
        // It may have been added again meanwhile, with a new identifier.
        guard let id = keys.removeValue(forKey: key) else {
            muted[key] = nil
            // It may be what became of a call, of which only the header is known.
            if let record = pending[key]?.record { track(.removed(record.id)) }
            return
        }
        entries[id]?.record.notification.delivery.source.categoryCount =
            notification.delivery.source.categoryCount
        take(id, .removed)
    }

    /// A record with the time of what happens to it now.
    func now(_ record: Record) -> Record {
        var record = record
        if let moment { record.time = moment.time + (clock - moment.instant) }
        return record
    }

    mutating func take(_ id: RecordID, _ reason: ServiceEvent.RemovalReason) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        let key = Key(entry.record.notification)
        if keys[key] == id { keys[key] = nil }
        guard entry.isTold else { return }
        outputs.append(.event(.removed(now(entry.record), reason)))
        track(reason == .removed ? .removed(id) : .left(id))
    }
}

// MARK: - Sessions

extension RecordKeeper {
    /// The phone now announces again those notifications of the earlier session that still exist.
    private mutating func started(_ session: SessionID, at now: Moment) {
        let phone = directory.name(of: session.provider)
        for (other, _) in farewells where phone.digest == self.phone(of: other)?.digest {
            farewells[other] = now.instant + Self.patience
        }
    }

    private func phone(of session: SessionID) -> PhoneName? {
        entries.values.first { $0.record.notification.session == session }?.record.phone
    }

    private mutating func ended(_ session: SessionID, at now: Moment) {
        pending = pending.filter { $0.key.session != session }
        muted = muted.filter { $0.key.session != session }
        track(.sessionEnded(session))
        guard phone(of: session) != nil else { return }
        farewells[session] = now.instant + Self.patience
    }

    private mutating func removeAll(of session: SessionID) {
        let ids = entries.values.filter { $0.record.notification.session == session }
            .map(\.record.id).sorted(byNumber: \.rawValue)
        for id in ids { take(id, .away) }
    }

    private mutating func reportPhone(_ provider: PhoneID) {
        guard let status = directory.status(of: provider) else { return }
        outputs.append(.event(.phone(status)))
    }
}

extension ReceivedNotification {
    /// This notification; if nothing could be fetched, with the content that was known before.
    fileprivate func orContent(of earlier: Self) -> Self {
        guard failure != nil, attributes.isEmpty, !earlier.attributes.isEmpty else { return self }
        return withContent(of: earlier)
    }

    /// This notification with the content of an earlier one.
    func withContent(of earlier: Self) -> Self {
        var delivery = earlier.delivery
        delivery.source = self.delivery.source
        return Self(delivery, session: session)
    }
}

extension NotificationFeed.Delivery {
    /// This notification with the app of an earlier announcement, which does not change.
    fileprivate func with(appOf earlier: ReceivedNotification) -> Self {
        guard self[.appIdentifier] == nil, let app = earlier[.appIdentifier] else { return self }
        var delivery = self
        delivery.attributes = [app]
        delivery.displayName = earlier.delivery.displayName
        return delivery
    }
}
