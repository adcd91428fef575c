import ANCS
import BluetoothLE

@testable import ANCSKit

enum ConsumerEventKind: String, CaseIterable {
    case listening, ready, resetting, advertising, connected, linkParameters, named, resumed,
        secured
    case pairingWindow, pairingRefused, keyTrouble, pairing, pairingWithdrawn, paired,
        securityFailed
    case waitingForService, sessionStarted, authorizationChanged, announced, notification
    case livenessChanged, sessionEnded, disconnected, warning, missed
}

extension ConsumerEvent: Sampled {
    private static let phone = ProviderID(rawValue: 1)
    private static let session = SessionID(provider: phone, number: 1)

    private static let stranger = ProviderDescription(
        address: Samples.address, identity: nil, digest: Samples.digest)
    private static let anotherStranger = ProviderDescription(
        address: Samples.address, identity: nil, digest: "ffeeddccbbaa9988")
    private static let friend = ProviderDescription(
        address: Samples.address, identity: Samples.identity, digest: Samples.digest,
        link: Samples.link)

    /// What happens before each sample: a phone connects, its session starts, and a call is added.
    static let beginning: [ConsumerEvent] = [
        .connected(phone, stranger), .sessionStarted(session),
        .notification(ReceivedNotification(NotificationSamples.call, session: session)),
    ]

    var kind: ConsumerEventKind {
        switch self {
        case .listening: .listening
        case .ready: .ready
        case .resetting: .resetting
        case .advertising: .advertising
        case .connected: .connected
        case .linkParameters: .linkParameters
        case .named: .named
        case .resumed: .resumed
        case .secured: .secured
        case .pairingWindow: .pairingWindow
        case .pairingRefused: .pairingRefused
        case .keyTrouble: .keyTrouble
        case .pairing: .pairing
        case .pairingWithdrawn: .pairingWithdrawn
        case .paired: .paired
        case .securityFailed: .securityFailed
        case .waitingForService: .waitingForService
        case .sessionStarted: .sessionStarted
        case .authorizationChanged: .authorizationChanged
        case .announced: .announced
        case .notification: .notification
        case .livenessChanged: .livenessChanged
        case .sessionEnded: .sessionEnded
        case .disconnected: .disconnected
        case .warning: .warning
        case .missed: .missed
        }
    }

    static func samples(of kind: ConsumerEventKind) -> [ConsumerEvent] {
        switch kind {
        case .listening: [.listening(at: "unix-server:/run/" + Samples.hostile)]
        case .ready: [.ready]
        case .resetting: Samples.controllerFailures.prefix(3).map { .resetting($0) }
        case .advertising: [.advertising(true), .advertising(false)]
        case .connected: [.connected(phone, anotherStranger), .connected(phone, friend)]
        case .linkParameters:
            [.linkParameters(phone, Samples.link), .linkParameters(phone, Samples.keptLink)]
        case .named: [.named(phone, Samples.hostile)]
        case .resumed: [.resumed]
        case .secured: Samples.protections.map { .secured(phone, $0) }
        case .pairingWindow: [.pairingWindow(isOpen: true), .pairingWindow(isOpen: false)]
        case .pairingRefused: [.pairingRefused(phone)]
        case .keyTrouble: KeyTrouble.all.map { .keyTrouble(phone, $0) }
        case .pairing: Samples.pairingRequests.map { .pairing(phone, $0) }
        case .pairingWithdrawn: [.pairingWithdrawn(phone)]
        case .paired:
            [
                nil, BondedProvider(digest: Samples.digest),
                .init(digest: Samples.digest, name: "Ada's"),
            ]
            .map { .paired(phone, friend, replacing: $0) }
        case .securityFailed: Samples.securityFailures.prefix(3).map { .securityFailed(phone, $0) }
        case .waitingForService: [.waitingForService(phone)]
        case .sessionStarted: [.sessionStarted(session)]
        case .authorizationChanged:
            [.unknown, .authorized, .unauthorized(.init(rawValue: 0x03))]
                .map { .authorizationChanged(phone, $0) }
        case .announced:
            [
                .announced(
                    ReceivedNotification(
                        .init(source: NotificationSamples.call.source), session: session))
            ]
        case .notification:
            NotificationSamples.all.map {
                .notification(ReceivedNotification($0, session: session))
            }
        case .livenessChanged: [.live, .suspect, .wedged].map { .livenessChanged(phone, $0) }
        case .sessionEnded:
            [
                .linkEnded, .serviceGone, .renewed(.unanswered), .renewed(.silent),
                .renewed(.unsubscribed),
            ].map { .sessionEnded(session, $0) }
        case .disconnected: Samples.disconnectReasons.prefix(2).map { .disconnected(phone, $0) }
        case .warning: [.warning(Samples.warning)]
        case .missed: [.missed(1), .missed(3)]
        }
    }
}

extension KeyTrouble {
    /// Every kind, and whether it lasts.
    static let all: [KeyTrouble] = [Kind.missing, .different, .unknown].flatMap { kind in
        [false, true].map { KeyTrouble(kind, isLasting: $0) }
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
