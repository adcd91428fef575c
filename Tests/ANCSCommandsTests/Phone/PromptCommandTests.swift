import ANCS
import BluetoothLE
import Testing

@testable import ANCSCommands

/// What somebody types at the prompt.
@Suite struct PromptCommandTests {
    @Test("a post has an app, texts, and whatever else is said by name")
    func post() throws {
        let line = #"post Messages "Ada L." 'Lunch?' subtitle=soon category=social important"#
        guard case .post(let app, let change) = try PromptCommand(parsing: line) else {
            Issue.record("no post")
            return
        }
        #expect(app == "Messages")
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
        guard case .modify(7, let change) = try PromptCommand(parsing: line) else {
            Issue.record("no modify")
            return
        }
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

    static let commands: [(String, PromptCommand)] = [
        ("remove 1 2", .remove([1, 2])), ("remove all", .removeAll),
        ("call Ada", .call(caller: "Ada", line: "")),
        ("call 'Ada L' mobile", .call(caller: "Ada L", line: "mobile")), ("answer", .answer(nil)),
        ("answer 3", .answer(3)), ("decline", .decline(nil)), ("stop 4", .stopRinging(4)),
        ("hangup", .hangUp(nil)), ("consent off", .consent(false, nil)),
        ("consent on Watch", .consent(true, "Watch")), ("disconnect", .disconnect(nil)),
        ("forget C0:00:00:00:00:01", .forget("C0:00:00:00:00:01")), ("pair 2", .pair("2")),
        ("service off", .service(false, announcing: true)),
        ("service on silently", .service(true, announcing: false)), ("apps", .apps),
        ("accessories", .accessories), ("notifications", .notifications), ("help", .help),
        ("bind 180D", .bind(BluetoothUUID(0x180D as UInt16), app: "app")),
        ("bind 180d band", .bind(BluetoothUUID(0x180D as UInt16), app: "band")),
        ("bindings", .bindings),
        ("unbind", .unbind(app: nil)), ("unbind band", .unbind(app: "band")),
        ("restart", .restart), ("quit", .quit), ("uninstall Mail", .uninstall(app: "Mail")),
    ]

    @Test("each command is understood", arguments: commands)
    func understood(line: String, command: PromptCommand) throws {
        #expect(try PromptCommand(parsing: line) == command)
        #expect(try PromptCommand(parsing: "  " + line + "  ") == command)
    }

    @Test("blank lines and comments are no commands", arguments: ["", "   ", "# post x y"])
    func nothing(line: String) throws {
        #expect(try PromptCommand(parsing: line) == nil)
    }

    @Test(
        "what is not understood is said, with how it should be",
        arguments: [
            "post", "post Messages", "post Messages a b c d", "post M t body=x", "modify 1 titel=x",
            "post M t category=x", "post M t date=yesterday",
            "modify", "modify x title=a", "remove", "remove x", "call", "answer x", "answer 1 2",
            "consent", "consent maybe", "service", "service on loudly", "install", "install a",
            "apps now", "bind", "bind band", "bind 180D a b", "unbind a b", "bindings now",
            "restart now", "sing", "post 'open",
        ])
    func misunderstood(line: String) {
        #expect(throws: PromptCommand.Fault.self) { try PromptCommand(parsing: line) }
    }

    @Test("a word that is nearly a command is taken for one that was meant")
    func nearlyCommand() {
        let fault = #expect(throws: PromptCommand.Fault.self) {
            try PromptCommand(parsing: "pst Messages")
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
                + "category, date, positive, negative. A title with '=' in it is written "
                + "title=titel=x"
        ),
        (
            "post Messages a=b",
            "'a' is not a key. The keys are title, subtitle, message, category, date, positive, "
                + "negative. A title with '=' in it is written title=a=b"
        ),
    ]

    @Test("a fault says what is wrong, and how it is right", arguments: faults)
    func fault(line: String, message: String) {
        let fault = #expect(throws: PromptCommand.Fault.self) { try PromptCommand(parsing: line) }
        #expect(fault?.message == message)
    }

    @Test("a post without a title says so, and a text may hold what is no key")
    func texts() throws {
        #expect(throws: Never.self) { try PromptCommand(parsing: "post Messages title=") }
        #expect(throws: Never.self) { try PromptCommand(parsing: "post Messages E=mc2 title=a=b") }
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
}
