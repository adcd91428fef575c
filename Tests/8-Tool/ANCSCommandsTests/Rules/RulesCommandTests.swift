import ANCSService
import JSONText
import Testing

@testable import CommandKit
@testable import DaemonCommands
@testable import Printing

@Suite("ancs rules test")
struct RulesCommandTests {
    static let configuration = """
        [[rule]]
        name = "no mail"
        match = { app = "com.apple.mobilemail" }
        do = ["mute"]
        [[rule]]
        name = "mum at night"
        match = { title = '^Mum$', time = "22:00-07:00" }
        do = [{ show = true, urgency = "critical", expire = "never", sound = "" }, { run = ["lights", "on"] }]
        """

    private func report(
        _ record: String, at time: String = "fri 23:15", _ text: String = configuration
    ) throws -> RulesReport {
        let configuration = try ServiceConfiguration(reading: Array(text.utf8), path: "c")
        let subject = try RuleSubject(
            json: try JSONValue(parsing: record), phoneName: nil,
            time: try #require(LocalTime(time)))
        return RulesReport(subject: subject, rules: RuleSet(configuration.rules))
    }

    private func text(
        _ record: String, at time: String = "fri 23:15", _ configuration: String = configuration
    ) throws -> [String] {
        LinePrinter(isJSON: false, isColored: false).text(
            try report(record, at: time, configuration).line)
    }

    static let message =
        #"{"event":"added","uid":7,"flags":["silent"],"category":"social","categoryID":4,"#
        + #""app":{"identifier":"com.apple.MobileSMS","displayName":"Messages"},"title":"Mum","#
        + #""subtitle":"","message":"Come\u001b[2J home","phone":"3f9ac1d20b7e4456"}"#

    @Test("it reports which rule matches a record, and why the others do not")
    func takes() throws {
        #expect(
            try text(Self.message) == [
                "added · social · Messages · Mum",
                "    no mail: does not match: app is \"com.apple.MobileSMS\"; it wants "
                    + "\"com.apple.mobilemail\"",
                "    mum at night: matches",
                "    shown (urgency critical, does not expire, no sound), runs lights on, its text is "
                    + "fetched",
            ])
        #expect(
            try text(Self.message, at: "fri 12:00").suffix(2) == [
                "    mum at night: does not match: time is fri 12:00; it wants 22:00-07:00",
                "    shown, its text is fetched",
            ])
    }

    @Test("it reports the reduced fetch of a muted record")
    func fetches() throws {
        let mail = Self.message.replacing("com.apple.MobileSMS", with: "com.apple.mobilemail")
        #expect(try text(mail).last == "    muted, only its app is fetched")
    }

    @Test(
        "what is muted without its text is kept from the history by any rule that may have matched the text"
    )
    func mutedUnread() throws {
        let rules = """
            [[rule]]
            name = "clinic"
            match = { title = 'clinic' }
            do = ["no-history"]
            continue = true
            [[rule]]
            name = "messages"
            match = { category = "social" }
            do = ["mute"]
            """
        #expect(
            try text(Self.message, at: "fri 23:15", rules).suffix(3) == [
                "    clinic: does not match: title is \"Mum\"; it wants 'clinic'",
                "    messages: matches", "    muted, not in the history, nothing is fetched",
            ])
        // As the daemon prints it: its title was not fetched, which is not an empty one.
        let muted = #"{"event":"added","flags":[],"category":"social","muted":true}"#
        #expect(
            try text(muted, at: "fri 23:15", rules) == [
                "added · social", "    clinic: may match: title is not known; it wants 'clinic'",
                "    messages: matches", "    muted, not in the history, nothing is fetched",
            ])
    }

    @Test("of a call that is announced only the header is known")
    func announced() throws {
        let call = #"{"event":"announced","flags":[],"category":"incomingCall","categoryID":1}"#
        #expect(
            try text(call) == [
                "added · incomingCall",
                "    no mail: may match: app is not known; it wants \"com.apple.mobilemail\"",
                "    mum at night: may match: title is not known; it wants '^Mum$'",
                "    as far as is known: shown, its text is fetched",
            ])
    }

    @Test("the text of a record cannot move the cursor")
    func hostile() throws {
        let title = Self.message.replacing("\"Mum\"", with: #""\u001b[2J\u202e""#)
        for line in try text(title) {
            #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" })
        }
    }

    @Test("as JSON it is one object")
    func json() throws {
        let json = try JSONValue(parsing: #require(report(Self.message).line.text))
        #expect(json["rule"] == "mum at night")
        #expect(json["decided"] == true)
        #expect(json["muted"] == false)
        #expect(json["shown"] == true)
        #expect(json["run"] == [["lights", "on"]])
        #expect(json["fetched"] == "everything")
        #expect(
            json["rules"]?.array?.first
                == [
                    "rule": "no mail", "result": "refuses",
                    "reasons": [
                        [
                            "key": "app", "wanted": "\"com.apple.mobilemail\"",
                            "found": "\"com.apple.MobileSMS\"",
                        ]
                    ],
                ])
    }

    @Test(
        "input that is not a record is refused",
        arguments: ["{}", #"{"event":"session","state":"ended"}"#, #"{"event":"added"}"#, "[]"])
    func refuses(_ text: String) throws {
        #expect(throws: RuleSubject.ReadingFault.self) { try report(text) }
    }

    private func options(_ words: String...) throws(CommandSyntax.UsageError) -> RulesOptions {
        try RulesOptions(
            try RulesOptions.syntax.parse(words), environment: ["HOME": "/home/ada"])
    }

    @Test("the command line names a record, a configuration and a time")
    func commandLine() throws {
        let plain = try options("test")
        #expect(plain.record == nil)
        #expect(plain.configuration.path == "/home/ada/.config/ancs/config.toml")
        #expect(!plain.configuration.isNamed)
        #expect(plain.time == nil)
        let full = try options("test", "{}", "--config", "x", "--at", "sat 06:59", "--json")
        #expect(full.record == "{}")
        #expect(full.configuration.path == "x")
        #expect(full.configuration.isNamed)
        #expect(full.time == LocalTime(weekday: .saturday, minute: 419))
        #expect(full.isJSON)
        #expect(try options("test", "--system").configuration.path == "/etc/ancs/config.toml")
        // The one that is named is meant, whichever daemon it is for.
        #expect(try options("test", "--system", "--config", "x").configuration.path == "x")
    }

    @Test(
        "a command line that cannot be followed is refused",
        arguments: [
            ["try"], ["test", "--at", "23:15"], ["test", "--at", "fri 24:00"],
            ["test", "--config", ""],
        ])
    func wrong(_ words: [String]) {
        #expect(throws: CommandSyntax.UsageError.self) {
            try RulesOptions(
                try RulesOptions.syntax.parse(words), environment: ["HOME": "/home/ada"])
        }
    }
}
