import ANCS
import ANCSProvider
import Testing
import Kinds

@testable import AccessoryConformance

/// What a scenario file may say, and how its mistakes are told.
@Suite struct ScenarioReadingTests {
    static func read(_ text: String) throws -> Scenario { try Scenario(parsing: Array(text.utf8)) }

    /// The message about a file with these steps.
    static func complaint(steps: String) -> String? {
        complaint(#"{"title":"T","steps":[\#(steps)]}"#)
    }

    static func complaint(_ text: String) -> String? {
        do {
            _ = try read(text)
            return nil
        } catch let error as DocumentErrors {
            return error.errors.map(\.message).joined(separator: "\n")
        } catch {
            return "\(error)"
        }
    }

    @Test("a complete scenario is read into its steps")
    func whole() throws {
        let scenario = try Self.read(
            """
            {"title":"T","description":"D","timeout":90,"mtu":23,"consent":false,
             "apps":{"com.example.chat":"Chat","com.example.gone":null},
             "notifications":[{"as":"old","title":"Old","category":99,"date":"2026-11-21T09:30:15"}],
             "behavior":{"truncation":"octets","firstUID":4294967295},
             "accessories":{"watch":{"name":"Desk"},"band":{"address":"f0:f1:f2:f3:f4:f5"}},
             "steps":[
               {"wait":"connected","accessory":"band","within":0.5,"note":"soon"},
               {"expect":{"command":"getNotificationAttributes","of":"old","attributes":["title"]},
                "accessory":"watch"},
               {"consent":true,"accessory":"watch"}]}
            """)
        #expect(scenario.timeout == .seconds(90))
        #expect(scenario.mtu == 23)
        #expect(scenario.hasConsent == false)
        #expect(
            scenario.apps == [
                .init(identifier: "com.example.chat", displayName: "Chat"),
                .init(identifier: "com.example.gone", displayName: nil),
            ])
        #expect(scenario.notifications.map(\.name) == ["old"])
        #expect(scenario.notifications[0].content.category == CategoryID(rawValue: 99))
        #expect(
            scenario.notifications[0].content.date
                == .at(try #require(NotificationDate(Array("20261121T093015".utf8)))))
        var behavior = ProviderBehavior()
        scenario.behavior.apply(to: &behavior)
        #expect(behavior.truncation == .octets)
        #expect(behavior.firstUID == NotificationUID(rawValue: .max))
        #expect(
            scenario.accessories.map(\.identification) == [
                .advertisedName("Desk"), .address("F0:F1:F2:F3:F4:F5"),
            ])
        #expect(scenario.steps.map(\.accessory) == [1, 0, 0])
        #expect(scenario.steps[0].deadline == .milliseconds(500))
        #expect(scenario.steps[0].note == "soon")
        #expect(scenario.steps[1].deadline == .seconds(30))
        #expect(scenario.steps[2].says(PhoneVerbs.Consent(isGiven: true)))
    }

    @Test("a repetition is written out, and numbers its names and texts")
    func repetition() throws {
        let scenario = try Self.read(
            """
            {"title":"T","steps":[{"repeat":{"times":2,"steps":[
              {"post":{"as":"m {n}","title":"{n} of {n}"}},{"remove":"m {n}"}]}}]}
            """)
        var first = NotificationContent()
        first.title = "1 of 1"
        #expect(scenario.steps.count == 4)
        let post = PhoneVerbs.Post(content: NamedNotification(name: "m 1", content: first))
        #expect(scenario.steps[0].says(post))
        #expect(scenario.steps[3].says(PhoneVerbs.Remove(names: ["m 2"])))
        #expect(scenario.steps.map(\.round) == [1, 1, 2, 2])
        #expect(scenario.steps[3].path == "$.steps[0].repeat.steps[1]")
    }

