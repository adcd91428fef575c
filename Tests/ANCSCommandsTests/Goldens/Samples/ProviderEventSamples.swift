import BluetoothLE
import Octets

@testable import ANCS
@testable import ANCSKit

enum ProviderEventKind: String, CaseIterable {
    case listening, ready, resetting, scanning, discovered, connectingFailed, connected, secured
    case pairing, paired, bondRestored, securityFailed, accessDenied, mtuChanged,
        subscriptionChanged
    case serviceChangedSubscription, attributeRead, attributeSubscription, sessionStarted,
        sessionEnded
    case announced, command, commandWithoutResponse, answered, action, notification, disconnected
    case warning, missed
}

extension ProviderEvent: Sampled {
    private static let watch = AccessoryID(rawValue: 1)
    private static let lunch = NotificationID(rawValue: 1)
    private static let descriptions = [
        AccessoryDescription(name: nil, address: Samples.address),
        AccessoryDescription(
            name: Samples.hostile, address: Samples.address, identity: Samples.identity),
    ]

    var kind: ProviderEventKind {
        switch self {
        case .listening: .listening
        case .ready: .ready
        case .resetting: .resetting
        case .scanning: .scanning
        case .discovered: .discovered
        case .connectingFailed: .connectingFailed
        case .connected: .connected
        case .secured: .secured
        case .pairing: .pairing
        case .paired: .paired
        case .bondRestored: .bondRestored
        case .securityFailed: .securityFailed
        case .accessDenied: .accessDenied
        case .mtuChanged: .mtuChanged
        case .subscriptionChanged: .subscriptionChanged
        case .serviceChangedSubscription: .serviceChangedSubscription
        case .attributeRead: .attributeRead
        case .attributeSubscription: .attributeSubscription
        case .sessionStarted: .sessionStarted
        case .sessionEnded: .sessionEnded
        case .announced: .announced
        case .command: .command
        case .commandWithoutResponse: .commandWithoutResponse
        case .answered: .answered
        case .action: .action
        case .notification: .notification
        case .disconnected: .disconnected
        case .warning: .warning
        case .missed: .missed
        }
    }

    static func samples(of kind: ProviderEventKind) -> [ProviderEvent] {
        switch kind {
        case .listening: [.listening(at: "unix-server:/run/" + Samples.hostile)]
        case .ready: [.ready]
        case .resetting: Samples.controllerFailures.prefix(4).map { .resetting($0) }
        case .scanning: [.scanning(true), .scanning(false)]
        case .discovered: descriptions.map { .discovered(watch, $0) }
        case .connectingFailed: Samples.bluetoothErrors.map { .connectingFailed(watch, $0) }
        case .connected: descriptions.map { .connected(watch, $0) }
        case .secured: Samples.protections.map { .secured(watch, $0) }
        case .pairing: Samples.pairingRequests.map { .pairing(watch, $0) }
        case .paired: [.paired(watch, isBonded: true), .paired(watch, isBonded: false)]
        case .bondRestored: [.bondRestored(watch)]
        case .securityFailed: Samples.securityFailures.prefix(3).map { .securityFailed(watch, $0) }
        case .accessDenied:
            [0x03, 0x05, 0x0F].map { .accessDenied(watch, handle: 0x25, errorCode: $0) }
        case .mtuChanged: [.mtuChanged(watch, 247)]
        case .subscriptionChanged:
            [
                .subscriptionChanged(watch, .notificationSource, true),
                .subscriptionChanged(watch, .dataSource, false),
            ]
        case .serviceChangedSubscription: [.serviceChangedSubscription(watch, true)]
        case .attributeRead: PhoneAttribute.allCases.map { .attributeRead(watch, $0) }
        case .attributeSubscription:
            [true, false].map { .attributeSubscription(watch, .batteryLevel, $0) }
        case .sessionStarted: [.sessionStarted(watch)]
        case .sessionEnded: [.sessionEnded(watch)]
        case .announced: [.announced(watch, lunch, NotificationSamples.call.source)]
        case .command: commands.map { .command(watch, $0) }
        case .commandWithoutResponse: [.commandWithoutResponse(watch, [1, 0xAB])]
        case .answered:
            outcomes.map { .answered(watch, commands[0], $0) }
                + commands.map { .answered(watch, $0, .refused(.invalidCommand)) }
        case .action:
            [true, false].map { .action(watch, action, performed: $0) }
        case .notification:
            [EventID.added, .modified, .removed].map { .notification($0, lunch) }
        case .disconnected: Samples.disconnectReasons.prefix(3).map { .disconnected(watch, $0) }
        case .warning: [.warning(Samples.warning)]
        case .missed: [.missed(1), .missed(3)]
        }
    }

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
