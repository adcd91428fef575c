import ANCSCapture
import BluetoothLE
import BluetoothTypes
import Foundation
import HCITransports
import JSONText
import LinuxIO
import Testing

@testable import ANCSCommands
@testable import CaptureRedaction

/// What comes in parts is put together before it is judged, and what has a fixed size has nothing behind it.
@Suite("Redacted captures, in parts")
struct RedactedPartsTests {
    private static func link() -> LinkBuilder {
        var link = LinkBuilder()
        link.connect()
        link.discover()
        link.subscribe()
        return link
    }

    private static func redacted(_ link: LinkBuilder) throws -> [UInt8] {
        try #require(RedactionTests.redacted(link.capture.octets))
    }

    @Test("a name that is read in two parts is masked as a whole")
    func longRead() throws {
        var link = Self.link()
        link.exchange(
            .readByTypeRequest(.all, type: .characteristic),
            .readByTypeResponse([
                .init(handle: AttributeHandle(2), value: [0x02, 3, 0, 0x00, 0x2A])
            ]))
        let name = Array(("a" + String(repeating: "b", count: 20) + "漢字").utf8)
        link.exchange(.readRequest(AttributeHandle(3)), .readResponse(Array(name[..<22])))
        link.exchange(
            .readBlobRequest(AttributeHandle(3), offset: 22), .readBlobResponse(Array(name[22...])))
        // A part whose beginning is missing
        link.exchange(
            .readBlobRequest(AttributeHandle(3), offset: 44), .readBlobResponse(Array(name[..<20])))
        let file = try Self.redacted(link)
        let mask = TextMask.masked(name)
        #expect(mask.count == name.count && mask != name)
        #expect(file.firstRange(of: [0x0B] + mask[..<22]) != nil)
        #expect(file.firstRange(of: [0x0D] + mask[22...]) != nil)
        #expect(file.firstRange(of: [0x0D] + [UInt8](repeating: 0, count: 20)) != nil)
    }

    @Test("a part that fills its response waits for the next request, others do not")
    func complete() throws {
        for (count, waits) in [(21, false), (22, true)] {
            let live = LiveRedaction()
            var link = Self.link()
            link.exchange(
                .readRequest(AttributeHandle(3)),
                .readResponse([UInt8](repeating: 0x41, count: count)))
            var written = 0
            RedactionTests.records(link.capture.octets) { _, record in
                guard case .packet(let packet, let direction, _) = record.content else { return }
                written = live.octets(of: packet, direction, at: record.time).count
            }
            #expect((written == 0) == waits, "\(count)")
        }
    }

    @Test("values in one PDU are told apart, and an answer in parts is one answer")
    func several() throws {
        var link = Self.link()
        link.write(LinkBuilder.command(7))
        link.answer(.writeResponse)
        let answer = LinkBuilder.response(7, title: "Grace", message: "Lunch")
        link.answer(
            .multipleHandleValueNotification([
                .init(handle: LinkBuilder.data, value: Array(answer[..<32])),
                .init(handle: LinkBuilder.source, value: [0, 0, 4, 1, 8, 0, 0, 0]),
                .init(handle: LinkBuilder.data, value: Array(answer[32...])),
            ]))
        link.announce(9)
        let told = ToldStory(try Self.redacted(link), json: true)
        let texts = told.all("dataSource").last?["attributes"]?.array?.compactMap {
            $0["value"]?.string
        }
        #expect(texts == ["com.apple.MobileSMS", "xxxxx", "xxxxx"])
        #expect(told.lines("notificationSource").count == 2)
    }

