internal import ANCS
internal import ANCSKit

/// The phones that are connected, as the lines of `ancs receive` name them.
struct ReceivePhones: Sendable {
    struct Phone: Sendable {
        /// What names the phone, the same in every run.
        var digest: String
        /// The number of its session within the run.
        var session: UInt64?
        /// What was shown of its notifications, which a removal does not say again.
        fileprivate var shown = Phone.nothingShown

        /// What a person calls it: by its session, and before that by the beginning of its digest.
        var mark: String { session.map { "\($0)" } ?? String(digest.prefix(4)) }

        fileprivate static var nothingShown:
            BoundedDictionary<NotificationUID, NotificationFeed.Delivery>
        {
            BoundedDictionary(limit: 8192)
        }
    }

    private var phones: [ProviderID: Phone] = [:]

    subscript(id: ProviderID) -> Phone? { phones[id] }

    /// The app and the title that were shown of a notification; `nil` for nothing.
    func shown(_ uid: NotificationUID, on phone: ProviderID) -> NotificationFeed.Delivery? {
        phones[phone]?.shown[uid]
    }

    /// Takes note of what an event says before it is told.
    mutating func begin(_ event: ConsumerEvent) {
        switch event {
        case .connected(let id, let description):
            phones[id] = Phone(digest: description.digest)
        case .paired(let id, let description): phones[id]?.digest = description.digest
        case .sessionStarted(let id):
            phones[id.provider]?.session = id.number
            phones[id.provider]?.shown = Phone.nothingShown
        default: break
        }
    }

    /// Takes note of what an event says when it was told.
    mutating func end(_ event: ConsumerEvent) {
        switch event {
        case .notification(let id, let delivery):
            let uid = delivery.source.notificationUID
            if delivery.source.eventID == .removed {
                phones[id]?.shown.remove(uid)
            } else {
                phones[id]?.shown.set(delivery.withNamesOnly, for: uid)
            }
        // The end of the link is told after that of its session, and is of the same.
        case .sessionEnded(_, .linkEnded): break
        case .sessionEnded(let id, _): phones[id.provider]?.session = nil
        case .disconnected(let id, _): phones[id] = nil
        default: break
        }
    }
}

extension NotificationFeed.Delivery {
    /// The same with the app and the title alone.
    fileprivate var withNamesOnly: Self {
        var delivery = Self(source: source)
        delivery.attributes = [NotificationAttributeID.appIdentifier, .title].compactMap {
            self[$0]
        }
        delivery.displayName = displayName
        return delivery
    }
}
