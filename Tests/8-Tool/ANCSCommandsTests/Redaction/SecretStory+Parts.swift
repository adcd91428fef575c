import ANCS
import ANCSCapture
import BluetoothLE
import BluetoothTypes

// Values in parts, several bearers, another transport, and what is no packet.
extension SecretStory {
    private static func little(_ number: Int) -> [UInt8] {
        [UInt8(number & 0xFF), UInt8(number >> 8)]
    }

    // MARK: What is no packet

    /// What programs write beside packets: names of machines, comments, keys of other protocols, logs.
    mutating func annotate() {
        switch link.capture.format {
        case .pcapngH4, .pcapngDirection:
            // Name Resolution, Decryption Secrets, Interface Statistics with a comment, systemd Journal Export, Custom
            for type: UInt32 in [4, 10, 5, 9, 0xBAD] {
                let option = link.capture.option(1, octets(20))
                link.capture.addBlock(type, option + link.capture.option(0, []))
            }
        case .packetLoggerBig, .packetLoggerLittle:
            for type: UInt8 in [0xFB, 0xFC, 0xFE, 0xFF] { link.capture.note(type, octets(18)) }
        case .monitor:
            // New Index with an address and a name, System Note, User Logging, Control Open, Vendor Diagnostics
            link.capture.btsnoop([0, 1] + octets(6) + Array("ada".utf8) + octets(5), 0)
            for opcode: UInt32 in [12, 13, 14, 11] { link.capture.btsnoop(octets(24), opcode) }
        case .unencapsulated, .h4, .pcapH4, .pcapDirection, .pcapMonitor: break
        }
    }

    // MARK: BR/EDR

    /// The same phone over BR/EDR: its name, pairing with all its secrets, its phone book.
    mutating func tellBasicRate(_ phoneKey: UInt128) {
        let peer = octets(6)
        func event(_ code: UInt8, _ parameters: [UInt8]) {
            link.capture.add(.event([code, UInt8(parameters.count)] + parameters), isSent: false)
        }
        func command(_ opcode: Int, _ parameters: [UInt8]) {
            link.capture.add(
                .command(Self.little(opcode) + [UInt8(parameters.count)] + parameters),
                isSent: true)
        }
        let handle = link.handle
        link.handle = ConnectionHandle(rawValue: 0x0B)
        event(0x04, peer + [0x0C, 0x02, 0x7A, 1])
        event(0x03, [0, 0x0B, 0] + peer + [1, 0])
        let name = Array(text(5...9).utf8)
        event(0x07, [0] + peer + name + [UInt8](repeating: 0, count: 248 - name.count))
        event(0x16, peer)
        command(0x040D, peer + [6] + octets(6) + [UInt8](repeating: 0, count: 10))
        event(0x33, peer + octets(4, isSearched: false))
        command(0x042E, peer + octets(4, isSearched: false))
        command(0x0430, peer + octets(16) + octets(16))
        event(0x18, peer + octets(16) + [5])
        command(0x040B, peer + octets(16))
        event(0x15, [1] + peer + octets(16))
        event(0x2F, [1] + peer + [0, 0, 0, 0, 0, 0, 0, 0] + octets(200))
        // Signalling, a service's record, a call in a hands-free profile
        link.pdu([0x0A, 3, 2, 0, 2, 0], on: L2CAPChannelID(rawValue: 1), from: .local)
        link.pdu([0x08, 4, 12, 0] + octets(12), on: L2CAPChannelID(rawValue: 1), from: .local)
        link.pdu(Array(text(20...60).utf8), on: L2CAPChannelID(rawValue: 0x41), from: .remote)
        link.pdu([0x07] + octets(40), on: L2CAPChannelID(rawValue: 0x42), from: .remote)
        // Keys for Low Energy, made of the link key
        link.pdu([0x0D] + octets(16), on: L2CAPChannelID(rawValue: 7), from: .remote)
        link.pdu(
            [0x08] + Self.octets(of: phoneKey), on: L2CAPChannelID(rawValue: 7), from: .remote)
        event(0x05, [0, 0x0B, 0, 0x13])
        link.handle = handle
    }

    // MARK: Values in parts

    /// The phone's name, and the time of its clock.
    mutating func readLong() {
        let characteristics: [(UInt16, UInt8, [UInt8])] = [
            (0x02, 0x03, [0x00, 0x2A]), (0x0A, 0x0B, [0x2B, 0x2A]),
        ]
        link.exchange(
            .readByTypeRequest(
                AttributeHandleRange(AttributeHandle(0x01), AttributeHandle(0x0F)),
                type: .characteristic),
            .readByTypeResponse(
                characteristics.map { declaration, value, uuid in
                    .init(handle: AttributeHandle(declaration), value: [0x02, value, 0] + uuid)
                }))
        let name = Array(text(23...40).utf8)
        for start in stride(from: 0, through: name.count, by: 22) {
            let part = Array(name[start..<min(start + 22, name.count)])
            link.exchange(
                start == 0
                    ? .readRequest(AttributeHandle(0x03))
                    : .readBlobRequest(AttributeHandle(0x03), offset: UInt16(start)),
                start == 0 ? .readResponse(part) : .readBlobResponse(part))
        }
        // 21 November 2026 is a Saturday.
        let day = days + 10
        let clock = Self.little(2026) + [11, UInt8(day), 9, 30, 5, UInt8((day + 5) % 7 + 1), 0, 0]
        link.exchange(.readRequest(AttributeHandle(0x0B)), .readResponse(clock))
    }

