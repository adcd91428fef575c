import ANCS
import BluetoothTypes
import LinuxIO
import Octets

@testable import ANCSCapture
@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSProvider
@testable import AccessoryConformance
@testable import BluetoothLE

/// The capture that an accessory would have made of what a phone heard of it.
struct StoryCapture {
    static let features = PairingFeatures(
        ioCapability: .noInputNoOutput, authentication: [.bonding, .secureConnections],
        initiatorKeys: [], responderKeys: [])
    private static let serviceChanged = AttributeHandle(3)

    private(set) var link = LinkBuilder()
    /// Whether the links that end are ended by the phone, or lost.
    var isLeftByPhone = false
    /// Whether the phone withdraws ANCS when a session ends, and offers it again.
    var hidesService = false
    /// The notification from which on attributes come in another order.
    var reorderedUID: UInt32?
    var lateness = Duration.zero
    private var lag = Duration.zero
    private var isSubscribed = false

    /// The octets of the file, at whose end the phone ends the link.
    mutating func octets(
        of events: [(event: ProviderEvent, at: MonotonicInstant)], until end: MonotonicInstant
    ) -> [UInt8] {
        for (event, time) in events {
            advance(to: time)
            switch event {
            case .peer(_, let event): follow(event)
            case .session(_, let event): follow(event)
            case .device, .link, .notification: break
            }
        }
        advance(to: end)
        link.disconnect()
        return link.capture.octets
    }

    private mutating func advance(to time: MonotonicInstant) {
        let elapsed = Int64((time + lag - .zero) / .microseconds(1))
        link.capture.time = max(link.capture.time, CaptureBuilder.start + elapsed)
    }

    private mutating func follow(_ event: PeerEvent) {
        switch event {
        case .connected:
            link.connect()
            discover()
        case .paired(_, let isBonded, _):
            var features = Self.features
            if !isBonded { features.authentication = [.secureConnections] }
            // The phone has kept its bond, and tries it first.
            link.command(HCI.LELongTermKeyRequestNegativeReply(handle: link.handle))
            link.encrypt(.pinOrKeyMissing)
            link.agree(on: features)
            link.encrypt()
        case .bondRestored: link.encrypt()
        case .securityFailed:
            link.command(HCI.LELongTermKeyRequestNegativeReply(handle: link.handle))
        case .disconnected:
            if !isLeftByPhone {
                link.command(
                    HCI.Disconnect(handle: link.handle, reason: .remoteUserTerminatedConnection))
            }
            link.disconnect(
                isLeftByPhone ? .connectionTimeout : .connectionTerminatedByLocalHost)
        default: break
        }
    }

    private mutating func discover() {
        let range = AttributeHandleRange(AttributeHandle(1), AttributeHandle(5))
        link.exchange(
            .readByTypeRequest(range, type: .characteristic),
            .readByTypeResponse([
                .init(
                    handle: AttributeHandle(2),
                    value: [0x20, 3, 0] + BluetoothUUID.serviceChanged.octets)
            ]))
        link.exchange(
            .findInformationRequest(AttributeHandleRange(AttributeHandle(4), AttributeHandle(5))),
            .findInformationResponse([
                .init(handle: AttributeHandle(4), type: .clientCharacteristicConfiguration)
            ]))
        link.discover()
    }

    private mutating func follow(_ event: ProviderEvent.SessionEvent) {
        switch event {
        case .serviceChangedConfirmed: break
        case .serviceChangedSubscription: write([2, 0], to: AttributeHandle(4))
        case .subscriptionChanged(.dataSource, let isOn):
            write([isOn ? 1 : 0, 0], to: LinkBuilder.dataConfiguration)
        case .subscriptionChanged(.notificationSource, let isOn): subscribe(isOn)
        case .started: if !isSubscribed { subscribe(true) }
        case .ended where hidesService:
            for _ in 0..<2 {
                link.notify(Self.serviceChanged, [0x23, 0, 0x2C, 0], isIndication: true)
            }
            isSubscribed = false
        case .ended: if isSubscribed { subscribe(false) }
        case .announced(_, let source): link.notify(LinkBuilder.source, source.octets)
        case .command(let command): link.write(command.octets)
        case .commandWithoutResponse(let octets):
            link.ask(.writeCommand(LinkBuilder.control, value: octets))
        case .answered(let command, let outcome): answer(command, outcome)
        default: break
        }
    }

    private mutating func write(_ value: [UInt8], to handle: AttributeHandle) {
        link.exchange(.writeRequest(handle, value: value), .writeResponse)
    }

    private mutating func subscribe(_ isOn: Bool) {
        if isOn, hidesService, !isSubscribed {
            link.discover()
            write([1, 0], to: LinkBuilder.dataConfiguration)
        }
        isSubscribed = isOn
        write([isOn ? 1 : 0, 0], to: LinkBuilder.sourceConfiguration)
    }

    private mutating func answer(
        _ command: ProviderSession.Command, _ outcome: ProviderSession.Outcome
    ) {
        if case .refused(let error) = outcome { return link.refuse(error.rawValue) }
        link.answer(.writeResponse)
        guard case .sent(let count) = outcome, case .decoded(let decoded) = command,
            let identity = ResponseIdentity(answering: decoded)
        else { return }
        if lateness > .zero {
            lag += exchange(&lateness, with: .zero)
            link.capture.time += Int64(lag / .microseconds(1))
        }
        var attributes = decoded.requestedAttributes.map {
            AttributeValue(id: $0, octets: Array("Ada".utf8))
        }
        if let first = reorderedUID, let uid = command.notificationUID, uid.rawValue >= first {
            attributes.reverse()
        }
        let header = AttributeResponse(identity: identity, attributes: []).octets
        link.notify(
            LinkBuilder.data,
            header.count >= count
                ? header : AttributeResponse(identity: identity, attributes: attributes).octets)
    }
}

extension LinkBuilder {
    fileprivate mutating func notify(
        _ handle: AttributeHandle, _ value: [UInt8], isIndication: Bool
    ) {
        answer(.handleValueIndication(.init(handle: handle, value: value)))
        ask(.handleValueConfirmation)
    }
}
