import Octets

@testable import ANCS
@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import BluetoothLE
@testable import HCITransports
@testable import LinuxIO

/// Independent decoders: the first octet selects one, the others are its input. A value that is decoded,
/// encoded and decoded again must stay the same, and a stream must be decoded the same whatever its pieces.
enum DecoderTarget {
    private static let decoders: [@Sendable ([UInt8]) throws -> Void] = [
        advertisingData, framer, reassembler, signalling, event, hexadecimal, date, command, answer,
        clientPDU, serverPDU, securityPDU, clientConfiguration, remoteDatabase, addresses, moniker,
        memory, TextDecoders.terminalText, TextDecoders.lineEditor, TextDecoders.prompt,
        TextDecoders.value, TextDecoders.commandLine,
    ]

    static func run(_ script: [UInt8]) throws {
        guard let first = script.first else { return }
        try decoders[Int(first) % decoders.count](Array(script.dropFirst()))
    }

    // MARK: The air

    private static func advertisingData(_ octets: [UInt8]) throws {
        let parsed = AdvertisingData.parse(octets.span)
        _ = (parsed.data.structures.compactMap { OverflowArea($0) })
        guard parsed.fault == nil, let encoded = try? parsed.data.encoded(limit: 1650) else {
            return
        }
        let again = AdvertisingData.parse(encoded.span)
        try check(again.data == parsed.data, "advertising data is encoded as other data")
    }

    /// H4 packets, divided into arbitrary pieces.
    private static func framer(_ octets: [UInt8]) throws {
        func outputs(piece: Int) -> [H4Framer.Output] {
            var framer = H4Framer(configuration: .init(maximumLength: 1024))
            var outputs: [H4Framer.Output] = []
            for start in stride(from: 0, to: octets.count, by: piece) {
                let piece = Array(octets[start..<min(start + piece, octets.count)])
                var rest = piece.span
                while let output = framer.next(from: &rest) { outputs.append(output) }
            }
            return outputs
        }
        let whole = outputs(piece: max(1, octets.count))
        try check(whole == outputs(piece: 1), "packets depend on the pieces of the stream")
        let failures = whole.count { if case .failed = $0 { true } else { false } }
        try check(failures <= 1, "a stream fails \(failures) times")
    }

    /// L2CAP PDUs of a link, from fragments preceded by their lengths.
    private static func reassembler(_ octets: [UInt8]) throws {
        var input = FuzzInput(octets)
        var reassembler = L2CAPReassembler(configuration: .init(maximumPayload: 64))
        while !input.isAtEnd {
            let boundary = ACLPacket.Boundary(rawValue: UInt8(input.choice(4))) ?? .first
            reassembler.receive(input.octets().span, boundary: boundary)
            var count = 0
            while let output = reassembler.pollOutput() {
                count += 1
                // A pending PDU is incomplete, and the new fragment is dropped.
                try check(count <= 2, "one fragment brings \(count) outputs")
                guard case .pdu(let pdu) = output else { continue }
                try check(pdu.payload.count <= 64, "a payload is longer than the limit")
                let again = try L2CAPPDU(decoding: pdu.octets.span)
                try check(again == pdu, "a PDU is encoded as another one")
            }
        }
    }

    private static func signalling(_ octets: [UInt8]) throws {
        var input = FuzzInput(octets)
        let role: LinkRole = input.flag() ? .central : .peripheral
        var channel = LESignalling(role: role)
        var now = MonotonicInstant.zero
        while !input.isAtEnd {
            switch input.choice(4) {
            case 0: try? channel.requestUpdate(.initial, at: now)
            case 1: try? channel.answerUpdate(accepting: input.flag())
            case 2:
                now = now + input.duration()
                channel.handleTimeout(at: now)
            default: channel.receive(input.octets().span, at: now)
            }
            var count = 0
            while let output = channel.pollOutput() {
                count += 1
                try check(count <= 1, "one input brings \(count) outputs")
                guard case .send(let payload) = output else { continue }
                let command = try SignallingCommand(decoding: payload.span)
                try check(command.octets == payload, "a command is encoded as another one")
            }
        }
    }

    private static func event(_ octets: [UInt8]) throws {
        guard let event = try? HCIEvent(decoding: octets.span) else { return }
        // Octets that a controller appends must be ignored.
        guard octets.count < 250, octets.count == 2 + Int(octets[1]) else { return }
        let longer = [octets[0], octets[1] + 1] + octets[2...] + [0]
        switch event {
        case .unknown, .commandComplete: break
        default:
            let again = try? HCIEvent(decoding: longer.span)
            try check(again == event, "an event with another octet is another event")
        }
    }

    // MARK: Fields

