import AMS
import ANCS
import BluetoothLE
import BluetoothTypes
import LinuxIO
import Octets

@testable import ANCSCapture

enum HappeningKind: String, CaseIterable {
    case adapter, lost, cut, notShown, controllerReset, hardwareError, advertising, malformed
    case connected, connectingFailed, transport, basicRate, parametersWanted,
        parametersAnswered, parametersChanged,
        parametersRefused, disconnecting
    case disconnected, encryption, keyMissing, pairing
    case mtu, name, services, serviceMissing, handles, serviceChanged, requestRefused
    case requestUnanswered, strayResponse, unreadable
    case subscription, subscriptionRead, serviceChangedSubscription, sessionBegan, sessionEnded,
        source, command,
        commandResult
    case commandUnanswered, answer, strayAnswer, media
}

extension CaptureEvent.Event: Sampled {
    var kind: HappeningKind {
        switch self {
        case .adapter: .adapter
        case .lost: .lost
        case .cut: .cut
        case .notShown: .notShown
        case .controllerReset: .controllerReset
        case .hardwareError: .hardwareError
        case .advertising: .advertising
        case .malformed: .malformed
        case .connected: .connected
        case .connectingFailed: .connectingFailed
        case .transport: .transport
        case .basicRate: .basicRate
        case .parametersWanted: .parametersWanted
        case .parametersAnswered: .parametersAnswered
        case .parametersChanged: .parametersChanged
        case .parametersRefused: .parametersRefused
        case .disconnecting: .disconnecting
        case .disconnected: .disconnected
        case .encryption: .encryption
        case .keyMissing: .keyMissing
        case .pairing: .pairing
        case .mtu: .mtu
        case .name: .name
        case .services: .services
        case .serviceMissing: .serviceMissing
        case .handles: .handles
        case .serviceChanged: .serviceChanged
        case .requestRefused: .requestRefused
        case .requestUnanswered: .requestUnanswered
        case .strayResponse: .strayResponse
        case .unreadable: .unreadable
        case .subscription: .subscription
        case .subscriptionRead: .subscriptionRead
        case .serviceChangedSubscription: .serviceChangedSubscription
        case .sessionBegan: .sessionBegan
        case .sessionEnded: .sessionEnded
        case .source: .source
        case .command: .command
        case .commandResult: .commandResult
        case .commandUnanswered: .commandUnanswered
        case .answer: .answer
        case .strayAnswer: .strayAnswer
        case .media: .media
        }
    }

