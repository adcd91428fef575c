import DeviceCommandKit
import ANCS
import ANCSKit
import Testing
import Kinds

@testable import ANCSCommands
@testable import AccessoryConformance
@testable import CommandKit

/// What is typed at the prompt, and the verb of scenarios that it becomes.
@Suite struct PromptCommandTests {
    /// An app that the phone has is known by its name.
    static func parse(_ line: String) throws(PromptFault) -> PromptCommand? {
        try PromptCommands.parse(line) { name throws(PromptFault) in
            if name == "Messages" { return "com.apple.MobileSMS" }
            guard name.contains(".") else { throw PromptFault(message: "unknown app '\(name)'") }
            return name
        }
    }

    static func typed(_ line: String) throws -> TypedVerb? {
        guard case .verb(let verb) = try parse(line) else { return nil }
        return verb
    }

    static func message(_ line: String) -> String? {
        do throws(PromptFault) {
            _ = try parse(line)
            return nil
        } catch { return error.message }
    }

    @Test("a post has an app, texts, and named settings")
    func post() throws {
        let line = #"post Messages "Ada L." 'Lunch?' subtitle=soon category=12 important"#
        let post = try #require(try Self.typed(line)?.verb as? PhoneVerbs.Post)
        #expect(post.content.name.isEmpty)
        let notification = try post.content.content.notification()
        #expect(notification.appIdentifier.description == "com.apple.MobileSMS")
        #expect(notification.title == Array("Ada L.".utf8))
        #expect(notification.subtitle == Array("soon".utf8))
        #expect(notification.message == Array("Lunch?".utf8))
        #expect(notification.categoryID == CategoryID(rawValue: 12))
        #expect(notification.isImportant && !notification.isSilent)
    }

