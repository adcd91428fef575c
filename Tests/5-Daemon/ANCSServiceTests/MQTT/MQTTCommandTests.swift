import ANCS
import MQTT
import Testing

@testable import ANCSService

/// What somebody at the broker can ask for.
@Suite("Commands from the broker")
struct MQTTCommandTests {
    private func atBroker() -> MQTTBench {
        let bench = MQTTBench(MQTTBench.setting { $0.commands = true })
        bench.meet()
        bench.connect()
        return bench
    }

    private func clearable(_ id: UInt64, category: CategoryID = .social) -> Record {
        SampleRecord.make(id: id, category: category, flags: .negativeAction)
    }

    @Test("commands are subscribed to only if the configuration allows them")
    func permission() {
        let without = MQTTBench()
        without.connect()
        #expect(without.subscribed == ["homeassistant/status"])
        let with = atBroker()
        #expect(with.subscribed == ["ancs/desk/+/perform", "homeassistant/status"])
        let buttons = with.retained.keys.filter { $0.contains("/button/") }
        #expect(buttons.count == 3)
        let noButtons = without.retained.keys.filter { $0.contains("/button/") }
        #expect(noButtons.isEmpty)
    }

    @Test("commands that arrive all the same are ignored")
    func lie() {
        let bench = MQTTBench()
        bench.meet()
        bench.connect()
        bench.report(.added(clearable(33)))
        bench.send(#"{"last":"negative"}"#)
        #expect(bench.performed.isEmpty)
        #expect(bench.publisher.refusedCommands == 1)
    }

    @Test("buttons of an earlier configuration are withdrawn")
    func buttons() {
        let bench = MQTTBench()
        bench.meet()
        bench.connect()
        let withdrawn = bench.published.filter { $0.payload.isEmpty && $0.isRetained }
        // With those of the player, and what it does.
        #expect(withdrawn.count == 3 + 3 + 5 + 1)
    }

    @Test("'clear last' goes by the date, and then by the order of announcements")
    func lastByDate() {
        let rows: [([(UInt64, String)], UInt64)] = [
            ([(7, "20261122T120000"), (6, "20261122T120000"), (5, "20261122T115959")], 7),
            ([(5, "20261122T120001"), (6, "20261122T120000"), (7, "20261122T120000")], 5),
            ([(5, "20261122T120001"), (6, "20261122T120000"), (7, "")], 7),
        ]
        for (records, last) in rows {
            let bench = atBroker()
            for (id, date) in records {
                bench.report(
                    .added(
                        SampleRecord.make(
                            id: id, flags: .negativeAction,
                            attributes: [AttributeValue(.date, date)])))
            }
            bench.send(#"{"last":"negative"}"#)
            #expect(bench.performed == [.perform(.negative, RecordID(rawValue: last))])
        }
    }

    @Test("'clear last' clears the last notification that is not a call")
    func last() {
        let bench = atBroker()
        bench.send(#"{"last":"negative"}"#)
        #expect(bench.performed.isEmpty)
        bench.report(.added(clearable(5)))
        bench.report(.added(clearable(6)))
        bench.report(.added(clearable(7, category: .activeCall)))
        bench.ring(SampleRecord.call(id: 8))
        bench.send(#"{"last":"negative"}"#)
        #expect(bench.performed == [.perform(.negative, RecordID(rawValue: 6))])
        bench.send(#"{"last":"positive"}"#)
        #expect(bench.performed.count == 1)
    }

    @Test("a ringing call is answered or declined, and an active one is not ended")
    func call() {
        let bench = atBroker()
        bench.report(.added(clearable(7, category: .activeCall)))
        bench.send(#"{"call":"negative"}"#)
        #expect(bench.performed.isEmpty)
        bench.ring(SampleRecord.call(id: 8))
        bench.send(#"{"call":"positive"}"#)
        bench.send(#"{"call":"negative"}"#)
        let id = RecordID(rawValue: 8)
        #expect(bench.performed == [.perform(.positive, id), .perform(.negative, id)])
    }

    @Test("a notification is named by its id, if it is of the phone and has the action")
    func record() {
        let bench = atBroker()
        bench.report(.added(clearable(33)))
        let other = PhoneName(digest: "fedcba9876543210", name: "Bob's iPhone")
        bench.meet(other)
        let command = #"{"id":"11","action":"negative"}"#
        bench.send(command, to: "ancs/desk/fedcba9876543210/perform")
        bench.send(#"{"id":"11","action":"positive"}"#)
        #expect(bench.performed.isEmpty)
        bench.send(command)
        #expect(bench.performed == [.perform(.negative, RecordID(rawValue: 33))])
    }

    static let payloads = [
        "", "x", "null", "[]", "{}", "\"call\"", #"{"call":"both"}"#, #"{"call":1}"#,
        #"{"id":"11"}"#, #"{"id":"11","action":"negative","more":1}"#,
        #"{"id":"u","action":"negative"}"#,
        #"{"call":"positive","last":"negative"}"#, String(repeating: "[", count: 1000),
        #"{"last":"negative"}"# + String(repeating: " ", count: 1024),
        String(repeating: "x", count: 1_048_576),
    ]

    @Test("an invalid command is ignored and counted", arguments: payloads)
    func bad(_ payload: String) {
        let bench = atBroker()
        bench.report(.added(clearable(33)))
        for _ in 0..<3 { bench.send(payload) }
        #expect(bench.performed.isEmpty)
        let refused = bench.publisher.refusedCommands
        #expect(refused == 3)
        #expect(bench.logged.count == 1)
        let isQuoted = payload.utf8.count > 20 && bench.logged[0].contains(payload.prefix(20))
        #expect(!isQuoted)
    }

    @Test("a retained command is ignored, or it would be repeated at every start")
    func retained() {
        let bench = atBroker()
        bench.report(.added(clearable(33)))
        bench.send(#"{"last":"negative"}"#, isRetained: true)
        #expect(bench.performed.isEmpty)
    }

    @Test("topics of other phones and of none are ignored")
    func topics() {
        let bench = atBroker()
        bench.report(.added(clearable(33)))
        let digest = MQTTBench.digest
        let topics = [
            "ancs/desk/x/perform", "ancs/desk//perform", "perform", "", "a/b/c/d/e",
            "ancs/attic/\(digest)/perform", "ancs/desk/\(digest)/session",
            "x/desk/\(digest)/perform",
        ]
        for topic in topics {
            bench.send(#"{"last":"negative"}"#, to: topic)
        }
        #expect(bench.performed.isEmpty)
    }

    @Test("of a flood five commands are performed at once, and then one a second")
    func flood() {
        let bench = atBroker()
        bench.report(.added(clearable(33)))
        for _ in 0..<1000 { bench.send(#"{"last":"negative"}"#) }
        #expect(bench.performed.count == 5)
        bench.wait(.milliseconds(1000))
        for _ in 0..<1000 { bench.send(#"{"last":"negative"}"#) }
        #expect(bench.performed.count == 6)
        bench.wait(.seconds(3600))
        for _ in 0..<1000 { bench.send(#"{"last":"negative"}"#) }
        #expect(bench.performed.count == 11)
        #expect(bench.logged.count == 1)
    }
}
