import ANCS

@testable import ANCSEvents
@testable import ANCSReceiver

enum ConsumerSessionEventKind: String, CaseIterable {
    case waitingForService, sessionStarted, authorizationChanged, announced, notification
    case livenessChanged, sessionEnded
}

extension ConsumerEvent: Sampled {
    private static let phone = PhoneID(rawValue: 1)
    private static let session = SessionID(provider: phone, number: 1)

    /// What happens before each sample: a phone connects, its session starts, and a call is added.
    static let beginning: [ConsumerEvent] = [
        .peer(phone, .connected(PeerEvent.stranger)), .session(phone, .started(session)),
        .notification(ReceivedNotification(NotificationSamples.call, session: session)),
    ]

    var kind: TopicKind<ConsumerSessionEventKind> {
        switch self {
        case .device(let event): .device(event.kind)
        case .peer(_, let event): .peer(event.kind)
        case .session(_, .waitingForService): .session(.waitingForService)
        case .session(_, .started): .session(.sessionStarted)
        case .session(_, .authorizationChanged): .session(.authorizationChanged)
        case .session(_, .livenessChanged): .session(.livenessChanged)
        case .session(_, .ended): .session(.sessionEnded)
        case .session(_, .announced): .session(.announced)
        case .notification: .session(.notification)
        }
    }

    static func samples(of kind: TopicKind<ConsumerSessionEventKind>) -> [ConsumerEvent] {
        switch kind {
        case .device(let kind): DeviceEvent.samples(of: kind).map { .device($0) }
        case .peer(let kind): PeerEvent.samples(of: kind).map { .peer(phone, $0) }
        case .session(let kind): samples(of: kind)
        }
    }

    private static func samples(of kind: ConsumerSessionEventKind) -> [ConsumerEvent] {
        switch kind {
        case .waitingForService: [.session(phone, .waitingForService)]
        case .sessionStarted: [.session(phone, .started(session))]
        case .authorizationChanged:
            [.unknown, .authorized, .unauthorized(.init(rawValue: 0x03))]
                .map { .session(phone, .authorizationChanged($0)) }
        case .announced:
            [
                .session(
                    phone,
                    .announced(
                        ReceivedNotification(
                            .init(source: NotificationSamples.call.source), session: session)))
            ]
        case .notification:
            NotificationSamples.all.map {
                .notification(ReceivedNotification($0, session: session))
            }
        case .livenessChanged:
            [.live, .suspect, .wedged].map { .session(phone, .livenessChanged($0)) }
        case .sessionEnded:
            [
                .linkEnded, .serviceGone, .renewed(.unanswered), .renewed(.silent),
                .renewed(.unsubscribed),
            ].map { .session(phone, .ended(session, $0)) }
        }
    }
}

/// Notifications as `ancs receive` has them.
enum NotificationSamples {
    /// A call with everything that is known of it.
    static let call = sample(
        .added, uid: 7, [.important, .positiveAction, .negativeAction], .incomingCall,
        [
            AttributeValue(.appIdentifier, "com.apple.mobilephone"), AttributeValue(.title, "Ada"),
            AttributeValue(.subtitle, "mobile"), AttributeValue(.message, "Incoming Call"),
            AttributeValue(.messageSize, "13"), AttributeValue(.date, "20261121T093000"),
            AttributeValue(.positiveActionLabel, "Answer"),
            AttributeValue(.negativeActionLabel, "Decline"),
        ], name: "Phone")

    static let all: [NotificationFeed.Delivery] = [
        call,
        sample(
            .modified, uid: 7, [], .social, [AttributeValue(.title, Samples.hostile)], name: nil),
        sample(.removed, uid: 7, [], .incomingCall, [], name: nil),
        sample(.removed, uid: .max, [], .social, [], name: nil),
        // Attributes that the phone left empty, a flag and a category that nobody knows.
        sample(
            .added, uid: .max, EventFlags(rawValue: 0x24), CategoryID(rawValue: 13),
            [
                AttributeValue(.appIdentifier, "com.example"), AttributeValue(.title, ""),
                AttributeValue(.date, ""), AttributeValue(.messageSize, "many"),
                AttributeValue(.negativeActionLabel, ""),
            ], name: nil),
        incomplete,
    ]

    /// A notification from before the session, of which the texts are missing.
    private static var incomplete: NotificationFeed.Delivery {
        var delivery = sample(.added, uid: 8, [.preExisting, .silent], .email, [], name: nil)
        delivery.failure = .refused(ControlPointError(rawValue: 0xA2))
        delivery.displayNameFailure = .timedOut
        delivery.wasSeen = false
        return delivery
    }

    private static func sample(
        _ event: EventID, uid: UInt32, _ flags: EventFlags, _ category: CategoryID,
        _ attributes: [AttributeValue], name: String?
    ) -> NotificationFeed.Delivery {
        var delivery = NotificationFeed.Delivery(
            source: NotificationSourceValue(
                eventID: event, eventFlags: flags, categoryID: category, categoryCount: 1,
                notificationUID: NotificationUID(rawValue: uid)))
        delivery.attributes = attributes
        delivery.displayName = name.map { AttributeValue(AppAttributeID.displayName, $0) }
        return delivery
    }
}
