internal import ANCSService

/// The connected phones, as the lines of `ancs receive` name them.
struct ReceivePhones: Sendable {
    struct Phone: Sendable {
        /// The digest that identifies the phone, the same in every run.
        var digest: String
        /// Its identity address if it is bonded, otherwise the address that it uses on air.
        var address: String
        /// The number of its session in this run.
        var session: UInt64?
        /// Whether nothing is said of the beginning and the end of its link: it is one of many of strangers.
        fileprivate var isMuted = false
        /// Whether it has not paired, now or before, as far as is known: anybody may connect.
        fileprivate var isStranger = false
        /// The app and title shown for each of its notifications, for their removals.
        fileprivate var shown = Phone.nothingShown

        /// How text for users names the phone: by its session, and before that by the beginning of its
        /// digest.
        var mark: String { session.map { "\($0)" } ?? String(digest.prefix(4)) }

        fileprivate static var nothingShown: BoundedDictionary<NotificationUID, Shown> {
            BoundedDictionary(limit: 8192)
        }
    }

    /// An array, because there are few, and each event changes one in place.
    private var phones: [(id: PhoneID, phone: Phone)] = []
    /// The digests of phones whose keys did not work, and have not since. Only bonded phones have such trouble.
    private var troubled: Set<String> = []
    /// The links of devices that are not paired, since pairing was opened or a phone has paired.
    private var strangers = StrangerTally()
    /// How many links there were, if the last event deserves that line.
    private var crowd: Int?
    /// The failures to pair in the same time; more than this many are not said.
    private var failures = 0
    private static let failureLimit = 5
    /// Whether nothing was said of the link that last began or ended.
    private var isQuiet = false
    /// Why the phones that were met last are not received from, as far as that was said.
    private var unserved = BoundedDictionary<String, Unserved>(limit: 64)

    subscript(id: PhoneID) -> Phone? { phones.first { $0.id == id }?.phone }

    private mutating func change(_ id: PhoneID, _ change: (inout Phone) -> Void) {
        if let index = phones.firstIndex(where: { $0.id == id }) { change(&phones[index].phone) }
    }

    /// Whether nothing is said of an event, because devices can cause it again and again: the links of a phone
    /// whose keys do not work, those of strangers, waiting for the next after them, and failures to pair.
    func isRepetition(_ event: ConsumerEvent) -> Bool {
        switch event {
        case .peer(let id, .connected), .peer(let id, .disconnected),
            .peer(let id, .pairingRefused):
            self[id].map { $0.isMuted || troubled.contains($0.digest) } ?? false
        case .peer(let id, .unserved(let reason)):
            self[id].map { unserved[$0.digest] == reason } ?? false
        case .peer(_, .securityFailed): failures > Self.failureLimit
        case .device(.advertising(true)): isQuiet
        case .device, .peer, .session, .notification: false
        }
    }

    /// How many links of strangers there were, if that is to be said instead of this event.
    func crowd(at event: ConsumerEvent) -> Int? {
        guard case .peer(let id, .connected) = event, self[id]?.isMuted == true
        else { return nil }
        return crowd
    }

    /// How many are connected.
    var count: Int { phones.count }

    /// Whether one of them is a phone of the user.
    var hasOwn: Bool { phones.contains { !$0.phone.isStranger } }

    /// The app and the title that were shown for a notification, or `nil`.
    func shown(of notification: ReceivedNotification) -> ReceivedNotification? {
        self[notification.provider]?.shown[notification.uid].map { shown in
            var delivery = NotificationFeed.Delivery(source: shown.source)
            delivery.attributes = [shown.app, shown.title].compactMap(\.self)
            delivery.displayName = shown.displayName
            return ReceivedNotification(delivery, session: notification.session)
        }
    }

    /// Updates the state before an event is reported.
    mutating func begin(_ event: ConsumerEvent) {
        switch event {
        case .peer(let id, .connected(let description)):
            var phone = Phone(digest: description.digest, address: description.knownAddress)
            phone.isStranger = description.identity == nil
            phones.removeAll { $0.id == id }
            phones.append((id, phone))
            if description.identity == nil { count(id, description.digest) }
        case .device(.pairingWindow(isOpen: true)): forgetStrangers()
        case .peer(_, .securityFailed): failures = min(failures + 1, Self.failureLimit + 1)
        case .peer(let id, .paired(let description, _, _)):
            forgetStrangers()
            change(id) { phone in
                (phone.isMuted, phone.isStranger) = (false, false)
                (phone.digest, phone.address) = (description.digest, description.knownAddress)
            }
        case .peer(let id, .keyTrouble): if let phone = self[id] { troubled.insert(phone.digest) }
        case .peer(let id, .secured(let protection)) where protection.isEncrypted:
            if let phone = self[id] { troubled.remove(phone.digest) }
            change(id) { ($0.isMuted, $0.isStranger) = (false, false) }
        case .session(_, .started(let id)):
            change(id.provider) { phone in
                (phone.session, phone.shown) = (id.number, Phone.nothingShown)
                phone.isStranger = false
            }
        case .device, .peer, .session, .notification: break
        }
    }

    /// A stranger has connected.
    private mutating func count(_ id: PhoneID, _ digest: String) {
        crowd = nil
        switch strangers.connected(digest) {
        case .first?: break
        case .many(let count)?:
            crowd = count
            change(id) { $0.isMuted = true }
        case nil: change(id) { $0.isMuted = true }
        }
    }

    private mutating func forgetStrangers() {
        strangers = StrangerTally()
        failures = 0
    }

    /// Updates the state after an event was reported.
    mutating func end(_ event: ConsumerEvent) {
        switch event {
        case .notification(let notification):
            let uid = notification.uid
            let shown = notification.event == .removed ? nil : Shown(notification.delivery)
            change(notification.provider) { phone in
                if let shown { phone.shown.set(shown, for: uid) } else { phone.shown.remove(uid) }
            }
        // The end of the link is reported after the end of its session, and belongs to it.
        case .peer(let id, .unserved(let reason)):
            if let phone = self[id] { unserved.set(reason, for: phone.digest) }
        case .session(_, .ended(_, .linkEnded)): break
        case .session(_, .ended(let id, _)): change(id.provider) { $0.session = nil }
        case .peer(_, .connected): isQuiet = isRepetition(event)
        case .peer(let id, .disconnected):
            isQuiet = isRepetition(event)
            phones.removeAll { $0.id == id }
        case .device(.ready): isQuiet = false
        case .device, .peer, .session: break
        }
    }
}

extension PeerDescription { fileprivate var knownAddress: String { identity ?? address } }

/// What is kept of a notification: neither its other texts nor what became of it.
private struct Shown: Sendable {
    let source: NotificationSourceValue
    let app: AttributeValue?
    let title: AttributeValue?
    let displayName: AttributeValue?

    init(_ delivery: NotificationFeed.Delivery) {
        (source, displayName) = (delivery.source, delivery.displayName)
        (app, title) = (delivery[.appIdentifier], delivery[.title])
    }
}