    @Test("a call that ended has left another notification behind")
    func calls() throws {
        let scenario = try Self.read(
            """
            {"title":"T","steps":[{"ring":{"as":"call"}},{"decline":"call"},
              {"expect":{"command":"any","of":"call.missed"}}]}
            """)
        #expect(scenario.steps[1].says(PhoneVerbs.Decline(call: "call")))
        #expect(
            Self.complaint(steps: #"{"ring":{"as":"c"}},{"answer":"c"},{"decline":"c"}"#)
                == #"$.steps[2].decline: expected the name of a ringing call, found "c""#)
    }

    @Test("apps are installed with a name, unless the file says otherwise")
    func apps() throws {
        let scenario = try Self.read(
            """
            {"title":"T","apps":{"com.example.chat":"Chat","com.example.gone":null,
              "com.apple.mobilemail":null},
             "notifications":[{"as":"a","app":"com.example.gone"}],
             "steps":[{"post":{"as":"b","app":"com.example.news"}}]}
            """)
        #expect(
            scenario.installedApps == [
                "com.apple.MobileSMS": "Messages", "com.apple.mobilephone": "Phone",
                "com.apple.mobilecal": "Calendar", "com.apple.reminders": "Reminders",
                "com.apple.news": "News", "com.apple.Health": "Health",
                "com.apple.Maps": "Maps", "com.example.chat": "Chat",
                "com.example.news": "news",
            ])
    }