    private static let address = DeviceAddress(0xC0E7_5109_CFBA, kind: .random)
    private static let identity = DeviceAddress(0x0A0B_0C0D_0E0F, kind: .public)
    private static let parameters = CaptureEvent.LinkParameters(
        interval: ConnectionInterval(rawValue: 12), latency: 4,
        supervisionTimeout: SupervisionTimeout(rawValue: 72))
    private static func wanted(_ interval: UInt16) -> ConnectionParameters {
        ConnectionParameters(
            intervalMinimum: ConnectionInterval(rawValue: interval),
            intervalMaximum: ConnectionInterval(rawValue: 36), latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 600))
    }

    private static let ancs = BluetoothUUID(ANCSUUID.service)
    private static let range = AttributeHandleRange(AttributeHandle(0x23), AttributeHandle(0x2C))
    private static let handles = ANCSHandles(
        notificationSource: AttributeHandle(0x25), controlPoint: AttributeHandle(0x28),
        dataSource: AttributeHandle(0x2B), notificationSourceConfiguration: AttributeHandle(0x26),
        dataSourceConfiguration: AttributeHandle(0x2C))
    private static let summary = CaptureEvent.NotificationSummary(
        category: .social, app: "com.apple.MobileSMS", title: Samples.hostile)
    private static let endings: [CaptureEvent.Ending] = [
        .link, .session, .capture, .nextRequest, .crowded,
    ]

    /// The beginning of the capture.
    static let time = CaptureTime(microsecondsSince1970: CaptureBuilder.start)
    /// When the samples happen.
    static let later = CaptureTime(microsecondsSince1970: CaptureBuilder.start + 1_500_000)

    static func samples(of kind: HappeningKind) -> [Self] {
        switch kind {
        case .adapter:
            [
                .adapter(.added(identity, name: Samples.hostile)), .adapter(.address(identity)),
                .adapter(.removed),
            ]
        case .lost: [.lost(count: 1), .lost(count: 3)]
        case .cut: [.cut(missing: 5)]
        case .notShown:
            [
                .notShown([
                    .init(what: "AVDTP", packets: 1, octets: 600),
                    .init(what: "RFCOMM", packets: 12, octets: 1),
                ])
            ]
        case .controllerReset: [.controllerReset]
        case .hardwareError: [.hardwareError(code: 3)]
        case .advertising:
            [
                .advertising(
                    .init(
                        data: AdvertisingData([.name(Samples.hostile)]),
                        response: AdvertisingData(),
                        shortest: .init(rawValue: 160), longest: .init(rawValue: 240),
                        reach: .everyone)),
                .advertising(
                    .init(
                        data: AdvertisingData(), response: AdvertisingData(),
                        shortest: .init(rawValue: 32), longest: .init(rawValue: 32),
                        reach: .oneDevice)),
                .advertising(
                    .init(
                        data: AdvertisingData(), response: AdvertisingData(),
                        shortest: .init(rawValue: 32), longest: .init(rawValue: 32),
                        reach: .nobody)),
            ]
        case .malformed: [.malformed(layer: "ATT PDU", offset: 1234)]
        case .transport, .basicRate: basicRateSamples(of: kind)
        case .connected, .connectingFailed, .parametersWanted, .parametersAnswered,
            .parametersChanged,
            .parametersRefused, .disconnecting,
            .disconnected, .encryption, .keyMissing, .pairing:
            linkSamples(of: kind)
        case .mtu, .name, .services, .serviceMissing, .handles, .serviceChanged, .requestRefused,
            .requestUnanswered, .strayResponse, .unreadable:
            attributeSamples(of: kind)
        case .subscription, .subscriptionRead, .serviceChangedSubscription, .sessionBegan,
            .sessionEnded, .source,
            .command, .commandResult,
            .commandUnanswered, .answer, .strayAnswer:
            sessionSamples(of: kind)
        case .media: mediaSamples.map { .media($0) }
        }
    }

    private static let mediaSamples: [CaptureEvent.MediaEvent] = [
        .subscription(.remoteCommand, isOn: true), .subscription(.entityUpdate, isOn: false),
        .supported(RemoteCommandSet([.play, .nextTrack])), .supported(RemoteCommandSet()),
        .registration(octets: [2, 0, 2, 9], nil),
        .registration(octets: [0, 1], ATTErrorCode(rawValue: 0xA0)),
        .registration(octets: [0], ATTErrorCode(rawValue: 0xA1)),
        .update(octets: [2, 2, 1] + Array("Title".utf8)), .update(octets: [2, 0, 0]),
        .update(octets: [2, 2, 0, 0xFF]), .update(octets: [2]),
        .command(octets: [0], nil), .command(octets: [11], ATTErrorCode(rawValue: 0xA1)),
        .command(octets: [], .invalidAttributeValueLength),
        .value(.title, octets: Array("Title, whole".utf8)), .value(nil, octets: []),
        .unread(.album, ATTErrorCode(rawValue: 0xA2)), .unread(nil, .readNotPermitted),
    ]

    private static func linkSamples(of kind: HappeningKind) -> [Self] {
        switch kind {
        case .connected:
            [
                .connected(.init()),
                .connected(
                    .init(
                        address: address, identity: identity, role: .peripheral,
                        parameters: parameters, earlier: 1)),
                .connected(.init(address: address, role: .central)),
                .connected(
                    .init(
                        address: identity, earlier: 2, transport: .basicRate, asker: .remote,
                        deviceClass: DeviceClass(rawValue: 0x7A_020C))),
                .connected(
                    .init(
                        address: identity, transport: .basicRate, asker: .local,
                        deviceClass: DeviceClass(rawValue: 0x24_0404))),
                .connected(.init(transport: .basicRate)), .connected(.init(transport: nil)),
            ]
        case .connectingFailed:
            [address, nil].map { .connectingFailed($0, .connectionTimeout) }
        case .parametersWanted:
            [
                .parametersWanted(by: .remote, wanted(24)),
                .parametersWanted(by: .local, wanted(6)),
            ]
        case .parametersAnswered:
            [.parametersAnswered(isAccepted: true), .parametersAnswered(isAccepted: false)]
        case .parametersChanged: [.parametersChanged(parameters)]
        case .parametersRefused: [.parametersRefused(.unacceptableConnectionParameters)]
        case .disconnecting: [.disconnecting]
        case .disconnected:
            [
                .disconnected(nil, duration: nil),
                .disconnected(.connectionTimeout, duration: .milliseconds(1500)),
            ]
        case .encryption:
            [
                .encryption(.init(status: .success, isEnabled: true, isFromPairing: true)),
                .encryption(.init(status: .success, isEnabled: true, isFromPairing: false)),
                .encryption(.init(status: .success, isEnabled: false, isFromPairing: false)),
                .encryption(
                    .init(status: .authenticationFailure, isEnabled: false, isFromPairing: false)),
            ]
        case .keyMissing: [.keyMissing]
        case .pairing:
            PairingEventKind.allCases.flatMap(CaptureEvent.PairingEvent.samples).map {
                .pairing($0)
            }
        default: []
        }
    }

    private static func basicRateSamples(of kind: HappeningKind) -> [Self] {
        switch kind {
        case .transport: [.transport(.lowEnergy), .transport(.basicRate)]
        case .basicRate:
            [
                .basicRate(.pairedOnly(name: nil, nil, ownName: nil)),
                .basicRate(
                    .pairedOnly(name: Samples.hostile, identity, ownName: Samples.hostile)),
                .basicRate(.accessoryPairedOnly(name: Samples.hostile, identity)),
                .basicRate(.accessoryPairedOnly(name: nil, nil)), .basicRate(.notPaired),
            ]
        default: []
        }
    }

    private static func attributeSamples(of kind: HappeningKind) -> [Self] {
        switch kind {
        case .mtu: [.mtu(247)]
        case .name: [.name(.local, "Desk"), .name(.remote, Samples.hostile)]
        case .services:
            [
                .services(on: .remote, [ancs, BluetoothUUID(0x180F as UInt16)]),
                .services(on: .local, []),
            ]
        case .serviceMissing:
            [.serviceMissing(on: .remote, ancs), .serviceMissing(on: .local, ancs)]
        case .handles:
            [
                .handles(on: .remote, handles, .discovered),
                .handles(on: .remote, handles, .remembered(connection: 1)),
                .handles(on: .local, ANCSHandles(controlPoint: AttributeHandle(0x28)), .inferred),
            ]
        case .serviceChanged:
            [true, false].map { .serviceChanged(on: .remote, range, concernsANCS: $0) }
        case .requestRefused:
            [
                .requestRefused(
                    .writeRequest, AttributeHandle(0x28), .writeNotPermitted, .controlPoint),
                .requestRefused(.readRequest, AttributeHandle(0x03), .insufficientEncryption, nil),
            ]
        case .requestUnanswered:
            endings.map { .requestUnanswered(.readByTypeRequest, since: time, ending: $0) }
        case .strayResponse: [.strayResponse(.writeResponse)]
        case .unreadable: [.unreadable(channel: "Attribute Protocol", octets: 7)]
        default: []
        }
    }

    private static func sessionSamples(of kind: HappeningKind) -> [Self] {
        let fetch = CaptureEvent.Write(LinkBuilder.command(7))
        let app = CaptureEvent.Write(LinkBuilder.appCommand)
        let action = CaptureEvent.Write([2, 7, 0, 0, 0, 1])
        let nonsense = CaptureEvent.Write([9])
        let writes = [fetch, app, action, nonsense]
        switch kind {
        case .subscription:
            return [true, false].map { .subscription(.notificationSource, isOn: $0) }
        case .subscriptionRead:
            return [true, false].map { .subscriptionRead(.notificationSource, isOn: $0) }
        case .serviceChangedSubscription: return [.serviceChangedSubscription(isOn: true)]
        case .sessionBegan: return [.sessionBegan]
        case .sessionEnded:
            return [
                .sessionEnded(.init()),
                .sessionEnded(
                    .init(added: 1, modified: 2, removed: 3, answered: 4, refused: 5, unanswered: 6)
                ),
            ]
        case .source:
            let removed = NotificationSourceValue(
                eventID: .removed, eventFlags: [], categoryID: .social, categoryCount: 0,
                notificationUID: NotificationUID(rawValue: 7))
            return [
                .source(octets: NotificationSamples.call.source.octets, .init()),
                .source(octets: removed.octets, summary), .source(octets: [0, 1], .init()),
            ]
        case .command:
            return writes.map { .command($0, hasResponse: true) }
                + [.command(fetch, hasResponse: false)]
        case .commandResult:
            return [
                .commandResult(fetch, nil, duration: .milliseconds(30), summary),
                .commandResult(action, nil, duration: .milliseconds(30), summary),
            ]
                + writes.map {
                    .commandResult(
                        $0, ATTErrorCode(rawValue: 0xA2), duration: .milliseconds(30), .init())
                }
        case .commandUnanswered:
            return endings.map { .commandUnanswered(fetch, since: time, ending: $0, summary) }
        case .answer: return answers(to: fetch, app)
        case .strayAnswer:
            return [true, false].map { .strayAnswer(octets: [0, 7], isFromBefore: $0) }
        default: return []
        }
    }

    private static func answers(to fetch: CaptureEvent.Write, _ app: CaptureEvent.Write) -> [Self] {
        let whole = LinkBuilder.response(7)
        let name = AttributeResponse(
            identity: .app(Samples.messages),
            attributes: [AttributeValue(AppAttributeID.displayName, "Messages")]
        ).octets
        let contents: [(DataSourceAnswer, Bool)] = [
            (DataSourceAnswer([whole], to: fetch.command), false),
            (DataSourceAnswer([whole], to: fetch.command), true),
            (DataSourceAnswer([Array(whole.dropLast(3))], to: fetch.command), false),
            (DataSourceAnswer([whole + [1, 2]], to: fetch.command), false),
            (DataSourceAnswer([whole], to: app.command), false),
            (DataSourceAnswer([name], to: app.command), false),
        ]
        return contents.map { content, isLate in
            .answer(
                .init(content: content, duration: .milliseconds(42), isLate: isLate), summary)
        }
    }
}

