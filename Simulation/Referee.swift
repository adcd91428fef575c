import ANCS
import ANCSKit
import Octets

/// Continuously compares what accessories show with what phones hold. It is independent of how either works
/// and knows only what was announced, with which content, what was shown, and what users requested.
struct Referee {
    /// A rule that was broken, and how.
    struct Violation: Hashable {
        var rule: String
        var evidence: String
    }

    struct Pair: Hashable {
        var phone: Int
        var accessory: Int
    }

    /// An ANCS session as an accessory sees it.
    struct Shown {
        /// A number unique among all sessions.
        let number: Int
        /// The identifier that the accessory uses.
        let id: SessionID
        /// The sessions of phones that it can be, judging by everything shown so far.
        var candidates: [PhoneSession]
        /// The notifications being shown.
        var notifications: [NotificationUID: NotificationFeed.Delivery] = [:]
        /// The number of shown announcements of each notification.
        var counts: [NotificationUID: Int] = [:]
        /// Calls that were reported as ringing but are not shown yet.
        var ringing: Set<NotificationUID> = []
        /// The phone of the session, once a text has revealed it.
        var phone: Int?
    }

    /// By phone: its behaviors during the run, apart from the usual one.
    private let behaviors: [[ProviderBehavior]]
    /// By phone: whether it ends the link to an accessory that has lost its keys.
    let refusesLostKeys: [Bool]
    private(set) var violations: [Violation] = []
    /// By accessory and by its identifier of the phone.
    private(set) var shown: [Int: [PhoneID: Shown]] = [:]
    /// The times at which sessions of accessories ended.
    private(set) var ends: [Int: MonotonicInstant] = [:]
    private var lives: [Int: PhoneLife] = [:]
    /// The last session of each phone with each accessory.
    private(set) var sessions: [Pair: PhoneSession] = [:]
    private var lastNumber = 0
    var actions: [AskedAction] = []
    /// Effects of actions, until the phone reports the accessory they belong to.
    var deeds: [Deed] = []
    var bonds: [Pair: Bond] = [:]

    init(plan: Plan) {
        behaviors = plan.phones.indices.map { plan.behaviors(of: $0) }
        refusesLostKeys = plan.refusesLostKeys
    }

    /// A referee of phones that behave as usual.
    init(phones: Int) {
        behaviors = Array(repeating: [], count: phones)
        refusesLostKeys = Array(repeating: false, count: phones)
    }

    mutating func violate(_ rule: String, _ evidence: String) {
        violations.append(Violation(rule: rule, evidence: evidence))
    }

    // MARK: Events of phones

    /// A phone has started, without notifications.
    mutating func phoneStarted(_ phone: Int) {
        lives[phone] = PhoneLife(phone: phone)
        sessions = sessions.filter { $0.key.phone != phone }
    }

    mutating func installed(_ app: AppIdentifier, _ name: String, at phone: Int) {
        lives[phone]?.names[app.octets] = name
    }

    /// The content of a notification changed.
    mutating func changed(
        _ id: NotificationID, to notification: ProviderNotification, at phone: Int
    ) {
        let content = Content(notification)
        guard let life = lives[phone], !(life.contents[id] ?? []).contains(content) else { return }
        life.contents[id, default: []].append(content)
    }

    mutating func sessionStarted(with accessory: Int, at phone: Int) {
        guard let life = lives[phone] else { return }
        let pair = Pair(phone: phone, accessory: accessory)
        sessions[pair] = PhoneSession(life: life)
        bondProved(pair)
    }

    mutating func announced(
        _ value: NotificationSourceValue, of id: NotificationID, to accessory: Int, at phone: Int
    ) {
        let evidence = "phone \(phone): \(value)"
        guard let session = sessions[Pair(phone: phone, accessory: accessory)] else {
            return violate("announced without a session", evidence)
        }
        let uid = value.notificationUID
        if let known = session.identifiers[uid], known != id {
            violate("one identifier for two notifications", evidence)
        }
        session.identifiers[uid] = id
        session.announced[uid, default: []].append(value)
        let contents = session.contents(of: uid)
        let added = addedFlags(of: value, at: phone)
        if !contents.isEmpty, !contents.contains(where: { $0.matches(value, adding: added) }) {
            violate("announced with flags or a category of another", evidence)
        }
    }

