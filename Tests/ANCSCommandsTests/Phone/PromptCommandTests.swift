import ANCS
import ANCSKit
import BluetoothLE
import Testing

@testable import ANCSCommands

/// What somebody types at the prompt.
@Suite struct PromptCommandTests {
    @Test("a post has an app, texts, and named settings")
    func post() throws {
        let line = #"post Messages "Ada L." 'Lunch?' subtitle=soon category=social important"#
        let post = try #require(try PromptCommands.parse(line) as? PromptCommands.Post)
        let change = post.change
        #expect(post.app == "Messages")
        var notification = ProviderNotification(appIdentifier: try AppIdentifier("com.example"))
        change.apply(to: &notification)
        #expect(notification.title == Array("Ada L.".utf8))
        #expect(notification.subtitle == Array("soon".utf8))
        #expect(notification.message == Array("Lunch?".utf8))
        #expect(notification.categoryID == .social)
        #expect(notification.isImportant && !notification.isSilent)
    }

    @Test(
        "a word is read as it was before it was put in quotes, whatever combines with them",
        arguments: ["\u{6DB}\t", "a \u{301}", "\\\u{20DD} '", "é \" n", "", "\n"])
    func quoted(_ word: String) throws {
        #expect(try PromptWords.split(PromptWords.quoted(word)) == [word])
    }

    @Test("a change touches only what it mentions, and an empty label takes the action away")
    func modify() throws {
        let line = "modify 7 message=New negative= date=2026-11-21T09:30:00 no-silent"
        let modify = try #require(try PromptCommands.parse(line) as? PromptCommands.Modify)
        let change = modify.change
        #expect(modify.number == 7)
        var notification = ProviderNotification(
            appIdentifier: try AppIdentifier("com.example"), title: "Old", message: "Old",
            positiveActionLabel: "Yes", negativeActionLabel: "No")
        notification.isSilent = true
        change.apply(to: &notification)
        #expect(notification.title == Array("Old".utf8))
        #expect(notification.message == Array("New".utf8))
        #expect(notification.positiveActionLabel == Array("Yes".utf8))
        #expect(notification.negativeActionLabel == nil)
        #expect(notification.date?.description == "2026-11-21T09:30:00")
        #expect(!notification.isSilent)
    }

    struct Understood: Sendable, CustomTestStringConvertible {
        var line: String
        var command: any PromptCommand
        var testDescription: String { line }

        init(_ line: String, _ command: any PromptCommand) {
            self.line = line
            self.command = command
        }
    }

    static let commands: [Understood] = [
        .init("remove 1 2", PromptCommands.Remove([1, 2])),
        .init("remove all", PromptCommands.Remove(nil)),
        .init("call Ada", PromptCommands.Call(caller: "Ada", line: "")),
        .init("call 'Ada L' mobile", PromptCommands.Call(caller: "Ada L", line: "mobile")),
        .init("answer", PromptCommands.Answer()),
        .init("answer 3", PromptCommands.Answer(number: 3)),
        .init("decline", PromptCommands.Decline()),
        .init("stop 4", PromptCommands.StopRinging(number: 4)),
        .init("hangup", PromptCommands.HangUp()),
        .init("consent off", PromptCommands.Consent(isGiven: false, accessory: nil)),
        .init("consent on Watch", PromptCommands.Consent(isGiven: true, accessory: "Watch")),
        .init("disconnect", PromptCommands.Disconnect()),
        .init("forget C0:00:00:00:00:01", PromptCommands.Forget(accessory: "C0:00:00:00:00:01")),
        .init("pair 2", PromptCommands.Pair(accessory: "2")),
        .init("service off", PromptCommands.Service(isPublished: false, isAnnounced: true)),
        .init("service on silently", PromptCommands.Service(isPublished: true, isAnnounced: false)),
        .init("apps", PromptCommands.ListApps()),
        .init("accessories", PromptCommands.ListAccessories()),
        .init("notifications", PromptCommands.ListNotifications()),
        .init("help", PromptCommands.Help()), .init("?", PromptCommands.Help()),
        .init(
            "bind 180D", PromptCommands.Bind(service: BluetoothUUID(0x180D as UInt16), app: "app")),
        .init(
            "bind 180d band",
            PromptCommands.Bind(service: BluetoothUUID(0x180D as UInt16), app: "band")),
        .init("bindings", PromptCommands.ListBindings()),
        .init("unbind", PromptCommands.Unbind(app: nil)),
        .init("unbind band", PromptCommands.Unbind(app: "band")),
        .init("restart", PromptCommands.Restart()), .init("quit", PromptCommands.Quit()),
        .init("exit", PromptCommands.Quit()),
        .init("uninstall Mail", PromptCommands.Uninstall(app: "Mail")),
    ]

