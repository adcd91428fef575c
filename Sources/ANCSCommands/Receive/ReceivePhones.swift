internal import ANCSService
internal import ANCS
internal import ANCSKit

/// The phones that are connected, as the lines of `ancs receive` name them.
struct ReceivePhones: Sendable {
    struct Phone: Sendable {
        /// What names the phone, the same in every run.
        var digest: String
        /// Its identity address, where it is bonded, or else the one that it is on air with.
        var address: String
        /// The number of its session within the run.
        var session: UInt64?
        /// What was shown of its notifications, which a removal does not say again.
        fileprivate var shown = Phone.nothingShown

        /// What a person calls it: by its session, and before that by the beginning of its digest.
        var mark: String { session.map { "\($0)" } ?? String(digest.prefix(4)) }

        fileprivate static var nothingShown:
            BoundedDictionary<NotificationUID, ReceivedNotification>
        {
            BoundedDictionary(limit: 8192)
        }
    }

    private var phones: [ProviderID: Phone] = [:]

    subscript(id: ProviderID) -> Phone? { phones[id] }

    /// The app and the title that were shown of a notification; `nil` for nothing.
    func shown(of notification: ReceivedNotification) -> ReceivedNotification? {
        phones[notification.provider]?.shown[notification.uid]
    }

    /// Takes note of what an event says before it is told.
    mutating func begin(_ event: ConsumerEvent) {
        switch event {
        case .connected(let id, let description):
            phones[id] = Phone(digest: description.digest, address: description.knownAddress)
        case .paired(let id, let description):
            phones[id]?.digest = description.digest
            phones[id]?.address = description.knownAddress
        case .sessionStarted(let id):
            phones[id.provider]?.session = id.number
            phones[id.provider]?.shown = Phone.nothingShown
        default: break
        }
    }

    /// Takes note of what an event says when it was told.
    mutating func end(_ event: ConsumerEvent) {
        switch event {
        case .notification(let notification):
            let uid = notification.uid
            if notification.event == .removed {
                phones[notification.provider]?.shown.remove(uid)
            } else {
                phones[notification.provider]?.shown.set(notification.withNamesOnly, for: uid)
            }
        // The end of the link is told after that of its session, and is of the same.
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
    /// The same with the app and the title alone.
    fileprivate var withNamesOnly: Self {
        var delivery = NotificationFeed.Delivery(source: delivery.source)
        delivery.attributes = [NotificationAttributeID.appIdentifier, .title].compactMap {
            self[$0]
        }
        delivery.displayName = self.delivery.displayName
        return Self(delivery, session: session)
    }
}
