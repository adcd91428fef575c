import Octets

@testable import ANCS
@testable import BluetoothLE

/// Traffic between a host and its controller: valid packets and slightly wrong ones.
enum ScriptedTraffic {
    /// One of two connections, or an arbitrary one.
    static func connection(_ input: inout FuzzInput) -> ConnectionHandle {
        let handle = input.choice(16)
        return ConnectionHandle(
            rawValue: handle == 0 ? input.number(UInt16.self) : 0x40 + UInt16(handle & 1))
    }

    static func address(_ input: inout FuzzInput) -> DeviceAddress {
        input.element(of: [
            DeviceAddress(0xC011_2233_4455, kind: .random),
            DeviceAddress(0x4011_2233_4455, kind: .random),
            DeviceAddress(0x0011_2233_4455, kind: .public),
            DeviceAddress(0xFFFF_FFFF_FFFF, kind: .random),
        ])
    }

    static func status(_ input: inout FuzzInput) -> HCIStatus {
        HCIStatus(
            rawValue: input.element(of: [0, 0, 0, 0, 0, 0x02, 0x06, 0x0C, 0x13, 0x3D, 0x01, 0x05]))
    }

    // MARK: Events

    /// An event packet with well-placed fields.
    static func event(_ input: inout FuzzInput) -> [UInt8] {
        switch input.choice(16) {
        case 0, 1: connected(&input)
        case 2:
            HCI.DisconnectionComplete(
                status: status(&input), handle: connection(&input), reason: status(&input)
            ).eventPacket
        case 3:
            HCI.EncryptionChange(
                status: status(&input), handle: connection(&input), isEnabled: input.flag()
            ).eventPacket
        case 4: longTermKeyRequest(&input)
        case 5:
            HCI.NumberOfCompletedPackets(
                entries: (0..<input.choice(4)).map { _ in
                    .init(handle: connection(&input), count: UInt16(input.octet()))
                }
            ).eventPacket
        case 6: HCI.HardwareError(hardwareCode: input.octet()).eventPacket
        case 7, 8:
            HCI.LEAdvertisingReport(
                reports: (0..<input.choice(3)).map { _ in
                    .init(
                        eventType: UInt8(input.choice(6)), address: address(&input),
                        data: input.take(input.choice(32)), rssi: Int8(bitPattern: input.octet()))
                }
            ).eventPacket
        case 9:
            HCI.LEExtendedAdvertisingReport(
                reports: [
                    .init(
                        eventType: UInt16(input.choice(128)), address: address(&input),
                        rssi: Int8(bitPattern: input.octet()), data: input.take(input.choice(200)))
                ]
            ).eventPacket
        case 10: parametersChanged(&input)
        case 11:
            HCI.LEAdvertisingSetTerminated(
                status: status(&input), set: input.octet(), handle: connection(&input),
                completedEvents: 0
            ).eventPacket
        case 12:
            HCI.LERemoteConnectionParameterRequest(
                handle: connection(&input), parameters: parameters(&input)
            ).eventPacket
        case 13:
            HCI.CommandStatus(
                status: status(&input), credits: UInt8(input.choice(3)), opcode: opcode(&input)
            ).eventPacket
        case 14:
            HCI.CommandComplete(
                credits: UInt8(input.choice(3)), opcode: opcode(&input),
                returnParameters: input.octets()
            ).eventPacket
        default:
            // An event code or LE subevent with arbitrary parameters.
            event(code: input.flag() ? 0x3E : input.octet(), input.octets())
        }
    }

    private static func event(code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
        [code, UInt8(truncatingIfNeeded: parameters.count)] + parameters
    }

    private static func connected(_ input: inout FuzzInput) -> [UInt8] {
        let address = address(&input)
        let role: LinkRole = input.flag() ? .central : .peripheral
        let status = status(&input)
        let handle = connection(&input)
        guard input.flag() else {
            return HCI.LEConnectionComplete(
                status: status, handle: handle, role: role, peerAddress: address,
                interval: ConnectionInterval(rawValue: 24), latency: 0,
                supervisionTimeout: SupervisionTimeout(rawValue: 72), centralClockAccuracy: 0
            ).eventPacket
        }
        return HCI.LEEnhancedConnectionComplete(
            status: status, handle: handle, role: role, peerAddressType: UInt8(input.choice(4)),
            peerAddressValue: address.rawValue, localResolvablePrivateAddress: 0,
            peerResolvablePrivateAddress: 0, interval: ConnectionInterval(rawValue: 24),
            latency: 0, supervisionTimeout: SupervisionTimeout(rawValue: 72),
            centralClockAccuracy: 0
        ).eventPacket
    }

    private static func longTermKeyRequest(_ input: inout FuzzInput) -> [UInt8] {
        HCI.LELongTermKeyRequest(
            handle: connection(&input), random: UInt64(input.choice(4)),
            encryptedDiversifier: UInt16(input.choice(4))
        ).eventPacket
    }

    private static func parametersChanged(_ input: inout FuzzInput) -> [UInt8] {
        HCI.LEConnectionUpdateComplete(
            status: status(&input), handle: connection(&input),
            interval: ConnectionInterval(rawValue: input.number(UInt16.self)),
            latency: input.number(UInt16.self),
            supervisionTimeout: SupervisionTimeout(rawValue: input.number(UInt16.self))
        ).eventPacket
    }