    /// A command that is longer than one request, and its answer.
    mutating func writeLong() {
        let long = "com." + (0..<3).map { _ in app() }.joined(separator: ".")
        let command: [UInt8] = [1] + Array(long.utf8) + [0, 0]
        for start in stride(from: 0, to: command.count, by: 18) {
            let part = Array(command[start..<min(start + 18, command.count)])
            link.exchange(
                .prepareWriteRequest(LinkBuilder.control, offset: UInt16(start), value: part),
                .prepareWriteResponse(LinkBuilder.control, offset: UInt16(start), value: part))
        }
        link.exchange(.executeWriteRequest(isCommit: true), .executeWriteResponse)
        let name = Array(text(3...9).utf8)
        link.notify(
            LinkBuilder.data,
            [1] + Array(long.utf8) + [0, 0, UInt8(name.count), 0] + name)
    }

    /// A notification, and the parts of an answer, in one PDU; the last part comes alone.
    mutating func notifySeveral() {
        link.announce(77)
        link.write([0, 77, 0, 0, 0, 1, 100, 0])
        link.answer(.writeResponse)
        let title = Array(text(12...30).utf8)
        let answer: [UInt8] = [0, 77, 0, 0, 0, 1, UInt8(title.count), 0] + title
        let header: [UInt8] = [0, 0, 4, 1, 78, 0, 0, 0]
        link.answer(
            .multipleHandleValueNotification([
                .init(handle: LinkBuilder.data, value: Array(answer[..<9])),
                .init(handle: LinkBuilder.source, value: header),
                .init(handle: LinkBuilder.data, value: Array(answer[9..<14])),
            ]))
        link.notify(LinkBuilder.data, Array(answer[14...]))
    }

    // MARK: EATT

    /// Two bearers beside the first one: a command on one, its answer on the other. A channel of something else.
    mutating func useEnhancedBearers() {
        func signal(_ command: [UInt8], from side: CaptureEvent.Side) {
            link.pdu(command, on: .leSignalling, from: side)
        }
        func send(_ pdu: [UInt8], on channel: UInt16, from side: CaptureEvent.Side) {
            let unit = Self.little(pdu.count) + pdu
            for start in stride(from: 0, to: unit.count, by: 17) {
                link.pdu(
                    Array(unit[start..<min(start + 17, unit.count)]),
                    on: L2CAPChannelID(rawValue: channel), from: side)
            }
        }
        signal(
            [0x17, 7, 12, 0, 0x27, 0, 0, 1, 64, 0, 8, 0, 0x40, 0, 0x41, 0], from: .local)
        signal([0x18, 7, 12, 0, 0, 1, 64, 0, 8, 0, 0, 0, 0x50, 0, 0x51, 0], from: .remote)
        let control = UInt8(LinkBuilder.control.rawValue)
        let data = UInt8(LinkBuilder.data.rawValue)
        send([0x12, control, 0, 0, 99, 0, 0, 0, 3, 200, 0], on: 0x50, from: .local)
        send([0x13], on: 0x40, from: .remote)
        let message = Array(text(20...60).utf8.prefix(190))
        let answer: [UInt8] = [0, 99, 0, 0, 0, 3, UInt8(message.count), 0] + message
        send([0x1B, data, 0] + answer[..<11], on: 0x41, from: .remote)
        send([0x1B, data, 0] + answer[11...], on: 0x41, from: .remote)
        // A write of something that nobody knows
        send([0x12, 0x99, 0] + octets(30), on: 0x51, from: .local)
        // Of another protocol, what begins like a list of handles; then the numbers mean something else.
        signal([0x14, 8, 10, 0, 0x80, 0, 0x42, 0, 0, 1, 64, 0, 8, 0], from: .local)
        signal([0x15, 8, 10, 0, 0x52, 0, 0, 1, 64, 0, 8, 0, 0, 0], from: .remote)
        send([0x07] + octets(24), on: 0x52, from: .local)
        signal([0x06, 9, 4, 0, 0x50, 0, 0x40, 0], from: .local)
        signal([0x07, 9, 4, 0, 0x50, 0, 0x40, 0], from: .remote)
        send([0x07] + octets(24), on: 0x40, from: .remote)
        send([0x0E] + octets(24), on: 0x50, from: .local)
    }
}
