internal import ANCSService
internal import ANCS
internal import ANCSKit
internal import Octets

/// The connected phones, as the lines of `ancs receive` name them.
struct ReceivePhones: Sendable {
    struct Phone: Sendable {
        /// The digest that identifies the phone, the same in every run.
        var digest: String
        /// Its identity address if it is bonded, otherwise the address that it uses on air.
        var address: String
        /// The number of its session in this run.
        var session: UInt64?
        /// The app and title shown for each of its notifications, for their removals.
        fileprivate var shown = Phone.nothingShown

        /// How text for users names the phone: by its session, and before that by the beginning of its
        /// digest.
        var mark: String { session.map { "\($0)" } ?? String(digest.prefix(4)) }

        fileprivate static var nothingShown:
            BoundedDictionary<NotificationUID, ReceivedNotification>
        {
            BoundedDictionary(limit: 8192)
        }
    }

    private var phones: [ProviderID: Phone] = [:]
    /// The digests of phones whose keys did not work, and have not since. Only bonded phones have such trouble.
    private var troubled: Set<String> = []

    subscript(id: ProviderID) -> Phone? { phones[id] }

    /// Whether the event is the beginning or the end of a link of a phone whose keys do not work.
    func hasKeyTrouble(_ event: ConsumerEvent) -> Bool {
        switch event {
        case .connected(let id, _), .disconnected(let id, _):
            phones[id].map { troubled.contains($0.digest) } ?? false
        default: false
        }
    }

    /// How many are connected.
    var count: Int { phones.count }

    /// The app and the title that were shown for a notification, or `nil`.
    func shown(of notification: ReceivedNotification) -> ReceivedNotification? {
        phones[notification.provider]?.shown[notification.uid]
    }

    /// Updates the state before an event is reported.
    mutating func begin(_ event: ConsumerEvent) {
        switch event {
        case .connected(let id, let description):
            phones[id] = Phone(digest: description.digest, address: description.knownAddress)
        case .paired(let id, let description, _):
            phones[id]?.digest = description.digest
            phones[id]?.address = description.knownAddress
        case .keyTrouble(let id, _):
            if let phone = phones[id] { troubled.insert(phone.digest) }
        case .secured(let id, let protection) where protection.isEncrypted:
            if let phone = phones[id] { troubled.remove(phone.digest) }
        case .sessionStarted(let id):
            phones[id.provider]?.session = id.number
            phones[id.provider]?.shown = Phone.nothingShown
        default: break
        }
    }

    /// Updates the state after an event was reported.
    mutating func end(_ event: ConsumerEvent) {
        switch event {
        case .notification(let notification):
            let uid = notification.uid
            if notification.event == .removed {
                phones[notification.provider]?.shown.remove(uid)
            } else {
                phones[notification.provider]?.shown.set(notification.withNamesOnly, for: uid)
            }
        // The end of the link is reported after the end of its session, and belongs to it.
        case .sessionEnded(_, .linkEnded): break
        case .sessionEnded(let id, _): phones[id.provider]?.session = nil
        case .disconnected(let id, _): phones[id] = nil
        default: break
        }
    }
}

extension ProviderDescription {
    fileprivate var knownAddress: String { identity ?? address }
}

extension ReceivedNotification {
    /// A copy with only the app and the title.
    fileprivate var withNamesOnly: Self {
        var delivery = NotificationFeed.Delivery(source: delivery.source)
        delivery.attributes = [NotificationAttributeID.appIdentifier, .title].compactMap {
            self[$0]
        }
        delivery.displayName = self.delivery.displayName
        return Self(delivery, session: session)
    }
}
