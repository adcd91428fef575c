import ANCS
@testable import BluetoothLE
import BluetoothTypes
import Octets

@testable import ANCSCapture

/// Writes what happens on the links of a host into a capture.
struct LinkBuilder {
    static let phoneAddress = DeviceAddress(0xC0E7_5109_CFBA, kind: .random)
    /// Where a server of Apple has ANCS, for example.
    static let source = AttributeHandle(0x25)
    static let sourceConfiguration = AttributeHandle(0x26)
    static let control = AttributeHandle(0x28)
    static let data = AttributeHandle(0x2B)
    static let dataConfiguration = AttributeHandle(0x2C)

    var capture: CaptureBuilder
    /// The side that has ANCS.
    var phone: CaptureEvent.Side
    var handle = ConnectionHandle(rawValue: 0x40)
    var adapter: UInt16 = 0
    /// The largest ACL packet.
    var fragment = 65_535

    init(_ format: CaptureBuilder.Format = .h4, phone: CaptureEvent.Side = .remote) {
        capture = CaptureBuilder(format)
        self.phone = phone
    }

    var story: ToldStory { ToldStory(capture.octets, json: true) }
    var text: [String] { ToldStory(capture.octets, json: false).lines }

    // MARK: HCI

    mutating func command(_ command: some HCICommand) {
        capture.add(.command(HCICommandPacket(command).octets), isSent: true, adapter: adapter)
    }

    mutating func event(_ event: some HCIEventParameters) {
        capture.add(.event(event.eventPacket), isSent: false, adapter: adapter)
    }

    mutating func connect(
        _ address: DeviceAddress = Self.phoneAddress, role: LinkRole = .peripheral,
        status: HCIStatus = .success
    ) {
        event(
            HCI.LEConnectionComplete(
                status: status, handle: handle, role: role, peerAddress: address,
                interval: ConnectionInterval(rawValue: 12), latency: 0,
                supervisionTimeout: SupervisionTimeout(rawValue: 72), centralClockAccuracy: 0))
    }

    mutating func disconnect(_ reason: HCIStatus = .remoteUserTerminatedConnection) {
        event(HCI.DisconnectionComplete(status: .success, handle: handle, reason: reason))
    }

    mutating func encrypt(_ status: HCIStatus = .success) {
        event(HCI.EncryptionChange(status: status, handle: handle, isEnabled: status == .success))
    }

    // MARK: L2CAP

    mutating func pdu(
        _ payload: [UInt8], on channel: L2CAPChannelID = .attributeProtocol,
        from side: CaptureEvent.Side
    ) {
        let octets = L2CAPPDU(channel: channel, payload: payload).octets
        for start in stride(from: 0, to: octets.count, by: fragment) {
            let part = Array(octets[start..<min(start + fragment, octets.count)])
            let first: ACLPacket.Boundary = side == .local ? .firstNonFlushable : .first
            let packet = ACLPacket(
                handle: handle, boundary: start == 0 ? first : .continuing, data: part)
            capture.add(.acl(packet.octets), isSent: side == .local, adapter: adapter)
        }
    }

    mutating func pair(_ pdu: SecurityManagerPDU, from side: CaptureEvent.Side) {
        self.pdu(pdu.octets, on: .securityManager, from: side)
    }

    // MARK: ATT between the accessory and the phone

    mutating func ask(_ pdu: ATTClientPDU) { self.pdu(pdu.octets, from: phone.other) }
    mutating func answer(_ pdu: ATTServerPDU) { self.pdu(pdu.octets, from: phone) }

    mutating func exchange(_ request: ATTClientPDU, _ response: ATTServerPDU) {
        ask(request)
        answer(response)
    }

    mutating func notify(_ handle: AttributeHandle, _ value: [UInt8]) {
        answer(.handleValueNotification(.init(handle: handle, value: value)))
    }

    /// The service, its characteristics, and their descriptors.
    mutating func discover() {
        let range = AttributeHandleRange(AttributeHandle(0x23), Self.dataConfiguration)
        exchange(
            .findByTypeValueRequest(
                .all, type: 0x2800, value: BluetoothUUID(ANCSUUID.service).octets),
            .findByTypeValueResponse([range]))
        let characteristics: [(UInt16, AttributeHandle, UInt128)] = [
            (0x24, Self.source, ANCSUUID.notificationSource),
            (0x27, Self.control, ANCSUUID.controlPoint), (0x2A, Self.data, ANCSUUID.dataSource),
        ]
        exchange(
            .readByTypeRequest(range, type: .characteristic),
            .readByTypeResponse(
                characteristics.map { declaration, value, uuid in
                    .init(
                        handle: AttributeHandle(declaration),
                        value: [0x10, UInt8(value.rawValue), 0] + BluetoothUUID(uuid).octets)
                }))
        for descriptor in [Self.sourceConfiguration, Self.dataConfiguration] {
            exchange(
                .findInformationRequest(AttributeHandleRange(descriptor, descriptor)),
                .findInformationResponse([
                    .init(handle: descriptor, type: .clientCharacteristicConfiguration)
                ]))
        }
    }

    mutating func subscribe() {
        for descriptor in [Self.dataConfiguration, Self.sourceConfiguration] {
            exchange(.writeRequest(descriptor, value: [1, 0]), .writeResponse)
        }
    }

    // MARK: ANCS

    mutating func announce(
        _ uid: UInt32, _ event: EventID = .added, _ category: CategoryID = .social
    ) {
        let value = NotificationSourceValue(
            eventID: event, eventFlags: .important, categoryID: category,
            notificationUID: NotificationUID(rawValue: uid))
        notify(Self.source, value.octets)
    }

    static func command(_ uid: UInt32) -> [UInt8] {
        // AppIdentifier, Title of at most 64 octets, Message of at most 128.
        [0] + Array(CaptureBuilder.big(uid).reversed()) + [0, 1, 64, 0, 3, 128, 0]
    }

    static func response(
        _ uid: UInt32, title: String = "Ada", message: String = "Lunch?"
    ) -> [UInt8] {
        AttributeResponse(
            identity: .notification(NotificationUID(rawValue: uid)),
            attributes: [
                AttributeValue(.appIdentifier, "com.apple.MobileSMS"),
                AttributeValue(.title, title), AttributeValue(.message, message),
            ]
        ).octets
    }

    static let appCommand: [UInt8] = [1] + Array("com.apple.MobileSMS".utf8) + [0, 0]

    mutating func write(_ value: [UInt8]) { ask(.writeRequest(Self.control, value: value)) }

    mutating func refuse(_ code: UInt8, _ handle: AttributeHandle = Self.control) {
        answer(
            .errorResponse(
                request: .writeRequest, handle: handle, ATTErrorCode(rawValue: code)))
    }

    /// A notification that is asked about and answered.
    mutating func fetch(_ uid: UInt32, title: String = "Ada") {
        write(Self.command(uid))
        answer(.writeResponse)
        notify(Self.data, Self.response(uid, title: title))
    }

    /// Both sides agree on how to pair.
    mutating func agree(on features: PairingFeatures) {
        pair(.pairingRequest(features), from: .remote)
        pair(.pairingResponse(features), from: .local)
    }

    /// From the connection to the first answer.
    mutating func wholeSession() {
        connect()
        session()
    }

    /// From the discovery to the first answer.
    mutating func session() {
        discover()
        subscribe()
        announce(7)
        fetch(7)
    }
}