    @Test("actions are allowed only in a scenario that waits for one")
    func actions() throws {
        let silent = try Self.read(#"{"title":"T","steps":[{"post":{"as":"a"}}]}"#)
        #expect(!silent.allowsActions)
        let pressed = try Self.read(
            #"{"title":"T","steps":[{"post":{"as":"a"}},{"expect":{"action":"any","of":"a"}}]}"#)
        #expect(pressed.allowsActions)
    }

    @Test("one subscription is dropped, or both; the service returns where it was, or elsewhere")
    func droppedAndMoved() throws {
        let scenario = try Self.read(
            """
            {"title":"T","steps":[
              {"inject":{"fault":"droppedSubscriptions"}},
              {"inject":{"fault":"droppedSubscriptions","characteristic":"dataSource"}},
              {"publish":true},{"publish":{"serviceChanged":false,"handle":64}}]}
            """)
        let steps: [any PhoneVerb] = [
            PhoneVerbs.Inject(fault: .droppedSubscriptions([.notificationSource, .dataSource])),
            PhoneVerbs.Inject(fault: .droppedSubscriptions([.dataSource])), PhoneVerbs.Publish(),
            PhoneVerbs.Publish(handle: 64, isAnnounced: false),
        ]
        #expect(scenario.steps.count == steps.count)
        for (step, verb) in zip(scenario.steps, steps) { #expect(step.says(verb)) }
    }

    struct Mistake: Sendable, CustomTestStringConvertible {
        var steps: String
        var message: String
        var testDescription: String { steps }

        init(_ steps: String, _ message: String) {
            self.steps = steps
            self.message = message
        }
    }

    static let verbs =
        "wait, expect, post, modify, remove, ring, answer, decline, stopRinging, "
        + "hangUp, install, uninstall, inject, clearFaults, set, consent, changeParameters, "
        + "disconnect, discoverServices, pair, fade, forgetBond, restart, bind, unbind, publish, unpublish, battery, clock, player, queue, track, play, volume, media, pause or repeat"

    static let mistakes: [Mistake] = [
        .init("1", "$.steps[0]: expected a step, found 1"),
        .init("{}", "$.steps[0]: expected a step with one of \(verbs), found none of them"),
        .init(
            #"{"pause":1,"wait":"paired"}"#,
            "$.steps[0]: expected a step with one of \(verbs), found pause or wait together"),
        .init(
            #"{"wait":"subscribd"}"#,
            "$.steps[0].wait: expected an event: connected, encrypted, paired, bonded, restored, session, "
                + "subscribed, sessionEnded, disconnected, command or action, "
                + #"found "subscribd"; did you mean "subscribed"?"#),
        .init(
            #"{"changeParameters":{"latency":30,"timeout":720}}"#,
            "$.steps[0].changeParameters: expected a timeout longer than 2 × interval × (latency + 1), "
                + #"found {"latency":30,"timeout":720}"#),
        .init(
            #"{"bind":{"service":"18"}}"#,
            "$.steps[0].bind.service: expected a UUID such as 180F, 0000180F or 7905F431-B5CE-4E99-A40F-4B1E122D00D0, "
                + #"found "18""#),
        .init(
            #"{"bind":{"app":"band"}}"#,
            "$.steps[0].bind: expected the member \"service\", "
                + "a UUID such as 180F, 0000180F or 7905F431-B5CE-4E99-A40F-4B1E122D00D0, found "
                + #"{"app":"band"}"#),
        .init(
            #"{"unbind":{"app":"../band"}}"#,
            "$.steps[0].unbind.app: expected the name of an app: letters, digits and . - _, "
                + #"found "../band""#),
        .init(
            #"{"expect":{"no":"pairing","app":"band","for":1}}"#,
            "$.steps[0].expect.app: expected no app: only bindings are about one, "
                + #"found "band""#),
        .init(
            #"{"remove":"lunch"}"#,
            "$.steps[0].remove: expected the name of a notification that was posted before, "
                + #"found "lunch""#),
        .init(
            #"{"post":{"as":"lunch"}},{"remove":"lnch"}"#,
            "$.steps[1].remove: expected the name of a notification that was posted before, "
                + #"found "lnch"; did you mean "lunch"?"#),
        .init(
            #"{"post":{"title":"A"}}"#,
            #"$.steps[0].post: expected the member "as", a name for steps to refer to it, "#
                + #"found {"title":"A"}"#),
        .init(
            #"{"post":{"as":"a","titel":"A"}}"#,
            "$.steps[0].post: expected a notification with as, app, category, title, subtitle, "
                + "message, date, positive, negative, silent or important, "
                + #"found the member "titel"; did you mean "title"?"#),
        .init(
            #"{"post":{"as":"a"}},{"post":{"as":"a"}}"#,
            #"$.steps[1].post.as: expected a name that is not taken, found "a""#),
        .init(
            #"{"post":{"as":"a","date":"yesterday"}}"#,
            #"$.steps[0].post.date: expected "now", "none" or a date such as "#
                + #""2026-11-21T09:30:00", found "yesterday""#),
        .init(
            #"{"pause":"long"}"#,
            #"$.steps[0].pause: expected a number of seconds from 0 to 86400, found "long""#),
        .init(
            #"{"expect":{"comand":"any"}}"#,
            "$.steps[0].expect: expected one of command, action, no, subscribed, unsubscribed, "
                + #"bound, unbound, read, parameters, media or registered, found comand; did you mean "command"?"#
        ),
        .init(
            #"{"expect":{"command":"getAppAttributes","attributes":["title"]}}"#,
            "$.steps[0].expect.attributes: expected no attributes: only getNotificationAttributes "
                + #"names them, found ["title"]"#),
        .init(
            #"{"expect":{"no":"command"}}"#,
            #"$.steps[0].expect: expected the member "for", a number of seconds, "#
                + #"found {"no":"command"}"#),
        .init(
            #"{"inject":{"fault":"late"}}"#,
            #"$.steps[0].inject: expected the member "by", a number of seconds, "#
                + #"found {"fault":"late"}"#),
        .init(
            #"{"inject":{"fault":"lost","by":3}}"#,
            #"$.steps[0].inject.by: expected nothing: "by" belongs to "late", found 3"#),
        .init(
            #"{"set":{"fragments":0}}"#,
            "$.steps[0].set.fragments: expected a number of octets from 1 to 512 or one of: full or "
                + "random, found 0"),
        .init(
            #"{"disconnect":false}"#,
            "$.steps[0].disconnect: expected true, or an object with lost, found false"),
        .init(
            #"{"repeat":{"times":2,"steps":[{"post":{"as":"a"}}]}}"#,
            "$.steps[0].repeat.steps[0].post.as: expected a name with {n}, because it is in a "
                + #"repetition, found "a""#),
        .init(
            #"{"repeat":{"times":2,"steps":[{"repeat":{"times":2,"steps":[]}}]}}"#,
            "$.steps[0].repeat.steps[0].repeat: expected a step, found a repeat in a repeat"
        ),
        .init(
            #"{"repeat":{"times":2,"steps":[]},"optional":true}"#,
            #"$.steps[0].optional: expected repeat alone: "optional" belongs to the steps in it, "#
                + "found true"),
        .init(
            #"{"post":{"as":"a","app":"a\u0000b"}}"#,
            "$.steps[0].post.app: expected an app identifier of 1 to 509 octets without NUL, "
                + #"found "a\u0000b""#),
        .init(
            #"{"post":{"as":"a"}},{"remove":"x"}"#,
            "$.steps[1].remove: expected the name of a notification that was posted before, "
                + #"found "x""#),
        .init(
            #"{"wait":"paired","accessory":"watch"}"#,
            #"$.steps[0].accessory: expected an accessory: accessory, found "watch""#),
    ]

    @Test(
        "a mistake is reported with its place, the expected value and the actual one",
        arguments: mistakes
    )
    func mistake(_ row: Mistake) {
        #expect(Self.complaint(steps: row.steps) == row.message)
    }

    @Test("all mistakes are reported at once, with their lines and columns, in their order")
    func several() throws {
        let text = """
            {
              "title": 1, "mtu": 5, "colour": "red",
              "notifications": [{"as": "old", "category": "x"}, {"as": "older", "date": "never"}],
              "steps": [
                {"post": {"as": "a", "titel": "A", "silent": 1}, "within": "long"},
                {"modify": {"of": "old", "title": 2}},
                {"remove": ["a", "b", "older", "c"]},
                {"answer": "call"}, {"hangUp": "call.active"},
                {"repeat": {"times": 3, "steps": [{"pause": "x"}, {"pause": {}}]}},
                {"expect": {"command": "x", "attributes": ["title", "y"], "of": "z"}}
              ]
            }
            """
        var lines: [String] = []
        do { _ = try Self.read(text) } catch let error as DocumentErrors {
            lines = error.lines(of: "s.json")
        }
        #expect(
            lines.map { $0.split(separator: " expected")[0] } == [
                "s.json:2:12: $.title:", "s.json:2:22: $.mtu:", "s.json:2:35: $:",
                "s.json:3:47: $.notifications[0].category:",
                "s.json:3:77: $.notifications[1].date:",
                "s.json:5:35: $.steps[0].post:", "s.json:5:50: $.steps[0].post.silent:",
                "s.json:5:64: $.steps[0].within:", "s.json:6:39: $.steps[1].modify.title:",
                "s.json:7:22: $.steps[2].remove[1]:", "s.json:7:36: $.steps[2].remove[3]:",
                "s.json:8:16: $.steps[3].answer:",
                "s.json:9:49: $.steps[5].repeat.steps[0].pause:",
                "s.json:9:65: $.steps[5].repeat.steps[1].pause:",
                "s.json:10:28: $.steps[6].expect.command:",
                "s.json:10:69: $.steps[6].expect.of:",
            ])
    }

    @Test("a file with very many mistakes names the first hundred, and counts the others")
    func many() {
        let steps = Array(repeating: "{}", count: 130).joined(separator: ",")
        do {
            _ = try Self.read(#"{"title":"T","steps":[\#(steps)]}"#)
        } catch let error as DocumentErrors {
            let lines = error.lines(of: "s.json")
            #expect(lines.count == 101)
            #expect(lines.last == "s.json: 30 more mistakes")
        } catch { Issue.record("\(error)") }
        let syntax = #expect(throws: DocumentErrors.self) { try Self.read("{\n \"title\": }") }
        #expect(syntax?.lines(of: "s.json") == ["s.json:2:11: expected a value, found }"])
    }

    @Test("consequences of a mistake are not reported as further mistakes")
    func consequences() {
        #expect(
            Self.complaint(
                #"{"title":"T","accessories":{"a":{"name":1},"b":{}},"steps":[{"wait":"paired","accessory":"a"},{"wait":"paired"}]}"#
            ) == #"$.accessories.a.name: expected an advertised name, found 1"#)
        #expect(
            Self.complaint(
                steps: #"{"ring":{"as":"c","from":1}},{"decline":"c"},{"remove":"c.missed"}"#)
                == #"$.steps[0].ring.from: expected a caller, found 1"#)
    }

    @Test("a step must name its accessory if there are several")
    func ambiguousAccessory() {
        #expect(
            Self.complaint(
                #"{"title":"T","accessories":{"a":{},"b":{}},"steps":[{"wait":"paired"}]}"#)
                == #"$.steps[0]: expected the member "accessory": a or b, found none"#)
    }

    @Test("a scenario has 1 to 1000 accessories")
    func numberOfAccessories() {
        func complaint(_ count: Int) -> String? {
            let accessories = (0..<count).map { "\"a\($0)\":{}" }.joined(separator: ",")
            return Self.complaint(
                #"{"title":"T","accessories":{\#(accessories)},"steps":[{"pause":1}]}"#)
        }
        for count in [0, 1001] {
            #expect(
                complaint(count)?.hasPrefix("$.accessories: expected 1 to 1000 accessories, found")
                    == true)
        }
        #expect(complaint(1000) == nil)
    }

    @Test("an address has six pairs of hexadecimal digits, and the schema's place is a text")
    func places() {
        for address in ["+0:F1:F2:F3:F4:F5", "F0:F1:F2:F3:F4", "F0F1F2F3F4F5", "-1:F1:F2:F3:F4:F5"]
        {
            #expect(
                Self.complaint(
                    #"{"title":"T","accessories":{"a":{"address":"\#(address)"}},"#
                        + #""steps":[{"pause":1}]}"#)
                    == #"$.accessories.a.address: expected an address such as "#
                    + #""F0:F1:F2:F3:F4:F5", found "\#(address)""#)
        }
        #expect(
            Self.complaint(#"{"$schema":1,"title":"T","steps":[{"pause":1}]}"#)
                == "$.$schema: expected the location of the schema, found 1")
    }

    @Test("a scenario has a step: without one, a run would pass whatever the accessory does")
    func noSteps() {
        #expect(
            Self.complaint(#"{"title":"T","steps":[]}"#)
                == "$.steps: expected at least one step, found []")
    }

    @Test("a file that is not JSON, or not an object, is reported")
    func noDocument() throws {
        #expect(Self.complaint("[]") == "$: expected a scenario, found []")
        #expect(
            Self.complaint("{\n  \"title\": \"T\"\n  \"steps\": []}")
                == "line 3, column 3: expected a comma or }, found \"steps\": []}")
        #expect(
            Self.complaint("{")
                == "line 1, column 2: expected a name in quotes, found the end of the line")
        #expect(
            Self.complaint(steps: #"{"pause":1,"pause":2}"#)
                == "line 1, column 34: expected another name: the object already has a member of this name, "
                + #"found "pause":2}]}"#)
        #expect(
            Self.complaint(#"{"title":"T"}"#)
                == #"$: expected the member "steps", a list of steps, found {"title":"T"}"#)
    }

    @Test("repetitions cannot grow without bound")
    func bounded() throws {
        let steps = #"{"repeat":{"times":6000,"steps":[{"pause":0},{"pause":0}]}}"#
        #expect(
            Self.complaint(steps: steps)
                == "$.steps[0].repeat.steps[0]: expected at most 10000 steps in all rounds, found more"
        )
    }
}