    @Test("a command that is malformed is so in the same way, and breaks the same requirement")
    func malformed() throws {
        let app = Array("com.example.secret".utf8)
        let commands: [(written: [UInt8], redacted: [UInt8])] = [
            ([1] + app, [1] + Array("aaa.aaaaaaa.aaaaaa".utf8)),
            ([0, 7, 0, 0, 0, 1], [0, 7, 0, 0, 0, 1]), ([2, 7, 0, 0, 0], [2, 7, 0, 0, 0]),
            ([9] + app, [9] + app.map { _ in 0 }),
        ]
        for command in commands {
            var link = Self.link()
            link.announce(7)
            link.write(command.written)
            link.refuse(0xA1)
            let file = try Self.redacted(link)
            #expect(file.firstRange(of: [0x12, 0x28, 0] + command.redacted) != nil)
            #expect(
                CaptureSessionsTests.broken(file)
                    == CaptureSessionsTests.broken(link.capture.octets))
        }
    }

    @Test("a command on one bearer of EATT is answered on another")
    func bearers() throws {
        var link = Self.link()
        func frame(_ octets: [UInt8], on channel: UInt16, from side: CaptureEvent.Side) {
            link.pdu(octets, on: L2CAPChannelID(rawValue: channel), from: side)
        }
        link.pdu(
            [0x17, 7, 12, 0, 0x27, 0, 0, 1, 64, 0, 8, 0, 0x40, 0, 0x41, 0], on: .leSignalling,
            from: .local)
        link.pdu(
            [0x18, 7, 12, 0, 0, 1, 64, 0, 8, 0, 0, 0, 0x50, 0, 0x51, 0], on: .leSignalling,
            from: .remote)
        let command: [UInt8] = [0x12, 0x28, 0] + LinkBuilder.command(7)
        frame([UInt8(command.count), 0] + command, on: 0x50, from: .local)
        let value: [UInt8] =
            [0x1B, 0x2B, 0] + LinkBuilder.response(7, title: "Grace", message: "Lunch")
        frame([UInt8(value.count), 0] + value[..<40], on: 0x41, from: .remote)
        frame(Array(value[40...]), on: 0x41, from: .remote)
        let file = try Self.redacted(link)
        let mask = [0x1B, 0x2B, 0] + LinkBuilder.response(7, title: "xxxxx", message: "xxxxx")
        #expect(file.firstRange(of: [UInt8(value.count), 0] + mask[..<40]) != nil)
        #expect(file.firstRange(of: mask[40...]) != nil)
    }

    @Test("what follows the last field of a PDU is zero")
    func behind() throws {
        let secret = Array("a secret".utf8)
        var link = Self.link()
        let beginnings: [[UInt8]] = [
            [0x01, 0x0A, 3, 0, 0x0A], [0x03, 23, 0], [0x13], [0x19], [0x17, 1, 0, 2, 0],
        ]
        for beginning in beginnings { link.pdu(beginning + secret, from: .remote) }
        for beginning: [UInt8] in [
            [0x02, 23, 0], [0x0A, 3, 0], [0x0C, 3, 0, 0, 0], [0x18, 0], [0x1E],
        ] {
            link.pdu(beginning + secret, from: .local)
        }
        for beginning: [UInt8] in [[1, 3, 0, 0x2D, 16, 3, 3], [5, 8], [0x0B, 1], [0x0E, 0]] {
            link.pdu(beginning + secret, on: .securityManager, from: .remote)
        }
        for beginning: [UInt8] in [
            [0x13, 1, 2, 0, 0, 0], [0x16, 2, 4, 0, 0x40, 0, 9, 0], [0x30, 1],
        ] {
            link.pdu(beginning + secret, on: .leSignalling, from: .remote)
        }
        let file = try Self.redacted(link)
        #expect(file.firstRange(of: secret) == nil && file.firstRange(of: secret[2...]) == nil)
        #expect(ToldStory(file, json: true).all("connected").count == 1)
    }

    @Test("a clock moves with the capture, and so does its day")
    func clock() throws {
        var link = Self.link()
        link.exchange(
            .readByTypeRequest(.all, type: .characteristic),
            .readByTypeResponse([
                .init(handle: AttributeHandle(2), value: [0x12, 3, 0, 0x2B, 0x2A])
            ]))
        // Saturday, 21 November 2026, 09:30:10, ten seconds after the capture began
        link.exchange(
            .readRequest(AttributeHandle(3)),
            .readResponse([0xEA, 7, 11, 21, 9, 30, 10, 6, 128, 1]))
        // Thursday, 1 January 2026
        #expect(
            try Self.redacted(link).firstRange(of: [0x0B, 0xEA, 7, 1, 1, 0, 0, 10, 4, 128, 1])
                != nil)
    }
}
