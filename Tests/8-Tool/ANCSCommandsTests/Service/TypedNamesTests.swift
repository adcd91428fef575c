import ANCSService
import CommandKit
import Testing

@testable import DaemonCommands

@Suite("Names in commands for the daemon")
struct TypedNamesTests {
    private static let phones = [
        PhoneName(digest: "0123456789abcdef", name: "Ada’s iPhone"),
        PhoneName(digest: "0123000000000000", name: "Phone"),
        PhoneName(digest: "fedcba9876543210", name: "phone"),
        PhoneName(digest: "aaaabbbbccccdddd"),
        // Another phone may have any name.
        PhoneName(digest: "1111222233334444", name: "aaaabbbbccccdddd"),
    ]

    @Test(
        "a phone is forgotten by its name as it is read, by its digest or the start of that",
        arguments: [
            ("ada's iphone", "0123456789abcdef"), ("Ada’s iPhone", "0123456789abcdef"),
            ("FEDC", "fedcba9876543210"), ("aaaabbbbccccdddd", "aaaabbbbccccdddd"),
            ("aaaa", "aaaabbbbccccdddd"), ("9999999999999999", "9999999999999999"),
        ])
    func forgotten(text: String, digest: String) throws {
        #expect(try ForgottenPhone(text).digest(among: Self.phones) == digest)
    }

    @Test(
        "a name that does not identify one phone is refused, with the matching or known ones",
        arguments: [
            ("phone", "(0123000000000000, fedcba9876543210)"),
            ("0123", "(0123456789abcdef, 0123000000000000)"),
            ("Bob's iPhone", "known: Ada’s iPhone (0123456789abcdef), "), ("", "known: "),
        ])
    func refused(text: String, part: String) {
        #expect {
            try ForgottenPhone(text).digest(among: Self.phones)
        } throws: { error in
            (error as? ServiceClient.Failure)?.message.contains(part) == true
        }
    }

    @Test("mute reports the muted app, and whether it has been seen")
    func muted() {
        let seen = SeenApp(identifier: "a.b", displayName: "Chat\u{1B}[2J", count: 3)
        let rows: [(SeenApp?, MuteTerm, String, String)] = [
            (seen, .always, "always", "a.b (Chat\\u{1B}[2J) is muted"),
            (seen, .today, "today", "a.b (Chat\\u{1B}[2J) is muted until midnight"),
            (seen, .lasting(.seconds(3600)), "1h", "a.b (Chat\\u{1B}[2J) is muted for 1h"),
            (
                nil, .off, "off",
                "a.b is not muted; it has sent no notification since 'ancs serve' started"
            ),
        ]
        for (app, term, word, line) in rows {
            #expect(MuteText("a.b", app, term, as: word).line == line)
        }
    }
}