    @Test("each command is understood", arguments: commands)
    func understood(_ row: Understood) throws {
        for line in [row.line, "  " + row.line + "  "] {
            let command = try #require(try PromptCommands.parse(line))
            #expect(AnyHashable(command) == AnyHashable(row.command))
        }
    }

    @Test("every command has words of its own, a line of help, and is offered by its name")
    func table() {
        let all = PromptCommands.all
        let words = all.flatMap { $0.words }
        #expect(Set(words).count == words.count)
        #expect(all.allSatisfy { !$0.help.isEmpty })
        #expect(PromptCommands.help.count == 2 * all.count + 1)
        guard case .words(let offered) = PromptCommands.candidates(after: []) else {
            Issue.record("no words")
            return
        }
        #expect(offered == all.map { $0.words[0] })
    }

    @Test("a word too few or too many is answered with what the help text shows")
    func counts() {
        for command in PromptCommands.all {
            let required = command.operands.filter(\.isRequired).count
            var lines: [[String]] = []
            if required > 0 { lines.append(Array(repeating: "1", count: required - 1)) }
            if command.operands.last?.isOpenEnded != true {
                lines.append(Array(repeating: "1", count: command.operands.count + 1))
            }
            for operands in lines {
                let line = (command.words.prefix(1) + operands).joined(separator: " ")
                let fault = #expect(throws: PromptFault.self, "\(line)") {
                    try PromptCommands.parse(line)
                }
                #expect(fault?.message == "usage: \(command.heading)")
            }
        }
        #expect(PromptCommands.Consent.heading == "consent on|off [ACCESSORY]")
    }

    static let completions: [(String, String)] = [
        ("post", "installedApps"), ("post Mail", "unknown"), ("post Mail Hello", "settings"),
        ("post Mail Hello You silent", "settings"), ("modify", "notifications"),
        ("modify 1", "settings"), ("modify 1 title=a", "settings"), ("remove", "notifications"),
        ("remove 1 2", "notifications"), ("answer", "ringingCalls"), ("hangup", "activeCalls"),
        ("answer 1", "unknown"), ("consent", #"words(["on", "off"])"#),
        ("consent on", "accessories"),
        ("service", #"words(["on", "off"])"#), ("service on", #"words(["silently"])"#),
        ("service on silently", "unknown"), ("pair", "accessories"), ("forget", "accessories"),
        ("bind", "services"), ("bind 180D", "boundApps"), ("unbind", "boundApps"),
        ("uninstall", "installedApps"), ("quit", "unknown"), ("sing", "unknown"),
    ]

    @Test("what may follow is completed from what there is", arguments: completions)
    func completed(line: String, candidates: String) throws {
        let found = PromptCommands.candidates(after: try PromptWords.split(line))
        #expect("\(found)" == candidates)
    }

    @Test("blank lines and comments are not commands", arguments: ["", "   ", "# post x y"])
    func nothing(line: String) throws {
        #expect(try PromptCommands.parse(line) == nil)
    }

    @Test(
        "an invalid line is refused with its correct form",
        arguments: [
            "post", "post Messages", "post Messages a b c d", "post M t body=x", "modify 1 titel=x",
            "post M t category=x", "post M t date=yesterday",
            "modify", "modify x title=a", "remove", "remove x", "call", "answer x", "answer 1 2",
            "consent", "consent maybe", "service", "service on loudly", "install", "install a",
            "apps now", "bind", "bind band", "bind 180D a b", "unbind a b", "bindings now",
            "restart now", "sing", "post 'open",
        ])
    func misunderstood(line: String) {
        #expect(throws: PromptFault.self) { try PromptCommands.parse(line) }
    }

    @Test("a word that is nearly a command is taken for one that was meant")
    func nearlyCommand() {
        let fault = #expect(throws: PromptFault.self) {
            try PromptCommands.parse("pst Messages")
        }
        #expect(fault?.message == "'pst' is not a command; did you mean 'post'?")
    }

    static let faults: [(String, String)] = [
        (
            "post Messages",
            "the notification has no title: post Messages TITLE, or title= for one without"
        ),
        (
            "modify 1 titel=x",
            "'titel' is not a key; did you mean 'title'? The keys are title, subtitle, message, "
                + "category, date, positive, negative. Write a title that contains '=' as "
                + "title=titel=x"
        ),
        (
            "post Messages a=b",
            "'a' is not a key. The keys are title, subtitle, message, category, date, positive, "
                + "negative. Write a title that contains '=' as title=a=b"
        ),
    ]

    @Test("a fault says what is wrong, and how it is right", arguments: faults)
    func fault(line: String, message: String) {
        let fault = #expect(throws: PromptFault.self) { try PromptCommands.parse(line) }
        #expect(fault?.message == message)
    }

    @Test("a post without a title is refused, and a text may contain an equals sign")
    func texts() throws {
        #expect(throws: Never.self) { try PromptCommands.parse("post Messages title=") }
        #expect(throws: Never.self) { try PromptCommands.parse("post Messages E=mc2 title=a=b") }
    }

    static let words: [(String, [String])] = [
        ("a b", ["a", "b"]), (#"a" b "c d"#, ["a b c", "d"]), (#"'it"s'"#, [#"it"s"#]),
        (#"a\ b"#, ["a b"]), (#"x\n\t\\"#, ["x\n\t\\"]), (#""""#, [""]), ("", []),
        (#"title="a b""#, ["title=a b"]), (#"end\"#, ["end"]),
    ]

    @Test("quotes keep blanks together", arguments: words)
    func splitting(line: String, words: [String]) throws {
        #expect(try PromptWords.split(line) == words)
    }

    @Test("what is quoted is read back as it was", arguments: ["a", "a b", #"a"b\c"#, "", "'"])
    func quoting(word: String) throws {
        #expect(try PromptWords.split(PromptWords.quoted(word)) == [word])
    }

    @Test("the clock is set, moved and shown; what it cannot be is refused")
    func clock() throws {
        func change(_ line: String) throws -> ClockChange? {
            try #require(try PromptCommands.parse(line) as? PromptCommands.Clock).change
        }
        #expect(try change("clock") == nil)
        #expect(try change("clock set network") == ClockChange(source: .network))
        let date = try #require(
            NotificationDate(year: 2026, month: 3, day: 29, hour: 1, minute: 59, second: 50))
        #expect(try change("clock set 2026-03-29T01:59:50") == ClockChange(source: .user(date)))
        #expect(try change("clock zone -03:30") == ClockChange(offset: -210))
        #expect(try change("clock dst double") == ClockChange(daylightSaving: .twoHours))
        for line in [
            "clock zone 1", "clock zone +1:00", "clock zone ++1:00", "clock zone +14:15",
            "clock dst",
            "clock dst yes", "clock set 10:00", "clock set 1500-01-01T00:00:00", "clock tick 1",
            "battery 101", "battery low", "battery -1",
        ] {
            #expect(throws: PromptFault.self, "\(line)") { try PromptCommands.parse(line) }
        }
    }
}