    @Test("a post at the prompt equals the same post in a scenario")
    func samePost() throws {
        let scenario = try ScenarioReadingTests.read(
            #"{"title":"T","steps":[{"post":{"as":"a","app":"com.apple.news","title":"Steps"}}]}"#)
        let typed = try #require(try Self.typed("post com.apple.news Steps as=a"))
        #expect(scenario.steps[0].says(try #require(typed.verb as? PhoneVerbs.Post)))
        let notification = try #require(typed.verb as? PhoneVerbs.Post).content.content
            .notification()
        #expect(notification.categoryID == .news)
        #expect(notification.negativeActionLabel == Array("Clear".utf8))
        #expect(scenario.installedApps["com.apple.news"] == "News")
    }

    @Test(
        "quoting a word and reading it gives the same word, whatever combines with the quotes",
        arguments: ["\u{6DB}\t", "a \u{301}", "\\\u{20DD} '", "é \" n", "", "\n"])
    func quoted(_ word: String) throws {
        #expect(try PromptWords.split(PromptWords.quoted(word)) == [word])
    }

    @Test("a change affects only the members that it names, and an empty label removes the action")
    func modify() throws {
        let line = "modify 7 message=New negative= date=2026-11-21T09:30:00 no-silent"
        let modify = try #require(try Self.typed(line)?.verb as? PhoneVerbs.Modify)
        #expect(modify.name == "7")
        var notification = ProviderNotification(
            appIdentifier: try AppIdentifier("com.example"), title: "Old", message: "Old",
            positiveActionLabel: "Yes", negativeActionLabel: "No")
        notification.isSilent = true
        modify.content.apply(to: &notification)
        #expect(notification.title == Array("Old".utf8))
        #expect(notification.message == Array("New".utf8))
        #expect(notification.positiveActionLabel == Array("Yes".utf8))
        #expect(notification.negativeActionLabel == nil)
        #expect(notification.date?.description == "2026-11-21T09:30:00")
        #expect(!notification.isSilent)
    }

    /// A line, and the step of a scenario that says the same.
    static let steps: [(String, String)] = [
        ("remove all", #"{"remove":["all"]}"#), ("remove 1 2", #"{"remove":["1","2"]}"#),
        ("consent off", #"{"consent":false}"#), ("CONSENT on", #"{"consent":true}"#),
        ("disconnect", #"{"disconnect":true}"#), ("forget", #"{"forgetBond":true}"#),
        ("forgetbond", #"{"forgetBond":true}"#), ("pair", #"{"pair":true}"#),
        ("publish", #"{"publish":true}"#), ("unpublish", #"{"unpublish":true}"#),
        (
            "publish handle=64 no-serviceChanged",
            #"{"publish":{"handle":64,"serviceChanged":false}}"#
        ),
        ("unpublish serviceChanged=off", #"{"unpublish":{"serviceChanged":false}}"#),
        ("bind 180D", #"{"bind":{"service":"180D"}}"#),
        ("bind 180d band", #"{"bind":{"service":"180D","app":"band"}}"#),
        ("unbind", #"{"unbind":true}"#), ("unbind band", #"{"unbind":{"app":"band"}}"#),
        ("restart", #"{"restart":true}"#), ("battery 57", #"{"battery":57}"#),
        ("clock set=network zone=-03:30", #"{"clock":{"set":"network","zone":"-03:30"}}"#),
        ("clock daylightSaving=double", #"{"clock":{"daylightSaving":"double"}}"#),
        ("clock set=2026-03-29T01:59:50", #"{"clock":{"set":"2026-03-29T01:59:50"}}"#),
        ("inject late by=2.5 times=3", #"{"inject":{"fault":"late","by":2.5,"times":3}}"#),
        (
            "inject refused error=unknownCommand",
            #"{"inject":{"fault":"refused","error":"unknownCommand"}}"#
        ),
        ("inject lost", #"{"inject":{"fault":"lost"}}"#),
        (
            "set fragments=20 truncation=octets category=null joinAnswers",
            #"{"set":{"fragments":20,"truncation":"octets","category":null,"joinAnswers":true}}"#
        ),
        ("set fragments=full", #"{"set":{"fragments":"full"}}"#),
        ("wait subscribed", #"{"wait":"subscribed"}"#), ("pause 0.5", #"{"pause":0.5}"#),
        (
            "expect command=getNotificationAttributes attributes=title,message answer=success",
            #"{"expect":{"command":"getNotificationAttributes","attributes":["title","message"],"#
                + #""answer":"success"}}"#
        ),
        ("expect no=command for=3", #"{"expect":{"no":"command","for":3}}"#),
        ("expect bound=band", #"{"expect":{"bound":"band"}}"#),
        ("changeparameters", #"{"changeParameters":true}"#),
        ("changeParameters interval=50", #"{"changeParameters":{"interval":50}}"#),
        (
            "inject parameters answer=refuse times=3",
            #"{"inject":{"fault":"parameters","answer":"refuse","times":3}}"#
        ),
        ("fade 3 on=all", #"{"fade":{"for":3,"on":"all"}}"#),
        ("install com.example.chat Chat", #"{"install":{"app":"com.example.chat","name":"Chat"}}"#),
        ("uninstall Messages", #"{"uninstall":"com.apple.MobileSMS"}"#),
    ]

    @Test("a line at the prompt means the same as a step of a scenario", arguments: steps)
    func step(line: String, step: String) throws {
        for line in [line, "  " + line + "  "] {
            let typed = try #require(try Self.typed(line), "\(line)")
            let names = #"{"as":"all"},{"as":"1"},{"as":"2"}"#
            let scenario = try ScenarioReadingTests.read(
                #"{"title":"T","notifications":[\#(names)],"steps":[\#(step)]}"#)
            #expect(scenario.steps[0].says(typed.verb), "\(line)")
        }
    }

    @Test("a call is named or is the newest one")
    func calls() throws {
        func verb(_ line: String) throws -> (any PhoneVerb)? { try Self.typed(line)?.verb }
        let ring = try #require(try verb("call 'Ada L' mobile") as? PhoneVerbs.Ring)
        #expect(ring.call.content.call == IncomingCall(caller: "Ada L", line: "mobile"))
        #expect(try verb("answer") as? PhoneVerbs.Answer == .init(call: ""))
        #expect(try verb("answer 3") as? PhoneVerbs.Answer == .init(call: "3"))
        #expect(try verb("decline") as? PhoneVerbs.Decline == .init(call: ""))
        #expect(try verb("stop 4") as? PhoneVerbs.StopRinging == .init(call: "4"))
        #expect(try verb("hangup") as? PhoneVerbs.HangUp == .init(call: ""))
    }

    static let accessories: [(String, String?, Int)] = [
        ("disconnect", nil, 30), ("disconnect Watch", "Watch", 30), ("consent on 2", "2", 30),
        ("inject lost accessory=Watch", "Watch", 30),
        ("pair C0:00:00:00:00:01", "C0:00:00:00:00:01", 30),
        ("wait subscribed within=5 accessory=Watch", "Watch", 5), ("wait connected", nil, 30),
    ]

    @Test("an accessory and a time limit may stand beside the value", arguments: accessories)
    func accessory(line: String, accessory: String?, seconds: Int) throws {
        let typed = try #require(try Self.typed(line))
        #expect(typed.accessory == accessory)
        #expect(typed.deadline == .seconds(seconds))
    }

    @Test("queries have a name, and no operands")
    func queries() throws {
        for query in PromptQuery.all {
            for name in query.names {
                guard case .query(let found) = try Self.parse(name) else {
                    Issue.record("\(name) is no query")
                    continue
                }
                #expect(found.name == query.name)
            }
        }
        #expect(Self.message("apps now") == "usage: apps")
    }

    @Test("every verb and query has unique names and a line of help, and is completed")
    func table() {
        let verbs = PhoneVerbs.all.flatMap { [$0.name] + $0.aliases }
        let queries = PromptQuery.all.flatMap(\.names)
        #expect(Set(verbs.map { $0.lowercased() }).count == verbs.count)
        #expect(Set(queries).count == queries.count)
        // These two are shown without an operand, and set with one.
        #expect(Set(verbs).intersection(queries) == ["battery", "clock"])
        for name in PhoneVerbs.all.map({ $0.name }) + PromptQuery.all.map(\.name) {
            #expect(PromptCommands.help.contains { ($0 + " ").hasPrefix("  \(name) ") }, "\(name)")
            #expect(PromptCommands.names.contains(name))
        }
    }

    @Test("a missing or superfluous word is answered with the form in the help")
    func counts() {
        for verb in PhoneVerbs.all {
            let many = Array(repeating: "1", count: 9).joined(separator: " ")
            if !verb.form.isListAllowed || !verb.form.members.isEmpty {
                #expect(Self.message("\(verb.name) \(many)") == "usage: \(verb.heading)")
            }
        }
        for line in ["post", "post Messages", "remove", "consent", "wait"] {
            #expect(Self.message(line)?.hasPrefix("usage: \(line.prefix { $0 != " " }) ") == true)
        }
        #expect(PhoneVerbs.Consent.heading == "consent on|off [ACCESSORY]")
        #expect(PhoneVerbs.Post.heading == "post APP TITLE [MESSAGE] [KEY=VALUE]…")
        #expect(PhoneVerbs.Remove.heading == "remove N…|all")
        #expect(PhoneVerbs.Inject.heading == "inject FAULT [KEY=VALUE]…")
        #expect(PhoneVerbs.Restart.heading == "restart")
    }

    static let completions: [(String, String)] = [
        ("post", "installedApps"), ("post Mail", ""), ("modify", "notifications"),
        ("remove", "notifications"), ("remove 1 2", "notifications"), ("answer", "ringingCalls"),
        ("hangup", "activeCalls"), ("answer 1", ""), ("consent", "on off"),
        ("consent on", "accessories"), ("pair", "accessories"), ("forget", "accessories"),
        ("bind", "services"), ("bind 180D", "boundApps"), ("unbind", "boundApps"),
        ("uninstall", "installedApps"), ("quit", ""), ("sing", ""), ("restart", ""),
        ("publish", "serviceChanged no-serviceChanged handle="),
        ("fade 3", "on=link on=all accessory="),
        ("clock set=network daylightSaving=on", "zone="),
        (
            "clock set=network zone=+01:00",
            "daylightSaving=off daylightSaving=half "
                + "daylightSaving=on daylightSaving=double"
        ),
    ]

    @Test("words are completed from the current state", arguments: completions)
    func completed(line: String, candidates: String) throws {
        let found = PromptCommands.candidates(after: try PromptWords.split(line)).flatMap {
            candidates in
            switch candidates {
            case .words(let words): words
            case .known(let source): ["\(source)"]
            }
        }
        #expect(found.joined(separator: " ") == candidates)
    }

    @Test("settings are completed with their values, each once")
    func settings() throws {
        func words(_ line: String) throws -> [String] {
            PromptCommands.candidates(after: try PromptWords.split(line)).flatMap {
                if case .words(let words) = $0 { words } else { [] as [String] }
            }
        }
        let post = try words("post Mail Hello category=email")
        #expect(post.contains("subtitle=") && post.contains("no-silent"))
        #expect(!post.contains { $0.hasPrefix("category=") || $0.hasPrefix("title=") })
        #expect(try words("post Mail Hello").contains("category=email"))
        #expect(try words("set").contains("truncation=octets"))
        #expect(try words("inject").contains("late"))
        #expect(try words("inject late").contains("by="))
        #expect(try words("expect").contains("command=getAppAttributes"))
        #expect(try words("wait").contains("subscribed"))
    }

    @Test("blank lines and comments are not commands", arguments: ["", "   ", "# post x y"])
    func nothing(line: String) throws {
        #expect(try Self.parse(line) == nil)
    }

    @Test(
        "an invalid line is refused with its correct form",
        arguments: [
            "post Messages a b c d", "post Messages t body=x", "modify 1 titel=x",
            "post Messages t category=x", "post Messages t date=yesterday", "post Mail t", "modify",
            "answer 1 2", "consent maybe", "publish loudly", "install", "install a", "bind",
            "bind band", "bind 180D a b", "unbind a b", "bindings now", "restart now", "sing",
            "post 'open", "clock zone=1", "clock zone=+1:00", "clock zone=++1:00",
            "clock zone=+14:15", "clock daylightSaving=yes", "clock set=10:00",
            "clock set=1500-01-01T00:00:00", "clock tick 1", "battery 101", "battery low",
            "battery -1", "inject", "inject late", "inject lost by=3", "set fragments=0",
            "expect", "expect no=command", "wait subscribd", "wait subscribed within=soon",
            "pause long", "fade", "service", "service away", "hangup 1 2",
            "wait connected accessory=",
        ])
    func misunderstood(line: String) {
        #expect(throws: PromptFault.self) { try Self.parse(line) }
    }

    @Test("a word that resembles a command is answered with the command's name")
    func nearlyCommand() {
        let fault = #expect(throws: PromptFault.self) {
            try Self.parse("pst Messages")
        }
        #expect(fault?.message == "'pst' is not a command; did you mean 'post'?")
    }

    static let faults: [(String, String)] = [
        ("post Messages", "usage: post APP TITLE [MESSAGE] [KEY=VALUE]…"),
        (
            "modify 1 titel=x",
            "'titel' is not a key; did you mean 'title'? The keys are of, app, category, title, "
                + "subtitle, message, date, positive, negative, silent, important. Write a text that "
                + "contains '=' as of=titel=x"
        ),
        (
            "post Messages a=b",
            "'a' is not a key; did you mean 'as'? The keys are as, app, category, title, subtitle, "
                + "message, date, positive, negative, silent, important. Write a text that contains "
                + "'=' as title=a=b"
        ),
        (
            "battery low",
            #"battery: expected a whole number from 0 to 100, found "low""#
        ),
        (
            "set truncation=octet",
            "set.truncation: expected a way to cut texts: characters, octets or ellipsis, "
                + #"found "octet"; did you mean "octets"?"#
        ),
    ]

    @Test("a fault names the mistake and the valid form", arguments: faults)
    func fault(line: String, message: String) {
        let fault = #expect(throws: PromptFault.self) { try Self.parse(line) }
        #expect(fault?.message == message)
    }

    @Test("a post without a title is refused, and a text may contain an equals sign")
    func texts() throws {
        #expect(throws: Never.self) { try Self.parse("post Messages title=") }
        #expect(throws: Never.self) { try Self.parse("post Messages E=mc2 title=a=b") }
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

    @Test("a quoted word is read back unchanged", arguments: ["a", "a b", #"a"b\c"#, "", "'"])
    func quoting(word: String) throws {
        #expect(try PromptWords.split(PromptWords.quoted(word)) == [word])
    }
}
