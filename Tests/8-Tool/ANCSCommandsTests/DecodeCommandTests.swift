import Testing

@testable import ANCSCommands
@testable import CommandKit

extension DecodeCommand {
    /// Decodes all lines of an input.
    static func run(
        lines: some Sequence<String>, json: Bool
    ) -> (output: [String], status: CommandKit.ExitStatus) {
        var command = DecodeCommand(json: json)
        let output = lines.compactMap { command.output(for: $0) }
        return (output, command.status)
    }
}

@Suite("ancs decode")
struct DecodeCommandTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var line: String
        var json: String
        var testDescription: String { line }
    }

    static let rows: [Row] = [
        Row(
            line: "ns 0002010100000000",
            json: #"{"kind":"notificationSource","event":"added","uid":0,"flags":["important"],"#
                + #""category":"incomingCall","categoryID":1,"categoryCount":1}"#),
        Row(
            line: "NS 02 35 0c 00 ffffffff  # a comment",
            json: #"{"kind":"notificationSource","event":"removed","uid":4294967295,"#
                + #""flags":["silent","preExisting","negativeAction","reserved5"],"#
                + #""category":"activeCall","categoryID":12,"categoryCount":0}"#),
        Row(
            line: "ns 00000000010000",
            json: #"{"kind":"notificationSource","error":"truncated at octet 7: "#
                + #"a Notification Source value has exactly 8 octets, this one has 7"}"#),
        Row(
            line: "ns 000000000100000000",
            json: #"{"kind":"notificationSource","error":"excess at octet 8: "#
                + #"a Notification Source value has exactly 8 octets, this one has 9"}"#),
        Row(
            line: "cp 009700000001400004",
            json: #"{"kind":"controlPoint","command":"getNotificationAttributes","uid":151,"#
                + #""attributes":[{"id":1,"name":"title","maxLength":64},"#
                + #"{"id":4,"name":"messageSize"}]}"#),
        Row(
            line: "cp 01636f6d0000",
            json: #"{"kind":"controlPoint","command":"getAppAttributes","appIdentifier":"com","#
                + #""attributes":[{"id":0,"name":"displayName"}]}"#),
        Row(
            line: "cp 020102030401",
            json: #"{"kind":"controlPoint","command":"performNotificationAction","uid":67305985,"#
                + #""action":"negative","actionID":1}"#),
        Row(
            line: "cp 000100000001",
            json: #"{"kind":"controlPoint","error":"truncated at octet 6: "#
                + #"title needs a maximum length of two octets","attError":161}"#),
        Row(
            line: "cp 7f00",
            json: #"{"kind":"controlPoint","error":"unknown command at octet 0: "#
                + #"127 is reserved","attError":160}"#),
        Row(
            line: "cp 02010000000000",
            json: #"{"kind":"controlPoint","error":"excess at octet 6: "#
                + #"1 octet after the end of the command","attError":161}"#),
        Row(
            line: "cp",
            json: #"{"kind":"controlPoint","error":"truncated at octet 0: "#
                + #"a command has at least a command identifier","attError":161}"#),
        Row(
            line: "ds 01636f6d000004004d61696c",
            json: #"{"kind":"dataSource","command":"getAppAttributes","appIdentifier":"com","#
                + #""attributes":[{"id":0,"name":"displayName","length":4,"value":"Mail"}],"#
                + #""complete":true}"#),
        Row(
            line: "ds 7f00000000",
            json: #"{"kind":"dataSource","complete":false,"error":"unexpected command at octet 0: "#
                + #"127 has no answer"}"#),
        Row(
            line: "ds 00zz",
            json: #"{"kind":"dataSource","error":"not hexadecimal at octet 0: "#
                + #"'00zz' is not an even number of hexadecimal digits"}"#),
        Row(
            line: "hello",
            json: #"{"kind":"unknown","error":"a line starts with ns, cp or ds, not with 'hello'"}"#
        ),
        Row(
            line: "zz 0 is not hexadecimal either",
            json: #"{"kind":"unknown","error":"a line starts with ns, cp or ds, not with 'zz'"}"#
        ),
    ]

    @Test("text may begin with a byte order mark")
    func byteOrderMark() {
        let (output, status) = DecodeCommand.run(lines: ["\u{FEFF}ns 0002010100000000"], json: true)
        #expect(output == DecodeCommand.run(lines: ["ns 0002010100000000"], json: true).output)
        #expect(status == .success)
    }

    @Test(
        "octets are read as tools print them",
        arguments: [
            "00-01-02-03-07-00-00-00", "00:01:02:03:07:00:00:00", "<00010203 07000000>",
            "0x00, 0x01, 0x02, 0x03, 0x07, 0x00, 0x00, 0x00", "{0X00,0x01,0x0203,0x07000000};",
            "00 01 02 03 - 07 00 00 00",
        ])
    func printedOctets(_ octets: String) {
        let (output, status) = DecodeCommand.run(lines: ["ns \(octets)"], json: true)
        let (plain, _) = DecodeCommand.run(lines: ["ns 0001020307000000"], json: true)
        #expect(output == plain)
        #expect(status == .success)
    }

    @Test("the text in place of octets is escaped once, and unchanged in JSON")
    func escapedOnce() {
        for line in [#"a\b"#, #"ns a\b"#] {
            let (text, _) = DecodeCommand.run(lines: [line], json: false)
            #expect(text.joined().contains(#"'a\\b'"#))
            #expect(!text.joined().contains(#"'a\\\\b'"#))
            let (json, _) = DecodeCommand.run(lines: [line], json: true)
            #expect(json.joined().contains(#"'a\\b'"#))
        }
    }

    @Test(
        "half an octet is in error in every form", arguments: ["0-1", "0x0", "00:1", "0x", "x00"])
    func halfOctets(_ octets: String) {
        let (output, status) = DecodeCommand.run(lines: ["ns \(octets)"], json: true)
        #expect(output.first?.contains("not hexadecimal") == true)
        #expect(status == .failure)
    }

    @Test(
        "the printed text of btmon is named",
        arguments: ["> HCI Event: Command Complete (0x0e) plen 4", "< ACL Data TX: Handle 64"])
    func printedCapture(_ line: String) {
        let (output, _) = DecodeCommand.run(lines: [line], json: true)
        #expect(output.first?.contains("'btmon -w FILE' writes a capture") == true)
    }

    @Test(
        "a pasted log is recognized once, and the message says what to send instead",
        arguments: [
            (
                [
                    "Bluetooth monitor ver 5.82", "= Note: Linux version 6.12   0.000000",
                    "> HCI Event: LE Meta Event (0x3e) plen 19   #1 [hci0] 1.5",
                    "      LE Connection Complete (0x01)", "        Handle: 64",
                ], "'btmon -w FILE' writes a capture"
            ),
            (
                [
                    "HCI sniffer - Bluetooth packet analyzer ver 5.66",
                    "device: hci0 snap_len: 1500",
                ],
                "hcidump"
            ),
            (["[CHG] Device 5C:70:12:34:56:78 Connected: yes", "[NEW] Device"], "bluetoothctl"),
            (
                ["No.     Time           Source", "      1 0.000000       host", "", "Frame 1: 4"],
                "Wireshark"
            ),
            (
                ["00000000: 6274 736e 6f6f 7000 0000 0001  btsnoop.....", "00000010: 0000 000b"],
                "reads the file itself"
            ),
        ])
    func pastedLog(lines: [String], advice: String) {
        let (output, status) = DecodeCommand.run(lines: lines, json: true)
        #expect(output.count == 1)
        #expect(output.first?.contains(advice) == true)
        #expect(status == .failure)
        // Lines that are understood go on being so, and those of another program are named too.
        let more = lines + ["ns 0010040197000000", "[CHG] x", "< HCI Command: Reset (0x03|0x0003)"]
        let (all, _) = DecodeCommand.run(lines: more, json: true)
        #expect(all.contains { $0.contains("notificationSource") })
        #expect(all.last?.contains("btmon -w") == true)
    }

    @Test("a line of input is one object of output", arguments: rows)
    func lines(_ row: Row) {
        let (output, status) = DecodeCommand.run(lines: [row.line], json: true)
        #expect(output == [row.json])
        #expect((status == .failure) == row.json.contains(#""error""#))
    }

    private static let command = "cp 00970000000140000340000005"
    private static let answered =
        #"{"kind":"dataSource","command":"getNotificationAttributes","uid":151,"#
    private static let anna = #"{"id":1,"name":"title","length":4,"value":"Anna"}"#
    private static let date = #"{"id":5,"name":"date","length":0,"value":""}"#

    /// The object for a `ds` line after the command for title, message and date of 151.
    private func answer(_ words: String) -> (json: String, status: CommandKit.ExitStatus) {
        let (output, status) = DecodeCommand.run(
            lines: ["cp 009700000001400003400005", "ds \(words)"], json: true)
        return (output.count == 2 ? output[1] : "\(output)", status)
    }

    @Test("a Data Source line answers the command before it, its words are fragments")
    func answers() {
        let (json, status) = answer("0097000000 010400416e 6e61 0303 006f6be2 050000")
        #expect(
            json == Self.answered + #""attributes":["# + Self.anna
                + #",{"id":3,"name":"message","length":3,"value":"ok\#u{FFFD}","octets":"6f6be2"},"#
                + Self.date + #"],"complete":true}"#)
        #expect(status == .success)
    }

    @Test("missing octets make an answer incomplete, which is not an error")
    func incomplete() {
        let cut = answer("0097000000 010400416e6e61 0a0000 030300 6f")
        #expect(cut.json.contains(Self.anna))
        #expect(
            cut.json.hasSuffix(
                #""complete":false,"why":"truncated at octet 19: message has 1 of 3 octets"}"#))
        let attributes = answer("0097000000 010400416e6e61")
        #expect(
            attributes.json.hasSuffix(
                #""complete":false,"why":"truncated at octet 12: message, date missing"}"#))
        let header = answer("0097")
        #expect(header.json.contains(#""complete":false"#))
        #expect(cut.status == .success && attributes.status == .success)
        #expect(header.status == .success)
    }

    @Test("octets after the answer are shown, and are not an error")
    func trailing() {
        let (json, status) = answer("0097000000 010400416e6e61 030000 050000aa bb")
        #expect(json.hasSuffix(#""complete":true,"trailing":"aabb","trailingCount":2}"#))
        #expect(status == .success)
    }

    @Test("an answer to something else is shown, and is an error")
    func mismatch() {
        let (json, status) = answer("0098000000 010400416e6e61")
        #expect(json.contains(#""uid":152"#))
        #expect(json.contains(Self.anna))
        #expect(
            json.hasSuffix(
                #""complete":false,"error":"mismatch at octet 1: the answer is for "#
                    + #"notification 152, but the command before it is for notification 151"}"#))
        #expect(status == .failure)
        #expect(answer("01636f6d00000000").json.contains("mismatch at octet 0"))
    }

    @Test("an answer of more than 64 KiB is an error")
    func tooLong() {
        let (json, status) = answer(String(repeating: "00", count: 65_537))
        #expect(json.contains(#""error":"too long at octet 65536"#))
        #expect(status == .failure)
    }

    @Test("a malformed command has no answer: the next line is not matched to it")
    func malformedCommand() {
        let (output, _) = DecodeCommand.run(
            lines: ["cp 009700000005", "cp zz", "ds 0098000000010000"], json: true)
        #expect(output.count == 3)
        #expect(output.last?.hasSuffix(#""complete":true}"#) ?? false)
    }

    @Test("blank lines and comments give no output; an invalid line does not stop the run")
    func run() {
        let lines = ["", "  ", "# ns 00", "ns 00", "\tns 0000000000000000\r"]
        let (output, status) = DecodeCommand.run(lines: lines, json: true)
        #expect(output.count == 2)
        #expect(status == .failure)
        #expect(DecodeCommand.run(lines: ["# nothing"], json: true).status == .success)
    }

    @Test("a file without an octet is a capture that did not come about")
    func emptyFile() async {
        #expect(await DecodeCommand.run(path: "/dev/null", isJSON: false) == .failure)
    }

    @Test("for people a line is text, safe on a terminal")
    func text() {
        let lines = [
            "ns 001a010100000000", "cp 00970000000140000340000006",
            "ds 0097000000 010600611b5b326d62 060000", "cp 7f", "ns 00",
        ]
        let (output, status) = DecodeCommand.run(lines: lines, json: false)
        #expect(
            output == [
                "Notification Source  added uid 0  "
                    + "incomingCall (1) important positiveAction negativeAction",
                "Control Point        getNotificationAttributes uid 151  "
                    + "title≤64 message≤64 appIdentifier positiveActionLabel",
                "Data Source          getNotificationAttributes uid 151  "
                    + #"title="a\u{1B}[2mb" positiveActionLabel="""#
                    + "  [incomplete: truncated at octet 17: message, appIdentifier missing]",
                "Control Point        error: unknown command at octet 0: 127 is reserved "
                    + "(ATT error 0xA0)",
                "Notification Source  error: truncated at octet 1: "
                    + "a Notification Source value has exactly 8 octets, this one has 1",
            ])
        #expect(status == .failure)
    }

    @Test("random lines never trap, and each has one object")
    func hostile() {
        var state: UInt64 = 0x5EED
        func next(_ limit: UInt64) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % limit)
        }
        let digits = Array("0123456789abcdef0000011")
        var lines: [String] = []
        for _ in 0..<3000 {
            var line = ["ns", "cp", "ds", "xx"][next(4)]
            for _ in 0..<next(4) {
                line += " " + String((0..<next(40)).map { _ in digits[next(UInt64(digits.count))] })
            }
            lines.append(line)
        }
        let (output, _) = DecodeCommand.run(lines: lines, json: true)
        #expect(output.count == lines.count)
        #expect(output.allSatisfy { $0.hasPrefix(#"{"kind":""#) })
        #expect(DecodeCommand.run(lines: lines, json: false).output.count == lines.count)
    }
}
