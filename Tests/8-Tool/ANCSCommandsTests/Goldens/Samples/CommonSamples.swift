import AccessoryConformance
import ANCS
import ANCSProvider
import BluetoothTypes
import LinuxIO

@testable import ANCSCommands
@testable import ANCSEvents
@testable import ANCSReceiver

/// Values that several types of events carry.
enum Samples {
    static let address = "F0:F1:F2:F3:F4:F5"
    static let identity = "C0:11:22:33:44:55"
    static let digest = "00112233aabbccdd"
    static let peer = PeerIdentifier(rawValue: 0x0123_4567_89AB_4CDE_8123_4567_89AB_CDEF)
    static let otherPeer = PeerIdentifier(rawValue: 0xFEDC_BA98_7654_4321_8FED_CBA9_8765_4321)
    /// Text that would do something on a terminal.
    static let hostile = "Ada\u{1B}[2J\u{202E}"

    static let messages: AppIdentifier = {
        do { return try AppIdentifier("com.apple.MobileSMS") } catch {
            preconditionFailure("the identifier of Messages is not valid")
        }
    }()

    static let link = LinkParameters(
        interval: .microseconds(11_250), supervisionTimeout: .milliseconds(720))
    static let keptLink = LinkParameters(
        interval: .milliseconds(30), latency: 4, supervisionTimeout: .seconds(6), isKept: true)

    /// The forms of protection: none, Just Works, and authenticated.
    static let protections = [
        LinkProtection(isEncrypted: false, isAuthenticated: false, usesSecureConnections: false),
        LinkProtection(isEncrypted: true, isAuthenticated: false, usesSecureConnections: true),
        LinkProtection(isEncrypted: true, isAuthenticated: true, usesSecureConnections: false),
    ]

    static let pairingRequests: [PairingRequest] = [
        .display(PasskeyDisplay(42)), .compare(NumericComparison(999_999)), .enter(PasskeyEntry()),
        .consent(PairingConsent()),
        .consent(PairingConsent(about: BondedPeer(digest: digest, name: hostile))),
    ]

    static let warning = DeviceWarning(.transport, "careful \(hostile)")

    static let error = IOError(.notFound, "cannot open /dev/ttyACM0: there is none")

    static let controllerFailures: [ControllerFailure] = [
        .hardwareError(3), .unresponsive, .restarted, .lost(error), .closed(error), .noAnswer,
        .resetRefused(.unknownCommand), .failsRepeatedly, .stopped, .bluetoothd(.notRunning),
        .bluetoothd(.ended), .bluetoothd(.denied), .bluetoothd(.noAdapter("any")),
        .bluetoothd(.noAdapter("hci7")), .bluetoothd(.adapterLost(adapter: "hci0")),
        .bluetoothd(.off(adapter: "hci0", isBlocked: false)),
        .bluetoothd(.off(adapter: "hci0", isBlocked: true)),
        .bluetoothd(.cannotAdvertise(adapter: "hci0")), .bluetoothd(.noAnswer),
        .bluetoothd(.unreadable), .bluetoothd(.refused("no")),
    ]

    static let disconnectReasons: [DisconnectReason] = [
        .link(.connectionTimeout), .link(.remoteUserTerminatedConnection), .left, .stopped,
        .mayNotPair, .notPaired, .pairingFailed, .askedTooOften, .notEncrypted, .unresponsive,
        .noService,
        .notNeeded, .linkEnded, .bluetoothdHung, .discoveredEarly, .bluetoothGone,
        .otherProgram, .suspended, .removed,
    ]

    static let securityFailures: [SecurityFailure] = [
        .refused(.pairingNotSupported), .refusedByPeer(.confirmValueFailed), .cancelled, .timedOut,
        .notAnswered, .encryptionTimedOut, .encryptionFailed(.connectionTimeout), .peerLostBond,
        .keysDiffer, .bondMissing, .otherBondRequested, .weakerThanBond, .notAuthenticated,
        .bondTooWeak, .notPairable, .rePairingRefused, .identityNotItsOwn, .tooManyRequests,
    ]

    static let requestErrors: [RequestError] = [
        .notConnected, .sessionEnded, .refused(.invalidParameter), .refused(.init(rawValue: 0x03)),
        .refused(.init(rawValue: 0x80)), .notPerformed, .timedOut, .removed, .actionUnavailable,
        .alreadyPerformed, .evicted, .tooManyRequests, .responseTooLong, .contentUnavailable,
        .invalidRequest(.noAttributes),
    ].map { RequestError($0) }

    static let bluetoothErrors: [BluetoothError] = [
        BluetoothError(.connectionFailed),
        BluetoothError(.connectionTimeout, reason: .connectionTimeout),
    ]

    /// The same with the name of its app.
    static var posted: PostedNotification {
        PostedNotification(notification: notification, appName: "Messages")
    }

    /// A notification of the phone.
    static let notification = ProviderNotification(
        appIdentifier: messages, categoryID: .social, title: "Ada",
        subtitle: "mobile", message: hostile,
        date: NotificationDate(year: 2026, month: 11, day: 21, hour: 9, minute: 30, second: 0),
        positiveActionLabel: "Reply", negativeActionLabel: "Clear")
}