    /// Whether a notification is or was a ringing call.
    func isCall(_ id: NotificationID, at phone: Int) -> Bool {
        lives[phone]?.contents[id]?.contains { $0.category == .incomingCall && $0.isPhones }
            ?? false
    }

    /// Flags that do not depend on the notification itself.
    private func addedFlags(of value: NotificationSourceValue, at phone: Int) -> EventFlags {
        var flags: EventFlags = value.eventID == .added ? .preExisting : []
        for behavior in behaviors[phone] {
            flags.formUnion(behavior.additionalFlags)
            if value.eventID == .added { flags.formUnion(behavior.existingFlags) }
        }
        return flags
    }

    /// An accessory wrote a command.
    mutating func received(
        _ command: ControlPointCommand, from accessory: Int, at phone: Int,
        _ now: MonotonicInstant
    ) {
        guard let session = sessions[Pair(phone: phone, accessory: accessory)] else { return }
        if case .performNotificationAction(let action) = command {
            arrived(action, from: accessory, in: session)
        } else {
            session.fetches.append(PhoneSession.Fetch(command: command, began: now))
        }
    }

    /// A command was answered or ignored.
    mutating func answered(
        _ command: ControlPointCommand, _ outcome: ProviderSession.Outcome,
        from accessory: Int, at phone: Int, _ now: MonotonicInstant
    ) {
        guard let session = sessions[Pair(phone: phone, accessory: accessory)] else { return }
        if outcome == .ignored { session.hasIgnoredWrite = true }
        if case .performNotificationAction(let action) = command {
            return answered(action, outcome, from: accessory, in: session)
        }
        let index = session.fetches.firstIndex { $0.end == nil && $0.command == command }
        if let index { session.fetches[index].end = (outcome, now) }
    }

    /// A response of a phone is lost, or late, between bluetoothd and the accessory.
    mutating func lostResponse(of phone: Int) {
        sessions[Pair(phone: phone, accessory: 0)]?.lostResponses += 1
    }

    // MARK: Events of accessories

    mutating func sessionStarted(_ id: SessionID, at accessory: Int) {
        if let old = shown[accessory]?[id.provider], !old.notifications.isEmpty {
            violate("survives its session", "accessory \(accessory)")
        }
        lastNumber += 1
        shown[accessory, default: [:]][id.provider] = Shown(
            number: lastNumber, id: id,
            candidates: behaviors.indices.compactMap { phone in
                sessions[Pair(phone: phone, accessory: accessory)]
            })
    }

    mutating func sessionEnded(
        with provider: PhoneID, at accessory: Int, _ now: MonotonicInstant
    ) {
        if let session = shown[accessory]?.removeValue(forKey: provider) {
            ends[session.number] = now
        }
    }

    /// An accessory has stopped, which ends all of its sessions.
    mutating func accessoryStopped(_ accessory: Int) {
        let left = shown.removeValue(forKey: accessory) ?? [:]
        if !left.isEmpty { violate("survives its end", "accessory \(accessory)") }
    }