enum PairingEventKind: String, CaseIterable {
    case wanted, began, agreed, succeeded, failed, stopped, unfinished, identity
    case deriving, derived, notDerived
}

extension CaptureEvent.PairingEvent: Sampled {
    var kind: PairingEventKind {
        switch self {
        case .wanted: .wanted
        case .began: .began
        case .agreed: .agreed
        case .succeeded: .succeeded
        case .failed: .failed
        case .stopped: .stopped
        case .unfinished: .unfinished
        case .identity: .identity
        case .deriving: .deriving
        case .derived: .derived
        case .notDerived: .notDerived
        }
    }

    static func samples(of kind: PairingEventKind) -> [Self] {
        let strong = CaptureEvent.PairingTerms(
            method: .numericComparison,
            scheme: .lowEnergy(usesSecureConnections: true, keySize: 16, derivesLinkKey: true),
            isBonding: true)
        let weak = CaptureEvent.PairingTerms(
            method: .justWorks,
            scheme: .lowEnergy(usesSecureConnections: false, keySize: 7, derivesLinkKey: false),
            isBonding: false)
        let keys: [CaptureEvent.PairingTerms] = ([nil, 0x00, 0x04, 0x08] as [UInt8?]).map { type in
            .init(
                method: nil,
                scheme: .basicRate(type.map { CaptureEvent.LinkKeyKind(rawValue: $0) }),
                isBonding: true)
        }
        return switch kind {
        case .wanted: [.wanted(by: .local)]
        case .began: [.began(by: .remote)]
        case .agreed: [.agreed(strong), .agreed(weak)]
        case .succeeded: [.succeeded(strong), .succeeded(weak)] + keys.map { .succeeded($0) }
        case .failed:
            [.failed(.confirmValueFailed, by: .local), .failed(.unspecified, by: .remote)]
        case .stopped:
            [
                .stopped(.authenticationFailure, over: .lowEnergy),
                .stopped(.authenticationFailure, over: .basicRate),
                .stopped(HCIStatus(rawValue: 0x18), over: .basicRate),
            ]
        case .unfinished: [.unfinished]
        case .identity: [.identity(of: .remote, DeviceAddress(0x0A0B_0C0D_0E0F, kind: .public))]
        case .deriving: [.deriving(by: .remote)]
        case .derived: [.derived(true), .derived(false)]
        case .notDerived: [.notDerived(.crossTransportKeyNotAllowed, by: .local)]
        }
    }
}
