import Testing

@testable import ANCSService

@Suite("Apps by their names")
struct KnownAppsTests {
    private static let apps = KnownApps(
        [
            ("com.apple.MobileSMS", "Messages"), ("com.apple.mobilemail", "Mail"),
            ("com.google.Gmail", "Mail"), ("com.example.booking", "Booking.com"),
            ("com.example.quiet", ""),
        ],
        unknown: "has sent a notification")

    @Test(
        "a name or an identifier is that of one app",
        arguments: [
            ("com.apple.MobileSMS", "com.apple.MobileSMS"),
            ("COM.apple.mobilesms", "com.apple.MobileSMS"), ("messages", "com.apple.MobileSMS"),
            ("booking.com", "com.example.booking"), ("com.example.later", "com.example.later"),
        ])
    func resolved(text: String, identifier: String) throws {
        #expect(try Self.apps.identifier(of: text) == identifier)
    }

    @Test(
        "anything else is refused, with the identifiers that match",
        arguments: [
            (
                "Mail",
                "several apps are called 'Mail': com.apple.mobilemail (Mail), com.google.Gmail (Mail)"
            ),
            ("Mess", "similar: com.apple.MobileSMS (Messages)"),
            ("quiet", "similar: com.example.quiet"),
            ("Signal", "no app 'Signal' has sent a notification; use its identifier"),
            ("", "no app ''"), ("com.", "similar: "), ("com.a b", "no app 'com.a b'"),
            (String(repeating: "a.", count: 200) + "a", "no app"),
        ])
    func refused(text: String, part: String) {
        #expect {
            try Self.apps.identifier(of: text)
        } throws: { error in
            let error = error as? ServiceError
            return error?.code == .invalidArguments && error?.message.contains(part) == true
        }
    }

    @Test("a message lists few of many apps, and long names in short")
    func many() {
        let name = "App" + String(repeating: "\u{301}", count: 10_000)
        let apps = KnownApps(
            (1...500).map { ("com.example.app\($0)", name) }, unknown: "has been seen")
        #expect {
            try apps.identifier(of: "Ap")
        } throws: { error in
            let message = (error as? ServiceError)?.message ?? ""
            return message.contains("and 495 more") && message.utf8.count < 2_000
        }
    }
}