    mutating func delivered(
        _ delivery: NotificationFeed.Delivery, by provider: PhoneID, at accessory: Int
    ) {
        let uid = delivery.source.notificationUID
        let place = "accessory \(accessory), uid \(uid)"
        guard var session = shown[accessory]?[provider] else {
            return violate("shown without a session", place)
        }
        switch delivery.source.eventID {
        case .added where session.notifications[uid] != nil:
            violate("shown twice in a session", place)
        case .added
        where delivery.source.categoryID == .incomingCall && !session.ringing.contains(uid):
            violate("a call that was not reported when it rang", place)
        case .removed where session.notifications[uid] == nil && !session.ringing.contains(uid):
            violate("removed without being shown", place)
        default: break
        }
        if delivery.source.eventID == .removed, session.ringing.remove(uid) != nil {
            skipToRemoval(of: uid, in: &session)
        }
        session.ringing.remove(uid)
        checkOrder(delivery, place, in: &session)
        checkContent(delivery, place, in: &session)
        session.notifications[uid] = delivery.source.eventID == .removed ? nil : delivery
        shown[accessory]?[provider] = session
    }

    /// A call was reported as ringing.
    mutating func reported(
        _ value: NotificationSourceValue, by provider: PhoneID, at accessory: Int
    ) {
        let uid = value.notificationUID
        let place = "accessory \(accessory), uid \(uid)"
        guard var session = shown[accessory]?[provider] else {
            return violate("a call without a session", place)
        }
        if value.eventID != .added || value.categoryID != .incomingCall {
            violate("a call that is none", place)
        }
        if session.notifications[uid] != nil || !session.ringing.insert(uid).inserted {
            violate("a call that rings twice", place)
        }
        let index = session.counts[uid, default: 0]
        let isAnnounced = session.candidates.contains { candidate in
            let announced = candidate.announced[uid] ?? []
            return index < announced.count && announced[index] == value
        }
        if !isAnnounced { violate("a call that was not announced", place) }
        shown[accessory]?[provider] = session
    }

    /// Of a call that ended before it could be shown, only the removal is shown.
    private func skipToRemoval(of uid: NotificationUID, in session: inout Shown) {
        let index = session.counts[uid, default: 0]
        for candidate in session.candidates {
            let announced = candidate.announced[uid] ?? []
            guard index < announced.count else { continue }
            let removal = announced[index...].firstIndex { $0.eventID == .removed }
            if let removal { session.counts[uid] = removal }
        }
    }

    /// The shown announcements of a notification must be the sent ones, each once, in order and unchanged.
    private mutating func checkOrder(
        _ delivery: NotificationFeed.Delivery, _ place: String, in session: inout Shown
    ) {
        let source = delivery.source
        let uid = source.notificationUID
        guard !delivery.isCompletion else {
            guard let earlier = session.notifications[uid] else {
                return violate("completed without being shown", place)
            }
            if source.eventFlags != earlier.source.eventFlags
                || source.categoryID != earlier.source.categoryID
            {
                violate("completed with other flags", place)
            }
            return
        }
        let index = session.counts[uid, default: 0]
        session.counts[uid] = index + 1
        let right = session.candidates.filter { candidate in
            let announced = candidate.announced[uid] ?? []
            return index < announced.count && announced[index] == source
        }
        if right.isEmpty {
            let known = session.candidates.map { $0.announced[uid] ?? [] }
            violate("not as it was announced", "\(place): \(source) as number \(index) of \(known)")
        } else {
            session.candidates = right
        }
    }

    /// The shown content must be a present or past content of this notification on this phone.
    private mutating func checkContent(
        _ delivery: NotificationFeed.Delivery, _ place: String, in session: inout Shown
    ) {
        guard delivery.source.eventID != .removed else { return }
        if delivery.failure == nil, !delivery.isComplete {
            violate("an attribute is missing, and nothing says why", place)
        }
        if !delivery.truncatedTexts.isEmpty { violate("a whole text counts as cut", place) }
        guard !delivery.attributes.isEmpty else { return }
        let right = session.candidates.filter { candidate in
            candidate.contents(of: delivery.source.notificationUID).contains {
                matches($0, delivery, of: candidate.life.phone)
            }
        }
        if let session0 = right.first {
            session.candidates = right
            session.phone = session0.life.phone
            checkName(delivery, place, at: session0.life)
        } else {
            violate(rule(brokenBy: delivery, in: session), "\(place): \(delivery.attributes)")
        }
    }

