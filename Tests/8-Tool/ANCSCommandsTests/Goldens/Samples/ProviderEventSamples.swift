import BluetoothLE
import BluetoothTypes

@testable import ANCS
@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSProvider

enum ProviderSessionEventKind: String, CaseIterable {
    case subscriptionChanged, serviceChangedSubscription, serviceChangedConfirmed
    case attributeRead, attributeSubscription
    case sessionStarted, sessionEnded, announced, command, commandWithoutResponse, answered, action
    case media, notification
    case advertised, phoneAddressChanged, parametersRequested, parametersUpdated, servicesFound
    case identityKeyCompared
}

extension ProviderEvent: Sampled {
    private static let watch = AccessoryID(rawValue: 1)
    private static let lunch = NotificationID(rawValue: 1)

    var kind: TopicKind<ProviderSessionEventKind> {
        switch self {
        case .device(let event): .device(event.kind)
        case .peer(_, let event): .peer(event.kind)
        case .link(_, let event): .session(Self.kind(of: event))
        case .session(_, let event): .session(Self.kind(of: event))
        case .notification: .session(.notification)
        }
    }

    private static func kind(of event: LinkEvent) -> ProviderSessionEventKind {
        switch event {
        case .advertised: .advertised
        case .phoneAddressChanged: .phoneAddressChanged
        case .parametersRequested: .parametersRequested
        case .parametersUpdated: .parametersUpdated
        case .servicesFound: .servicesFound
        case .identityKeyCompared: .identityKeyCompared
        }
    }

    private static func kind(of event: SessionEvent) -> ProviderSessionEventKind {
        switch event {
        case .subscriptionChanged: .subscriptionChanged
        case .serviceChangedSubscription: .serviceChangedSubscription
        case .serviceChangedConfirmed: .serviceChangedConfirmed
        case .attributeRead: .attributeRead
        case .attributeSubscription: .attributeSubscription
        case .started: .sessionStarted
        case .ended: .sessionEnded
        case .announced: .announced
        case .command: .command
        case .commandWithoutResponse: .commandWithoutResponse
        case .answered: .answered
        case .action: .action
        case .media: .media
        }
    }

    static func samples(of kind: TopicKind<ProviderSessionEventKind>) -> [ProviderEvent] {
        switch kind {
        case .device(let kind): DeviceEvent.samples(of: kind).map { .device($0) }
        case .peer(let kind): PeerEvent.samples(of: kind).map { .peer(watch, $0) }
        case .session(.notification):
            [EventID.added, .modified, .removed].map { .notification($0, lunch) }
        case .session(.advertised), .session(.phoneAddressChanged), .session(.parametersRequested),
            .session(.parametersUpdated),
            .session(.servicesFound), .session(.identityKeyCompared):
            linkSamples.filter { .session(Self.kind(of: $0)) == kind }.map { .link(watch, $0) }
        case .session(let kind): samples(of: kind).map { .session(watch, $0) }
        }
    }

    private static func samples(of kind: ProviderSessionEventKind) -> [SessionEvent] {
        switch kind {
        case .subscriptionChanged:
            [
                .subscriptionChanged(.notificationSource, true),
                .subscriptionChanged(.dataSource, false),
            ]
        case .serviceChangedSubscription: [.serviceChangedSubscription(true)]
        case .serviceChangedConfirmed: [.serviceChangedConfirmed]
        case .attributeRead: PhoneAttribute.allCases.map { .attributeRead($0) }
        case .attributeSubscription:
            [true, false].map { .attributeSubscription(.batteryLevel, $0) }
        case .sessionStarted: [.started]
        case .sessionEnded: [.ended]
        case .announced: [.announced(lunch, NotificationSamples.call.source)]
        case .command: commands.map { .command($0) }
        case .commandWithoutResponse: [.commandWithoutResponse([1, 0xAB])]
        case .answered:
            outcomes.map { .answered(commands[0], $0) }
                + commands.map { .answered($0, .refused(.invalidCommand)) }
        case .action: [true, false].map { .action(action, performed: $0) }
        case .media: mediaSamples.map { .media($0) }
        case .notification, .advertised, .phoneAddressChanged, .parametersRequested,
            .parametersUpdated, .servicesFound, .identityKeyCompared:
            []
        }
    }

    private static let mediaSamples: [MediaSourceEvent] = [
        .subscriptionChanged(.remoteCommand, true), .subscriptionChanged(.entityUpdate, false),
        .registered(EntityUpdateRegistration(.track, .all), nil),
        .registered(EntityUpdateRegistration(.player, .all), .invalidState),
        .asked(.title, nil), .asked(.artist, .absentAttribute), .asked(.album, .invalidState),
        .read(.title, 22..<40, of: 60), .commanded(.nextTrack, nil),
        .commanded(RemoteCommandID(rawValue: 14), .invalidCommand), .malformed([9, 0]),
        .offered(RemoteCommandSet([.play, .pause])), .offered(RemoteCommandSet()),
        .updated(EntityUpdate(.title, Array("Note G".utf8))),
        .updated(EntityUpdate(.artist, Array("Ada Love\u{1B}".utf8), isTruncated: true)),
    ]

    private static func request(
        _ interval: UInt16, _ timeout: UInt16, _ answer: ParameterAnswer,
        _ fault: ParameterFault? = nil
    ) -> LinkEvent {
        let parameters = ConnectionParameters(
            intervalMinimum: ConnectionInterval(rawValue: interval),
            intervalMaximum: ConnectionInterval(rawValue: 36), latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: timeout))
        return .parametersRequested(
            ParametersRequest(
                parameters, breaking: LinkRequirements.breaches(of: parameters), answer: answer,
                fault: fault))
    }

    private static let linkSamples: [LinkEvent] = [
        .advertised(
            ReceivedAdvertisement(
                advertising: AdvertisingData([.flags(.generalDiscoverable), .transmitPower(0)]))),
        .advertised(
            ReceivedAdvertisement(
                advertising: AdvertisingData(), response: AdvertisingData([.name("Watch")]),
                interval: .milliseconds(100))),
        .advertised(ReceivedAdvertisement(advertising: AdvertisingData(), reach: .oneDevice)),
        .advertised(
            ReceivedAdvertisement(
                advertising: AdvertisingData([.flags(.generalDiscoverable)]), reach: .nobody)),
        .phoneAddressChanged,
        request(24, 600, .accept), request(24, 400, .accept), request(6, 600, .refuse),
        request(24, 600, .acceptOnly, .acceptOnly), request(24, 600, .ignore, .ignore),
        request(5, 600, .refuse), .parametersUpdated(Samples.link),
        .servicesFound([.ancs]), .servicesFound([]),
        .identityKeyCompared(sharedWith: "Tern 0001"), .identityKeyCompared(sharedWith: nil),
    ]

    private static let action = ActionRequest(
        number: 1, notificationID: lunch, notificationUID: NotificationUID(rawValue: 7),
        actionID: .negative)

    private static let outcomes: [Outcome] = [
        .sent(octets: 1), .sent(octets: 20), .withheld, .performed, .ignored, .abandoned(octets: 5),
    ]

    private static let commands: [Command] = [
        // Attributes of a notification, the name of an app, an action, and two that are no commands.
        [0, 7, 0, 0, 0, 0, 1, 64, 0, 3, 128, 0, 5], [1] + Array("com.example".utf8) + [0, 0],
        [2, 7, 0, 0, 0, 1], [9], [],
    ].map { octets in
        do throws(ControlPointCommand.Rejection) {
            return .decoded(try ControlPointCommand(decoding: octets.span))
        } catch { return .malformed(octets, error) }
    }
}