    private static func parameters(_ input: inout FuzzInput) -> ConnectionParameters {
        guard input.flag() else { return .initial }
        return ConnectionParameters(
            intervalMinimum: ConnectionInterval(rawValue: input.number(UInt16.self)),
            intervalMaximum: ConnectionInterval(rawValue: input.number(UInt16.self)),
            latency: input.number(UInt16.self),
            supervisionTimeout: SupervisionTimeout(rawValue: input.number(UInt16.self)))
    }

    /// A command that hosts send.
    static func opcode(_ input: inout FuzzInput) -> HCIOpcode {
        let opcodes: [HCIOpcode] = [
            .reset, .disconnect, .leSetAdvertisingEnable, .leSetScanEnable, .leCreateConnection,
            .leCreateConnectionCancel, .leEnableEncryption, .leLongTermKeyRequestReply,
            .leSetRandomAddress, .leConnectionUpdate, .none, .readRSSI,
            .leSetExtendedAdvertisingEnable, .leExtendedCreateConnection, .leReadBufferSize,
        ]
        let index = input.choice(opcodes.count + 1)
        return index < opcodes.count
            ? opcodes[index] : HCIOpcode(rawValue: input.number(UInt16.self))
    }

    // MARK: Data

    /// The payload that a peer sends on a channel.
    static func payload(
        _ input: inout FuzzInput
    ) -> (channel: L2CAPChannelID, payload: [UInt8]) {
        switch input.choice(16) {
        case 0...3: (.attributeProtocol, ScriptedTable.clientPDU(&input).octets)
        case 4, 5: (.attributeProtocol, serverPDU(&input))
        case 6, 7: (.attributeProtocol, announcement(&input))
        case 8, 9: (.attributeProtocol, answer(&input))
        case 10, 11: (.securityManager, securityPDU(&input))
        case 12, 13: (.leSignalling, signallingPDU(&input))
        case 14: (.attributeProtocol, input.octets())
        default: (L2CAPChannelID(rawValue: UInt16(input.octet())), input.octets())
        }
    }

    /// ACL packets that carry a payload, divided as the script gives.
    static func packets(_ input: inout FuzzInput, isSent: Bool = false) -> [ACLPacket] {
        let handle = connection(&input)
        let (channel, payload) = payload(&input)
        var octets = L2CAPPDU(channel: channel, payload: payload).octets
        // A length other than that of the payload.
        if input.choice(16) == 0 { octets[0] = input.octet() }
        let first: ACLPacket.Boundary = isSent ? .firstNonFlushable : .first
        return input.pieces(of: octets).enumerated().map { index, part in
            ACLPacket(handle: handle, boundary: index == 0 ? first : .continuing, data: part)
        }
    }

    private static func serverPDU(_ input: inout FuzzInput) -> [UInt8] {
        let opcodes: [UInt8] = [
            0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x23,
        ]
        return [input.element(of: opcodes)] + input.octets()
    }

    /// A value of the Notification Source, possibly at another handle.
    private static func announcement(_ input: inout FuzzInput) -> [UInt8] {
        let value = NotificationSourceValue(
            eventID: EventID(rawValue: UInt8(input.choice(4))),
            eventFlags: EventFlags(rawValue: input.octet()),
            categoryID: CategoryID(rawValue: UInt8(input.choice(14))),
            notificationUID: NotificationUID(rawValue: UInt32(input.choice(4))))
        return ATTServerPDU.handleValueNotification(
            .init(handle: ScriptedTable.handle(&input), value: value.octets)
        ).octets
    }

    /// A command, or the answer to one.
    private static func answer(_ input: inout FuzzInput) -> [UInt8] {
        let uid = NotificationUID(rawValue: UInt32(input.choice(4)))
        let app = ScriptedAnswer.app(&input)
        let command: ControlPointCommand =
            if let app, input.flag() {
                .getAppAttributes(GetAppAttributes(displayNameOf: app))
            } else {
                .getNotificationAttributes(
                    GetNotificationAttributes(decoded: uid, attributes: [.title, .date]))
            }
        let handle = ScriptedTable.handle(&input)
        guard input.flag() else {
            return ATTClientPDU.writeRequest(handle, value: command.octets).octets
        }
        let value = ScriptedAnswer.octets(to: command, &input)
        return ATTServerPDU.handleValueNotification(.init(handle: handle, value: value)).octets
    }

    /// A command of the Security Manager Protocol, of valid length.
    static func securityPDU(_ input: inout FuzzInput) -> [UInt8] {
        let code = input.element(of: SecurityManagerPDU.Code.allCases)
        switch code {
        case .pairingRequest, .pairingResponse:
            let wanted = input.octet()
            return [code.rawValue, UInt8(input.choice(6)), 0]
                + [wanted & 0x3D, 7 + UInt8(input.choice(11)), input.octet(), input.octet()]
        default:
            let octets = input.take(code.length - 1)
            return [code.rawValue] + octets
                + [UInt8](repeating: 0, count: code.length - 1 - octets.count)
        }
    }

    private static func signallingPDU(_ input: inout FuzzInput) -> [UInt8] {
        let code: UInt8 = input.element(of: [0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x19, 0x01, 0x06])
        let data = input.take(input.choice(24))
        return [code, UInt8(input.choice(4)), UInt8(data.count), 0] + data
    }
}