    private func matches(
        _ content: Content, _ delivery: NotificationFeed.Delivery, of phone: Int
    ) -> Bool {
        let hasDates = behaviors[phone].allSatisfy { $0.dates == .all }
        return content.matches(delivery, datesMayBeMissing: !hasDates)
    }

    private func rule(
        brokenBy delivery: NotificationFeed.Delivery, in session: Shown
    ) -> String {
        let owners = lives.values.filter { life in
            life.contents.values.contains { versions in
                versions.contains { matches($0, delivery, of: life.phone) }
            }
        }
        guard let owner = owners.first else { return "content that no phone wrote" }
        if let phone = session.phone, phone != owner.phone { return "content of another phone" }
        return "content of another notification"
    }

    private mutating func checkName(
        _ delivery: NotificationFeed.Delivery, _ place: String, at life: PhoneLife
    ) {
        guard let name = delivery.displayName?.octets, let app = delivery[.appIdentifier]?.octets
        else { return }
        if name != Array((life.names[app] ?? "").utf8) { violate("name of another app", place) }
    }

    // MARK: At the end

    /// A difference between what the accessory shows of a phone and what the phone holds; `nil` if there is
    /// none.
    func difference(
        between accessory: Int, and phone: Int, holding held: [NotificationID: ProviderNotification]
    ) -> String? {
        guard let announced = sessions[Pair(phone: phone, accessory: accessory)] else {
            return "the phone has no session with it"
        }
        let shown = shown[accessory]?.values.filter { $0.phone == phone } ?? []
        guard let session = shown.first else { return "it shows nothing of the phone" }
        guard shown.count == 1 else { return "it has \(shown.count) sessions with the phone" }
        guard session.candidates.contains(where: { $0 === announced }) else {
            return "it shows an earlier session"
        }
        var ids: Set<NotificationID> = []
        for (uid, delivery) in session.notifications {
            guard let id = announced.identifiers[uid], let notification = held[id] else {
                return "it shows uid \(uid), which is gone"
            }
            ids.insert(id)
            if let text = fault(of: delivery, in: announced, saying: notification) {
                return "uid \(uid) \(text)"
            }
        }
        let missing = held.keys.filter { !ids.contains($0) }.map(\.rawValue).sorted()
        if !missing.isEmpty { return "it misses \(missing.count) of \(held.count): \(missing)" }
        let late = announced.announced.filter { $0.value.count != session.counts[$0.key] }
        return late.isEmpty ? nil : "it has not shown all announcements of \(late.count)"
    }

    /// The fault in a shown notification; `nil` if there is none, or the phone is to blame.
    private func fault(
        of delivery: NotificationFeed.Delivery, in session: PhoneSession,
        saying notification: ProviderNotification
    ) -> String? {
        let uid = delivery.source.notificationUID
        guard delivery.isComplete else {
            if session.explainsMissing(of: uid) { return nil }
            return "has no text (\(delivery.failure.map { "\($0)" } ?? "no reason"))"
        }
        guard matches(Content(notification), delivery, of: session.life.phone) else {
            return "has an old text"
        }
        let app = notification.appIdentifier.octets
        guard delivery.displayName == nil, session.life.names[app] != nil,
            !session.explainsMissingName(of: app)
        else { return nil }
        return "has no name of its app"
    }
}

extension Referee {
    /// The notifications that an accessory shows and that meet a condition, in a fixed order.
    func choices(
        at accessory: Int, where isChosen: (Shown, NotificationUID) -> Bool = { _, _ in true }
    ) -> [(SessionID, NotificationUID)] {
        (shown[accessory] ?? [:]).sorted { $0.key.rawValue < $1.key.rawValue }
            .flatMap { _, session in
                session.notifications.keys.sorted { $0.rawValue < $1.rawValue }
                    .filter { isChosen(session, $0) }.map { (session.id, $0) }
            }
    }
}
