import ANCS
import BluetoothLE
import BluetoothTypes
import JSONText
import Octets
import Testing

@testable import ANCSCapture
@testable import ANCSCommands
@testable import CommandKit

@Suite("ANCS sessions in captures")
struct SessionStoryTests {
    @Test("a session is reported in the order of events")
    func reading() {
        var link = LinkBuilder()
        link.wholeSession()
        link.write(LinkBuilder.appCommand)
        link.answer(.writeResponse)
        link.notify(
            LinkBuilder.data, [1] + Array("com.apple.MobileSMS\0\0\u{08}\0Messages".utf8))
        link.write([2, 7, 0, 0, 0, 1])
        link.answer(.writeResponse)
        link.announce(7, .removed)
        link.disconnect()
        let text = link.text
        // Before the last line is what the accessory did wrong: the flags offer no action.
        #expect(text.contains { $0.contains("R43 ") && $0.hasSuffix("broken") })
        let shown: [String] = Array(text.prefix(15)) + [text[text.count - 1]]
        #expect(
            shown == [
                "btsnoop (H4) · begins 2026-11-21T09:30:00.000000Z",
                "     0.000  #1  connected: C0:E7:51:09:CF:BA (static random) · this side is the "
                    + "Peripheral · interval 15 ms, latency 0, timeout 720 ms · "
                    + "2026-11-21T09:30:00.000000Z",
                "     0.002  #1  the other side has ANCS",
                "     0.009  #1  the other side is the phone: Notification Source 0x0025, "
                    + "Control Point 0x0028, Data Source 0x002B",
                "     0.010  #1  subscribed to Data Source",
                "     0.012  #1    session 1 begins",
                "     0.012  #1    subscribed to Notification Source",
                "     0.013  #1    + uid 7 · social (1) · important",
                "     0.016  #1    = uid 7 · com.apple.MobileSMS · Ada · 2.0 ms",
                "                      Lunch?",
                "     0.019  #1    = com.apple.MobileSMS is “Messages” · 2.0 ms",
                "     0.021  #1    ✓ negative action on uid 7 (Messages · Ada): "
                    + "accepted · 1.0 ms",
                "     0.022  #1    - uid 7 · Messages · Ada · social (1)",
                "     0.023  #1    session 1 ends: 1 added, 1 removed, 2 answers",
                "     0.023  #1  disconnected: the other side ended the connection (0x13) · "
                    + "after 23 ms",
                "ends after 0.023 s: 24 records, 1 connection, 1 ANCS session",
            ])
    }

    @Test("values look as in ancs decode of lines, with time and place")
    func values() throws {
        var link = LinkBuilder()
        link.wholeSession()
        let story = link.story
        #expect(
            story.lines("notificationSource").first
                == #"{"kind":"notificationSource","event":"added","uid":7,"flags":["important"],"#
                + #""category":"social","categoryID":4,"categoryCount":1,"time":0.013,"#
                + #""at":"2026-11-21T09:30:00.013000Z","connection":1,"session":1}"#)
        let lines = DecodeCommand.run(
            lines: [
                "cp " + Hexadecimal.text(LinkBuilder.command(7)),
                "ds " + Hexadecimal.text(LinkBuilder.response(7)),
            ], json: true
        ).output
        for (kind, line) in zip(["controlPoint", "dataSource"], lines) {
            let object = try #require(story.lines(kind).first)
            #expect(object.hasPrefix(line.dropLast()))
        }
    }

    @Test(
        "the phone is the side that has the service, in either role",
        arguments: [CaptureEvent.Side.local, .remote], [LinkRole.central, .peripheral])
    func sides(_ phone: CaptureEvent.Side, _ role: LinkRole) throws {
        var link = LinkBuilder(phone: phone)
        link.connect(role: role)
        link.discover()
        link.subscribe()
        link.announce(0)
        link.fetch(0)
        let handles = try #require(link.story.all("handles").first)
        #expect(handles["side"]?.string == (phone == .local ? "local" : "remote"))
        #expect(link.story.all("dataSource").first?["uid"] == 0)
    }

    @Test("fragments of any size give the same output", arguments: [1, 3, 5, 27])
    func fragments(_ size: Int) {
        var link = LinkBuilder()
        link.fragment = size
        link.wholeSession()
        #expect(link.story.all("dataSource").map { $0["complete"] } == [true])
    }

    @Test("a long write is one command")
    func longWrite() {
        var link = LinkBuilder()
        link.connect()
        link.discover()
        link.subscribe()
        let command = LinkBuilder.appCommand
        for start in stride(from: 0, to: command.count, by: 9) {
            let part = Array(command[start..<min(start + 9, command.count)])
            let offset = UInt16(start)
            link.exchange(
                .prepareWriteRequest(LinkBuilder.control, offset: offset, value: part),
                .prepareWriteResponse(LinkBuilder.control, offset: offset, value: part))
        }
        link.ask(.executeWriteRequest(isCommit: true))
        link.answer(
            .errorResponse(
                request: .executeWriteRequest, handle: LinkBuilder.control,
                ATTErrorCode(rawValue: 0xA2)))
        #expect(
            link.story.all("controlPoint").map { $0["appIdentifier"]?.string } == [
                "com.apple.MobileSMS"
            ])
        #expect(link.story.all("commandResult").map { $0["attError"] } == [0xA2])
    }

    struct ErrorRow: Sendable, CustomTestStringConvertible {
        var code: UInt8
        var text: String
        var testDescription: String { text }
    }

    @Test(
        "errors come with their meaning",
        arguments: [
            ErrorRow(code: 0x03, text: "Write Not Permitted (0x03): no such write is allowed"),
            ErrorRow(code: 0x05, text: "Insufficient Authentication (0x05): the devices are not"),
            ErrorRow(code: 0x0F, text: "Insufficient Encryption (0x0F): the link is not encrypted"),
            ErrorRow(code: 0xA0, text: "Unknown Command (0xA0): the phone does not know"),
            ErrorRow(code: 0xA1, text: "Invalid Command (0xA1): the command is malformed"),
            ErrorRow(code: 0xA2, text: "Invalid Parameter (0xA2): no such notification"),
            ErrorRow(
                code: 0xA3, text: "Action Failed (0xA3): the phone did not carry the command out"),
        ])
    func errors(_ row: ErrorRow) {
        var link = LinkBuilder()
        link.wholeSession()
        link.write([2, 7, 0, 0, 0, 0])
        link.refuse(row.code)
        link.disconnect()
        let told = link.text.filter { $0.contains("! positive action on uid 7") }
        #expect(told.count == 1 && told[0].contains(row.text))
        #expect(link.text.contains { $0.contains("1 refused") })
    }

    @Test("a refused subscription is shown with its characteristic")
    func refusedSubscription() throws {
        var link = LinkBuilder()
        link.connect()
        link.discover()
        link.ask(.writeRequest(LinkBuilder.dataConfiguration, value: [1, 0]))
        link.refuse(0x05, LinkBuilder.dataConfiguration)
        let refusal = try #require(link.story.all("refused").first)
        #expect(refusal["characteristic"] == "dataSource")
        #expect(link.story.all("subscription").isEmpty)
    }

    @Test("a command is reported as unanswered once it can no longer be answered")
    func unanswered() {
        var link = LinkBuilder()
        link.wholeSession()
        link.write(LinkBuilder.command(8))
        link.answer(.writeResponse)
        link.write([2, 7, 0, 0, 0, 0])
        link.disconnect(.connectionTimeout)
        let left = link.story.all("unanswered")
        #expect(
            left.map { $0["command"]?.string } == [
                "performNotificationAction", "getNotificationAttributes",
            ])
        #expect(left.allSatisfy { $0["why"] == "the link ended" })
    }

    @Test("a request that the capture ends before it is answered")
    func endOfCapture() {
        var link = LinkBuilder()
        link.connect()
        link.ask(.readRequest(AttributeHandle(3)))
        let left = link.story.all("unanswered")
        #expect(left.map { $0["request"] } == ["Read"])
        #expect(left.first?["why"] == "the capture ends")
    }

    @Test("a write without a response, a malformed command and a short value are pointed out")
    func accessoryFaults() {
        var link = LinkBuilder()
        link.wholeSession()
        link.ask(.writeCommand(LinkBuilder.control, value: LinkBuilder.command(7)))
        link.write([0, 7, 0, 0, 0, 1])
        link.refuse(0xA1)
        link.notify(LinkBuilder.source, [0, 0, 4, 1, 9])
        #expect(link.text.contains { $0.contains("which phones ignore") })
        #expect(link.text.contains { $0.contains("title needs a maximum length") })
        #expect(link.text.contains { $0.contains("5 octets instead of 8") })
        #expect(link.story.status == .success)
    }

    @Test("text from the air does nothing on a terminal")
    func hostileText() {
        var link = LinkBuilder()
        link.connect()
        link.discover()
        link.subscribe()
        link.announce(7)
        link.fetch(7, title: "\u{1B}[2J\u{202E}evil\n")
        link.exchange(
            .readByTypeRequest(.all, type: .deviceName),
            .readByTypeResponse([
                .init(handle: AttributeHandle(3), value: Array("\u{1B}]0;x\u{07}".utf8))
            ]))
        let text = link.text.joined()
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        #expect(text.contains(#"\u{1B}[2J\u{202E}evil\n"#))
    }

    @Test("a new subscription after Service Changed begins a new session")
    func serviceChanged() throws {
        var link = LinkBuilder()
        link.wholeSession()
        link.answer(
            .handleValueIndication(.init(handle: AttributeHandle(8), value: [0x20, 0, 0x30, 0])))
        link.ask(.handleValueConfirmation)
        link.discover()
        link.subscribe()
        link.announce(0)
        let changed = try #require(link.story.all("serviceChanged").first)
        #expect(changed["ancs"] == true)
        #expect(link.story.all("handles").count == 2)
        #expect(link.story.all("notificationSource").map { $0["session"] } == [1, 2])
    }

    @Test("ATT_MTU is shown when it is agreed on, once for both sides")
    func mtu() {
        var link = LinkBuilder()
        link.connect()
        let request = ATTClientPDU.exchangeMTURequest(clientReceiveMTU: 185)
        link.exchange(request, .exchangeMTUResponse(serverReceiveMTU: 527))
        link.pdu(request.octets, from: link.phone)
        link.pdu(
            ATTServerPDU.exchangeMTUResponse(serverReceiveMTU: 185).octets, from: link.phone.other)
        #expect(link.story.all("mtu").map { $0["mtu"] } == [185])
    }

    @Test("a server without ANCS is reported")
    func noService() {
        var link = LinkBuilder()
        link.connect()
        link.exchange(
            .findByTypeValueRequest(
                .all, type: 0x2800, value: BluetoothUUID(ANCSUUID.service).octets),
            .errorResponse(
                request: .findByTypeValueRequest, handle: .first, .attributeNotFound))
        #expect(link.text.contains { $0.contains("the other side does not have ANCS") })
    }
}