    private static func hexadecimal(_ octets: [UInt8]) throws {
        let text = Hexadecimal.text(octets)
        try check(Hexadecimal.octets(text) == octets, "octets are written as others")
        _ = Hexadecimal.octets(String(decoding: octets, as: UTF8.self))
    }

    private static func date(_ octets: [UInt8]) throws {
        guard let date = NotificationDate(octets) else { return }
        try check(date.octets == octets, "a date is written as another one")
        try check(date == NotificationDate(date.octets), "a date is read as another one")
    }

    private static func command(_ octets: [UInt8]) throws {
        if let value = try? NotificationSourceValue(decoding: octets.span) {
            try check(value.octets == octets, "an announcement is encoded as another one")
        }
        guard let command = try? ControlPointCommand(decoding: octets.span) else { return }
        try check(command.octets == octets, "a command is encoded as another one")
    }

    /// An answer on the Data Source, whole and in pieces.
    private static func answer(_ octets: [UInt8]) throws {
        var input = FuzzInput(octets)
        let size = input.number(in: 1...20)
        let limits = ResponseLimits(maximumValueOctets: 8 + input.choice(64), maximumOctets: 1024)
        let uid = NotificationUID(rawValue: 1)
        let command = GetNotificationAttributes(
            decoded: uid, attributes: [.appIdentifier, .title, .date])
        let answer = [0, 1, 0, 0, 0] + input.rest()
        func response(_ piece: Int) -> AttributeResponse? {
            guard
                var assembler = ResponseAssembler(
                    answering: .getNotificationAttributes(command), limits: limits)
            else { return nil }
            for start in stride(from: 0, to: answer.count, by: piece) {
                let end = min(start + piece, answer.count)
                assembler.receive(Array(answer[start..<end]).span)
            }
            return assembler.response
        }
        let whole = response(answer.count)
        // In pieces, exceeding the limit is reported earlier.
        guard answer.count <= limits.maximumOctets else { return }
        try check(whole == response(size), "an answer depends on its pieces")
        for attribute in whole?.attributes ?? [] {
            try check(
                attribute.octets.count <= limits.maximumValueOctets, "a value beyond its limit")
            _ = (attribute.text, attribute.date, attribute.number)
        }
    }

    // MARK: PDUs

    private static func clientPDU(_ octets: [UInt8]) throws {
        guard let pdu = try? ATTClientPDU(decoding: octets.span) else { return }
        try check(pdu.octets == octets, "a PDU is encoded as another one")
    }

    private static func serverPDU(_ octets: [UInt8]) throws {
        guard let pdu = try? ATTServerPDU(decoding: octets.span) else { return }
        try check(pdu.octets == octets, "a PDU is encoded as another one")
    }

    private static func securityPDU(_ octets: [UInt8]) throws {
        guard let pdu = try? SecurityManagerPDU(decoding: octets.span) else { return }
        try check(pdu.octets == octets, "a PDU is encoded as another one")
    }

    // MARK: What is stored

    private static func clientConfiguration(_ octets: [UInt8]) throws {
        guard let value = try? ClientConfiguration(decoding: octets.span) else { return }
        let again = try ClientConfiguration(decoding: value.octets.span)
        try check(again == value, "a configuration is stored as another one")
    }

    private static func remoteDatabase(_ octets: [UInt8]) throws {
        guard let value = try? RemoteDatabase(decoding: octets.span) else { return }
        let again = try RemoteDatabase(decoding: value.octets.span)
        try check(again == value, "a database is stored as another one")
    }

    private static func memory(_ octets: [UInt8]) throws {
        var memory = NotificationMemory(limit: 4)
        for octet in octets {
            let session = octet & 0x80 != 0 ? memory.beginSession() : 1
            _ = memory.note(UInt128(octet & 0x0F), session: session)
            try check(memory.digests.count <= 4, "\(memory.digests.count) digests are kept")
        }
    }

    // MARK: Words

    private static func addresses(_ octets: [UInt8]) throws {
        let text = String(decoding: octets, as: UTF8.self)
        if let address = DeviceAddress(text: text, kind: .random) {
            try check(
                DeviceAddress(text: address.text, kind: .random) == address,
                "an address is written as another one")
        }
        if let uuid = BluetoothUUID(text: text) {
            try check(BluetoothUUID(text: uuid.text) == uuid, "a UUID is written as another one")
        }
        if let identifier = PeerIdentifier(text: text) {
            try check(
                PeerIdentifier(text: identifier.text) == identifier,
                "an identifier is written as another one")
        }
    }

    private static func moniker(_ octets: [UInt8]) throws {
        let text = String(decoding: octets, as: UTF8.self)
        do throws(IOError) { _ = try TransportMoniker(parsing: text) } catch {
            try check(!error.message.isEmpty, "a fault without words")
        }
    }
}
